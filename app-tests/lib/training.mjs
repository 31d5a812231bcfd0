// A training folder as `ply train` leaves it, for the pages that show it.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ANCHORS = ["random", "mc:playouts=10", "mcts:sims=100", "mcts:sims=1000", "alphabeta:depth=4"];

const PLAN = {
  version: 1,
  game: "clobber:size=6x6",
  encoder: "mover",
  channels: 32,
  blocks: 3,
  seed: 0,
  teacher: "mcts:sims=200",
  teacher_games: 3000,
  round_games: 500,
  full: 128,
  fast: 24,
  full_share: 0.33,
  random_plies: 4,
  batch: 128,
  passes: 4,
  rate: 0.002,
  trust: 0.3,
  window: 50000,
  anchors: ANCHORS,
  anchor_games: 40,
  anchor_sims: 100,
  anchor_minutes: 10,
};

/** Losses fall, strength grows; every third round is measured. */
function round(number) {
  const measured = ANCHORS.flatMap((anchor, index) => {
    const line = (player, elo) => ({ player, anchor, games: 40, score: 1 / (1 + 10 ** (-elo / 400)), elo: [elo - 90, elo + 90] });
    const elo = 60 * number - 150 * index;
    // Of an opponent that has lost every game only one end of the interval is known.
    const search = index === 0 ? { ...line("search", elo), score: 1, elo: [elo, 4800] } : line("search", elo);
    return index < 2 ? [search, line("alone", elo - 130)] : [search];
  });
  return {
    round: number,
    seconds: 400 * number,
    taught: number <= 2,
    games: 500 * number,
    steps: 400 * number,
    window: 40000 + 3000 * number,
    age: 150 * number,
    reuse: 0.5,
    policy_loss: 1.2 + 1.5 / number,
    value_loss: 0.9 - 0.02 * number,
    plies: 20.5 + 0.1 * number,
    first_score: 0.51,
    redundancy: 0.01,
    games_per_hour: 7600 + 10 * number,
    judgements_per_second: 23000 + 100 * number,
    network_share: 0.71,
    steps_per_second: 41.3,
    ...(number % 3 === 0 && {
      measured,
      agreement: { solved: 180, decided: 180, winner_right: 120 + number, to_keep: 90, kept: 60 + number },
    }),
  };
}

/** Writes it into the data folder of a server, anew if it is there. */
export async function writeTraining(data, name, rounds) {
  const folder = join(data, "training", name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "plan.json"), JSON.stringify(PLAN));
  const lines = Array.from({ length: rounds }, (_, index) => `${JSON.stringify(round(index + 1))}\n`);
  await writeFile(join(folder, "rounds.jsonl"), lines.join(""));
}
