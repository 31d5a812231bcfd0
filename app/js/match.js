// A game that is being played: whose turn it is, who thinks, what may be taken back. It draws nothing.

import { Refused, Stopped } from "./engine.js";

export const HUMAN = "human";
/** Who looks at positions for hints and analysis. */
export const ANALYST = "mcts:solver=on,memory=128";
const CHANCE_PAUSE = 700;

const randomSeed = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
const other = (player) => (player === "first" ? "second" : "first");
/** The chance of the first player to win, from the expectation (-1 to +1) of whoever moves. */
export const firstChance = (value, mover) => (1 + (mover === "first" ? value : -value)) / 2;

export class Match extends EventTarget {
  /** `game`: spec, start, moves, players (a spec or HUMAN for first and second), resigned. */
  constructor(engine, game) {
    super();
    this.engine = engine;
    this.game = { start: null, moves: [], resigned: null, chances: {}, ...game };
    this.cursor = this.game.moves.length;
    this.thinking = null;
    this.progress = null;
  }

  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  get live() {
    return this.cursor === this.game.moves.length;
  }

  get over() {
    return this.live && (this.state?.turn === "over" || this.game.resigned !== null);
  }

  /** May somebody in front of this screen move now? */
  get playable() {
    return this.live && !this.over && this.game.players[this.state?.turn] === HUMAN;
  }

  get winner() {
    return this.game.resigned ? other(this.game.resigned) : this.state.winner;
  }

  #at(moves) {
    return { game: this.game.spec, start: this.game.start, moves };
  }

  /** The position that is looked at, as requests name it. */
  position() {
    return this.#at(this.game.moves.slice(0, this.cursor));
  }

  /** Looks at the position again and lets whoever is due go on. */
  async refresh() {
    const asked = this.cursor;
    const state = await this.engine.ask("state", this.position());
    if (asked !== this.cursor) return;
    this.state = state;
    this.game.spec = state.game;
    this.#tell("change");
    if (this.live && !this.over) this.#proceed();
  }

  async #proceed() {
    const { turn } = this.state;
    if (turn === "chance") {
      await new Promise((resolve) => setTimeout(resolve, CHANCE_PAUSE));
      if (!this.live || this.state.turn !== "chance") return;
      const outcome = await this.engine.ask("chance", { ...this.position(), seed: randomSeed() });
      this.#tell("chance", { outcome });
      await this.#push(outcome);
    } else if (this.game.players[turn] !== HUMAN && !this.thinking) {
      const advice = await this.think(this.game.players[turn]);
      if (advice && this.live) {
        if (advice.value !== null) this.game.chances[this.cursor] = firstChance(advice.value, turn);
        await this.#push(advice.move);
      }
    }
  }

  /** Lets an agent think about the position; null if it was ended. Only one thinks at a time. */
  async think(agent, { time, watch = false, onProgress } = {}) {
    this.stop();
    const control = new AbortController();
    this.thinking = control;
    this.progress = { done: 0 };
    this.#tell("thinking");
    const request = { ...this.position(), agent, seed: randomSeed(), watch, ...(time && { time }) };
    try {
      return await this.engine.ask("think", request, {
        signal: control.signal,
        onProgress: (progress) => {
          if (this.thinking !== control) return;
          this.progress = progress;
          onProgress?.(progress);
          this.#tell("thinking");
        },
      }).then((advice) => (control.signal.aborted ? null : advice));
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

  async #push(move) {
    this.game.moves.push(move);
    this.cursor = this.game.moves.length;
    await this.refresh();
  }

  /** A move of somebody in front of the screen. */
  async play(move) {
    if (this.playable) await this.#push(move);
  }

  /** Why a move is not possible, in words; null if it is. */
  async whyNot(move) {
    try {
      await this.engine.ask("state", this.#at([...this.game.moves, move]));
      return null;
    } catch (error) {
      if (error instanceof Refused) return error.message;
      throw error;
    }
  }

  step(to) {
    this.stop();
    this.cursor = Math.max(0, Math.min(this.game.moves.length, to));
    return this.refresh();
  }

  /** How many moves have to go so that somebody here can move again; 0 if that cannot be, or chance has been seen since. */
  get takeable() {
    const { history } = this.state ?? { history: [] };
    if (!this.live) return 0;
    for (let index = history.length - 1; index >= 0; index--) {
      if (history[index].mover === null) return 0;
      if (this.game.players[history[index].mover] === HUMAN) return history.length - index;
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
    return this.refresh();
  }

  resign() {
    this.stop();
    const { turn } = this.state;
    const { players } = this.game;
    this.game.resigned = players[turn] === HUMAN ? turn : players.first === HUMAN ? "first" : "second";
    this.#tell("change");
  }
}
