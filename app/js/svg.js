// Small helpers for elements.

/** @import { Attributes, Child } from "./types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Sets attributes (an attribute that is null, undefined or false is left out; one that begins with `on` is a listener) and adds
 * children.
 *
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const flat = /** @type {unknown[]} */ (children).flat(Infinity);
  element.append(.../** @type {(Node | string)[]} */ (flat.filter(isShown)));
  return element;
}

/** @param {unknown} child */
const isShown = (child) => child !== null && child !== undefined && child !== false;

/**
 * An SVG element.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 */
export const svg = (name, attributes = {}, ...children) =>
  filled(/** @type {SVGElementTagNameMap[K]} */ (document.createElementNS(SVG, name)), attributes, children);

/**
 * An HTML element.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 */
export const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/**
 * An element that must be there.
 *
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 */
export function find(selector, within = document) {
  const element = within.querySelector(selector);
  if (!element) throw new Error(`there is no ${selector}`);
  return /** @type {E} */ (element);
}

/** What was thrown, as words. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Replaces the children of an element that have changed and leaves the focus where it was: on the button with the same
 * `data-key`, or else on the first that can be pressed. The others stay as they are, with what they do: a button that is drawn
 * anew while it is pressed does nothing.
 *
 * @param {HTMLElement} element
 * @param {HTMLElement[]} children
 */
export function refill(element, children) {
  const active = document.activeElement;
  const held = active instanceof HTMLElement && element.contains(active) ? active : null;
  const before = [...element.children];
  children.forEach((child, index) => {
    if (index >= before.length) element.append(child);
    else if (!before[index].isEqualNode(child)) before[index].replaceWith(child);
  });
  for (const rest of before.slice(children.length)) rest.remove();
  if (!held || held.isConnected) return;
  /** @type {HTMLElement[]} */
  const usable = [...element.querySelectorAll("button:enabled, a[href], input:enabled")].filter(
    (one) => one instanceof HTMLElement,
  );
  (usable.find((one) => one.dataset.key === held.dataset.key) ?? usable[0])?.focus({ preventScroll: true });
}
