// Before a game: against whom, on which board, on which side.

import { agentName, gameTitle, keyText, levelTitle, opponentSummary, playerName, t, workName } from "./i18n/index.js";
import { HUMAN, begun, keep } from "./match.js";
import { recall, remember } from "./memory.js";
import { html, messageOf } from "./svg.js";

/** @import { App, GameInfo, PlayerWord } from "./types.js" */

/** @type {PlayerWord[]} */
const PLAYERS = ["first", "second"];

/** The choice of an opponent from the published work on the game. */
const WORK = "work";

/** Boards that are offered; anything else can be written under "advanced". @param {GameInfo} game */
export const boardsOf = ({ name, presentation: { boards } }) => (boards.length > 0 ? boards : [name]);

/**
 * @param {App} app
 * @param {string[]} parts
 */
export async function setupScreen(app, [name]) {
  const game = app.game(name);
  if (!game) throw new Error(t("unknownGame", { name }));
  const before = recall("setup", {})[game.name] ?? {};
  const board = html(
    "select",
    { id: "board" },
    boardsOf(game).map((spec) => html("option", { value: spec, selected: spec === before.spec }, boardName(spec, game))),
  );
  const opponents = html("div", { class: "levels", role: "radiogroup", "aria-label": t("opponent") });
  const advanced = html("input", {
    id: "agent",
    type: "text",
    autocapitalize: "off",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "mcts:sims=500",
  });
  const own = html("input", {
    id: "own-board",
    type: "text",
    autocapitalize: "off",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: game.samples.at(-1),
  });
  const presets = html("select", { id: "preset" });
  const fromWork = html("select", { id: "from-work" });
  const rivals = PLAYERS.map((player) => html("select", { id: `rival-${player}` }));
  /** @type {(group: string, value: string, text: string, hint: string, chosen: boolean) => HTMLElement} */
  const radio = (group, value, text, hint, chosen) =>
    html(
      "label",
      { class: "choice" },
      html("input", { type: "radio", name: group, value, checked: chosen }),
      html("span", {}, html("b", {}, text), hint ? html("small", {}, hint) : ""),
    );
  const fill = async () => {
    const all = await app.engine.ask("opponents", { game: own.value || board.value });
    const checked = opponents.querySelector("input:checked");
    const wanted = checked instanceof HTMLInputElement ? checked.value : (before.opponent ?? "level=2");
    const levels = all.filter((opponent) => opponent.name.startsWith("level="));
    const ofWorks = all.filter((opponent) => opponent.work);
    const works = [...new Set(ofWorks.map((opponent) => workName(opponent.work ?? "")))];
    const chosen = wanted === WORK && works.length === 0 ? "level=2" : wanted;
    const choices = [
      ...levels.map((opponent, index) =>
        radio("opponent", opponent.name, String(index + 1), levelTitle(index), opponent.name === chosen),
      ),
      works.length > 0 && radio("opponent", WORK, t("opponent.work"), works.join(", "), chosen === WORK),
      radio("opponent", HUMAN, t("twoPeople"), t("twoPeople.hint"), chosen === HUMAN),
      radio("opponent", "watch", t("watch"), t("watch.hint"), chosen === "watch"),
    ];
    opponents.replaceChildren(...choices.filter((choice) => choice !== false));
    const named = fromWork.value || before.named;
    fromWork.replaceChildren(
      ...ofWorks.map((opponent) =>
        html(
          "option",
          { value: opponent.name, selected: opponent.name === named },
          [opponent.name, opponentSummary(game, opponent)].filter(Boolean).join(" · "),
        ),
      ),
    );
    rivals.forEach((select, index) => {
      const rival = select.value || (before.rivals?.[index] ?? "level=5");
      select.replaceChildren(
        ...all.map((opponent) =>
          html("option", { value: opponent.name, selected: opponent.name === rival }, agentName(opponent.name)),
        ),
      );
    });
    const others = all.filter((opponent) => !opponent.name.startsWith("level=") && !opponent.work);
    presets.replaceChildren(
      html("option", { value: "" }, "–"),
      ...others.map((opponent) => html("option", { value: opponent.name }, opponent.name)),
    );
  };
  board.addEventListener("change", () => fill().then(follow));
  // A level that is picked replaces the agent that was written before.
  opponents.addEventListener("change", () => (advanced.value = ""));
  presets.addEventListener("change", () => presets.value && (advanced.value = presets.value));
  await fill();
  /** @type {(PlayerWord | "random")[]} */
  const choices = [...PLAYERS, "random"];
  const sides = choices.map((side) =>
    radio(
      "side",
      side,
      side === "random" ? t("side.random") : playerName(game, side),
      side === "first" ? t("side.first") : "",
      side === (before.side ?? "first"),
    ),
  );
  const side = html("fieldset", { class: "sides" }, html("legend", {}, t("side")), sides);
  const watching = html(
    "fieldset",
    {},
    html("legend", {}, t("watch.who")),
    rivals.map((select, index) => html("label", { class: "field", for: select.id }, playerName(game, PLAYERS[index]), select)),
  );
  const work = html("label", { class: "field", for: fromWork.id }, t("opponent.work"), fromWork);
  const follow = () => {
    const watch = opponents.querySelector("[value=watch]:checked") !== null;
    work.hidden = opponents.querySelector(`[value=${WORK}]:checked`) === null;
    watching.hidden = !watch;
    side.hidden = watch;
  };
  opponents.addEventListener("change", follow);
  follow();
  const problem = html("p", { class: "problem", role: "alert" });
  const start = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const spec = own.value.trim() || board.value;
    const choice = String(form.get("opponent"));
    const opponent = choice === WORK ? fromWork.value : choice;
    const agent = advanced.value.trim();
    const mine = form.get("side") === "random" ? (Math.random() < 0.5 ? "first" : "second") : form.get("side");
    const watched = rivals.map((select) => select.value);
    const [first, second] =
      opponent === "watch"
        ? [watched[0], agent || watched[1]]
        : mine === "first"
          ? [HUMAN, agent || opponent]
          : [agent || opponent, HUMAN];
    const players = { first, second };
    try {
      await app.engine.ask("state", { game: spec });
      for (const player of new Set(Object.values(players))) {
        if (player !== HUMAN) await app.engine.ask("think", { game: spec, agent: player, time: 1 });
      }
    } catch (error) {
      problem.textContent = messageOf(error);
      return;
    }
    const kept = { spec, opponent: choice, named: fromWork.value, side: form.get("side"), rivals: watched };
    remember("setup", { ...recall("setup", {}), [game.name]: kept });
    keep(begun({ spec, players }));
    app.go("#/play");
  };
  app.page.append(
    html(
      "form",
      { class: "setup", onsubmit: start },
      html("h1", {}, gameTitle(game)),
      html("label", { class: "field", for: "board" }, t("board"), board),
      html("fieldset", {}, html("legend", {}, t("opponent")), opponents, work),
      side,
      watching,
      html(
        "details",
        {},
        html("summary", {}, t("advanced")),
        html("label", { class: "field", for: "agent" }, t("advanced.agent"), advanced),
        html("label", { class: "field", for: "preset" }, t("advanced.preset"), presets),
        html("label", { class: "field", for: "own-board" }, t("advanced.board"), own),
      ),
      problem,
      html(
        "div",
        { class: "buttons" },
        html("button", { class: "primary" }, t("start")),
        html("a", { class: "button", href: `#/rules/${game.name}` }, t("rules")),
      ),
    ),
  );
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
  const words = (parameter) => {
    const [key, value = ""] = parameter.split("=");
    return keyText(game, key, value) ?? (key === "size" ? value : [key, value].join(" ").trim());
  };
  return keys.map(words).join(", ");
}
