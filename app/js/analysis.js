// What the strongest agent thinks of a position, and how the game went.

import { WORTH, solved, strongest } from "./advice.js";
import { Stopped } from "./engine.js";
import { playerName, t } from "./i18n/index.js";
import { HUMAN, firstChance } from "./match.js";
import { moveSigns, moveWords, placedPiece } from "./moves.js";
import { Review, luckOf, mistakesOf, shown } from "./review.js";
import { html, messageOf, svg } from "./svg.js";

/**
 * @import { Board } from "./board.js"
 * @import { Match } from "./match.js"
 * @import { Advice, Candidate, GameInfo, Marks, Mistake, Move, PlayerWord, Progress, Solved, State } from "./types.js"
 */

const POSITION_TIME = 3000;
const SOLVE_TIME = 400;
/** How many moves of the best line are drawn and written, and how many candidates are listed and tinted on the board. */
const ARROWS = 3;
const WRITTEN = 6;
const LISTED = 5;
/** Width and height of the graph, in its own units. */
const GRAPH = [600, 140];

export class Analysis {
  open = false;
  /** @type {Marks} */
  marks = {};
  /** Ends the search that goes on. @type {AbortController | null} */
  #control = null;
  /** Ends the review that goes on. @type {AbortController | null} */
  #reviewing = null;
  /** The position that was looked at last. @type {string | null} */
  #seen = null;
  /** Is called when more is known of the game. */
  onlearned = () => {};

  /**
   * @param {Match} match
   * @param {Board} board
   * @param {GameInfo} info
   */
  constructor(match, board, info) {
    this.match = match;
    this.board = board;
    this.info = info;
    this.bar = html("div", { class: "chance", role: "img", hidden: true });
    this.words = html("p", { class: "line" });
    this.list = html("table", { class: "candidates", hidden: true });
    // The picture stays and only what is in it is drawn anew, so that a press on it is never lost.
    this.picture = svg("svg", {
      viewBox: `0 0 ${GRAPH.join(" ")}`,
      role: "img",
      onclick: (/** @type {MouseEvent} */ event) => this.match.step(this.#plyAt(event)),
    });
    this.story = html("p", { class: "story" });
    this.mistakes = html("ul", { class: "mistakes" });
    this.graph = html("div", { class: "graph", hidden: true }, this.picture, this.story);
    this.bad = html("p", { class: "problem", role: "alert" });
    this.done = html("progress", { max: 1, value: 0, hidden: true, "aria-label": t("review") });
    this.review = html("button", { type: "button", onclick: () => this.lookAtAll() }, t("review"));
    this.element = html(
      "section",
      { class: "analysis", hidden: true, "aria-label": t("analyse") },
      this.bar,
      this.words,
      this.list,
      this.graph,
      this.mistakes,
      this.bad,
      html("div", { class: "buttons" }, this.review, this.done),
    );
  }

  toggle() {
    this.open = !this.open;
    this.element.hidden = !this.open;
    this.#seen = null;
    this.marks = {};
    if (!this.open) this.close();
  }

  close() {
    this.#control?.abort();
    this.#control = null;
    this.#reviewing?.abort();
    this.#reviewing = null;
  }

  /** The position that is looked at may have changed. */
  follow() {
    const { match } = this;
    if (!this.open || !match.settled) return;
    this.#drawGame();
    const place = `${match.game.spec} ${match.awaited} ${match.position().moves?.join(" ")}`;
    if (place === this.#seen) return;
    this.#seen = place;
    this.marks = {};
    this.#control?.abort();
    this.#control = null;
    const { turn } = match.state;
    this.words.replaceChildren();
    this.list.hidden = true;
    this.#drawBar(match.aside.length > 0 ? undefined : match.game.judged[match.cursor]?.chance);
    // While an opponent thinks, or the whole game is looked at, the engine of a browser has no time for anything else.
    if ((turn === "first" || turn === "second") && !match.awaited && !this.#reviewing) this.#look(turn);
  }

  /** @param {PlayerWord} mover */
  async #look(mover) {
    const control = new AbortController();
    this.#control = control;
    const { match } = this;
    const { state, cursor } = match;
    const position = match.position();
    const tried = match.aside.length;
    const current = () => this.#control === control && match.cursor === cursor && match.aside.length === tried;
    const { signal } = control;
    try {
      const known = await solved(match.engine, position, SOLVE_TIME, signal);
      const take = (/** @type {Advice | Progress} */ opinion) => current() && this.#take(opinion, state, mover, known);
      take(await strongest(match.engine, position, { time: POSITION_TIME, watch: true, signal, onProgress: take }));
      if (!current() || tried > 0 || match.game.judged[cursor]) return;
      const { chance, best } = this.#opinion;
      const moves = shown(state, best, match.game.moves[cursor]);
      match.game.judged[cursor] = { mover, chance, solved: known?.value ?? null, best, ...moves };
      this.#drawGame();
      this.onlearned();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
  }

  /** The last opinion on the position. @type {{ chance: number, best: string | null }} */
  #opinion = { chance: 0.5, best: null };

  /**
   * @param {Advice | Progress} opinion
   * @param {State} state
   * @param {PlayerWord} mover
   * @param {Solved | null} known
   */
  #take(opinion, state, mover, known) {
    const { candidates = [], value } = opinion;
    const line = known && known.line.length > 0 ? known.line : (opinion.line ?? []);
    const legal = new Map(state.moves.map((move) => [move.move, move]));
    const best = bestOf(candidates);
    const most = Math.max(1, ...best.map((candidate) => candidate.visits));
    /** @type {Record<string, number>} */
    const heat = {};
    for (const { move, visits } of best) {
      const to = legal.get(move)?.to;
      if (to && visits > 0) heat[to] = Math.max(heat[to] ?? 0, 0.75 * Math.sqrt(visits / most));
    }
    this.marks = { heat, arrows: this.#arrows(line, mover) };
    const sure = known?.value ? WORTH[known.value] : null;
    const chance = firstChance(sure ?? value ?? 0, mover);
    this.#opinion = { chance, best: (known?.best ?? line[0]?.move) || null };
    this.#drawBar(chance);
    const length = known?.plies_exact && known.value !== "draw" ? "" : ".open";
    const verdict = known
      ? t(`solved.${known.value}${known.value === "draw" ? "" : length}`, {
          name: playerName(this.info, mover),
          plies: known.plies,
        })
      : "";
    this.words.replaceChildren(verdict, ...this.#lineOf(line, mover));
    this.#drawList(candidates, legal, mover);
    this.board.mark(this.marks);
  }

  /**
   * The moves of a line on the board; players take turns in it as far as anything is known.
   *
   * @param {Move[]} line
   * @param {PlayerWord} mover
   */
  #arrows(line, mover) {
    return line.slice(0, ARROWS).map((move, number) => ({
      from: move.from,
      to: move.to,
      weight: 0.9 - 0.25 * number,
      piece: placedPiece(this.info, move, moverOf(mover, number)),
    }));
  }

  /**
   * @param {Move[]} line
   * @param {PlayerWord} mover
   */
  #lineOf(line, mover) {
    if (line.length === 0) return [];
    const signs = line.slice(0, WRITTEN).flatMap((move, number) => {
      const sign = moveSigns(this.info, move, moverOf(mover, number));
      sign.setAttribute("title", moveWords(this.info, move));
      return [" ", sign];
    });
    return [" ", t("line"), ...signs];
  }

  /**
   * The moves that the engine likes best, with what it thinks of them.
   *
   * @param {Candidate[]} candidates
   * @param {Map<string, Move>} legal
   * @param {PlayerWord} mover
   */
  #drawList(candidates, legal, mover) {
    const all = candidates.reduce((sum, candidate) => sum + candidate.visits, 0);
    const best = bestOf(candidates);
    this.list.hidden = best.length === 0;
    const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
    const row = (/** @type {Candidate} */ { move, visits, value }) => {
      const known = legal.get(move);
      const signs = known ? moveSigns(this.info, known, mover) : move;
      return html(
        "tr",
        {},
        html("th", { scope: "row", title: known ? moveWords(this.info, known) : move }, signs),
        html("td", {}, value === null ? "–" : percent((1 + value) / 2)),
        all > 0 ? html("td", {}, percent(visits / all)) : "",
      );
    };
    const columns = ["column.move", "column.chance", ...(all > 0 ? ["column.visits"] : [])];
    const head = html(
      "tr",
      {},
      columns.map((key) => html("th", { scope: "col" }, t(key))),
    );
    this.list.replaceChildren(html("thead", {}, head), html("tbody", {}, best.map(row)));
  }

  /** @param {number | undefined} chance */
  #drawBar(chance) {
    this.bar.hidden = chance === undefined;
    if (chance === undefined) return;
    const share = Math.round(100 * chance);
    const label = t("winChance", {
      first: playerName(this.info, "first"),
      second: playerName(this.info, "second"),
      share,
      other: 100 - share,
    });
    this.bar.setAttribute("aria-label", label);
    const part = html("span", { class: "first" }, `${share} %`);
    const rest = html("span", { class: "second" }, `${100 - share} %`);
    part.style.flexGrow = String(Math.max(share, 8));
    rest.style.flexGrow = String(Math.max(100 - share, 8));
    this.bar.replaceChildren(part, rest);
  }

  /** Looks at every position of the game. */
  async lookAtAll() {
    this.close();
    const control = new AbortController();
    this.#reviewing = control;
    const { match } = this;
    this.review.disabled = true;
    this.bad.textContent = "";
    this.done.hidden = false;
    try {
      await new Review(match.engine, match.game, control.signal).run((done) => {
        this.done.value = done;
        this.#drawGame();
      });
      this.#whole = true;
    } catch (error) {
      if (!(error instanceof Stopped)) this.bad.textContent = messageOf(error);
    } finally {
      if (this.#reviewing === control) this.#reviewing = null;
      this.review.disabled = false;
      this.done.hidden = true;
      this.#drawGame();
      this.onlearned();
      // Now there is time for the position that is looked at.
      this.#seen = null;
      this.follow();
    }
  }

  /** Was the whole game looked at? Only then it can be said that there were no mistakes. */
  #whole = false;

  #drawGame() {
    const { judged, moves } = this.match.game;
    const points = Object.entries(judged)
      .map(([ply, { chance }]) => /** @type {[number, number]} */ ([Number(ply), chance]))
      .filter(([ply]) => ply <= moves.length)
      .sort((a, b) => a[0] - b[0]);
    this.graph.hidden = points.length < 2;
    const mistakes = mistakesOf(this.match.game);
    this.#drawMistakes(mistakes);
    if (this.graph.hidden) return;
    const [width, height] = GRAPH;
    const x = (/** @type {number} */ ply) => 10 + (ply / Math.max(1, moves.length)) * (width - 20);
    const y = (/** @type {number} */ chance) => 8 + (1 - chance) * (height - 16);
    this.picture.setAttribute("aria-label", t("graph", { turns: mistakes.length }));
    this.picture.replaceChildren(
      svg("line", { x1: 10, x2: width - 10, y1: y(0.5), y2: y(0.5), class: "even" }),
      svg("polyline", { points: points.map(([ply, chance]) => `${x(ply)},${y(chance)}`).join(" "), class: "curve" }),
      ...mistakes.map(({ ply }) =>
        svg("circle", { cx: x(ply + 1), cy: y(judged[ply + 1]?.chance ?? 0.5), r: 7, class: "turn", "data-ply": ply + 1 }),
      ),
      svg("line", { x1: x(this.match.cursor), x2: x(this.match.cursor), y1: 4, y2: height - 4, class: "here" }),
    );
    this.story.textContent = this.#luck();
  }

  /** How much was luck, and for whom. */
  #luck() {
    const luck = luckOf(this.match.game);
    if (!luck) return "";
    const points = Math.round(100 * Math.abs(luck.favour));
    const favoured = playerName(this.info, luck.favour > 0 ? "first" : "second");
    const share = t("luck", { share: Math.round(100 * luck.share) });
    return points === 0 ? `${share} ${t("luck.even")}` : `${share} ${t("luck.favour", { name: favoured, points })}`;
  }

  /** @param {Mistake[]} mistakes */
  #drawMistakes(mistakes) {
    const rows = mistakes.map((mistake) =>
      html(
        "li",
        {},
        html(
          "button",
          { type: "button", class: "quiet", "data-key": mistake.ply, onclick: () => this.match.step(mistake.ply + 1) },
          html("b", { class: "sign", "aria-hidden": "true" }, mistake.gave ? "??" : "?"),
          html("span", {}, this.#mistakeText(mistake)),
        ),
        html(
          "button",
          { type: "button", class: "small", "data-key": `again-${mistake.ply}`, onclick: () => this.#tryAgain(mistake.ply) },
          t("mistake.again"),
        ),
      ),
    );
    if (rows.length === 0 && this.#whole && this.match.ended) rows.push(html("li", {}, t("mistake.none")));
    if (this.mistakes.textContent !== rows.map((row) => row.textContent).join("")) this.mistakes.replaceChildren(...rows);
  }

  /** From here on another move can be tried, in a game of its own. @param {number} ply */
  async #tryAgain(ply) {
    await this.match.step(ply);
    await this.match.branch();
  }

  /** @param {Mistake} mistake */
  #mistakeText({ mover, made, best, gave, cost, left }) {
    const { players } = this.match.game;
    const mine = players[mover] === HUMAN && Object.values(players).some((player) => player !== HUMAN);
    const values = {
      who: mine ? t("mistake.you") : t("mistake.other", { name: playerName(this.info, mover) }),
      move: moveWords(this.info, made),
      best: moveWords(this.info, best),
      points: Math.round(100 * cost),
    };
    if (!gave) return t("mistake.cost", values);
    return t(gave === "draw" ? "mistake.gave.draw" : left === 0 ? "mistake.gave.win" : "mistake.gave.all", values);
  }

  /** The position that a press on the graph is over. @param {MouseEvent} event */
  #plyAt({ clientX, target }) {
    if (target instanceof Element && target.hasAttribute("data-ply")) return Number(target.getAttribute("data-ply"));
    const [width] = GRAPH;
    const box = this.picture.getBoundingClientRect();
    return Math.round(((((clientX - box.left) / box.width) * width - 10) / (width - 20)) * this.match.game.moves.length);
  }
}

/** @type {(mover: PlayerWord, number: number) => PlayerWord} */
const moverOf = (mover, number) => ((number % 2 === 0) === (mover === "first") ? "first" : "second");

/**
 * The candidates that are worth a look: those that were looked at most, or else those that are thought best.
 *
 * @param {Candidate[]} all
 */
function bestOf(all) {
  const visited = all.filter((candidate) => candidate.visits > 0);
  const known = visited.length > 0 ? visited : all.filter((candidate) => candidate.value !== null);
  return [...known].sort((a, b) => b.visits - a.visits || (b.value ?? -2) - (a.value ?? -2)).slice(0, LISTED);
}
