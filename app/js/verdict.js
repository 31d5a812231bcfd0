// How a game ended, and what one may want next.

import { agentName, playerName, t } from "./i18n/index.js";
import { HUMAN } from "./match.js";
import { html, refill } from "./svg.js";

/** @import { Game, GameInfo, PlayerWord } from "./types.js" */

/** @type {(spec: string) => number} */
export const levelOf = (spec) => Number(spec.match(/^level=([1-8])$/)?.[1] ?? 0);

/** The side of the only person who plays; null for two people and for none. @param {Game} game @returns {PlayerWord | null} */
export function ownSide({ players }) {
  const mine = /** @type {PlayerWord[]} */ (["first", "second"]).filter((player) => players[player] === HUMAN);
  return mine.length === 1 ? mine[0] : null;
}

/**
 * The end in two words: for the person who played, or for all.
 *
 * @param {Game} game
 * @param {GameInfo} info
 */
export function verdictTitle(game, info) {
  const side = ownSide(game);
  if (game.winner === "draw" || !game.winner) return t("verdict.draw");
  if (side) return t(game.winner === side ? "verdict.won" : "verdict.lost");
  return t("verdict.other", { name: playerName(info, game.winner) });
}

/**
 * The card of a finished game.
 *
 * @param {HTMLElement} card
 * @param {{
 *   game: Game, info: GameInfo, reason: string, company: string, done: boolean,
 *   rematch: () => void, other: (level: number) => void, review: () => void, again: (() => void) | null,
 * }} shown
 */
export function drawVerdict(card, { game, info, reason, company, done, rematch, other, review, again }) {
  card.hidden = !game.over;
  if (!game.over) {
    card.replaceChildren();
    return;
  }
  const side = ownSide(game);
  const won = side !== null && game.winner === side;
  const level = side ? levelOf(game.players[side === "first" ? "second" : "first"]) : 0;
  card.className = `verdict card ${won ? "won" : side && game.winner !== "draw" ? "lost" : "even"}`;
  /** @type {(text: string, action: () => void, kind?: string) => HTMLElement} */
  const button = (text, action, kind = "") =>
    html("button", { type: "button", class: kind, "data-key": text, onclick: action }, text);
  const up = won && level > 0 && level < 8;
  const down = side !== null && game.winner !== null && game.winner !== "draw" && !won && level > 1;
  refill(card, [
    html("h2", {}, verdictTitle(game, info)),
    html("p", {}, reason),
    ...(company ? [html("p", { class: "note", role: "status" }, company)] : []),
    html(
      "div",
      { class: "buttons" },
      up ? button(t("verdict.next", { level: level + 1 }), () => other(level + 1), "primary") : "",
      button(t("rematch"), rematch, up ? "" : "primary"),
      down ? button(t("verdict.easier", { level: level - 1 }), () => other(level - 1)) : "",
      button(t("verdict.review"), review, done ? "quiet" : ""),
      again ? button(t("verdict.fromHere"), again) : "",
    ),
  ]);
}

/** Who played, in a few words. @param {Game} game @param {PlayerWord} player */
export const playedBy = (game, player) =>
  game.names?.[player === "first" ? 0 : 1] ?? (game.players[player] === HUMAN ? t("human") : agentName(game.players[player]));
