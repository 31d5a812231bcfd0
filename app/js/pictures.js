// Boards as pictures: nothing on them can be played, and none of their squares is a stop for keys.

import { Board } from "./board.js";
import { html } from "./svg.js";

/** @import { App, GameInfo, Position, State } from "./types.js" */

/**
 * @param {App} app
 * @param {GameInfo} game
 * @param {Position} position
 * @param {{ label?: string, at?: (state: State) => void }} [options] Without a label it is there for the eye only.
 */
export async function picture(app, game, position, { label = "", at } = {}) {
  const board = new Board({ describe: (square) => square });
  const state = await app.engine.ask("state", position);
  at?.(state);
  board.show(state, { label });
  const { element } = board;
  for (const part of element.querySelectorAll("[tabindex], [role], [aria-label]"))
    for (const name of ["tabindex", "role", "aria-label"]) part.removeAttribute(name);
  element.setAttribute("role", "img");
  if (!label) {
    element.setAttribute("aria-hidden", "true");
    element.removeAttribute("aria-label");
  }
  return html("span", { class: "board-picture", "data-game": game.name }, element);
}
