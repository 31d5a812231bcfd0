// Small helpers for elements.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An SVG element. */
export const svg = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

/** An HTML element. */
export const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/**
 * Replaces the children of an element that have changed and leaves the focus where it was: on the button with the same
 * `data-key`, or else on the first that can be pressed. The others stay as they are, with what they do: a button that is drawn
 * anew while it is pressed does nothing.
 */
export function refill(element, children) {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const before = [...element.children];
  children.forEach((child, index) => {
    if (index >= before.length) element.append(child);
    else if (!before[index].isEqualNode(child)) before[index].replaceWith(child);
  });
  for (const rest of before.slice(children.length)) rest.remove();
  if (!held || held.isConnected) return;
  const usable = [...element.querySelectorAll("button:enabled, a[href], input:enabled")];
  (usable.find((one) => one.dataset.key === held.dataset.key) ?? usable[0])?.focus({ preventScroll: true });
}
