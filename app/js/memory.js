// What the page remembers on this device: the game that is being played, settings, and nothing else.

const KEY = "plyground";

/** @returns {Record<string, any>} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null") ?? {};
  } catch {
    // Storage may be forbidden, or hold what another page wrote.
    return {};
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function remember(name, value) {
  const all = read();
  all[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Without storage the page works, and forgets.
  }
}

/**
 * What was remembered under a name, or else `otherwise`.
 *
 * @param {string} name
 * @param {any} [otherwise]
 */
export const recall = (name, otherwise) => read()[name] ?? otherwise;
