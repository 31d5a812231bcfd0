// A whole game in a link: #/g/GAME/MOVES, or #/g/GAME/MOVES/START where it did not begin at the usual start.

/** @import { Game } from "./types.js" */

/** @param {string} text */
const packed = (text) => encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%3D", "=").replaceAll("%2C", ",");

/** The link of a game. @param {Game} game */
export function link(game) {
  const moves = game.moves.map(packed).join(".") || "-";
  const start = game.start ? "/" + packed(game.start) : "";
  return `${location.origin}${location.pathname}#/g/${packed(game.spec)}/${moves}${start}`;
}

/** The game of a link's parts, as far as it can be read; the engine checks the moves. @param {string[]} parts */
export function unpack([spec, moves, start]) {
  const plain = decodeURIComponent;
  return {
    spec: plain(spec),
    start: start ? plain(start) : null,
    moves: !moves || moves === "-" ? [] : moves.split(".").map(plain),
  };
}
