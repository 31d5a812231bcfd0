// Watching the games of a run: those that are being played, and one of them on the board.

import { Board } from "./board.js";
import { agentName, gameTitle, playerName, squareText, t } from "./i18n/index.js";
import { find, html } from "./svg.js";

/** @import { App, GameInfo, PlayerWord, Result, RunGame } from "./types.js" */

/** @type {PlayerWord[]} */
const PLAYERS = ["first", "second"];
/** Moves are not shown faster than one can see them, and a finished game stays for a moment. */
const PACE = 350;
const PAUSE = 1800;
/** Finished games that are still offered. */
const KEPT = 4;

export class Spectator {
  /** @type {Map<string, RunGame>} */
  #games = new Map();
  /** The game on the board. */
  #watched = "";
  /** The number of its moves that are shown. */
  #shown = 0;
  /** @type {number | null} */
  #timer = null;
  #closed = false;

  /**
   * @param {App} app
   * @param {string} spec
   * @param {GameInfo | undefined} info
   */
  constructor(app, spec, info) {
    this.app = app;
    this.spec = spec;
    this.info = info;
    this.board = new Board({ describe: (square, piece) => squareText(info, square, piece) });
    this.strips = { first: html("div", { class: "strip" }), second: html("div", { class: "strip" }) };
    this.status = html("p", { class: "status", role: "status" });
    this.moves = html("ol", { class: "moves", "aria-label": t("moves") });
    this.list = html("div", { class: "boards" });
    this.table = html(
      "div",
      { class: "near", hidden: true, "data-game": info?.name },
      this.strips.second,
      this.board.element,
      this.strips.first,
      this.status,
      this.moves,
    );
    this.waiting = html("p", {}, t("lab.waiting"));
    this.element = html(
      "section",
      { class: "card spectate", "aria-label": t("lab.games") },
      html("h2", {}, t("lab.games")),
      this.waiting,
      this.table,
      this.list,
    );
  }

  get empty() {
    return this.#games.size === 0;
  }

  /** The games as they stand: what was there before is out of date. @param {RunGame[]} boards */
  begin(boards) {
    const still = new Map(boards.map((board) => [board.game, board]));
    for (const [name, game] of this.#games) if (!still.has(name) && !game.result) this.#games.delete(name);
    for (const board of boards) this.#games.set(board.game, { ...board, result: null });
    if (!this.#games.has(this.#watched)) {
      this.#watched = "";
      this.#rest();
    }
    this.#drawList();
    this.#next();
  }

  /** @param {RunGame} board */
  started(board) {
    this.#games.set(board.game, { ...board, result: null });
    const over = [...this.#games].filter(([name, game]) => game.result && name !== this.#watched).map(([name]) => name);
    for (const name of over.slice(0, Math.max(0, over.length - KEPT))) this.#games.delete(name);
    this.#drawList();
    this.#next();
  }

  /** @param {{ game: string, move: string }} played */
  moved({ game, move }) {
    this.#games.get(game)?.moves.push(move);
    if (game === this.#watched) this.#next();
  }

  /** @param {{ game: string, result: Result, reason: string }} end */
  over({ game, result, reason }) {
    const known = this.#games.get(game);
    if (!known) return;
    Object.assign(known, { result, reason });
    this.#drawList();
    if (game === this.#watched) this.#next();
  }

  /** The run is over: games that were given up are no longer offered. */
  end() {
    for (const [name, game] of this.#games) {
      if (game.result) continue;
      if (name === this.#watched) game.stopped = true;
      else this.#games.delete(name);
    }
    this.#drawList();
  }

  close() {
    this.#closed = true;
    this.#rest();
  }

  /** @param {string | undefined} name */
  watch(name) {
    const game = this.#games.get(name ?? "");
    if (!game) return;
    this.#rest();
    this.#watched = game.game;
    // A game that goes on is joined where it is; one that is over is shown from its opening.
    this.#shown = game.result ? game.opening : game.moves.length;
    this.#drawList();
    this.#show();
  }

  /** Goes on with the game that is watched, or to another one, unless that is about to happen. */
  #next() {
    if (this.#timer !== null || this.#closed) return;
    const game = this.#games.get(this.#watched);
    const newest = () => [...this.#games.keys()].at(-1);
    if (!game) {
      if (!this.empty) this.watch(newest());
    } else if (this.#shown < game.moves.length) {
      this.#wait(PACE, () => {
        this.#shown++;
        this.#show();
      });
    } else if (game.result && newest() !== this.#watched) {
      this.#wait(PAUSE, () => this.watch(newest()));
    }
  }

  /** Nothing that was to be done later is done. */
  #rest() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /**
   * Does something later, and nothing that was to be done before.
   *
   * @param {number} time
   * @param {() => void} then
   */
  #wait(time, then) {
    this.#rest();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      then();
    }, time);
  }

  async #show() {
    const [name, count] = [this.#watched, this.#shown];
    const game = this.#games.get(name);
    if (!game) return;
    const state = await this.app.engine.ask("state", { game: this.spec, moves: game.moves.slice(0, count) }).catch(() => null);
    if (!state || this.#closed || name !== this.#watched || count !== this.#shown) return;
    this.table.hidden = false;
    this.waiting.hidden = true;
    this.board.show(state, { label: this.info ? t("boardOf", { game: gameTitle(this.info) }) : this.spec });
    PLAYERS.forEach((player, seat) => {
      this.strips[player].replaceChildren(
        html("span", { class: `mark ${player}`, "aria-hidden": "true" }),
        html("b", {}, this.info ? playerName(this.info, player) : player),
        html("span", { class: "who" }, agentName(game.agents[seat])),
      );
      this.strips[player].classList.toggle("due", state.turn === player);
    });
    this.status.textContent = count === game.moves.length && game.result ? this.#result(game.result, game.agents) : "";
    this.moves.replaceChildren(
      ...game.moves.slice(0, count).map((move, index) =>
        html(
          "li",
          {
            class: [
              index < game.opening || state.history[index]?.mover === null ? "luck" : "",
              index + 1 === count ? "current" : "",
            ].join(" "),
          },
          html("span", {}, move),
        ),
      ),
    );
    this.moves.scrollTop = this.moves.scrollHeight;
    this.#next();
  }

  /**
   * @param {Result} result
   * @param {RunGame["agents"]} agents
   */
  #result(result, agents) {
    if (result === "draw") return t("lab.drawn");
    const player = this.info ? playerName(this.info, result) : result;
    return t("lab.won", { player, agent: agentName(agents[result === "first" ? 0 : 1]) });
  }

  /** The newest game comes first. What is there stays as it is: it may be about to be pressed. */
  #drawList() {
    const nameOf = (/** @type {Element} */ button) => button.getAttribute("data-name") ?? "";
    for (const button of [...this.list.children]) if (!this.#games.has(nameOf(button))) button.remove();
    for (const [name, game] of this.#games) {
      let button = [...this.list.children].find((known) => nameOf(known) === name);
      if (!button) {
        button = html(
          "button",
          { type: "button", "data-name": name, onclick: () => this.watch(name) },
          html("span", {}, `${agentName(game.agents[0])} – ${agentName(game.agents[1])}`),
          html("small", {}),
        );
        this.list.prepend(button);
      }
      button.setAttribute("aria-pressed", String(name === this.#watched));
      find("small", button).textContent = t(game.result ? "lab.over" : game.stopped ? "lab.stopped" : "lab.live");
    }
  }
}
