// Games that leave the page: links, and files.

/** @import { Beginning, Engine, Game, PlayerWord } from "./types.js" */

/** @param {string} text */
const packed = (text) => encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%3D", "=").replaceAll("%2C", ",");

/**
 * The link of a game: #/g/GAME/MOVES, then START where it did not begin at the usual start (else "-"), then who played.
 *
 * @param {Engine} engine
 * @param {Game} game
 * @param {[string, string] | null} names
 */
export function link(engine, game, names) {
  const parts = [packed(game.spec), game.moves.map(packed).join(".") || "-"];
  if (game.start || names || game.resigned) parts.push(game.start ? packed(game.start) : "-");
  if (names || game.resigned) parts.push(names ? names.map((name) => packed(name)).join("~") : "-");
  if (game.resigned) parts.push(game.resigned);
  return `${reachable(engine)}#/g/${parts.join("/")}`;
}

/**
 * The game of a link's parts, as far as it can be read; the engine checks the moves.
 *
 * @param {string[]} parts
 * @returns {Beginning}
 */
export function unpack([spec, moves, start, names, resigned]) {
  const plain = decodeURIComponent;
  const [first, second] = names && names !== "-" ? names.split("~").map(plain) : [];
  return {
    spec: plain(spec),
    start: start && start !== "-" ? plain(start) : null,
    moves: !moves || moves === "-" ? [] : moves.split(".").map(plain),
    names: first && second ? [first.slice(0, 40), second.slice(0, 40)] : null,
    resigned: resigned === "first" || resigned === "second" ? /** @type {PlayerWord} */ (resigned) : null,
  };
}

/** The parts of a link that was pasted as text; null where it is none. @param {string} text */
export function linkParts(text) {
  const parts = text.trim().match(/^\S*#\/g\/(\S+)$/)?.[1].split("/");
  return parts && parts.length <= 5 ? parts : null;
}

/** The address of this app for other devices, as far as there is one. @param {Engine} engine */
export const reachable = (engine) => (isLocal() && engine.reach ? engine.reach : `${location.origin}${location.pathname}`);

/** Does the address of this page lead nowhere on another device? */
export const isLocal = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/**
 * Gives a text to the person here as a file.
 *
 * @param {string} name
 * @param {string} text
 */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const way = document.createElement("a");
  way.href = address;
  way.download = name;
  way.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
