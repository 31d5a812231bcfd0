// The rules of a game, with positions to try them on.

import { Board } from "./board.js";
import { gameTitle, lessons, pieceName, refusalText, rules, said, squareText, t } from "./i18n/index.js";
import { begun, keep } from "./match.js";
import { html } from "./svg.js";

/**
 * @import { Refused } from "./engine.js"
 * @import { App, Example, GameInfo } from "./types.js"
 */

/**
 * @param {App} app
 * @param {string[]} parts
 */
export async function rulesScreen(app, [name]) {
  const game = app.game(name);
  if (!game) throw new Error(t("unknownGame", { name }));
  const parts = await Promise.all(lessons(game).map((lesson) => exercise(app, game, lesson)));
  app.page.append(
    html(
      "article",
      { class: "rules" },
      html("h1", {}, gameTitle(game)),
      rules(game).map((paragraph) => html("p", {}, paragraph)),
      parts,
      html("div", { class: "buttons" }, html("a", { class: "button primary", href: `#/new/${game.name}` }, t("play"))),
    ),
  );
}

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
  /** @type {string[]} */
  let moves = [];
  const show = async () => {
    const state = await app.engine.ask("state", { game: spec, start: lesson.position, moves });
    board.show(state, { playable: state.turn !== "over" && moves.length === 0, label: lesson.caption });
    if (state.turn === "over") result.textContent = said(game, state.reason);
  };
  const board = new Board({
    onMove: async (move) => {
      moves = [move];
      await show();
      again.hidden = false;
    },
    onRefused: async (square, from) => {
      const move = board.meant(square, from);
      const refusal = (/** @type {Refused} */ error) => refusalText(game, error);
      if (move)
        result.textContent = await app.engine
          .ask("state", { game: spec, start: lesson.position, moves: [move] })
          .then(() => "", refusal);
    },
    describe: (square, piece) => squareText(game, square, piece),
  });
  board.targetWord = t("possible");
  const again = html(
    "button",
    {
      type: "button",
      hidden: true,
      onclick: () => {
        moves = [];
        result.textContent = "";
        again.hidden = true;
        show();
      },
    },
    t("again"),
  );
  await show();
  const kinds = board.kinds();
  const kind = html(
    "select",
    { "aria-label": t("stone"), onchange: () => board.choose(kind.value) },
    kinds.map((name) => html("option", { value: name, selected: name === board.chosenKind() }, pieceName(game, { name }))),
  );
  const from = () => {
    keep(begun({ spec, start: lesson.position }));
    app.go("#/play");
  };
  return html(
    "figure",
    { class: "lesson" },
    html("figcaption", {}, lesson.caption),
    board.element,
    kinds.length > 1 ? kind : "",
    result,
    html("div", { class: "buttons" }, again, html("button", { type: "button", onclick: from }, t("playFromHere"))),
  );
}
