// The live page of a competition: its table, the games that are being played, one of them large, and what the players say.

import { Board } from "./board.js";
import { formatNumber, language, loadLanguage, playerName, squareText, t } from "./i18n/index.js";
import { takeLooks } from "./looks.js";
import { recall } from "./memory.js";
import { find, html } from "./svg.js";

/** @import { Child, GameBrief, LiveGame, LiveMessage, LivePage, PlayerWord, Result, Shown } from "./types.js" */

/** @type {PlayerWord[]} */
const PLAYERS = ["first", "second"];
/** A game that is over stays for so long, in milliseconds, before another one is shown. */
const PAUSE = 5000;

await loadLanguage();
const page = find("#page");
/** What is known about the game that is shown. @type {GameBrief | null} */
let shown = null;
const board = new Board({ describe: (square, piece) => squareText(shown, square, piece) });

const parts = {
  title: html("h1", {}),
  state: html("p", { class: "state", role: "status" }),
  seats: [html("div", { class: "seat" }), html("div", { class: "seat" })],
  status: html("p", { class: "status", role: "status" }),
  clock: html("div", { class: "clock" }),
  moves: html("ol", { class: "moves", "aria-label": t("moves") }),
  table: html("table", {}),
  others: html("div", { class: "tables" }),
  played: html("ol", { class: "played", tabindex: 0, "aria-label": t("live.played") }),
  talk: html("ol", { class: "talk", tabindex: 0, "aria-label": t("live.talk") }),
  noise: html("p", { class: "small" }),
};
/** @type {(title: string, ...content: Child[]) => HTMLElement} */
const section = (title, ...content) => html("section", { class: "card" }, html("h2", {}, t(title)), ...content);
const empty = html("p", { class: "small" }, t("live.waiting"));
const stage = html(
  "section",
  { class: "card stage", "aria-label": t("live.board") },
  parts.seats[1],
  board.element,
  parts.seats[0],
  parts.status,
  parts.clock,
  parts.moves,
);
const standings = section(
  "live.table",
  html("div", { class: "wide", tabindex: 0, "aria-label": t("live.table"), role: "region" }, parts.table),
);
const tables = section("live.boards", parts.others);
const talk = section("live.talk", parts.talk, parts.noise);
const played = section("live.played", parts.played);

/** What was heard last. @type {LivePage | null} */
let heard = null;
/** The game that is watched, and the one that was chosen, by their names. */
let watched = "";
let chosen = "";
/** By how many milliseconds the server's clock is ahead. */
let ahead = 0;
/** When the game that is watched was over. @type {number | null} */
let overSince = null;

/** @type {(game: LiveGame) => Shown} */
const stateOf = (game) => ({
  game: game.game,
  view: game.view,
  last: game.last,
  history: game.movers.map((mover) => ({ mover })),
  moves: [],
});

/** The game to look at: the one that was chosen or looked at, or the next that is being played. @param {LivePage} state */
function pick(state) {
  const here = (/** @type {string} */ id) => state.boards.find((game) => game.id === id);
  const now = here(chosen) ?? here(watched);
  const live = state.boards.find((game) => !game.result);
  if (now?.result && live && !here(chosen)) {
    overSince ??= performance.now();
    if (performance.now() - overSince < PAUSE) return now;
  } else if (now) {
    overSince = null;
    return now;
  }
  overSince = null;
  return live ?? now ?? state.boards.at(-1);
}

/** @param {number} ms */
const minutes = (ms) => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

/** The time that a player has left for its move, or has used in all where there is no limit. @param {LiveGame} game */
function times(game) {
  const now = Date.now() + ahead;
  PLAYERS.forEach((player, seat) => {
    const due = game.turn === player;
    const thinking = due ? now - game.since : 0;
    const left = game.move_ms === null || !due ? null : game.move_ms - thinking;
    const time =
      left === null
        ? minutes(game.used[seat] + thinking)
        : `${(Math.max(0, left) / 1000).toLocaleString(language(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
    find(".time", parts.seats[seat]).textContent = time;
    parts.seats[seat].classList.toggle("late", left !== null && left < 1000);
  });
  const gone = game.result ? game.used[0] + game.used[1] : now - game.begun;
  parts.clock.replaceChildren(
    html("span", {}, t("live.moves", { count: formatNumber(game.movers.filter(Boolean).length) })),
    html(
      "span",
      {},
      game.game_ms === null || game.result
        ? t("live.time", { time: minutes(gone) })
        : t("live.left", { time: minutes(game.game_ms - gone) }),
    ),
  );
}

/** @param {LivePage} state */
function drawStage(state) {
  const game = pick(state);
  stage.hidden = !game;
  empty.hidden = Boolean(game);
  if (!game) return;
  const other = watched !== game.id;
  watched = game.id;
  const info = game.about;
  shown = info;
  takeLooks([info]);
  board.show(stateOf(game), { label: `${game.players[0]} – ${game.players[1]}` });
  board.element.setAttribute("role", "img");
  // It is a picture: nothing in it can be chosen.
  for (const cell of board.element.querySelectorAll("[tabindex], [role], [aria-label]"))
    ["tabindex", "role", "aria-label", "aria-selected"].forEach((name) => cell.removeAttribute(name));
  PLAYERS.forEach((player, seat) => {
    parts.seats[seat].classList.toggle("due", game.turn === player);
    parts.seats[seat].replaceChildren(
      html("span", { class: `mark ${player}`, role: "img", "aria-label": playerName(info, player) }),
      html("b", {}, game.players[seat]),
      html("span", { class: "points" }, game.points ? t("live.points", { count: formatNumber(game.points[seat]) }) : ""),
      html("span", { class: "time" }),
    );
  });
  stage.dataset.game = info.name;
  parts.status.textContent = game.result ? `${resultOf(game.result, game.players)} ${game.reason}` : "";
  const moves = game.moves.filter((_, index) => game.movers[index] !== null).slice(-24);
  parts.moves.replaceChildren(
    ...moves.map((move, index) => html("li", { class: index + 1 === moves.length ? "current" : "" }, html("span", {}, move))),
  );
  parts.moves.scrollTop = parts.moves.scrollHeight;
  if (other) overSince = null;
  times(game);
}

/** @type {(result: Result, players: [string, string]) => string} */
const resultOf = (result, players) =>
  result === "draw" ? t("lab.drawn") : t("live.won", { player: players[result === "first" ? 0 : 1] });

/** Columns of every table; the others are tie breaks, which stand below the name. */
const COMMON = ["place", "name", "points", "games", "won", "drawn", "lost"];

/** @param {LivePage} state */
function drawTable(state) {
  standings.hidden = state.rows.length === 0;
  /** @type {(row: string[], name: string) => string | undefined} */
  const value = (row, name) => row[state.columns.indexOf(name)];
  const ties = state.columns.filter((name) => !COMMON.includes(name));
  /** @type {(row: string[], index: number) => HTMLElement} */
  const line = (row, index) =>
    html(
      "tr",
      {},
      html("td", {}, value(row, "place") ?? String(index + 1)),
      html(
        "td",
        { class: "text" },
        value(row, "name"),
        html("small", {}, ties.map((name) => `${name} ${value(row, name)}`).join(" · ")),
      ),
      html("td", {}, html("b", {}, value(row, "points"))),
      html("td", { class: "tally" }, ["won", "drawn", "lost"].map((name) => value(row, name)).join(" – ")),
    );
  const head = (/** @type {string} */ text, name = "") => html("th", { class: name, scope: "col" }, text);
  parts.table.replaceChildren(
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        head(t("live.column.place")),
        head(t("live.column.name"), "text"),
        head(t("live.column.points")),
        head(t("live.column.tally")),
      ),
    ),
    html("tbody", {}, state.rows.map(line)),
  );
}

/** @param {LivePage} state */
function drawOthers(state) {
  const idOf = (/** @type {Element} */ button) => button.getAttribute("data-id");
  for (const button of [...parts.others.children]) if (!state.boards.some((game) => game.id === idOf(button))) button.remove();
  for (const game of state.boards) {
    let button = [...parts.others.children].find((known) => idOf(known) === game.id);
    if (!button) {
      const choose = () => {
        chosen = game.id;
        draw();
      };
      button = html(
        "button",
        { type: "button", "data-id": game.id, onclick: choose },
        html("span", {}, `${game.players[0]} – ${game.players[1]}`),
        html("small", {}),
      );
      parts.others.append(button);
    }
    button.setAttribute("aria-pressed", String(game.id === watched));
    find("small", button).textContent = game.points ? game.points.join(" : ") : t(game.result ? "lab.over" : "lab.live");
  }
  tables.hidden = state.boards.length < 2;
}

/** What is said to both players is one line. @param {LiveMessage[]} messages */
function merged(messages) {
  /** @type {LiveMessage[]} */
  const lines = [];
  for (const message of messages) {
    const last = lines.at(-1);
    if (last && !last.heard && !message.heard && last.text === message.text && last.who !== message.who)
      lines[lines.length - 1] = { ...last, who: `${last.who}, ${message.who}` };
    else lines.push(message);
  }
  return lines;
}

function draw() {
  const state = heard;
  if (!state) return;
  document.title = `${state.title} · Plyground`;
  parts.title.textContent = state.title;
  const counted = state.wanted
    ? t("live.progress", { done: formatNumber(state.finished), of: formatNumber(state.wanted) })
    : t("live.count", { done: formatNumber(state.finished) });
  const waiting = state.waiting.length > 0 ? t("live.here", { names: state.waiting.join(", ") }) : "";
  parts.state.classList.remove("lost");
  parts.state.textContent = [state.over ? t("live.over") : "", counted, waiting].filter(Boolean).join(" · ");
  drawStage(state);
  drawTable(state);
  drawOthers(state);
  parts.played.replaceChildren(
    ...state.games.map((game) =>
      html(
        "li",
        {},
        `${game.players[0]} – ${game.players[1]}${game.points ? ` ${game.points.join(" : ")}` : ""} `,
        html("small", {}, `${resultOf(game.result, game.players)} ${game.reason}`),
      ),
    ),
  );
  played.hidden = state.games.length === 0;
  parts.talk.replaceChildren(
    ...merged(state.messages).map(({ who, heard: isHeard, text }) =>
      html("li", {}, html("span", { class: "who" }, who), html("span", {}, `${isHeard ? "→" : "←"} ${text}`)),
    ),
  );
  parts.talk.scrollTop = parts.talk.scrollHeight;
  const lost = Object.values(state.dropped).reduce((sum, count) => sum + count, 0);
  parts.noise.textContent =
    lost > 0
      ? t("live.dropped", Object.fromEntries(Object.entries(state.dropped).map(([why, count]) => [why, formatNumber(count)])))
      : "";
  talk.hidden = state.messages.length === 0;
}

function follow() {
  const events = new EventSource("live/events");
  events.addEventListener("clock", ({ data }) => (ahead = Number(data) - Date.now()));
  events.addEventListener("live", ({ data }) => {
    heard = JSON.parse(data);
    draw();
  });
  // What was seen stays; the connection comes back by itself if there is a server again.
  events.addEventListener("error", () => {
    if (heard?.over) return;
    parts.state.classList.add("lost");
    parts.state.textContent = t("connectionLost");
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, PAUSE);
  });
}

document.documentElement.dataset.theme = recall("theme", "system");
document.documentElement.lang = language();
page.append(
  html("div", { class: "head" }, parts.title, parts.state),
  html("div", { class: "floor" }, html("div", {}, empty, stage), html("div", { class: "side" }, standings, tables, talk, played)),
);
stage.hidden = true;
[standings, tables, talk, played].forEach((part) => (part.hidden = true));
follow();
// Clocks go on when nothing else happens.
setInterval(() => {
  if (!heard) return;
  const game = heard.boards.find(({ id }) => id === watched);
  if (game?.result && overSince !== null) drawStage(heard);
  else if (game && !game.result) times(game);
}, 100);
