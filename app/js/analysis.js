// What the engine thinks of a position, and how the game went.

import { ANALYST, firstChance } from "./match.js";
import { playerName, t } from "./strings.js";
import { html, svg } from "./svg.js";

const POSITION_TIME = 3000;
const REVIEW_TIME = 120;
const SOLVE_TIME = 400;

export class Analysis {
  open = false;
  marks = {};
  #control = null;
  #seen = null;

  constructor(match, board, info) {
    Object.assign(this, { match, board, info });
    this.bar = html("div", { class: "chance", role: "img" });
    this.words = html("p", { class: "line" });
    this.graph = html("div", { class: "graph" });
    this.review = html("button", { type: "button", onclick: () => this.#review() }, t("review"));
    this.element = html("section", { class: "analysis", hidden: true, "aria-label": t("analyse") }, this.bar, this.words, this.graph, html("div", { class: "buttons" }, this.review));
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
    if (!this.open) return;
    const place = `${this.match.game.spec} ${this.match.game.moves.slice(0, this.match.cursor).join(" ")}`;
    this.#drawGraph();
    if (place === this.#seen) return;
    this.#seen = place;
    this.marks = {};
    this.close();
    const { turn } = this.match.state;
    this.words.textContent = "";
    if (turn === "first" || turn === "second") this.#look(turn);
    else this.#drawBar(this.match.game.chances[this.match.cursor - 1]);
  }

  async #look(mover) {
    const control = new AbortController();
    this.#control = control;
    const { match } = this;
    const at = match.cursor;
    const state = match.state;
    const request = match.position();
    const current = () => this.#control === control && match.cursor === at;
    const solved = await match.engine.ask("solve", { ...request, time: SOLVE_TIME }, { signal: control.signal }).catch(() => null);
    if (!current()) return;
    // While an opponent thinks the engine of a browser has no time for anybody else.
    if (match.thinking) return;
    const take = (opinion) => current() && this.#take(opinion, state, mover, solved, at);
    const advice = await match.engine
      .ask("think", { ...request, agent: ANALYST, seed: 1, time: POSITION_TIME, watch: true }, { signal: control.signal, onProgress: take })
      .catch(() => null);
    if (advice) take(advice);
  }

  #take(opinion, state, mover, solved, at) {
    const { candidates = [], line = [], value } = opinion;
    const most = Math.max(1, ...candidates.map((candidate) => candidate.visits));
    const heat = {};
    for (const candidate of candidates) {
      const move = state.moves.find((legal) => legal.move === candidate.move);
      if (move?.to && candidate.visits > 0) heat[move.to] = Math.max(heat[move.to] ?? 0, 0.75 * Math.sqrt(candidate.visits / most));
    }
    const best = state.moves.find((legal) => legal.move === line[0]);
    this.marks = { heat, arrows: best ? [{ from: best.from, to: best.to, weight: 0.9 }] : [] };
    const sure = { win: 1, draw: 0, loss: -1 }[solved?.value];
    const chance = firstChance(sure ?? value ?? 0, mover);
    this.match.game.chances[at] = chance;
    this.#drawBar(chance);
    const name = playerName(this.info, mover);
    const verdict = solved?.value ? t(`solved.${solved.value}`, { name, plies: solved.plies }) + " " : "";
    this.words.textContent = verdict + t("line", { line: line.slice(0, 8).join(" ") });
    this.board.mark(this.marks);
    this.#drawGraph();
  }

  #drawBar(chance) {
    if (chance === undefined) return;
    const share = Math.round(100 * chance);
    const label = t("winChance", { first: playerName(this.info, "first"), second: playerName(this.info, "second"), share, other: 100 - share });
    this.bar.setAttribute("aria-label", label);
    const part = html("span", { class: "first" }, `${share} %`);
    const rest = html("span", { class: "second" }, `${100 - share} %`);
    part.style.flexGrow = Math.max(share, 8);
    rest.style.flexGrow = Math.max(100 - share, 8);
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
        const advice = await match.engine.ask("think", { ...request, agent: ANALYST, seed: 1, time: REVIEW_TIME }).catch(() => null);
        if (advice?.value !== null && advice) match.game.chances[ply] = firstChance(advice.value, state.turn);
      }
      this.#drawGraph();
    }
    this.review.disabled = false;
  }

  #drawGraph() {
    const { chances, moves } = this.match.game;
    const points = Object.entries(chances).map(([ply, chance]) => [Number(ply), chance]).filter(([ply]) => ply <= moves.length).sort((a, b) => a[0] - b[0]);
    if (points.length < 2) {
      this.graph.replaceChildren();
      return;
    }
    const [width, height] = [600, 140];
    const x = (ply) => 10 + (ply / Math.max(1, moves.length)) * (width - 20);
    const y = (chance) => 8 + (1 - chance) * (height - 16);
    const { history } = this.match.state;
    let luck = 0;
    let total = 0;
    const turns = [];
    for (let index = 1; index < points.length; index++) {
      const [[from, before], [to, after]] = [points[index - 1], points[index]];
      const swing = Math.abs(after - before);
      total += swing;
      const byChance = history.slice(from, to).some((played) => played.mover === null);
      if (byChance) luck += swing;
      if (swing >= 0.2) turns.push([to, after, byChance]);
    }
    const drawn = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("graph", { turns: turns.length }) },
      svg("line", { x1: 10, x2: width - 10, y1: y(0.5), y2: y(0.5), class: "even" }),
      svg("polyline", { points: points.map(([ply, chance]) => `${x(ply)},${y(chance)}`).join(" "), class: "curve" }),
      turns.map(([ply, chance, byChance]) => svg("circle", { cx: x(ply), cy: y(chance), r: 6, class: byChance ? "turn luck" : "turn" })),
      svg("line", { x1: x(this.match.cursor), x2: x(this.match.cursor), y1: 4, y2: height - 4, class: "here" }),
    );
    const words = [turns.length > 0 ? t("turningPoints", { plies: turns.map(([ply]) => ply).join(", ") }) : ""];
    if (history.some((played) => played.mover === null) && total > 0) words.push(t("luck", { share: Math.round((100 * luck) / total) }));
    this.graph.replaceChildren(drawn, html("p", {}, words.filter(Boolean).join(" ")));
  }
}
