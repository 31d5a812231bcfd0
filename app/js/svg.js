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
export const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

/** An HTML element. */
export const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/**
 * Replaces the children of an element and leaves the focus where it was: on the button with the same `data-key`, or else on the first
 * that can be pressed.
 */
export function refill(element, children) {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...children);
  if (!held) return;
  const usable = [...element.querySelectorAll("button:enabled, a[href], input:enabled")];
  (usable.find((one) => one.dataset.key === held.dataset.key) ?? usable[0])?.focus({ preventScroll: true });
}
