// What the pages of the lab have in common: how it is asked, and how what it says is written.

import { agentName, formatNumber, gameTitle, t } from "./i18n/index.js";
import { boardName } from "./setup.js";

/** @import { App, GameInfo } from "./types.js" */

/** How often a list or a page that is not told of changes looks for them. */
export const LOOK_AGAIN = 3000;

/**
 * Asks the lab; an error says in words what was wrong.
 *
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function ask(path, body) {
  const answer = await fetch(`lab/${path}`, {
    cache: "no-store",
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const told = await answer.json().catch(() => ({ error: answer.statusText }));
  if (!answer.ok) throw new Error(told.error);
  return told;
}

/** @type {(app: App, spec: string) => GameInfo | undefined} */
export const gameOf = (app, spec) => app.game(spec.split(":")[0]);
/** @type {(app: App, spec: string) => string} */
export const titleOf = (app, spec) => {
  const game = gameOf(app, spec);
  return game ? `${gameTitle(game)}, ${boardName(spec, game)}` : spec;
};

/** The levels of games, by the specs that they stand for. @type {Map<string, Map<string, string>>} */
const levels = new Map();

/**
 * Finds out what the levels of a game stand for, so that they can be called by their names.
 *
 * @param {App} app
 * @param {string} game
 */
export async function learnLevels(app, game) {
  if (levels.has(game)) return;
  const all = await app.engine.ask("opponents", { game }).catch(() => []);
  levels.set(game, new Map(all.filter(({ name }) => name.startsWith("level=")).map(({ name, spec }) => [spec, name])));
}

/** An agent as people know it: a level by its title. @type {(game: string, agent: string) => string} */
export const agentIn = (game, agent) => agentName(levels.get(game)?.get(agent) ?? agent);

/** @param {number} share */
export const percent = (share) => `${formatNumber(100 * share, 1)} %`;

/** Seconds in words. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 90) return t("lab.seconds", { count: formatNumber(Math.ceil(seconds)) });
  if (seconds < 5400) return t("lab.minutes", { count: formatNumber(Math.round(seconds / 60)) });
  return t("lab.hours", { count: formatNumber(seconds / 3600, 1) });
}
