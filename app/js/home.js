// The first screen: what to play now, what was played last, and all games.

import { agentName, gamePull, gameTitle, t } from "./i18n/index.js";
import { HUMAN, begin, kept } from "./match.js";
import { recall } from "./memory.js";
import { importDialog } from "./records.js";
import { gameRow } from "./history.js";
import { picture } from "./pictures.js";
import { dailyCard } from "./puzzles.js";
import { allGames } from "./store.js";
import { html } from "./svg.js";
import { ownSide } from "./verdict.js";

/** @import { App, Game, GameInfo } from "./types.js" */

/** How many games are listed. */
const RECENT = 3;

/** @param {App} app */
export async function homeScreen(app) {
  const [tiles, all] = await Promise.all([Promise.all(app.games.map((game) => tile(app, game))), allGames()]);
  const last = kept();
  const open = last && !last.over && app.game(last.spec.split(":")[0]) ? last : null;
  const recent = all.filter((game) => game.id !== open?.id && app.game(game.spec.split(":")[0])).slice(0, RECENT);
  app.page.append(
    html(
      "section",
      { class: "intro" },
      html("h1", {}, t("home.title")),
      html("p", {}, t("home.lead")),
      html("div", { class: "buttons" }, open ? resume(app, open) : "", playNow(app, last, open !== null)),
    ),
    dailyCard(),
    html("section", { class: "games", "aria-label": t("home.games") }, tiles),
    recent.length > 0
      ? html(
          "section",
          { class: "recent" },
          html("h2", {}, t("home.recent")),
          html(
            "ul",
            { class: "rows" },
            recent.map((game) => gameRow(app, game)),
          ),
          html("a", { href: "#/history" }, t("home.history")),
        )
      : "",
    html(
      "div",
      { class: "buttons last" },
      html("a", { class: "button", href: "#/puzzles" }, t("title.puzzles")),
      html("button", { type: "button", onclick: () => importDialog(app) }, t("home.import")),
      app.engine.lab ? html("a", { class: "button", href: "#/lab", title: t("lab.lead") }, t("lab.open")) : "",
    ),
  );
}

/**
 * @param {App} app
 * @param {Game} game
 */
function resume(app, game) {
  const info = app.game(game.spec.split(":")[0]);
  const words = t("home.unfinished", { game: info ? gameTitle(info) : game.spec, moves: game.moves.length });
  const shown = [html("b", {}, t("home.resume")), html("small", {}, words)];
  return html("a", { class: "button primary large", href: `#/play/${game.id}`, title: words }, shown);
}

/**
 * A game at once: that which was played last, or the first of all, with the sides swapped.
 *
 * @param {App} app
 * @param {Game | null} last
 * @param {boolean} waiting Does an unfinished game wait?
 */
function playNow(app, last, waiting) {
  const info = (last && app.game(last.spec.split(":")[0])) || app.games[0];
  const level = recall("setup", {})[info.name]?.opponent;
  const known = last?.spec.startsWith(info.name) ? last : null;
  const side = known && ownSide(known);
  const usual = /^level=[1-8]$/.test(level) ? level : "level=2";
  const rival = side && known ? known.players[side === "first" ? "second" : "first"] : usual;
  const mine = side === "first" ? "second" : "first";
  const players = mine === "first" ? { first: HUMAN, second: rival } : { first: rival, second: HUMAN };
  const spec = known?.spec ?? info.presentation.boards[0] ?? info.name;
  return html(
    "button",
    { type: "button", class: waiting ? "large" : "primary large", onclick: () => begin(app, { spec, players }) },
    html("b", {}, t("home.now")),
    html("small", {}, t("home.against", { game: gameTitle(info), agent: agentName(rival) })),
  );
}

/**
 * @param {App} app
 * @param {GameInfo} game
 */
async function tile(app, game) {
  return html(
    "article",
    { class: "game" },
    html(
      "a",
      { href: `#/new/${game.name}`, class: "tile" },
      html("span", { class: "picture" }, await picture(app, game, { game: game.name, start: game.example.position })),
      html("b", { class: "name" }, gameTitle(game)),
      html("span", { class: "pull" }, gamePull(game)),
    ),
    html("a", { class: "how", href: `#/rules/${game.name}`, "aria-label": t("rulesOf", { game: gameTitle(game) }) }, t("rules")),
  );
}
