// All games that were played on this device, in IndexedDB. The one that was played last is kept beside the settings as well,
// where writing takes no time: a page that is left in the middle of a move loses nothing.

import { recall, remember } from "./memory.js";

/** @import { Game } from "./types.js" */

const GAMES = "games";
/** Games of other pages of this app are told here. */
const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel("plyground") : null;
/** This page, among those that show the same game. */
const PAGE = randomName();
/** Where nothing may be kept, games last as long as the page. @type {Map<string, Game>} */
const held = new Map();
/** @type {Promise<IDBDatabase | null> | null} */
let opening = null;

/** A name that no other game or page has. */
export function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** @returns {Promise<IDBDatabase | null>} */
function database() {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open("plyground", 1);
      request.onupgradeneeded = () => request.result.createObjectStore(GAMES, { keyPath: "id" });
      request.onsuccess = () => {
        // A later version of this app, in another tab, has to be able to change what is kept.
        request.result.onversionchange = () => request.result.close();
        resolve(request.result);
      };
      request.onerror = () => resolve(null);
      request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opening;
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(games: IDBObjectStore) => IDBRequest<T>} action
 * @returns {Promise<T | null>}
 */
async function ask(mode, action) {
  const base = await database();
  if (!base) return null;
  return new Promise((resolve) => {
    try {
      const request = action(base.transaction(GAMES, mode).objectStore(GAMES));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

/** Can what was kept still be read? @param {any} game @returns {game is Game} */
export const isReadable = (game) =>
  typeof game?.spec === "string" && Array.isArray(game.moves) && Boolean(game.players?.first && game.players.second);

/** Keeps a game as the one that was played last; in the list of all games from its first move on. @param {Game} game */
export function keep(game) {
  game.changed = Date.now();
  remember("game", game);
  channel?.postMessage({ page: PAGE, game });
  return game.moves.length > 0 ? put(game) : Promise.resolve();
}

/**
 * Keeps what was found out about a game: that it is over, or what its positions are worth. It is played no further by that, and
 * does not become the one that was played last.
 *
 * @param {Game} game
 */
export function note(game) {
  if (recall("game")?.id === game.id) remember("game", game);
  return game.moves.length > 0 ? put(game) : Promise.resolve();
}

/** Keeps a game without a word to other pages. @param {Game} game */
export async function put(game) {
  held.set(game.id, structuredClone(game));
  await ask("readwrite", (games) => games.put(structuredClone(game)));
}

/** @param {string} id */
export async function forget(id) {
  held.delete(id);
  if (recall("game")?.id === id) remember("game", null);
  await ask("readwrite", (games) => games.delete(id));
}

/** All games, those that were played last first. @returns {Promise<Game[]>} */
export async function allGames() {
  const found = (await ask("readonly", (games) => games.getAll())) ?? [...held.values()];
  const last = recall("game");
  const others = found.filter((game) => isReadable(game) && game.id !== last?.id);
  const newest = isReadable(last) && last.id && last.moves.length > 0 ? [last] : found.filter((game) => game.id === last?.id);
  return [...newest, ...others].sort((a, b) => (b.changed ?? 0) - (a.changed ?? 0));
}

/** A game by its name. @param {string} id @returns {Promise<Game | null>} */
export async function load(id) {
  const last = recall("game");
  const found = (await ask("readonly", (games) => games.get(id))) ?? held.get(id) ?? null;
  if (isReadable(last) && last.id === id && (last.changed ?? 0) >= (found?.changed ?? 0)) return last;
  return isReadable(found) ? found : null;
}

/**
 * Calls back with a game whenever another page of this app has played on in it. Gives the way to stop that.
 *
 * @param {string} id
 * @param {(game: Game) => void} heard
 */
export function follow(id, heard) {
  const listen = (/** @type {MessageEvent} */ { data }) => {
    if (data?.page !== PAGE && data?.game?.id === id && isReadable(data.game)) heard(data.game);
  };
  channel?.addEventListener("message", listen);
  return () => channel?.removeEventListener("message", listen);
}
