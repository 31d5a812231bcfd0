// A game with a friend: the way to the server, which has the game, and what this page has to know of it.

import { recall, remember } from "./memory.js";

/** @import { FriendGame, FriendMessage, FriendOrder, FriendState, Game, PlayerWord } from "./types.js" */

/** Who plays and is not here. */
export const FRIEND = "friend";
/** A lost connection is tried again after so many milliseconds, and after ever more until `LONGEST`. */
const PAUSE = 300;
const LONGEST = 4000;
/** The keys of so many games are kept. */
const KEPT = 30;

/** The key of a seat that this device has taken. @param {string} table @returns {string | null} */
const keyOf = (table) => recall("friends", []).find((/** @type {[string, string]} */ [name]) => name === table)?.[1] ?? null;

/** @param {string} table @param {string} key */
function keepKey(table, key) {
  const others = recall("friends", []).filter((/** @type {[string, string]} */ [name]) => name !== table);
  remember("friends", [[table, key], ...others].slice(0, KEPT));
}

function socket() {
  const address = new URL("friend", document.baseURI);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}

/**
 * Opens a game on the server and gives its name.
 *
 * @param {FriendOrder} order
 * @returns {Promise<string>}
 */
export function openTable(order) {
  return new Promise((resolve, reject) => {
    const line = socket();
    line.onopen = () => line.send(JSON.stringify({ do: "open", ...order }));
    line.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      line.close();
      if (message.error) return reject(new Error(message.error));
      keepKey(message.table, message.key);
      resolve(message.table);
    };
    line.onclose = () => reject(new Error("the server does not answer"));
  });
}

/** The seat at a table. It tells of `state`, of `refused` with the reason, of `gone`, and of `lost` and `found` connections. */
export class Seat extends EventTarget {
  /** @type {FriendState | null} */
  state = null;
  /** When the state came, by the clock of this page. */
  heard = 0;
  /** The own move that the server may not have. @type {{ move: string, ply: number } | null} */
  #pending = null;
  /** @type {WebSocket | null} */
  #line = null;
  #closed = false;
  #tries = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #next;

  /** @param {string} table */
  constructor(table) {
    super();
    this.table = table;
    this.#connect();
    this.again = () => !document.hidden && this.#connect();
    addEventListener("online", this.again);
    document.addEventListener("visibilitychange", this.again);
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#next);
    removeEventListener("online", this.again);
    document.removeEventListener("visibilitychange", this.again);
    this.#line?.close();
  }

  #connect() {
    if (this.#line || this.#closed) return;
    clearTimeout(this.#next);
    const line = socket();
    this.#line = line;
    const key = keyOf(this.table);
    line.onopen = () => line.send(JSON.stringify({ do: "join", table: this.table, ...(key && { key }) }));
    line.onmessage = ({ data }) => this.#take(JSON.parse(data));
    line.onclose = () => {
      this.#line = null;
      if (this.#closed) return;
      this.#tries += 1;
      if (this.#tries > 1) this.#tell("lost");
      this.#next = setTimeout(() => this.#connect(), Math.min(LONGEST, PAUSE * this.#tries));
    };
  }

  /** @param {string} kind @param {unknown} [detail] */
  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  /** @param {FriendMessage} message */
  #take(message) {
    if ("table" in message) {
      if (message.key) keepKey(message.table, message.key);
      this.#tries = 0;
      this.#tell("found");
      // What may have been lost on its way is sent again; the server knows a move that it has.
      if (this.#pending) this.#send({ do: "play", ...this.#pending });
    } else if ("error" in message) {
      // A table that was never found is not there.
      if (!this.state) {
        this.close();
        this.#tell("gone");
        return;
      }
      this.#pending = null;
      this.#tell("refused", message.error);
    } else {
      this.state = message;
      this.heard = performance.now();
      if (this.#pending && message.game.moves.length > this.#pending.ply) this.#pending = null;
      this.#tell("state");
    }
  }

  /** @param {object} message */
  #send(message) {
    if (this.#line?.readyState === WebSocket.OPEN) this.#line.send(JSON.stringify(message));
  }

  /** @param {string} move @param {number} ply */
  play(move, ply) {
    this.#pending = { move, ply };
    this.#send({ do: "play", move, ply });
  }

  resign() {
    this.#send({ do: "resign" });
  }

  rematch() {
    this.#send({ do: "rematch" });
  }

  /** The side of the person here; null for a spectator. @returns {PlayerWord | null} */
  get side() {
    const { state } = this;
    return state?.you ? state[state.you].side : null;
  }

  /** The moves, with the own one that is on its way. */
  get moves() {
    const moves = this.state?.game.moves ?? [];
    return this.#pending && this.#pending.ply === moves.length ? [...moves, this.#pending.move] : moves;
  }

  /** Is the other player there? Spectators ask for both. @param {PlayerWord} player */
  isHere(player) {
    const { state } = this;
    return state !== null && [state.host, state.guest].some(({ side, here }) => side === player && here);
  }

  /** Who asks for a rematch: the person here, the other one, or neither. @returns {"own" | "other" | null} */
  get rematchAsked() {
    const { state } = this;
    if (!state?.you) return null;
    const { host, guest } = state.game.again;
    if (!host && !guest) return null;
    return state.game.again[state.you] ? "own" : "other";
  }

  /** What a player has left on the clock, in milliseconds; null without one. @param {PlayerWord} player */
  left(player) {
    const clock = this.state?.game.clock;
    if (!clock) return null;
    const left = clock.left[player === "first" ? 0 : 1];
    return clock.running === player ? Math.max(0, left - (performance.now() - this.heard)) : left;
  }

  /**
   * The game as this device keeps it.
   *
   * @param {[string, string]} names What the person here and the other one are called.
   * @returns {Partial<Game> & Pick<Game, "spec" | "id">}
   */
  game([mine, other]) {
    const { state, side, table } = this;
    const game = /** @type {FriendGame} */ (state?.game);
    const beaten = game.winner === "first" ? "second" : "first";
    const early = game.ended === "resigned" || game.ended === "late";
    return {
      id: `friend-${table}-${game.number}`,
      spec: game.spec,
      start: game.start,
      moves: [...this.moves],
      players: { first: side === "first" ? "human" : FRIEND, second: side === "second" ? "human" : FRIEND },
      names: side === null ? ["", ""] : side === "first" ? [mine, other] : [other, mine],
      resigned: early ? beaten : null,
      late: game.ended === "late",
      friend: table,
    };
  }
}

/** Minutes and seconds. @param {number} ms */
export const clockText = (ms) => {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
