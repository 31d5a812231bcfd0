// The rules of a game: what is played for, positions to try them on, and then all of them in words.

import { WORTH } from "./advice.js";
import { Board } from "./board.js";
import { gameGoal, gameSummary, gameTitle, lessons, pieceName, refusalText, rules, said, squareText, t } from "./i18n/index.js";
import { begin } from "./match.js";
import { placedPiece } from "./moves.js";
import { picture } from "./pictures.js";
import { html } from "./svg.js";

/**
 * @import { Refused } from "./engine.js"
 * @import { App, Example, GameInfo, Solved } from "./types.js"
 */

/** Milliseconds to find out what a lesson is about: its positions are small. */
const SOLVE_TIME = 300;

/**
 * @param {App} app
 * @param {string[]} parts
 */
export async function rulesScreen(app, [name]) {
  const game = app.game(name);
  if (!game) throw new Error(t("unknownGame", { name }));
  const goal = gameGoal(game);
  const [aim, ...parts] = await Promise.all([
    goal ? picture(app, game, { game: game.name, start: goal.position }, { label: goal.caption }) : null,
    ...lessons(game).map((lesson) => exercise(app, game, lesson)),
  ]);
  app.page.append(
    html(
      "article",
      { class: "rules" },
      html("h1", {}, gameTitle(game)),
      html("p", { class: "lead" }, gameSummary(game)),
      goal &&
        html("figure", { class: "goal" }, aim, html("figcaption", {}, html("b", {}, t("rules.goal")), " ", goal.caption)),
      html("h2", {}, t("rules.try")),
      html("div", { class: "lessons" }, parts),
      html(
        "details",
        { class: "card", open: true },
        html("summary", {}, html("h2", {}, t("rules.all"))),
        rules(game).map((paragraph) => html("p", {}, withCode(paragraph))),
      ),
      html(
        "div",
        { class: "buttons" },
        html("a", { class: "button primary", href: `#/new/${game.name}` }, t("play")),
        html("button", { type: "button", onclick: () => history.back() }, t("rules.back")),
      ),
    ),
  );
}

/** A text in which words between backticks are what one writes. @param {string} text */
const withCode = (text) => text.split("`").map((part, index) => (index % 2 === 1 ? html("code", {}, part) : part));

/**
 * A position with something to do or to see.
 *
 * @param {App} app
 * @param {GameInfo} game
 * @param {Example} lesson
 */
async function exercise(app, game, lesson) {
  const result = html("p", { class: "result", role: "status" });
  const spec = game.name;
  const position = { game: spec, start: lesson.position };
  /** @type {string[]} */
  let moves = [];
  /** What there is to be found; nothing is known where chance has a say. @type {Promise<Solved | null> | null} */
  let task = null;
  /** @type {(kind: "good" | "bad" | "", text: string) => void} */
  const say = (kind, text) => {
    result.className = `result ${kind}`;
    result.textContent = text;
  };
  const show = async () => {
    const state = await app.engine.ask("state", { ...position, moves });
    board.show(state, { playable: state.turn !== "over" && moves.length === 0, label: lesson.caption });
    return state;
  };
  /** Says whether the move that was made was the one that was wanted. */
  const judge = async () => {
    const state = await show();
    const mover = state.history[0]?.mover;
    if (state.turn === "over") {
      const good = state.winner === mover;
      say(good ? "good" : "bad", `${t(good ? "lesson.right" : "lesson.wrong")} ${said(game, state.reason)}.`);
      return;
    }
    const solve = (/** @type {string[]} */ played) =>
      app.engine.ask("solve", { ...position, moves: played, time: SOLVE_TIME }).catch(() => null);
    task ??= solve([]);
    const before = await task;
    if (!before?.value) return say("", t("lesson.made"));
    if (before.value === "win" && before.plies === 1) return say("bad", t("lesson.missed"));
    const after = await solve(moves);
    if (!after?.value) return say("", t("lesson.made"));
    const kept = -WORTH[after.value] >= WORTH[before.value];
    return say(kept ? "good" : "bad", t(kept ? `lesson.keeps.${before.value}` : "lesson.gives"));
  };
  const board = new Board({
    onMove: async (move) => {
      moves = [move];
      again.hidden = false;
      await judge();
    },
    onRefused: async (square, from) => {
      const move = board.meant(square, from);
      const refusal = (/** @type {Refused} */ error) => refusalText(game, error);
      const why = move && (await app.engine.ask("state", { ...position, moves: [move] }).then(() => "", refusal));
      say("bad", why || t("lesson.nothing", { square }));
    },
    describe: (square, piece) => squareText(game, square, piece),
    placed: (move) => placedPiece(game, move, due),
  });
  board.targetWord = t("possible");
  const again = html(
    "button",
    {
      type: "button",
      hidden: true,
      onclick: () => {
        moves = [];
        say("", "");
        again.hidden = true;
        show();
      },
    },
    t("again"),
  );
  const due = (await show()).turn === "second" ? "second" : "first";
  const kinds = board.kinds();
  const kind = html(
    "select",
    { "aria-label": t("stone"), onchange: () => board.choose(kind.value) },
    kinds.map((name) => html("option", { value: name, selected: name === board.chosenKind() }, pieceName(game, { name }))),
  );
  const from = () => begin(app, { spec, start: lesson.position });
  return html(
    "figure",
    { class: "lesson", "data-game": game.name },
    html("figcaption", {}, lesson.caption),
    board.element,
    kinds.length > 1 ? kind : "",
    result,
    html("div", { class: "buttons" }, again, html("button", { type: "button", onclick: from }, t("playFromHere"))),
  );
}
