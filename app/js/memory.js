// What the page remembers on this device: the game that is being played, settings, and nothing else.

const KEY = "plyground";

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    // Storage may be forbidden, or hold what another page wrote.
    return {};
  }
}

export function remember(name, value) {
  const all = read();
  all[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Without storage the page works, and forgets.
  }
}

export const recall = (name, otherwise) => read()[name] ?? otherwise;
