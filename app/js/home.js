// The first screen: all games, and the one that was not finished.

import { Board } from "./board.js";
import { gameSummary, gameTitle, t } from "./i18n/index.js";
import { kept } from "./match.js";
import { importDialog } from "./records.js";
import { html } from "./svg.js";

/** @import { App, GameInfo } from "./types.js" */

/** @param {App} app */
export async function homeScreen(app) {
  const last = kept();
  const info = last && !last.over && app.game(last.spec.split(":")[0]);
  const cards = await Promise.all(app.games.map((game) => card(app, game)));
  app.page.append(
    html("section", { class: "intro" }, html("h1", {}, t("home.title")), html("p", {}, t("home.lead"))),
    app.engine.lab
      ? html("div", { class: "buttons" }, html("a", { class: "button", href: "#/lab", title: t("lab.lead") }, t("lab.open")))
      : "",
    info
      ? html(
          "section",
          { class: "card resume" },
          html("p", {}, t("home.unfinished", { game: gameTitle(info), moves: last.moves.length })),
          html("a", { class: "button primary", href: "#/play" }, t("home.resume")),
        )
      : "",
    html("section", { class: "games" }, cards),
    html("div", { class: "buttons" }, html("button", { type: "button", onclick: () => importDialog(app) }, t("home.import"))),
  );
}

/**
 * @param {App} app
 * @param {GameInfo} game
 */
async function card(app, game) {
  const board = new Board({ describe: (square) => square });
  const state = await app.engine.ask("state", { game: game.name, start: game.example.position });
  board.show(state, { label: gameTitle(game) });
  board.element.setAttribute("role", "img");
  for (const cell of board.element.querySelectorAll("[tabindex]")) cell.removeAttribute("tabindex");
  for (const part of board.element.querySelectorAll("[role]")) part.removeAttribute("role");
  return html(
    "article",
    { class: "card game" },
    html("a", { href: `#/new/${game.name}`, class: "picture", tabindex: -1, "aria-hidden": "true" }, board.element),
    html("h2", {}, gameTitle(game)),
    html("p", {}, gameSummary(game)),
    html(
      "div",
      { class: "buttons" },
      html("a", { class: "button primary", href: `#/new/${game.name}` }, t("play")),
      html("a", { class: "button", href: `#/rules/${game.name}` }, t("rules")),
    ),
  );
}
