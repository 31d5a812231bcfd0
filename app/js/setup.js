// Before a game: against whom, on which board, on which side.

import {
  agentName,
  gameTitle,
  keyText,
  levelAdvice,
  levelTitle,
  opponentSummary,
  playerName,
  t,
  workName,
} from "./i18n/index.js";
import { FRIEND, openTable } from "./friend.js";
import { face } from "./icons.js";
import { HUMAN, begin } from "./match.js";
import { recall, remember } from "./memory.js";
import { picture } from "./pictures.js";
import { html, messageOf } from "./svg.js";

/** @import { App, Attributes, GameInfo, Opponent, PlayerWord, State } from "./types.js" */

/** @type {PlayerWord[]} */
const PLAYERS = ["first", "second"];

/** Who may sit opposite: an agent of some level, another person, an agent of the published work; or two agents to watch. */
const ENGINE = "engine";
const WATCH = "watch";
const WORK = "work";
/** Clocks that are offered, in seconds for all moves and for each; the usual one first. */
const CLOCKS = [[0, 0], [180, 2], [300, 3], [600, 5], [1800, 10]];

/** Boards that are offered; anything else can be written under "advanced". @param {GameInfo} game */
export const boardsOf = ({ name, presentation: { boards } }) => (boards.length > 0 ? boards : [name]);

/** A field for what is written in the words of the engine. @param {Attributes} attributes */
const written = (attributes) =>
  html("input", { type: "text", autocapitalize: "off", autocomplete: "off", spellcheck: "false", ...attributes });

/** @type {(group: string, value: string, content: (Node | string)[], chosen: boolean) => HTMLElement} */
const radio = (group, value, content, chosen) =>
  html(
    "label",
    { class: "choice" },
    html("input", { type: "radio", name: group, value, checked: chosen }),
    html("span", {}, content),
  );
/** @type {(text: string, hint?: string) => HTMLElement[]} */
const words = (text, hint = "") => [html("b", {}, text), ...(hint ? [html("small", {}, hint)] : [])];

/**
 * @param {App} app
 * @param {string[]} parts
 */
export async function setupScreen(app, [name]) {
  const game = app.game(name);
  if (!game) throw new Error(t("unknownGame", { name }));
  const form = new SetupForm(app, game);
  await form.fill();
  form.follow();
  app.page.append(await form.element());
}

class SetupForm {
  /**
   * @param {App} app
   * @param {GameInfo} game
   */
  constructor(app, game) {
    this.app = app;
    this.game = game;
    const before = recall("setup", {})[game.name] ?? {};
    this.before = before;
    const level = Number(String(before.opponent ?? "").match(/^level=([1-8])$/)?.[1] ?? before.level ?? 2);
    const range = { type: "range", id: "level", min: 1, max: 8, step: 1, value: level };
    this.level = html("input", { ...range, "aria-describedby": "level-words" });
    this.level.value = String(level);
    this.face = html("span", { class: "face", "aria-hidden": "true" });
    this.levelWords = html("p", { id: "level-words", class: "level-words" });
    this.agent = written({ id: "agent", placeholder: "mcts:sims=500" });
    this.own = written({ id: "own-board", placeholder: game.samples.at(-1) });
    this.presets = html("select", { id: "preset" });
    this.fromWork = html("select", { id: "from-work" });
    this.rivals = PLAYERS.map((player) => html("select", { id: `rival-${player}` }));
    this.problem = html("p", { class: "problem", role: "alert" });
    this.work = html("label", { class: "field", for: "from-work" }, t("opponent.work"), this.fromWork);
    this.strength = html(
      "div",
      { class: "strength" },
      html("label", { for: "level", class: "level-label" }, this.face, html("span", {}, t("level"))),
      this.level,
      this.levelWords,
    );
    this.clock = html(
      "select",
      { id: "clock" },
      CLOCKS.map(([seconds, increment]) => {
        const value = `${seconds} ${increment}`;
        const times = { minutes: seconds / 60, seconds: increment };
        return html(
          "option",
          { value, selected: before.clock === value },
          seconds ? t("friend.clock.value", times) : t("friend.clock.none"),
        );
      }),
    );
    this.clocks = html("label", { class: "field", for: "clock" }, t("friend.clock"), this.clock);
    this.watching = html(
      "fieldset",
      {},
      html("legend", {}, t("watch.who")),
      this.rivals.map((select, index) =>
        html("label", { class: "field", for: select.id }, playerName(game, PLAYERS[index]), select),
      ),
    );
    /** @type {(PlayerWord | "random")[]} */
    const sides = [...PLAYERS, "random"];
    this.side = html(
      "fieldset",
      { class: "sides" },
      html("legend", {}, t("side")),
      sides.map((side) =>
        radio(
          "side",
          side,
          side === "random"
            ? words(t("side.random"))
            : words(playerName(game, side), side === "first" ? t("side.first") : t("side.second")),
          side === (before.side ?? "first"),
        ),
      ),
    );
    this.who = html("div", { class: "who-of", role: "radiogroup", "aria-label": t("opponent") });
    this.level.addEventListener("input", () => this.follow(true));
    this.who.addEventListener("change", () => this.follow(true));
    this.presets.addEventListener("change", () => this.presets.value && (this.agent.value = this.presets.value));
  }

  /** The board that was chosen. */
  get spec() {
    const chosen = this.boards?.querySelector("input:checked");
    return this.own.value.trim() || (chosen instanceof HTMLInputElement ? chosen.value : boardsOf(this.game)[0]);
  }

  get choice() {
    const checked = this.who.querySelector("input:checked");
    return checked instanceof HTMLInputElement ? checked.value : ENGINE;
  }

  /** The opponents on the board that was chosen. */
  async fill() {
    const { game, before } = this;
    const all = await this.app.engine.ask("opponents", { game: this.spec });
    const works = [...new Set(all.filter(({ work }) => work).map(({ work }) => workName(work ?? "")))];
    const old = this.who.querySelector("input:checked") ? this.choice : before.opponent;
    const served = this.app.engine.kind === "server";
    const offered = [HUMAN, WATCH, ...(works.length > 0 ? [WORK] : []), ...(served ? [FRIEND] : [])];
    const wanted = offered.includes(old) ? old : ENGINE;
    this.who.replaceChildren(
      radio("opponent", ENGINE, words(t("opponent.engine"), t("opponent.engine.hint")), wanted === ENGINE),
      radio("opponent", HUMAN, words(t("twoPeople"), t("twoPeople.hint")), wanted === HUMAN),
      ...(served ? [radio("opponent", FRIEND, words(t("friend"), t("friend.hint")), wanted === FRIEND)] : []),
      radio("opponent", WATCH, words(t("watch"), t("watch.hint")), wanted === WATCH),
      ...(works.length > 0 ? [radio("opponent", WORK, words(t("opponent.work"), works.join(", ")), wanted === WORK)] : []),
    );
    /** @type {(select: HTMLSelectElement, names: string[], chosen: string, text: (name: string) => string) => void} */
    const options = (select, names, chosen, text) =>
      select.replaceChildren(...names.map((value) => html("option", { value, selected: value === chosen }, text(value))));
    const ofWorks = all.filter(({ work }) => work);
    const summary = (/** @type {string} */ value) => {
      const found = ofWorks.find((opponent) => opponent.name === value);
      return [value, found ? opponentSummary(game, found) : ""].filter(Boolean).join(" · ");
    };
    const names = (/** @type {Opponent[]} */ some) => some.map((opponent) => opponent.name);
    options(this.fromWork, names(ofWorks), this.fromWork.value || before.named, summary);
    this.rivals.forEach((select, index) =>
      options(select, names(all), select.value || (before.rivals?.[index] ?? "level=5"), agentName),
    );
    const others = names(all.filter((opponent) => !opponent.name.startsWith("level=") && !opponent.work));
    options(this.presets, ["", ...others], "", (value) => value || "–");
  }

  /** Shows what belongs to the choice. With `picked` it takes the place of an agent that was written before. */
  follow(picked = false) {
    if (picked) this.agent.value = "";
    const { choice } = this;
    const index = Number(this.level.value) - 1;
    this.face.replaceChildren(face(index + 1));
    this.levelWords.replaceChildren(html("b", {}, `${index + 1} · ${levelTitle(index)}`), " ", levelAdvice(index));
    this.level.setAttribute("aria-valuetext", `${index + 1}, ${levelTitle(index)}`);
    this.strength.hidden = choice !== ENGINE;
    this.work.hidden = choice !== WORK;
    this.clocks.hidden = choice !== FRIEND;
    this.watching.hidden = choice !== WATCH;
    this.side.hidden = choice === WATCH;
  }

  async element() {
    const { game } = this;
    const boards = boardsOf(game);
    const chosen = boards.includes(this.before.spec) ? this.before.spec : boards[0];
    const thumbnails = await Promise.all(
      boards.map(async (spec) => {
        let size = "";
        const at = (/** @type {State} */ { view }) => (size = `${view.files} × ${view.ranks}`);
        const drawn = await picture(this.app, game, { game: spec }, { at });
        return radio("board", spec, [drawn, ...words(size, detailsOf(spec, game))], spec === chosen);
      }),
    );
    this.boards = html("fieldset", { class: "boards-of" }, html("legend", {}, t("board")), thumbnails);
    this.boards.addEventListener("change", () => this.fill().then(() => this.follow()));
    if (chosen !== boards[0]) await this.fill();
    return html(
      "form",
      { class: "setup", onsubmit: (/** @type {SubmitEvent} */ event) => this.start(event) },
      html("h1", {}, gameTitle(game)),
      html("fieldset", {}, html("legend", {}, t("opponent")), this.who, this.strength, this.work, this.clocks),
      this.watching,
      this.side,
      boards.length > 1 ? this.boards : "",
      html(
        "details",
        {},
        html("summary", {}, t("advanced")),
        html("label", { class: "field", for: "agent" }, t("advanced.agent"), this.agent),
        html("label", { class: "field", for: "preset" }, t("advanced.preset"), this.presets),
        html("label", { class: "field", for: "own-board" }, t("advanced.board"), this.own),
        html("a", { class: "button", href: `#/edit/${game.name}` }, t("title.edit")),
      ),
      this.problem,
      html(
        "div",
        { class: "buttons" },
        html("button", { class: "primary large" }, t("start")),
        html("a", { class: "button", href: `#/rules/${game.name}` }, t("rules")),
      ),
    );
  }

  /** @param {SubmitEvent} event */
  async start(event) {
    event.preventDefault();
    const { app, game, spec, choice } = this;
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const level = `level=${this.level.value}`;
    const opponent = choice === WORK ? this.fromWork.value : choice === ENGINE ? level : choice;
    const agent = this.agent.value.trim();
    const mine = form.get("side") === "random" ? (Math.random() < 0.5 ? "first" : "second") : form.get("side");
    const watched = this.rivals.map((select) => select.value);
    const [rival, watch] = [agent || opponent, choice === WATCH];
    const [first, second] = watch ? [watched[0], agent || watched[1]] : mine === "first" ? [HUMAN, rival] : [rival, HUMAN];
    const players = { first, second };
    const kept = { spec, opponent: choice === ENGINE ? level : choice, level: this.level.value, named: this.fromWork.value };
    const chosen = { ...kept, side: form.get("side"), rivals: watched, clock: this.clock.value };
    const note = () => remember("setup", { ...recall("setup", {}), [game.name]: chosen });
    try {
      await app.engine.ask("state", { game: spec });
      if (choice === FRIEND && !agent) {
        const [seconds, increment] = this.clock.value.split(" ").map(Number);
        const side = /** @type {PlayerWord | "random"} */ (form.get("side"));
        const table = await openTable({ game: spec, side, clock: seconds ? { seconds, increment } : null });
        note();
        app.go(`#/friend/${table}`);
        return;
      }
      for (const player of new Set(Object.values(players))) {
        if (player !== HUMAN) await app.engine.ask("think", { game: spec, agent: player, time: 1 });
      }
    } catch (error) {
      this.problem.textContent = messageOf(error);
      return;
    }
    note();
    begin(app, { spec, players });
  }
}

/**
 * What is special about a board beside its size.
 *
 * @param {string} spec
 * @param {GameInfo} game
 */
function detailsOf(spec, game) {
  const keys = (spec.split(":")[1] ?? "").split(",").filter((key) => key && !key.startsWith("size="));
  return keys.length === 0 ? (spec.includes(":") ? "" : t("board.usual")) : boardName(`:${keys.join(",")}`, game);
}

/**
 * A board in words: its size and what is special about it.
 *
 * @param {string} spec
 * @param {GameInfo} game
 */
export function boardName(spec, game) {
  const keys = (spec.split(":")[1] ?? "").split(",").filter(Boolean);
  if (keys.length === 0) return t("board.usual");
  /** @type {(parameter: string) => string} */
  const inWords = (parameter) => {
    const [key, value = ""] = parameter.split("=");
    return keyText(game, key, value) ?? (key === "size" ? value : [key, value].join(" ").trim());
  };
  return keys.map(inWords).join(", ");
}
