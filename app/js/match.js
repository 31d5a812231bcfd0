// A game that is being played: whose turn it is, who thinks, what may be taken back. It draws nothing.

import { Refused, Stopped } from "./engine.js";
import { recall, remember } from "./memory.js";

/** @import { Advice, Beginning, Engine, Game, PlayedMove, PlayerWord, Position, Progress, State } from "./types.js" */

export const HUMAN = "human";
/** Who looks at positions for hints and analysis. */
export const ANALYST = "mcts:solver=on,memory=128";

/** Milliseconds before chance decides, and after it did something that was to be expected or not. */
const CHANCE_DECIDES = 400;
const CHANCE_EXPECTED = 300;
const CHANCE_UNEXPECTED = 1300;

const randomSeed = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
/** @type {(player: PlayerWord) => PlayerWord} */
const other = (player) => (player === "first" ? "second" : "first");
/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/**
 * The chance of the first player to win, from the expectation (-1 to +1) of the player to move.
 *
 * @param {number} value
 * @param {PlayerWord} mover
 */
export const firstChance = (value, mover) => (1 + (mover === "first" ? value : -value)) / 2;

/**
 * A game that begins: two people unless other players are named.
 *
 * @param {Beginning} beginning
 * @returns {Game}
 */
export const begun = ({ spec, start = null, moves = [], players = { first: HUMAN, second: HUMAN } }) => ({
  spec,
  start,
  moves,
  players,
  resigned: null,
  chances: {},
  over: false,
});
/** @param {Game} game */
export const keep = (game) => remember("game", game);

/** The game that was played last on this device, if what was kept can still be read. @returns {Game | null} */
export function kept() {
  const game = recall("game");
  const readable = typeof game?.spec === "string" && Array.isArray(game.moves) && game.players?.first && game.players.second;
  return readable ? { ...begun(game), ...game } : null;
}

export class Match extends EventTarget {
  #asked = 0;
  #closed = false;
  #rest = 0;
  /** What chance has decided and the engine has not yet seen. @type {{ outcome: string, expected: boolean } | null} */
  #drawn = null;
  /** @type {State | null} */
  #state = null;
  /** The search that goes on, to be ended by it. @type {AbortController | null} */
  thinking = null;
  /** @type {Progress | null} */
  progress = null;

  /**
   * @param {Engine} engine
   * @param {Game} game
   */
  constructor(engine, game) {
    super();
    this.engine = engine;
    this.game = game;
    this.cursor = game.moves.length;
  }

  /** What the engine says about the position; there is none before the first `refresh`. */
  get state() {
    if (!this.#state) throw new Error("the position is not known yet");
    return this.#state;
  }

  /**
   * @param {"change" | "thinking" | "chance"} kind
   * @param {{ played: PlayedMove, expected: boolean }} [detail]
   */
  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  get live() {
    return this.cursor === this.game.moves.length;
  }

  /** Is the state that of the position that is looked at? Between a move and the engine's answer it is not. */
  get settled() {
    return this.#state?.history.length === this.cursor;
  }

  get over() {
    return this.live && (this.#state?.turn === "over" || this.game.resigned !== null);
  }

  /** May a person in front of this screen move now? */
  get playable() {
    return this.live && this.settled && !this.over && this.#due === HUMAN;
  }

  /** The player whose turn it is; null if it is not the turn of a player. */
  get #due() {
    const turn = this.#state?.turn;
    return turn === "first" || turn === "second" ? this.game.players[turn] : null;
  }

  /** Is an agent due? */
  get awaited() {
    return this.live && !this.over && this.#due !== null && this.#due !== HUMAN;
  }

  /** The player who has won by the other's resignation. */
  get winner() {
    return this.game.resigned && other(this.game.resigned);
  }

  /**
   * @param {string[]} moves
   * @returns {Position}
   */
  #at(moves) {
    return { game: this.game.spec, start: this.game.start, moves };
  }

  /** The position that is looked at, as requests name it. */
  position() {
    return this.#at(this.game.moves.slice(0, this.cursor));
  }

  /** The screen was left: answers that are still on their way are dropped. */
  close() {
    this.#closed = true;
    this.stop();
  }

  /** Looks at the position again and lets the agent or chance that is due go on. */
  async refresh() {
    this.#asked += 1;
    const asked = this.#asked;
    const current = () => asked === this.#asked && !this.#closed;
    const state = await this.engine.ask("state", this.position());
    if (!current()) return;
    this.#state = state;
    this.game.spec = state.game;
    const played = state.history.at(-1);
    if (this.#drawn && this.live && played?.move === this.#drawn.outcome)
      this.#tell("chance", { played, expected: this.#drawn.expected });
    this.#drawn = null;
    this.#tell("change");
    if (this.live && !this.over) this.#proceed(current);
  }

  /** @param {() => boolean} current */
  async #proceed(current) {
    const { turn, outcomes } = this.state;
    if (turn === "chance") {
      // What is certain is no event.
      if (outcomes.length > 1) await pause(CHANCE_DECIDES);
      if (!current()) return;
      const outcome = await this.engine.ask("chance", { ...this.position(), seed: randomSeed() });
      if (!current()) return;
      const expected = outcomes.some(([text, probability]) => text === outcome && probability >= 0.5);
      if (outcomes.length > 1) this.#drawn = { outcome, expected };
      await this.#push(outcome, outcomes.length > 1 ? (expected ? CHANCE_EXPECTED : CHANCE_UNEXPECTED) : 0);
    } else if (turn !== "over" && this.game.players[turn] !== HUMAN) {
      if (this.#rest > 0) await pause(this.#rest);
      if (!current()) return;
      const advice = await this.think(this.game.players[turn]);
      if (!advice || !current()) return;
      if (advice.value !== null) this.game.chances[this.cursor] = firstChance(advice.value, turn);
      await this.#push(advice.move);
    }
  }

  /**
   * Lets an agent think about the position; null if it was ended. Only one thinks at a time.
   *
   * @param {string} agent
   * @param {{ time?: number, watch?: boolean }} [options]
   * @returns {Promise<Advice | null>}
   */
  async think(agent, { time, watch = false } = {}) {
    this.stop();
    const control = new AbortController();
    this.thinking = control;
    this.progress = { done: 0 };
    this.#tell("thinking");
    const request = { ...this.position(), agent, seed: randomSeed(), watch, ...(time && { time }) };
    const onProgress = (/** @type {Progress} */ progress) => {
      this.progress = progress;
      this.#tell("thinking");
    };
    try {
      return await this.engine.ask("think", request, { signal: control.signal, onProgress });
    } catch (error) {
      if (error instanceof Stopped) return null;
      throw error;
    } finally {
      if (this.thinking === control) {
        this.thinking = null;
        this.progress = null;
        this.#tell("thinking");
      }
    }
  }

  stop() {
    this.thinking?.abort();
    this.thinking = null;
  }

  /**
   * Plays on; an agent that is due next waits for `rest` milliseconds, so that people see what happened.
   *
   * @param {string} move
   */
  async #push(move, rest = 0) {
    this.#rest = rest;
    this.game.moves.push(move);
    this.cursor = this.game.moves.length;
    await this.refresh();
  }

  /** A move of a person in front of the screen. @param {string} move */
  async play(move) {
    if (!this.playable) return;
    // A hint that is being looked for is of no use any more.
    this.stop();
    await this.#push(move);
  }

  /** What the engine says against a move; null if it is possible. @param {string} move */
  async whyNot(move) {
    try {
      await this.engine.ask("state", this.#at([...this.game.moves, move]));
      return null;
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
  }

  /** Looks at the position after so many moves. @param {number} to */
  step(to) {
    this.stop();
    this.cursor = Math.max(0, Math.min(this.game.moves.length, to));
    return this.refresh();
  }

  /** How many moves have to go so that a person here can move again; 0 if that cannot be, or chance has been seen since. */
  get takeable() {
    if (!this.live || !this.settled) return 0;
    const { history } = this.state;
    for (let index = history.length - 1; index >= 0; index--) {
      const { mover, certain } = history[index];
      if (mover === null && !certain) return 0;
      if (mover !== null && this.game.players[mover] === HUMAN) return history.length - index;
    }
    return 0;
  }

  takeBack() {
    const count = this.takeable;
    if (count === 0) return Promise.resolve();
    this.stop();
    this.game.moves.splice(this.game.moves.length - count, count);
    this.game.resigned = null;
    this.cursor = this.game.moves.length;
    for (const ply of Object.keys(this.game.chances).map(Number)) if (ply > this.cursor) delete this.game.chances[ply];
    return this.refresh();
  }

  resign() {
    this.stop();
    const { turn } = this.state;
    const { players } = this.game;
    const due = turn === "first" || turn === "second" ? turn : null;
    this.game.resigned = due && players[due] === HUMAN ? due : players.first === HUMAN ? "first" : "second";
    // The agent that was due is not any more.
    return this.refresh();
  }
}
