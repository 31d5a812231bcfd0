// Puzzles: the page with all of them, and a position in which the only good move is to be found.

import { Board } from "./board.js";
import { gameTitle, playerName, refusalText, squareText, t } from "./i18n/index.js";
import { drawKinds } from "./kinds.js";
import { begin } from "./match.js";
import { placedPiece } from "./moves.js";
import { picture } from "./pictures.js";
import * as book from "./puzzlebook.js";
import { boardName } from "./setup.js";
import { sound } from "./sound.js";
import { html, refill } from "./svg.js";

/**
 * @import { Refused } from "./engine.js"
 * @import { App, GameInfo, Puzzle, State } from "./types.js"
 */

/** Milliseconds before the opponent replies, and before each move of a solution that is shown. */
const REPLY = 600;
const SHOW = 900;

const DAILY = "daily";

/**
 * @param {App} app
 * @param {string[]} parts The game, or the word for the puzzle of the day, and a number.
 */
export async function puzzlesScreen(app, [name, number]) {
  const counts = await book.counts().catch(() => {
    throw new Error(t("puzzles.missing"));
  });
  if (!name) return overview(app, counts);
  const daily = name === DAILY;
  const chosen = daily ? book.puzzleOfDay(counts, book.today()) : { game: name, number: Number(number) - 1 };
  const game = app.game(chosen.game);
  if (!game) throw new Error(t("unknownGame", { name: chosen.game }));
  const puzzles = await book.puzzlesOf(game.name).catch(() => {
    throw new Error(t("puzzles.missing"));
  });
  // Without a number, the next one that suits.
  if (!(chosen.number in puzzles)) {
    chosen.number = book.suitable(game.name, puzzles) ?? 0;
    history.replaceState(history.state, "", `#/puzzles/${game.name}/${chosen.number + 1}`);
  }
  document.title = `${gameTitle(game)} · ${t("title.puzzles")} · Plyground`;
  const screen = new PuzzleScreen(app, game, puzzles, chosen.number, daily);
  await screen.begin();
  return () => screen.close();
}

/**
 * @param {App} app
 * @param {Record<string, number>} counts
 */
async function overview(app, counts) {
  const { rating, solved } = book.record();
  const all = Object.values(solved).reduce((sum, list) => sum + list.length, 0);
  const number = (/** @type {string} */ name, /** @type {number} */ value) =>
    html("div", {}, html("dt", {}, t(name)), html("dd", {}, value));
  const games = app.games.filter(({ name }) => counts[name]);
  const tiles = await Promise.all(
    games.map(async (game) => {
      const done = solved[game.name]?.length ?? 0;
      return html(
        "article",
        { class: "game" },
        html(
          "a",
          { href: `#/puzzles/${game.name}`, class: "tile" },
          html("span", { class: "picture" }, await picture(app, game, { game: game.name, start: game.example.position })),
          html("b", { class: "name" }, gameTitle(game)),
          html("span", { class: "pull" }, t("puzzles.of", { done, of: counts[game.name] })),
        ),
      );
    }),
  );
  app.page.append(
    html(
      "section",
      { class: "puzzles" },
      html("h1", {}, t("title.puzzles")),
      html("p", { class: "lead" }, t("puzzles.lead")),
      html(
        "dl",
        { class: "trophies" },
        number("puzzles.rating", rating),
        number("puzzles.streak", book.streak()),
        number("puzzles.solved", all),
      ),
      dailyCard(),
      html("h2", {}, t("puzzles.all")),
      html("section", { class: "games", "aria-label": t("puzzles.all") }, tiles),
    ),
  );
  return null;
}

/** The way to the puzzle of the day. */
export function dailyCard() {
  const done = book.isDayDone();
  const days = book.streak();
  return html(
    "a",
    { class: `daily card${done ? " done" : ""}`, href: `#/puzzles/${DAILY}` },
    html("b", {}, t("puzzles.daily")),
    html("span", {}, t(done ? "puzzles.daily.done" : "puzzles.daily.lead")),
    days > 0 && html("small", {}, `${t("puzzles.streak")}: ${days}`),
  );
}

class PuzzleScreen {
  /** The moves that were made, those of the opponent among them. @type {string[]} */
  moves = [];
  /** @type {State | null} */
  state = null;
  /** What comes next: a move of the person, the opponent's, nothing after a mistake, or nothing more. */
  stage = /** @type {"find" | "wait" | "wrong" | "over"} */ ("wait");
  #closed = false;
  #counted = false;

  /**
   * @param {App} app
   * @param {GameInfo} game
   * @param {Puzzle[]} puzzles
   * @param {number} number
   * @param {boolean} daily
   */
  constructor(app, game, puzzles, number, daily) {
    this.app = app;
    this.game = game;
    this.puzzles = puzzles;
    this.number = number;
    this.puzzle = puzzles[number];
    this.daily = daily;
    this.board = new Board({
      onMove: (move) => this.play(move),
      onRefused: (square, from) => this.explain(square, from),
      describe: (square, piece) => squareText(game, square, piece),
      placed: (move) => placedPiece(game, move, this.due),
    });
    this.board.targetWord = t("possible");
    this.kinds = html("div", { class: "kinds", role: "radiogroup", "aria-label": t("stone") });
    this.task = html("p", { class: "status" });
    this.about = html("p", { class: "faint" });
    this.result = html("p", { class: "result", role: "status" });
    this.rated = html("p", { class: "faint" });
    this.buttons = html("div", { class: "buttons" });
    const heading = daily ? t("puzzles.daily") : t("puzzle.number", { number: number + 1, of: puzzles.length });
    const head = html(
      "div",
      { class: "puzzle-head" },
      html("h1", {}, heading),
      this.about,
      this.task,
    );
    const side = html("div", { class: "side" }, this.result, this.rated, this.buttons);
    const parts = [head, this.board.element, this.kinds, side];
    app.page.append(html("section", { class: "table puzzle", "data-game": game.name }, parts));
  }

  /** The player who has to find the moves. @returns {"first" | "second"} */
  get due() {
    return this.state?.turn === "second" ? "second" : "first";
  }

  async begin() {
    const state = await this.show();
    const name = playerName(this.game, state.turn === "second" ? "second" : "first");
    this.task.textContent = t(`puzzle.${this.puzzle.keeps}`, { name });
    const level = t("puzzle.level", { level: this.puzzle.level });
    this.about.textContent = [gameTitle(this.game), boardName(state.game, this.game), level].join(" · ");
    this.board.flipped = this.game.presentation.turned_for_second && state.turn === "second";
    this.stage = "find";
    this.draw();
  }

  close() {
    this.#closed = true;
  }

  /** Asks for the position that the moves have led to. */
  async show() {
    const { name } = this.game;
    this.state = await this.app.engine.ask("state", { game: name, start: this.puzzle.start, moves: this.moves });
    return this.state;
  }

  draw() {
    const { state, board, stage } = this;
    if (!state || this.#closed) return;
    board.show(state, { playable: stage === "find", label: t("boardOf", { game: gameTitle(this.game) }) });
    drawKinds(this.kinds, board, this.game, this.due);
    /** @type {(key: string, action: () => void, kind?: string) => HTMLElement} */
    const button = (key, action, kind = "") =>
      html("button", { type: "button", class: kind, "data-key": key, onclick: action }, t(key));
    const shown = [];
    if (stage === "wrong") shown.push(button("again", () => this.again(), "primary"));
    if (stage === "find" || stage === "wrong") shown.push(button("puzzle.show", () => this.solution()));
    if (stage === "over") {
      shown.push(
        button("puzzle.next", () => this.next(), "primary"),
        button("playFromHere", () => begin(this.app, { spec: this.game.name, start: this.puzzle.start })),
      );
    }
    shown.push(html("a", { class: "button", href: "#/puzzles" }, t("title.puzzles")));
    refill(this.buttons, shown);
  }

  /** @param {"good" | "bad" | ""} kind @param {string} text */
  say(kind, text) {
    this.result.className = `result ${kind}`;
    this.result.textContent = text;
  }

  /** A move of the person. @param {string} move */
  async play(move) {
    if (this.stage !== "find") return;
    const right = move === this.puzzle.line[this.moves.length];
    this.moves.push(move);
    this.stage = right ? "wait" : "wrong";
    await this.show();
    sound("move");
    if (!right) {
      this.count(false);
      this.say("bad", t(`puzzle.wrong.${this.puzzle.keeps}`));
      this.draw();
      return;
    }
    if (this.moves.length === this.puzzle.line.length) return this.solved();
    this.say("good", t("puzzle.right"));
    this.draw();
    await this.reply();
    if (this.stage === "wait") this.stage = "find";
    this.draw();
  }

  /** The opponent's move of the line. */
  async reply(wait = REPLY) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (this.#closed) return;
    this.moves.push(this.puzzle.line[this.moves.length]);
    await this.show();
  }

  solved() {
    this.stage = "over";
    this.count(true);
    if (this.daily) book.countDay();
    this.say("good", t("puzzle.done"));
    this.draw();
    sound("win");
  }

  /** The first try counts, and only that. @param {boolean} right */
  count(right) {
    const first = !this.#counted;
    this.#counted = true;
    const change = first || right ? book.rate(this.game.name, this.number, this.puzzle, right) : 0;
    if (change !== 0)
      this.rated.textContent = t("puzzle.rated", {
        rating: book.record().rating,
        change: (change > 0 ? "+" : "−") + Math.abs(change),
      });
  }

  /** Takes the wrong move back. */
  async again() {
    this.moves.pop();
    this.stage = "find";
    this.say("", "");
    await this.show();
    this.draw();
  }

  /** Shows the whole line: that is a puzzle that was not solved. */
  async solution() {
    this.count(false);
    if (this.stage === "wrong") this.moves.pop();
    this.stage = "wait";
    this.say("", t("puzzle.shown"));
    await this.show();
    this.draw();
    while (this.moves.length < this.puzzle.line.length && !this.#closed) {
      await this.reply(SHOW);
      this.draw();
    }
    this.stage = "over";
    this.draw();
  }

  next() {
    const number = book.suitable(this.game.name, this.puzzles, this.number);
    this.app.go(number === null ? "#/puzzles" : `#/puzzles/${this.game.name}/${number + 1}`);
  }

  /**
   * Says why nothing can be played on a square that was tapped.
   *
   * @param {string} square
   * @param {string | null} from
   */
  async explain(square, from) {
    const move = this.board.meant(square, from);
    if (!move) return;
    const request = { game: this.game.name, start: this.puzzle.start, moves: [...this.moves, move] };
    const refusal = (/** @type {Refused} */ error) => refusalText(this.game, error);
    const why = await this.app.engine.ask("state", request).then(() => "", refusal);
    if (why) this.say("bad", why);
  }
}
