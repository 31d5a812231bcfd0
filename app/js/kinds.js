// The choice between the kinds of stones that a move can place.

import { pieceName } from "./i18n/index.js";
import { pieceIcon } from "./moves.js";
import { html, refill } from "./svg.js";

/**
 * @import { Board } from "./board.js"
 * @import { GameInfo, PlayerWord } from "./types.js"
 */

/**
 * Draws the kinds that can be placed on a board now, with the one that is taken in hand; hidden where there is nothing to choose.
 *
 * @param {HTMLElement} element
 * @param {Board} board
 * @param {GameInfo} info
 * @param {PlayerWord} due
 */
export function drawKinds(element, board, info, due) {
  const kinds = board.kinds();
  element.hidden = kinds.length < 2;
  const chosen = board.chosenKind();
  const pieceOf = (/** @type {string} */ kind) => info.pieces.find((piece) => piece.name === kind) ?? { name: kind, owner: due };
  const choice = (/** @type {string} */ kind) => {
    const choose = () => {
      board.choose(kind);
      drawKinds(element, board, info, due);
    };
    return html(
      "label",
      { class: "choice" },
      html("input", { type: "radio", name: "kind", value: kind, "data-key": kind, checked: kind === chosen, onchange: choose }),
      pieceIcon(info, pieceOf(kind), 30),
      pieceName(info, { name: kind }),
    );
  };
  refill(element, kinds.length < 2 ? [] : kinds.map(choice));
  // What was chosen elsewhere, as by a hint, is chosen here, too.
  for (const input of element.querySelectorAll("input")) input.checked = input.value === chosen;
}
