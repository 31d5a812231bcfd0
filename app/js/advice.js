// The strongest opinion on a position that can be had: the solver's where it knows, else that of the strongest agent of the game.

import { Stopped } from "./engine.js";
import { firstChance } from "./match.js";

/** @import { Advice, Engine, Judgement, PlayerWord, Position, Progress, Solved } from "./types.js" */

/** Who is asked, the strongest first: the next one where the one before cannot play, as without its network. */
const ANALYSTS = ["best", "level=8"];
/** What a solved position is worth to the player to move. */
export const WORTH = { win: 1, draw: 0, loss: -1 };

/**
 * What the strongest agent thinks of a position.
 *
 * @param {Engine} engine
 * @param {Position} position
 * @param {{ time?: number, watch?: boolean, signal?: AbortSignal, onProgress?: (progress: Progress) => void }} [options]
 * @returns {Promise<Advice>}
 */
export async function strongest(engine, position, { time, watch = false, signal, onProgress } = {}) {
  for (const [index, agent] of ANALYSTS.entries()) {
    try {
      const order = { ...position, agent, seed: 1, watch, ...(time && { time }) };
      return await engine.ask("think", order, { signal, onProgress });
    } catch (error) {
      if (error instanceof Stopped || index === ANALYSTS.length - 1) throw error;
    }
  }
  throw new Error("there is no analyst");
}

/**
 * What the solver knows of a position within some milliseconds; null where it does not know.
 *
 * @param {Engine} engine
 * @param {Position} position
 * @param {number} time
 * @param {AbortSignal} [signal]
 * @returns {Promise<(Solved & { value: "win" | "draw" | "loss" }) | null>}
 */
export async function solved(engine, position, time, signal) {
  const { value, ...rest } = await engine.ask("solve", { ...position, time }, { signal }).catch((error) => {
    if (error instanceof Stopped) throw error;
    return /** @type {Solved} */ ({ value: null });
  });
  return value === null ? null : { value, ...rest };
}

/**
 * A position judged: by the solver where it knows, else by the strongest agent.
 *
 * @param {Engine} engine
 * @param {Position} position
 * @param {PlayerWord} mover The player to move there.
 * @param {{ solve: number, think: number, signal?: AbortSignal }} options Milliseconds.
 * @returns {Promise<Judgement>}
 */
export async function judge(engine, position, mover, { solve, think, signal }) {
  const known = await solved(engine, position, solve, signal);
  if (known) return { chance: firstChance(WORTH[known.value], mover), solved: known.value, best: known.best };
  const advice = await strongest(engine, position, { time: think, signal });
  return { chance: firstChance(advice.value ?? 0, mover), solved: null, best: advice.move };
}
