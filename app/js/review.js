// A whole game looked at: every position judged by the same strong agent, mistakes found, and luck told apart from skill.

import { judge, WORTH } from "./advice.js";

/** @import { Engine, Game, Judged, Judgement, Mistake, PlayerWord, Position, State } from "./types.js" */

/** Milliseconds for a position: for the solver, then for the strongest agent where the solver does not know. */
const SOLVE = 200;
const THINK = 300;
/** Milliseconds for all that chance could have done in one place together, and the least for one of these positions. */
const CHANCE = 240;
const LEAST = 8;
/** How much less than the best move, in chances to win, is a mistake; and from where on a move is looked at once more. */
const MISTAKE = 0.2;
const SUSPICIOUS = 0.12;

/** @type {(player: PlayerWord, chance: number) => number} */
const own = (player, chance) => (player === "first" ? chance : 1 - chance);

export class Review {
  /**
   * @param {Engine} engine
   * @param {Game} game
   * @param {AbortSignal} signal
   */
  constructor(engine, game, signal) {
    this.engine = engine;
    this.game = game;
    this.signal = signal;
  }

  /** @param {string[]} moves @returns {Position} */
  #at(moves) {
    return { game: this.game.spec, start: this.game.start, moves };
  }

  /**
   * Judges every position that is not judged yet, from the last to the first: what chance led to is known when its turn comes.
   * `told` hears of each.
   *
   * @param {(done: number) => void} told
   */
  async run(told) {
    const { game, signal } = this;
    const moves = [...game.moves];
    for (let ply = moves.length; ply >= 0 && !signal.aborted; ply--) {
      if (!game.judged[ply]) {
        const judged = await this.#judged(moves, ply);
        if (signal.aborted) return;
        game.judged[ply] = judged;
      }
      told((moves.length - ply + 1) / (moves.length + 1));
    }
    for (let ply = 0; ply < moves.length && !signal.aborted; ply++) await this.#compare(moves, ply);
    told(1);
  }

  /**
   * @param {string[]} moves
   * @param {number} ply
   * @returns {Promise<Judged>}
   */
  async #judged(moves, ply) {
    const position = this.#at(moves.slice(0, ply));
    const state = await this.engine.ask("state", position, { signal: this.signal });
    if (state.turn === "over") return { mover: null, ...ended(state) };
    if (state.turn !== "chance") {
      const times = { solve: SOLVE, think: THINK, signal: this.signal };
      const judged = await judge(this.engine, position, state.turn, times);
      return { mover: state.turn, ...judged, ...shown(state, judged.best, moves[ply]) };
    }
    return this.#chance(state, moves, ply);
  }

  /**
   * A position in which chance is due is worth what it can lead to on the average. What it did is measured against that, by the
   * same short look at all that it could have done.
   *
   * @param {State} state
   * @param {string[]} moves
   * @param {number} ply
   * @returns {Promise<Judged>}
   */
  async #chance(state, moves, ply) {
    const { chance } = this.game.judged[ply + 1] ?? { chance: 0.5 };
    const certain = { mover: null, chance, solved: null, best: null, luck: 0 };
    if (ply >= moves.length || state.outcomes.length < 2) return certain;
    const time = CHANCE / state.outcomes.length;
    let expected = 0;
    let happened = 0;
    for (const [outcome, probability] of state.outcomes) {
      const value = await this.#glance([...moves.slice(0, ply), outcome], time);
      expected += probability * value;
      if (outcome === moves[ply]) happened = value;
    }
    return { ...certain, chance: Math.min(1, Math.max(0, chance - (happened - expected))), luck: happened - expected };
  }

  /**
   * The first player's chance, by a short look; where chance is due, on the average of all that it can do.
   *
   * @param {string[]} moves
   * @param {number} time
   * @returns {Promise<number>}
   */
  async #glance(moves, time) {
    const position = this.#at(moves);
    const state = await this.engine.ask("state", position, { signal: this.signal });
    if (state.turn === "over") return ended(state).chance;
    if (state.turn !== "chance") {
      const budget = { solve: 1, think: Math.max(LEAST, time), signal: this.signal };
      return (await judge(this.engine, position, state.turn, budget)).chance;
    }
    let expected = 0;
    for (const [outcome, probability] of state.outcomes)
      expected += probability * (await this.#glance([...moves, outcome], time / state.outcomes.length));
    return expected;
  }

  /**
   * Where a move seems to have cost something and nothing is solved, the best move is looked at as long as the move that was
   * made: two positions judged alike, and not one with more moves to go than the other.
   *
   * @param {string[]} moves
   * @param {number} ply
   */
  async #compare(moves, ply) {
    const [before, after] = [this.game.judged[ply], this.game.judged[ply + 1]];
    if (!before?.mover || !after || !before.best || before.best === moves[ply] || before.better !== undefined) return;
    if (before.solved && isKnown(after)) return;
    if (own(before.mover, before.chance) - own(before.mover, after.chance) < SUSPICIOUS) return;
    const line = [...moves.slice(0, ply), before.best];
    const position = this.#at(line);
    const state = await this.engine.ask("state", position, { signal: this.signal });
    if (state.turn === "over") before.better = ended(state).chance;
    else if (state.turn === "chance") before.better = await this.#glance(line, THINK);
    else {
      const times = { solve: SOLVE, think: THINK, signal: this.signal };
      before.better = (await judge(this.engine, position, state.turn, times)).chance;
    }
  }
}

/**
 * The best move and the one that was made, as the page shows moves.
 *
 * @param {State} state
 * @param {string | null} best
 * @param {string | undefined} made
 */
export function shown({ moves }, best, made) {
  const named = (/** @type {string | null | undefined} */ text) => moves.find((move) => move.move === text) ?? null;
  return { bestMove: named(best), madeMove: named(made) };
}

/** @param {State} state @returns {Judgement} */
const ended = ({ winner }) => {
  const chance = { first: 1, second: 0, draw: 0.5 }[winner ?? "draw"];
  return { chance, solved: null, best: null, over: true };
};

/** Is the value of a position certain? @param {Judged} judged */
const isKnown = (judged) => judged.solved !== null || judged.over === true;

/** What a certain position is worth to a player. @type {(judged: Judged, player: PlayerWord) => number} */
const worth = (judged, player) => Math.round(2 * own(player, judged.chance) - 1);

/**
 * The mistakes of a game as far as it is judged, in its order. What a move `gave` away is certain; otherwise it `cost` chances.
 *
 * @param {Game} game
 * @returns {Mistake[]}
 */
export function mistakesOf(game) {
  /** @type {Mistake[]} */
  const found = [];
  game.moves.forEach((move, ply) => {
    const [before, after] = [game.judged[ply], game.judged[ply + 1]];
    if (!before?.mover || !after || !before.best || before.best === move) return;
    const { mover, bestMove: best, madeMove: made } = before;
    if (!best || !made || made.move !== move) return;
    if (before.solved && isKnown(after)) {
      const [had, has] = [WORTH[before.solved], worth(after, mover)];
      const gave = had === 1 ? "win" : "draw";
      if (had > has) found.push({ ply, mover, made, best, gave, cost: (had - has) / 2, left: has });
      return;
    }
    if (before.better === undefined) return;
    const cost = own(mover, before.better) - own(mover, after.chance);
    if (cost >= MISTAKE) found.push({ ply, mover, made, best, gave: null, cost, left: null });
  });
  return found;
}

/**
 * How much of all changes was luck, and whom it favoured: the chances that chance gave to the first player, all in all. Null
 * where chance took no part or nothing changed.
 *
 * @param {Game} game
 */
export function luckOf(game) {
  let luck = 0;
  let skill = 0;
  let favour = 0;
  let events = 0;
  for (let ply = 0; ply < game.moves.length; ply++) {
    const [before, after] = [game.judged[ply], game.judged[ply + 1]];
    if (!before || !after) continue;
    if (before.luck !== undefined) {
      luck += Math.abs(before.luck);
      favour += before.luck;
      events += 1;
    } else if (before.mover) skill += Math.abs(after.chance - before.chance);
  }
  return events > 0 && luck + skill > 0 ? { share: luck / (luck + skill), favour } : null;
}

