// All games of this device: a list to look at them again, and what became of each level.

import { agentName, gameTitle, t } from "./i18n/index.js";
import { HUMAN, begun } from "./match.js";
import { importDialog } from "./records.js";
import { allGames, forget } from "./store.js";
import { download } from "./share.js";
import { dialog } from "./dialog.js";
import { html } from "./svg.js";
import { boardName } from "./setup.js";
import { levelOf, ownSide, playedBy } from "./verdict.js";

/** @import { App, Fields, Game, GameInfo } from "./types.js" */

/** How many games are shown at a time. */
const PAGE = 30;
/** So many wins against a level, and the next one is worth a try. */
const ENOUGH = 2;

/** @param {App} app */
export async function historyScreen(app) {
  const games = (await allGames()).filter((game) => infoOf(app, game));
  const list = html("ul", { class: "rows" });
  const more = html("button", { type: "button", onclick: () => show() }, t("history.more"));
  let count = 0;
  const show = () => {
    list.append(...games.slice(count, count + PAGE).map((game) => gameRow(app, game, true)));
    count += PAGE;
    more.hidden = count >= games.length;
  };
  show();
  const content = [
    html("h1", {}, t("title.history")),
    games.length === 0 ? html("p", {}, t("history.none")) : "",
    statistics(app, games),
    list,
    html(
      "div",
      { class: "buttons" },
      more,
      games.length > 0 ? html("button", { type: "button", onclick: () => exportAll(app, games) }, t("history.export")) : "",
      html("button", { type: "button", onclick: () => importDialog(app) }, t("history.import")),
    ),
  ];
  app.page.append(html("section", { class: "history" }, content));
}

/** @type {(app: App, game: Game) => GameInfo | undefined} */
const infoOf = (app, game) => app.game(game.spec.split(":")[0]);

/**
 * How a game ended: for the person who played, or for all.
 *
 * @param {Game} game
 * @returns {"won" | "lost" | "draw" | "open" | "over"}
 */
export function outcomeOf(game) {
  if (!game.over || !game.winner) return game.over ? "over" : "open";
  if (game.winner === "draw") return "draw";
  const side = ownSide(game);
  return side ? (game.winner === side ? "won" : "lost") : "over";
}

/**
 * A game in a list, with the way to it.
 *
 * @param {App} app
 * @param {Game} game
 * @param {boolean} [whole] Can it be taken off the list?
 */
export function gameRow(app, game, whole = false) {
  const info = infoOf(app, game);
  const outcome = outcomeOf(game);
  const title = info ? gameTitle(info) : game.spec;
  const when = new Date(game.changed).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "short" });
  const words = t("history.remove");
  const remove = async () => {
    const sure = await dialog(words, html("p", {}, t("history.sure")), [
      ["yes", words, "primary"],
      ["", t("close")],
    ]);
    if (sure !== "yes") return;
    await forget(game.id);
    app.show();
  };
  return html(
    "li",
    {},
    html(
      "a",
      { href: `#/play/${game.id}` },
      html("span", { class: `outcome ${outcome}` }, t(`outcome.${outcome}`)),
      html(
        "span",
        { class: "what" },
        html("b", {}, title),
        html("small", {}, [info ? boardName(game.spec, info) : "", rivals(game)].filter(Boolean).join(" · ")),
      ),
      html("small", { class: "when" }, t("history.moves", { count: game.moves.length }), " · ", when),
    ),
    whole && html("button", { type: "button", class: "quiet", "aria-label": words, title: words, onclick: remove }, "×"),
  );
}

/** Against whom. @param {Game} game */
function rivals(game) {
  const side = ownSide(game);
  if (side) return playedBy(game, side === "first" ? "second" : "first");
  if (Object.values(game.players).every((player) => player === HUMAN) && !game.names) return t("twoPeople");
  return `${playedBy(game, "first")} – ${playedBy(game, "second")}`;
}

/**
 * What became of each level, for each game, and which one to try next.
 *
 * @param {App} app
 * @param {Game[]} games
 */
function statistics(app, games) {
  /** @type {Map<string, Map<number, Record<"won" | "lost" | "draw", number>>>} */
  const tables = new Map();
  for (const game of games) {
    const side = ownSide(game);
    const level = side ? levelOf(game.players[side === "first" ? "second" : "first"]) : 0;
    const outcome = outcomeOf(game);
    if (level === 0 || outcome === "open" || outcome === "over") continue;
    const name = game.spec.split(":")[0];
    const table = tables.get(name) ?? new Map();
    const line = table.get(level) ?? { won: 0, draw: 0, lost: 0 };
    line[outcome] += 1;
    tables.set(name, table.set(level, line));
  }
  const cards = [...tables].map(([name, table]) => {
    const info = app.game(name);
    const levels = [...table.keys()].sort((a, b) => a - b);
    const beaten = levels.filter((level) => (table.get(level)?.won ?? 0) >= ENOUGH).at(-1) ?? 0;
    const next = beaten > 0 && beaten < 8 ? beaten + 1 : 0;
    const row = (/** @type {number} */ level) => {
      const { won = 0, draw = 0, lost = 0 } = table.get(level) ?? {};
      const counts = [won, draw, lost].map((count) => html("td", {}, count));
      return html("tr", {}, html("th", { scope: "row" }, agentName(`level=${level}`)), counts);
    };
    const columns = ["history.level", "outcome.won", "outcome.draw", "outcome.lost"];
    const head = columns.map((key) => html("th", { scope: "col" }, t(key)));
    const wins = table.get(beaten)?.won;
    return html(
      "section",
      { class: "card levels-of" },
      html("h2", {}, info ? gameTitle(info) : name),
      html("table", {}, html("thead", {}, html("tr", {}, head)), html("tbody", {}, levels.map(row))),
      next > 0 &&
        html("p", {}, t("history.try", { level: beaten, wins, next }), " ", html("a", { href: `#/new/${name}` }, t("play"))),
    );
  });
  return html("div", { class: "statistics" }, cards);
}

/**
 * All games as a file of records, as the command line reads them.
 *
 * @param {App} app
 * @param {Game[]} games
 */
async function exportAll(app, games) {
  const lines = [];
  for (const game of games) {
    const { spec, start, moves } = { ...begun(game), ...game };
    /** @type {Fields["export"]} */
    const order = { game: spec, start, moves, format: "jsonl", players: [playedBy(game, "first"), playedBy(game, "second")] };
    lines.push((await app.engine.ask("export", order)).trim());
  }
  download("plyground.jsonl", `${lines.join("\n")}\n`);
}
