// Messages and questions over the page.

import { find, html } from "./svg.js";

/**
 * A dialog with a heading and some content; resolves with the value of the button that was pressed, or null.
 *
 * @param {string} heading
 * @param {HTMLElement} content
 * @param {[value: string, text: string, kind?: string][]} buttons
 * @returns {Promise<string | null>}
 */
export function dialog(heading, content, buttons) {
  return new Promise((resolve) => {
    const form = html(
      "form",
      { method: "dialog" },
      html("h2", {}, heading),
      content,
      html(
        "div",
        { class: "buttons" },
        buttons.map(([value, text, kind = ""]) => html("button", { value, class: kind }, text)),
      ),
    );
    const element = html("dialog", { "aria-label": heading }, form);
    element.addEventListener("close", () => {
      element.remove();
      resolve(element.returnValue || null);
    });
    document.body.append(element);
    element.showModal();
  });
}

/** A short message that goes away by itself; it is also read aloud. @param {string} text */
export function toast(text) {
  const region = find("#toasts");
  // More than two are not read, and on a phone they cover something.
  while (region.children.length > 1) region.firstElementChild?.remove();
  const element = html("div", { class: "toast" }, text);
  region.append(element);
  setTimeout(() => element.remove(), 5000);
}
