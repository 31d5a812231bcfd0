// How games look: what the engine says about their boards and colours.

import { html } from "./svg.js";

/** @import { GameBrief, Presentation, Theme } from "./types.js" */

/** @type {Pick<Presentation, "top_edge" | "ground" | "shapes" | "theme">} */
const PLAIN = { top_edge: null, ground: "chequered", shapes: [], theme: null };
/** @type {Map<string, Presentation>} */
const known = new Map();

/** What is special about the board of a game. @param {string} name */
export const lookOf = (name) => known.get(name) ?? PLAIN;

/** Takes the looks of games. Their colours hold wherever `data-game` names the game. @param {GameBrief[]} games */
export function takeLooks(games) {
  for (const { name, presentation } of games) {
    if (known.has(name)) continue;
    known.set(name, presentation);
    if (presentation.theme) document.head.append(html("style", {}, colours(name, presentation.theme)));
  }
}

/**
 * @param {string} name
 * @param {Theme} theme
 */
function colours(name, { first, second, board }) {
  const inside = `[data-game="${name}"]`;
  // In high contrast the colours of the page itself are too few to tell two players apart.
  const where = [...first, ...second].some((colour) => colour.startsWith("var("))
    ? `:root:not([data-theme="contrast"]) ${inside}`
    : inside;
  /** @type {(player: string, colours: [string, string]) => string} */
  const pair = (player, [piece, sign]) => `--${player}: ${piece}; --${player}-sign: ${sign};`;
  const pieces = `${where} { ${pair("first", first)} ${pair("second", second)} }`;
  if (!board) return pieces;
  const [ground, mark] = board;
  return `${pieces} ${inside}.board { --cell: ${ground}; --cell-dark: ${ground}; --line: ${ground}; --mark: ${mark}; }`;
}
