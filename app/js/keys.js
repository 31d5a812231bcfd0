// Keys of the game screen: arrows step, letters do what the buttons do.

import { dialog } from "./dialog.js";
import { t } from "./i18n/index.js";
import { html } from "./svg.js";

/** @typedef {{ key: string, shown?: string, text: string, action: () => void }} KeyAction */

/**
 * Listens to keys until it is ended. Keys that mean something where the focus is are left alone.
 *
 * @param {() => KeyAction[]} actions
 */
export function listen(actions) {
  const heard = (/** @type {KeyboardEvent} */ event) => {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (event.defaultPrevented || chord || document.querySelector("dialog[open]")) return;
    const at = event.target instanceof HTMLElement ? event.target : null;
    // Letters mean nothing to a choice between kinds of stones; arrows do.
    const letters = at?.matches("[type=radio]") && event.key.length === 1 && event.key !== " ";
    if (at?.matches("input, select, textarea") && !letters) return;
    if (event.key === " " && at?.matches("button, a")) return;
    const action = actions().find(({ key }) => key === event.key || key === event.key.toLowerCase());
    if (!action) return;
    event.preventDefault();
    action.action();
  };
  addEventListener("keydown", heard);
  return () => removeEventListener("keydown", heard);
}

/** The list of all keys. @param {KeyAction[]} actions */
export const keysDialog = (actions) =>
  dialog(
    t("keys"),
    html(
      "dl",
      { class: "keys" },
      actions.map(({ key, shown, text }) => [html("dt", {}, html("kbd", {}, shown ?? key)), html("dd", {}, text)]),
    ),
    [["", t("close"), "primary"]],
  );
