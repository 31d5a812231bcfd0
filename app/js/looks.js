// How games look: what the engine says about their boards and colours.

import { html } from "./svg.js";

const PLAIN = { top_edge: null, holes: false, shapes: [], theme: null };
const known = new Map();

/** What is special about the board of a game. */
export const lookOf = (name) => known.get(name) ?? PLAIN;

/** Takes the looks of games. Their colours hold wherever `data-game` names the game. */
export function takeLooks(games) {
  for (const { name, presentation } of games) {
    if (known.has(name)) continue;
    known.set(name, presentation);
    if (presentation.theme) document.head.append(html("style", {}, colours(name, presentation.theme)));
  }
}

function colours(name, { first, second, board }) {
  const inside = `[data-game="${name}"]`;
  // In high contrast the colours of the page itself are too few to tell two players apart.
  const where = [...first, ...second].some((colour) => colour.startsWith("var(")) ? `:root:not([data-theme="contrast"]) ${inside}` : inside;
  const pieces = `${where} { --first: ${first[0]}; --first-sign: ${first[1]}; --second: ${second[0]}; --second-sign: ${second[1]}; }`;
  if (!board) return pieces;
  const [ground, mark] = board;
  return `${pieces} ${inside}.board { --cell: ${ground}; --cell-dark: ${ground}; --line: ${ground}; --mark: ${mark}; }`;
}
