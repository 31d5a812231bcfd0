// What can be done in a game: a bar for what is used all the time, and a menu for the rest.

import { icon } from "./icons.js";
import { html, refill } from "./svg.js";

/**
 * @typedef {{
 *   icon: Parameters<typeof icon>[0], text: string, action: () => void, off?: boolean, pressed?: boolean, kind?: string,
 * }} Tool
 */

export class Tools {
  /** @param {string} more What the button of the menu is called. */
  constructor(more) {
    this.bar = html("div", { class: "bar-of" });
    this.menu = html("div", { class: "menu", hidden: true });
    this.opener = html(
      "button",
      {
        type: "button",
        class: "tool",
        "aria-haspopup": "true",
        "aria-expanded": "false",
        onclick: () => this.#show(this.menu.hidden === true),
      },
      icon("more"),
      html("span", {}, more),
    );
    this.element = html("div", { class: "tools" }, this.bar, this.opener, this.menu);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.menu.hidden) return;
      event.stopPropagation();
      this.#show(false);
      this.opener.focus();
    });
    // A press anywhere else closes it, and does what it does there.
    this.outside = (/** @type {Event} */ event) => {
      if (event.target instanceof Node && !this.element.contains(event.target)) this.#show(false);
    };
    addEventListener("pointerdown", this.outside);
  }

  close() {
    removeEventListener("pointerdown", this.outside);
  }

  /** @param {boolean} shown */
  #show(shown) {
    this.menu.hidden = !shown;
    this.opener.setAttribute("aria-expanded", String(shown));
    if (!shown) return;
    this.menu.querySelector("button")?.focus({ preventScroll: true });
    this.menu.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {Tool[]} tools
   * @param {Tool[]} rest
   */
  draw(tools, rest) {
    refill(
      this.bar,
      tools.map((tool) => button(tool, tool.action, "tool")),
    );
    const then = (/** @type {Tool} */ tool) => () => {
      this.#show(false);
      this.opener.focus({ preventScroll: true });
      tool.action();
    };
    refill(
      this.menu,
      rest.map((tool) => button(tool, then(tool), "item")),
    );
  }
}

/**
 * @param {Tool} tool
 * @param {() => void} action
 * @param {string} kind
 */
const button = (tool, action, kind) =>
  html(
    "button",
    {
      type: "button",
      class: [kind, tool.kind].filter(Boolean).join(" "),
      "data-key": tool.text,
      disabled: tool.off,
      "aria-pressed": tool.pressed === undefined ? null : String(tool.pressed),
      onclick: action,
    },
    icon(tool.icon),
    html("span", {}, tool.text),
  );
