// What the engine thinks of a position, and how the game went.

import { playerName, t } from "./i18n/index.js";
import { ANALYST, firstChance } from "./match.js";
import { html, svg } from "./svg.js";

/**
 * @import { Board } from "./board.js"
 * @import { Match } from "./match.js"
 * @import { Advice, Candidate, GameInfo, Marks, Move, PlayerWord, Progress, Solved, State } from "./types.js"
 */

const POSITION_TIME = 3000;
const REVIEW_TIME = 120;
const SOLVE_TIME = 400;
/** How many moves of the best line are drawn, and how many candidates are listed. */
const ARROWS = 3;
const LISTED = 5;
/** A change of the chances by so much is a turning point. */
const SWING = 0.2;
/** Width and height of the graph, in its own units. */
const GRAPH = [600, 140];

export class Analysis {
  open = false;
  /** @type {Marks} */
  marks = {};
  /** Ends the search that goes on. @type {AbortController | null} */
  #control = null;
  /** The position that was looked at last. @type {string | null} */
  #seen = null;

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
    this.story = html("p", {});
    this.graph = html("div", { class: "graph", hidden: true }, this.picture, this.story);
    this.review = html("button", { type: "button", onclick: () => this.#review() }, t("review"));
    this.element = html(
      "section",
      { class: "analysis", hidden: true, "aria-label": t("analyse") },
      this.bar,
      this.words,
      this.list,
      this.graph,
      html("div", { class: "buttons" }, this.review),
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
  }

  /** The position that is looked at may have changed. */
  follow() {
    const { match } = this;
    if (!this.open || !match.settled) return;
    this.#drawGraph();
    const place = `${match.game.spec} ${match.awaited} ${match.game.moves.slice(0, match.cursor).join(" ")}`;
    if (place === this.#seen) return;
    this.#seen = place;
    this.marks = {};
    this.close();
    const { turn } = match.state;
    this.words.textContent = "";
    this.list.hidden = true;
    this.#drawBar(match.game.chances[match.cursor] ?? match.game.chances[match.cursor - 1]);
    // While an opponent thinks the engine of a browser has no time for anything else.
    if ((turn === "first" || turn === "second") && !match.awaited) this.#look(turn);
  }

  /** @param {PlayerWord} mover */
  async #look(mover) {
    const control = new AbortController();
    this.#control = control;
    const { match } = this;
    const { state, cursor } = match;
    const request = match.position();
    const current = () => this.#control === control && match.cursor === cursor;
    const { signal } = control;
    const solved = await match.engine.ask("solve", { ...request, time: SOLVE_TIME }, { signal }).catch(() => null);
    if (!current()) return;
    const take = (/** @type {Advice | Progress} */ opinion) =>
      current() && this.#take(opinion, state, mover, solved?.value ? solved : null);
    const order = { ...request, agent: ANALYST, seed: 1, time: POSITION_TIME, watch: true };
    const advice = await match.engine.ask("think", order, { signal, onProgress: take }).catch(() => null);
    if (advice) take(advice);
  }

  /**
   * @param {Advice | Progress} opinion
   * @param {State} state
   * @param {PlayerWord} mover
   * @param {Solved | null} solved
   */
  #take(opinion, state, mover, solved) {
    const { candidates = [], value } = opinion;
    const line = solved && solved.line.length > 0 ? solved.line : (opinion.line ?? []);
    const most = Math.max(1, ...candidates.map((candidate) => candidate.visits));
    const legal = new Map(state.moves.map((move) => [move.move, move]));
    /** @type {Record<string, number>} */
    const heat = {};
    for (const { move, visits } of candidates) {
      const to = legal.get(move)?.to;
      if (to && visits > 0) heat[to] = Math.max(heat[to] ?? 0, 0.75 * Math.sqrt(visits / most));
    }
    const arrows = line.slice(0, ARROWS).map(({ from, to }, number) => ({ from, to, weight: 0.9 - 0.25 * number }));
    this.marks = { heat, arrows };
    const sure = solved?.value && { win: 1, draw: 0, loss: -1 }[solved.value];
    const chance = firstChance(sure ?? value ?? 0, mover);
    this.match.game.chances[this.match.cursor] = chance;
    this.#drawBar(chance);
    const length = solved?.plies_exact ? "" : ".open";
    const verdict = solved
      ? t(`solved.${solved.value}${solved.value === "draw" ? "" : length}`, {
          name: playerName(this.info, mover),
          plies: solved.plies,
        })
      : "";
    const expected =
      line.length > 0
        ? t("line", {
            line: line
              .slice(0, 8)
              .map((move) => move.label)
              .join(" "),
          })
        : "";
    this.words.textContent = [verdict, expected].filter(Boolean).join(" ");
    this.#drawList(candidates, legal);
    this.board.mark(this.marks);
    this.#drawGraph();
  }

  /**
   * The moves that the engine likes best, with what it thinks of them.
   *
   * @param {Candidate[]} candidates
   * @param {Map<string, Move>} legal
   */
  #drawList(candidates, legal) {
    const all = candidates.reduce((sum, candidate) => sum + candidate.visits, 0);
    const best = [...candidates]
      .sort((a, b) => b.visits - a.visits)
      .slice(0, LISTED)
      .filter((candidate) => candidate.visits > 0);
    this.list.hidden = best.length === 0;
    const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
    const row = (/** @type {Candidate} */ { move, visits, value }) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, legal.get(move)?.label ?? move),
        html("td", {}, value === null ? "–" : percent((1 + value) / 2)),
        html("td", {}, percent(visits / all)),
      );
    const head = html(
      "tr",
      {},
      ["column.move", "column.chance", "column.visits"].map((key) => html("th", { scope: "col" }, t(key))),
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

  /** Looks at every position of the game for a moment. */
  async #review() {
    this.close();
    const control = new AbortController();
    this.#control = control;
    const { match } = this;
    const moves = [...match.game.moves];
    this.review.disabled = true;
    for (let ply = 0; ply <= moves.length && !control.signal.aborted; ply++) {
      if (match.game.chances[ply] !== undefined) continue;
      const request = { game: match.game.spec, start: match.game.start, moves: moves.slice(0, ply) };
      const state = await match.engine.ask("state", request);
      if (state.turn === "over") {
        match.game.chances[ply] = { first: 1, second: 0, draw: 0.5 }[state.winner];
      } else if (state.turn !== "chance") {
        const advice = await match.engine
          .ask("think", { ...request, agent: ANALYST, seed: 1, time: REVIEW_TIME })
          .catch(() => null);
        if (advice?.value !== null && advice) match.game.chances[ply] = firstChance(advice.value, state.turn);
      }
      this.#drawGraph();
    }
    this.review.disabled = false;
  }

  #drawGraph() {
    const { chances, moves } = this.match.game;
    const points = Object.entries(chances)
      .map(([ply, chance]) => [Number(ply), chance])
      .filter(([ply]) => ply <= moves.length)
      .sort((a, b) => a[0] - b[0]);
    this.graph.hidden = points.length < 2;
    if (this.graph.hidden) return;
    const [width, height] = GRAPH;
    const x = (/** @type {number} */ ply) => 10 + (ply / Math.max(1, moves.length)) * (width - 20);
    const y = (/** @type {number} */ chance) => 8 + (1 - chance) * (height - 16);
    const { history } = this.match.state;
    let luck = 0;
    let total = 0;
    /** @type {[ply: number, chance: number, byChance: boolean][]} */
    const turns = [];
    for (let index = 1; index < points.length; index++) {
      const [[from, before], [to, after]] = [points[index - 1], points[index]];
      const swing = Math.abs(after - before);
      total += swing;
      const byChance = history.slice(from, to).some((played) => played.mover === null);
      if (byChance) luck += swing;
      if (swing >= SWING) turns.push([to, after, byChance]);
    }
    this.picture.setAttribute("aria-label", t("graph", { turns: turns.length }));
    this.picture.replaceChildren(
      svg("line", { x1: 10, x2: width - 10, y1: y(0.5), y2: y(0.5), class: "even" }),
      svg("polyline", { points: points.map(([ply, chance]) => `${x(ply)},${y(chance)}`).join(" "), class: "curve" }),
      ...turns.map(([ply, chance, byChance]) =>
        svg("circle", { cx: x(ply), cy: y(chance), r: 6, class: byChance ? "turn luck" : "turn" }),
      ),
      svg("line", { x1: x(this.match.cursor), x2: x(this.match.cursor), y1: 4, y2: height - 4, class: "here" }),
    );
    const words = [turns.length > 0 ? t("turningPoints", { plies: turns.map(([ply]) => ply).join(", ") }) : ""];
    if (history.some((played) => played.mover === null) && total > 0)
      words.push(t("luck", { share: Math.round((100 * luck) / total) }));
    this.story.textContent = words.filter(Boolean).join(" ");
  }

  /** The position that a press on the graph is over. @param {MouseEvent} event */
  #plyAt({ clientX }) {
    const [width] = GRAPH;
    const box = this.picture.getBoundingClientRect();
    return Math.round(((((clientX - box.left) / box.width) * width - 10) / (width - 20)) * this.match.game.moves.length);
  }
}
