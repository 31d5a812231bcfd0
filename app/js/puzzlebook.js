// Puzzles as a habit: which ones there are, which one is today's, and what was solved on this device.

import { recall, remember } from "./memory.js";

/** @import { Puzzle, PuzzleRecord } from "./types.js" */

/** A rating at the beginning, and that of puzzles of level 0; each level is so many points harder. */
const BEGIN = 1000;
const LEVEL_0 = 700;
const STEP = 200;
/** How fast a rating moves, at the beginning and after so many puzzles. */
const FAST = 48;
const SLOW = 24;
const SETTLED = 20;
/** A step through the puzzles of a file that meets them all, the easy ones and the hard ones mixed. */
const STRIDE = 7919;
const DAY = 24 * 60 * 60 * 1000;

/** @type {PuzzleRecord} */
const NOTHING = { rating: BEGIN, rated: 0, solved: {}, failed: {}, streak: 0, day: -1 };

/** What was solved on this device. @returns {PuzzleRecord} */
export const record = () => ({ ...NOTHING, ...recall("puzzles", {}) });

/** The number of a day, the same wherever it has this date. */
export function today(now = new Date()) {
  return Math.floor(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY);
}

/** How many days in a row the puzzle of the day was solved, up to today or yesterday. */
export function streak() {
  const known = record();
  return known.day >= today() - 1 ? known.streak : 0;
}

/** Was today's puzzle solved? */
export const isDayDone = () => record().day === today();

/** How many puzzles each game has. @returns {Promise<Record<string, number>>} */
export async function counts() {
  const answer = await fetch("puzzles/index.json");
  if (!answer.ok) throw new Error("there are no puzzles here");
  return answer.json();
}

/** @type {Map<string, Promise<Puzzle[]>>} */
const fetchedFiles = new Map();

/** The puzzles of a game, the easiest first. @param {string} game */
export function puzzlesOf(game) {
  const fetched =
    fetchedFiles.get(game) ??
    fetch(`puzzles/${encodeURIComponent(game)}.jsonl`).then(async (answer) => {
      if (!answer.ok) throw new Error("there are no puzzles here");
      const [, ...lines] = (await answer.text()).trim().split("\n");
      return lines.map((line) => JSON.parse(line));
    });
  fetchedFiles.set(game, fetched);
  // What failed, as without a network, is tried again.
  fetched.catch(() => fetchedFiles.delete(game));
  return fetched;
}

/**
 * The puzzle of a day: the games take turns, and everyone with the same puzzles gets the same one.
 *
 * @param {Record<string, number>} files How many puzzles each game has.
 * @param {number} day
 */
export function puzzleOfDay(files, day) {
  const games = Object.keys(files).sort();
  const game = games[day % games.length];
  return { game, number: (Math.floor(day / games.length) * STRIDE) % files[game] };
}

/** How hard a puzzle is, on the scale of ratings. @param {Puzzle} puzzle */
const difficulty = ({ level }) => LEVEL_0 + STEP * level;

/**
 * A puzzle of a game that was not solved yet and suits the rating; null if all are solved.
 *
 * @param {string} game
 * @param {Puzzle[]} puzzles
 * @param {number} [after] The number of the puzzle that is left.
 */
export function suitable(game, puzzles, after = 0) {
  const { rating, solved } = record();
  const done = new Set(solved[game]);
  const open = puzzles.map((_, number) => number).filter((number) => !done.has(number) && number !== after);
  const far = (/** @type {number} */ number) => Math.abs(difficulty(puzzles[number]) - rating);
  const nearest = Math.min(...open.map(far));
  const fitting = open.filter((number) => far(number) === nearest);
  // Not always the first of the file: puzzles of one level come in the order in which they were found.
  return fitting[(after * STRIDE + (solved[game]?.length ?? 0)) % Math.max(1, fitting.length)] ?? null;
}

/**
 * Counts the first try of a puzzle for the rating, and gives by how much that has changed; 0 where the puzzle was met before.
 *
 * @param {string} game
 * @param {number} number
 * @param {Puzzle} puzzle
 * @param {boolean} right
 */
export function rate(game, number, puzzle, right) {
  const before = record();
  const met = [...(before.solved[game] ?? []), ...(before.failed[game] ?? [])].includes(number);
  const expected = 1 / (1 + 10 ** ((difficulty(puzzle) - before.rating) / 400));
  const change = met ? 0 : Math.round((before.rated < SETTLED ? FAST : SLOW) * ((right ? 1 : 0) - expected));
  const list = right ? "solved" : "failed";
  const own = new Set(before[list][game]).add(number);
  remember("puzzles", {
    ...before,
    rating: before.rating + change,
    rated: before.rated + (met ? 0 : 1),
    [list]: { ...before[list], [game]: [...own] },
  });
  return change;
}

/** Today's puzzle was solved: another day of the row. */
export function countDay() {
  const before = record();
  const day = today();
  if (before.day === day) return;
  remember("puzzles", { ...before, day, streak: before.day === day - 1 ? before.streak + 1 : 1 });
}
