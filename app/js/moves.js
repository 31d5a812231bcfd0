// Moves as people read them: in words, in a few signs, and the list of all moves of a game.

import { outcomeSign, outcomeText, pieceName, t } from "./i18n/index.js";
import { drawPiece } from "./pieces.js";
import { html, refill, svg } from "./svg.js";

/** @import { DrawnPiece, GameInfo, Mistake, Move, PlayedMove, PlayerWord, Squares } from "./types.js" */

/**
 * The piece that a move places on its square; null where it moves one that is there.
 *
 * @param {GameInfo} info
 * @param {Squares} move
 * @param {PlayerWord} mover
 * @returns {DrawnPiece | null}
 */
export function placedPiece(info, move, mover) {
  if (move.from || !move.to) return null;
  if (move.piece) return info.pieces.find((piece) => piece.name === move.piece) ?? { name: move.piece, owner: mover };
  // Where there is nothing to choose between, a player has one kind of piece.
  const own = info.pieces.filter((piece) => piece.owner === mover);
  return own.length === 1 ? own[0] : null;
}

/**
 * A move in words.
 *
 * @param {GameInfo} info
 * @param {Pick<Move, "from" | "to" | "piece" | "label">} move
 */
export function moveWords(info, { from, to, piece, label }) {
  if (piece) return t("move.place", { piece: pieceName(info, { name: piece }), square: to });
  return from && to ? t("move.step", { from, to }) : label;
}

/**
 * A move in a few signs: where there are kinds of pieces, a small picture of the kind and the square.
 *
 * @param {GameInfo} info
 * @param {Pick<Move, "from" | "to" | "piece" | "label">} move
 * @param {PlayerWord} mover
 */
export function moveSigns(info, move, mover) {
  if (move.from && move.to) return html("span", {}, `${move.from}–${move.to}`);
  const piece = move.piece ? placedPiece(info, move, mover) : null;
  if (!piece) return html("span", {}, move.label);
  return html("span", { class: "placing" }, pieceIcon(info, piece, 18), move.to);
}

/**
 * @param {GameInfo} info
 * @param {DrawnPiece} piece
 * @param {number} size
 */
export function pieceIcon(info, piece, size) {
  const drawn = drawPiece(piece, info.presentation.shapes);
  drawn.classList.remove("piece");
  return svg("svg", { viewBox: "-50 -50 100 100", width: size, height: size, class: "icon", "aria-hidden": "true" }, drawn);
}

/**
 * The list of moves: numbered, a column for each player, with what chance did behind the move that it followed.
 *
 * @param {HTMLElement} list
 * @param {{
 *   info: GameInfo, moves: string[], history: PlayedMove[], cursor: number, mistakes: Mistake[], step: (ply: number) => void,
 * }} shown
 */
export function drawMoveList(list, { info, moves, history, cursor, mistakes, step }) {
  /** @type {{ halves: Record<PlayerWord, HTMLElement[]>, last: PlayerWord | null }[]} */
  const rounds = [];
  const round = () => rounds.push({ halves: { first: [], second: [] }, last: null });
  moves.forEach((text, ply) => {
    const played = history[ply];
    const mover = played?.mover ?? null;
    if (mover && (rounds.length === 0 || mover === "first" || rounds[rounds.length - 1].last === "second")) round();
    if (rounds.length === 0) round();
    const now = rounds[rounds.length - 1];
    if (mover) now.last = mover;
    const mistake = mistakes.find((one) => one.ply === ply);
    now.halves[now.last ?? "first"].push(button(info, { text, ply, played, mover, mistake, current: ply + 1 === cursor, step }));
  });
  const rows = rounds.map(({ halves }, index) =>
    html(
      "li",
      {},
      html("span", { class: "number", "aria-hidden": "true" }, `${index + 1}.`),
      html("span", { class: "half" }, halves.first.length > 0 ? halves.first : html("span", { class: "none" }, "…")),
      html("span", { class: "half" }, halves.second),
    ),
  );
  refill(list, rows);
  const current = list.querySelector("[aria-current]");
  if (current instanceof HTMLElement && list.clientHeight > 0)
    list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

/**
 * @param {GameInfo} info
 * @param {{
 *   text: string, ply: number, played: PlayedMove | undefined, mover: PlayerWord | null, mistake: Mistake | undefined,
 *   current: boolean, step: (ply: number) => void,
 * }} move
 */
function button(info, { text, ply, played, mover, mistake, current, step }) {
  const label = played?.label ?? text;
  const move = { from: played?.from ?? null, to: played?.to ?? null, piece: played?.piece ?? null, label };
  const said = mover ? moveWords(info, move) : played ? outcomeText(info, played) : text;
  const bad = mistake ? (mistake.gave ? t("mistake.sign.gave") : t("mistake.sign.cost")) : "";
  const words = [said, bad].filter(Boolean).join(", ");
  // What is read aloud has what is seen in it, for those who say what they want to press.
  const named = [mover && move.from && move.to ? `${move.from}–${move.to}` : said, bad].filter(Boolean).join(", ");
  const kind = mover ? "" : played?.outcome?.sign === "–" ? " luck nothing" : " luck";
  return html(
    "button",
    {
      type: "button",
      class: `quiet${kind}${mistake ? " mistake" : ""}`,
      "data-key": ply,
      "data-ply": ply + 1,
      "aria-current": current ? "step" : null,
      "aria-label": named,
      title: words,
      onclick: () => step(ply + 1),
    },
    mover ? moveSigns(info, move, mover) : html("span", { "aria-hidden": "true" }, played ? outcomeSign(played) : text),
    mistake && html("b", { class: "sign", "aria-hidden": "true" }, mistake.gave ? "??" : "?"),
  );
}
