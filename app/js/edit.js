// A position of one's own: set up on a board, or written as text. What may stand where, the engine says.

import { Board } from "./board.js";
import { gameTitle, pieceName, squareText, t } from "./i18n/index.js";
import { begin } from "./match.js";
import { pieceIcon } from "./moves.js";
import { boardName, boardsOf } from "./setup.js";
import { html, messageOf } from "./svg.js";

/** @import { App, BoardView, GameInfo } from "./types.js" */

const letters = "abcdefghijklmnopqrstuvwxyz";

/**
 * @param {App} app
 * @param {string[]} parts The game, and if wanted a position to begin with.
 */
export async function editScreen(app, [name, position = ""]) {
  const game = app.game(name);
  if (!game) throw new Error(t("unknownGame", { name }));
  document.title = `${gameTitle(game)} · ${t("title.edit")} · Plyground`;
  const editor = new Editor(app, game);
  await editor.take(decodeURIComponent(position) || (await editor.usual(boardsOf(game)[0])));
}

/**
 * The board of a position as text: rows from the top, numbers for empty squares.
 *
 * @param {string} text
 * @param {GameInfo} game
 * @returns {BoardView | null}
 */
function viewOf(text, game) {
  const rows = text.trim().split(" ")[0].split("/");
  const pieces = new Map(game.pieces.map((piece) => [piece.letter, piece]));
  const cells = rows.map((row) =>
    (row.match(/\d+|\D/g) ?? []).flatMap((part) => (/\d/.test(part) ? Array(Math.min(Number(part), 30)).fill(null) : [part])),
  );
  const files = cells[0].length;
  if (files === 0 || files > letters.length || cells.some((row) => row.length !== files)) return null;
  const known = (/** @type {string | null} */ letter) => (letter === null ? null : (pieces.get(letter) ?? undefined));
  const all = cells.flat().map(known);
  if (all.includes(undefined)) return null;
  return { files, ranks: rows.length, cells: /** @type {BoardView["cells"]} */ (all), counters: [] };
}

/** A board as the first part of a position. @param {BoardView} view */
function textOf({ files, ranks, cells }) {
  const row = (/** @type {number} */ rank) =>
    cells
      .slice(rank * files, (rank + 1) * files)
      .map((cell) => cell?.letter ?? " ")
      .join("")
      .replace(/ +/g, (empty) => String(empty.length));
  return Array.from({ length: ranks }, (_, rank) => row(rank)).join("/");
}

class Editor {
  /** What is put on a square; nothing takes away what stands there. @type {string} */
  letter;
  /** @type {BoardView | null} */
  view = null;
  #asked = 0;

  /**
   * @param {App} app
   * @param {GameInfo} game
   */
  constructor(app, game) {
    this.app = app;
    this.game = game;
    this.letter = game.pieces[0]?.letter ?? "";
    this.board = new Board({ describe: (square, piece) => squareText(game, square, piece) });
    this.board.tap = (square) => this.put(square);
    this.field = html("textarea", { id: "position", rows: 2, spellcheck: "false", autocapitalize: "off" });
    this.field.addEventListener("input", () => this.take(this.field.value));
    this.problem = html("p", { class: "problem", role: "status" });
    this.play = html("button", { type: "button", class: "primary", onclick: () => this.begin() }, t("playFromHere"));
    const choice = (/** @type {string} */ letter, /** @type {(Node | string)[]} */ ...content) => {
      const choose = () => (this.letter = letter);
      const shown = { type: "radio", name: "piece", value: letter, checked: letter === this.letter, onchange: choose };
      return html("label", { class: "choice" }, html("input", shown), content);
    };
    const pieces = game.pieces.map((piece) => choice(piece.letter, pieceIcon(game, piece, 30), pieceName(game, piece)));
    const boards = boardsOf(game);
    const board = html(
      "select",
      { id: "start", onchange: () => restart() },
      boards.map((spec) => html("option", { value: spec }, boardName(spec, game))),
    );
    const clear = html("button", { type: "button", onclick: () => this.clear() }, t("edit.clear"));
    const restart = async () => this.take(await this.usual(board.value));
    const start = html("button", { type: "button", onclick: restart }, t("edit.start"));
    const side = html(
      "div",
      { class: "side" },
      html("h1", {}, t("title.edit")),
      html("p", { class: "faint" }, `${gameTitle(game)}. ${t("edit.lead")}`),
      html("fieldset", { class: "pieces-of" }, html("legend", {}, t("edit.piece")), pieces, choice("", t("empty"))),
      html("label", { class: "field", for: "position" }, t("edit.text"), this.field),
      this.problem,
      html("div", { class: "buttons" }, this.play, clear, start),
      boards.length > 1 ? html("label", { class: "field", for: "start" }, t("board"), board) : "",
    );
    const element = this.board.element;
    app.page.append(html("section", { class: "table editor", "data-game": game.name }, element, side));
  }

  /** The usual start on a board. @param {string} spec */
  async usual(spec) {
    return (await this.app.engine.ask("state", { game: spec })).position;
  }

  /** Takes a position as text: shows it, and asks the engine whether it can be played. @param {string} text */
  async take(text) {
    this.#asked += 1;
    const asked = this.#asked;
    if (this.field.value !== text) this.field.value = text;
    this.view = viewOf(text, this.game) ?? this.view;
    this.draw();
    const request = { game: this.game.name, start: text.trim() };
    const problem = await this.app.engine.ask("state", request).then(() => "", messageOf);
    if (asked !== this.#asked) return;
    this.problem.textContent = problem;
    this.play.disabled = problem !== "";
  }

  draw() {
    if (!this.view) return;
    const nothing = { from: null, to: null };
    const shown = { game: this.game.name, view: this.view, last: nothing, moves: [], history: [] };
    this.board.show(shown, { label: t("boardOf", { game: gameTitle(this.game) }) });
  }

  /** Puts the chosen piece on a square, or takes away what stands there. @param {string} square */
  put(square) {
    const { view, game } = this;
    if (!view) return;
    const index = (view.ranks - Number(square.slice(1))) * view.files + letters.indexOf(square[0]);
    const piece = game.pieces.find(({ letter }) => letter === this.letter) ?? null;
    const cells = [...view.cells];
    cells[index] = cells[index]?.letter === piece?.letter ? null : piece;
    this.board.focus = square;
    this.change({ ...view, cells });
  }

  clear() {
    if (this.view) this.change({ ...this.view, cells: this.view.cells.map(() => null) });
  }

  /** The board was changed: the fields behind it stay as they are. @param {BoardView} view */
  change(view) {
    const fields = this.field.value.trim().split(" ").slice(1);
    return this.take([textOf(view), ...fields].join(" "));
  }

  async begin() {
    const start = this.field.value.trim();
    const { game } = await this.app.engine.ask("state", { game: this.game.name, start });
    begin(this.app, { spec: game, start });
  }
}
