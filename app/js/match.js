// A game that is being played: whose turn it is, who thinks, what may be taken back. It draws nothing.

import { Refused, Stopped } from "./engine.js";
import { recall } from "./memory.js";
import { isReadable, keep, randomName } from "./store.js";

/** @import { Seat } from "./friend.js" */
/** @import { Advice, App, Beginning, Engine, Game, PlayedMove, PlayerWord, Position, Progress, State } from "./types.js" */

export const HUMAN = "human";
const PEOPLE = { first: HUMAN, second: HUMAN };

/** Milliseconds before chance decides, and after it did something that was to be expected or not. */
const CHANCE_DECIDES = 400;
const CHANCE_EXPECTED = 300;
const CHANCE_UNEXPECTED = 1300;

/** How long a game to watch rests after a move, for each pace. */
export const PACES = { slow: 2500, usual: 1000, fast: 100 };

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
export const begun = ({ spec, start = null, moves = [], players = PEOPLE, names = null, resigned = null }) => ({
  id: randomName(),
  begun: Date.now(),
  changed: Date.now(),
  spec,
  start,
  moves,
  players: { ...players },
  names,
  resigned,
  judged: {},
  over: false,
  winner: null,
});

/**
 * The game that was played last on this device, if what was kept can still be read.
 *
 * @returns {Game | null}
 */
export function kept() {
  const game = recall("game");
  if (!isReadable(game)) return null;
  const whole = { ...begun(game), ...game, moves: [...game.moves] };
  // Games of earlier versions had no name.
  if (!game.id) keep(whole);
  return whole;
}

/**
 * Begins a game and shows it.
 *
 * @param {App} app
 * @param {Beginning} beginning
 */
export function begin(app, beginning) {
  const game = begun(beginning);
  keep(game);
  app.go(`#/play/${game.id}`);
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
  /** Another page plays on in this game: there, agents think and chance decides. */
  #followed = false;
  /** Moves that are tried out behind the position that is looked at, and that are not of the game. @type {string[]} */
  aside = [];
  /** Where the other player is, if that is not this page: moves go there, and chance decides there. @type {Seat | null} */
  seat = null;
  /** Does a game between agents rest? */
  paused = false;
  /** @type {keyof typeof PACES} */
  pace = "usual";

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
   * @param {"change" | "thinking" | "chance" | "moved"} kind
   * @param {{ played: PlayedMove, expected: boolean }} [detail]
   */
  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  get live() {
    return this.cursor === this.game.moves.length && this.aside.length === 0;
  }

  /** May moves be tried out here? Only where nothing is waited for: in the game as it was, or when it is over. */
  get explorable() {
    const { turn } = this.#state ?? {};
    const before = this.cursor < this.game.moves.length || this.aside.length > 0;
    return before && this.settled && (!this.seat || this.ended) && (turn === "first" || turn === "second");
  }

  /** Is the state that of the position that is looked at? Between a move and the engine's answer it is not. */
  get settled() {
    return this.#state?.history.length === this.cursor + this.aside.length;
  }

  get over() {
    return this.live && (this.#state?.turn === "over" || this.game.resigned !== null);
  }

  /** Is the game over, whatever is looked at? */
  get ended() {
    return this.game.over || this.game.resigned !== null || this.over;
  }

  /** Do agents play each other? */
  get watched() {
    return !this.seat && Object.values(this.game.players).every((player) => player !== HUMAN);
  }

  /** May a person in front of this screen move now? */
  get playable() {
    return this.live && this.settled && !this.over && this.#due === HUMAN && this.seat?.state?.taken !== false;
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
    return this.#at([...this.game.moves.slice(0, this.cursor), ...this.aside]);
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
    if (this.live) this.#settle(state);
    const played = state.history.at(-1);
    if (this.#drawn && this.live && played?.move === this.#drawn.outcome)
      this.#tell("chance", { played, expected: this.#drawn.expected });
    this.#drawn = null;
    this.#tell("change");
    if (this.aside.length > 0) await this.#chanceAside(current);
    if (this.live && !this.over && !this.paused && !this.#followed) this.#proceed(current);
  }

  /** Chance decides in what is tried out, too, and at once. @param {() => boolean} current */
  async #chanceAside(current) {
    if (this.state.turn !== "chance") return;
    const outcome = await this.engine.ask("chance", { ...this.position(), seed: randomSeed() });
    if (!current()) return;
    this.aside.push(outcome);
    await this.refresh();
  }

  /** How the game stands at its end, or that it goes on. @param {State} state */
  #settle(state) {
    const { game } = this;
    game.over = state.turn === "over" || game.resigned !== null;
    game.winner = game.resigned ? other(game.resigned) : state.turn === "over" ? state.winner : null;
  }

  /** Takes the game as another page has played it. @param {Game} game */
  adopt(game) {
    this.stop();
    const { live } = this;
    this.aside = [];
    this.game = { ...begun(game), ...game, moves: [...game.moves] };
    if (live || this.cursor > game.moves.length) this.cursor = game.moves.length;
    this.#followed = true;
    return this.refresh();
  }

  /** The other page was closed: this one goes on. */
  lead() {
    if (!this.#followed) return;
    this.#followed = false;
    this.refresh();
  }

  /** Lets a game between agents rest, or go on. @param {boolean} paused */
  rest(paused) {
    this.paused = paused;
    if (paused) this.stop();
    return this.refresh();
  }

  /** @param {() => boolean} current */
  async #proceed(current) {
    if (this.seat) return;
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
      await this.#push(advice.move, this.watched ? PACES[this.pace] : 0);
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
    const request = { ...this.position(), agent, seed: randomSeed(), watch, ...(time && { time }) };
    try {
      return await this.search((signal, onProgress) => this.engine.ask("think", request, { signal, onProgress }));
    } catch (error) {
      if (error instanceof Stopped) return null;
      throw error;
    }
  }

  /**
   * A search that takes the place of the one that goes on, and shows how far it is.
   *
   * @template T
   * @param {(signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<T>} look
   * @returns {Promise<T>}
   */
  async search(look) {
    this.stop();
    const control = new AbortController();
    this.thinking = control;
    this.progress = { done: 0 };
    this.#tell("thinking");
    const onProgress = (/** @type {Progress} */ progress) => {
      this.progress = progress;
      this.#tell("thinking");
    };
    try {
      return await look(control.signal, onProgress);
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
    this.#followed = false;
    // From here on it is kept, whether the engine answers or not.
    this.#tell("moved");
    await this.refresh();
  }

  /** A move of a person in front of the screen. @param {string} move */
  async play(move) {
    if (this.explorable) return this.tryOut(move);
    if (!this.playable) return;
    // A hint that is being looked for is of no use any more.
    this.stop();
    this.seat?.play(move, this.game.moves.length);
    await this.#push(move);
  }

  /** A move that is not of the game: to see what would have been. The one that was played only steps on. @param {string} move */
  tryOut(move) {
    this.stop();
    if (this.aside.length === 0 && this.game.moves[this.cursor] === move) return this.step(this.cursor + 1);
    this.aside.push(move);
    return this.refresh();
  }

  /** What the engine says against a move; null if it is possible. @param {string} move */
  async whyNot(move) {
    const position = this.position();
    try {
      await this.engine.ask("state", { ...position, moves: [...(position.moves ?? []), move] });
      return null;
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
  }

  /** Looks at the position after so many moves. @param {number} to */
  step(to) {
    this.stop();
    // What was tried out is left by its last move, or altogether.
    const back = this.aside.length > 0 && to === this.cursor - 1;
    if (back) this.aside.pop();
    else this.aside = [];
    if (back) return this.refresh();
    this.cursor = Math.max(0, Math.min(this.game.moves.length, to));
    return this.refresh();
  }

  /** How many moves have to go so that a person here can move again; 0 if that cannot be, or chance has been seen since. */
  get takeable() {
    if (!this.live || !this.settled || this.seat) return 0;
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
    return this.#reopened();
  }

  /** Plays on from the position that is looked at, as a game of its own: the one that was played stays as it is. */
  branch() {
    this.stop();
    const { spec, start, players, names, moves, judged } = this.game;
    // What is tried out after a game with a friend is played by one person on both sides.
    const present = (/** @type {string} */ player) => (player === HUMAN || !this.seat ? player : HUMAN);
    const sitting = { first: present(players.first), second: present(players.second) };
    this.seat = null;
    const rest = { spec, start, players: sitting, names, moves: [...moves.slice(0, this.cursor), ...this.aside] };
    this.aside = [];
    this.game = { ...begun(rest), judged: { ...judged } };
    return this.#reopened();
  }

  #reopened() {
    const { game } = this;
    game.resigned = null;
    game.over = false;
    game.winner = null;
    this.cursor = game.moves.length;
    this.#followed = false;
    // What comes after is not known of another game.
    for (const ply of Object.keys(game.judged).map(Number)) if (ply >= this.cursor) delete game.judged[ply];
    this.#tell("moved");
    return this.refresh();
  }

  resign() {
    if (this.ended) return Promise.resolve();
    this.stop();
    if (this.seat) {
      this.seat.resign();
      return Promise.resolve();
    }
    const { players } = this.game;
    // Who resigns looks at the board of today.
    this.cursor = this.game.moves.length;
    const turn = this.settled ? this.state.turn : null;
    const due = turn === "first" || turn === "second" ? turn : null;
    this.game.resigned = due && players[due] === HUMAN ? due : players.first === HUMAN ? "first" : "second";
    this.#tell("moved");
    // The agent that was due is not any more.
    return this.refresh();
  }
}
