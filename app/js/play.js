// The game screen: board, players, moves, and what the engine thinks.

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { dialog, toast } from "./dialog.js";
import {
  agentName,
  counterName,
  gameTitle,
  outcomeSign,
  outcomeText,
  pieceName,
  playerName,
  refusalText,
  said,
  squareText,
  t,
  tourText,
} from "./i18n/index.js";
import { ANALYST, HUMAN, Match, begun, firstChance, keep, kept } from "./match.js";
import { drawPiece } from "./pieces.js";
import { shareDialog } from "./records.js";
import { sound } from "./sound.js";
import { find, html, refill, svg } from "./svg.js";
import { tour } from "./tour.js";

/** @import { App, Beginning, GameInfo, PlayedMove, PlayerWord } from "./types.js" */

const HINT_TIME = 800;
/** @type {PlayerWord[]} */
const PLAYERS = ["first", "second"];

/**
 * @param {App} app
 * @param {string[]} _
 * @param {Beginning | null} [shared] A game that came by a link.
 */
export async function playScreen(app, _, shared = null) {
  const game = shared ? begun(shared) : kept();
  if (!game) {
    app.go("#/");
    return null;
  }
  const match = new Match(app.engine, game);
  const info = app.game(game.spec.split(":")[0]);
  if (!info) throw new Error(t("unknownGame", { name: game.spec }));
  const screen = new PlayScreen(app, match, info, shared !== null);
  const { first, second } = game.players;
  screen.board.flipped = info.presentation.turned_for_second && second === HUMAN && first !== HUMAN;
  await match.refresh();
  if (!shared) screen.beginTour();
  return () => {
    match.close();
    screen.analysis.close();
  };
}

class PlayScreen {
  /** What chance has done since the last drawing. */
  news = "";
  /** The moves that are known with their labels. @type {PlayedMove[]} */
  history = [];
  /** The number of moves when a game came by a link. @type {number | null} */
  came = null;
  /** The number of moves when the last sound was due. @type {number | null} */
  heard = null;

  /**
   * @param {App} app
   * @param {Match} match
   * @param {GameInfo} info
   * @param {boolean} shared
   */
  constructor(app, match, info, shared) {
    this.app = app;
    this.match = match;
    this.info = info;
    this.shared = shared;
    this.board = new Board({
      onMove: (move) => match.play(move),
      onRefused: (square, from) => this.explain(square, from),
      describe: (square, piece) => squareText(info, square, piece),
    });
    this.board.targetWord = t("possible");
    this.analysis = new Analysis(match, this.board, info);
    this.status = html("p", { class: "status" });
    this.bar = html("progress", { max: 1, value: 0, "aria-label": t("thinking") });
    this.strips = { first: html("div", { class: "strip" }), second: html("div", { class: "strip" }) };
    this.kinds = html("div", { class: "kinds", role: "radiogroup", "aria-label": t("stone") });
    this.moves = html("ol", { class: "moves", "aria-label": t("moves") });
    this.buttons = html("div", { class: "buttons tools" });
    this.steps = html("div", { class: "buttons steps" });
    const near = html("div", { class: "near" }, this.strips.second, this.board.element, this.strips.first);
    this.near = near;
    this.tour = html("div");
    const side = html(
      "div",
      { class: "side" },
      this.tour,
      this.status,
      this.bar,
      this.kinds,
      this.buttons,
      this.analysis.element,
      this.steps,
      this.moves,
    );
    app.page.append(html("section", { class: "table", "data-game": info.name }, near, side));
    match.addEventListener("change", () => this.draw());
    match.addEventListener("thinking", () => this.drawThinking());
    match.addEventListener("chance", (event) => {
      const { detail } = /** @type {CustomEvent<{ played: PlayedMove, expected: boolean }>} */ (event);
      this.news = outcomeText(info, detail.played);
      if (!detail.expected) toast(this.news);
    });
  }

  /** For the first game on this device, as soon as there is something to point at. */
  beginTour() {
    const { match, info } = this;
    if (!Object.values(match.game.players).includes(HUMAN)) return;
    const [kinds, points] = [tourText(info, "kinds"), tourText(info, "points")];
    /** @type {[string, Element][]} */
    const steps = [[tourText(info, "how") || t("tour.how"), this.board.element]];
    if (kinds && !this.kinds.hidden) steps.push([kinds, this.kinds]);
    if (points && this.state.points) steps.push([points, this.strips.first]);
    steps.push([t("tour.help"), this.buttons], [t("tour.analysis"), this.buttons], [t("tour.moves"), this.steps]);
    this.tour.replaceWith(tour(steps));
  }

  get state() {
    return this.match.state;
  }

  draw() {
    const { match, state, info } = this;
    this.keep();
    this.analysis.follow();
    this.board.show(state, {
      playable: match.playable,
      label: t("boardOf", { game: gameTitle(info) }),
      marks: this.analysis.marks,
    });
    this.near.classList.toggle("flipped", this.board.flipped);
    this.status.textContent = this.statusText();
    find("#announcer").textContent = this.spoken();
    this.news = "";
    for (const player of PLAYERS) this.drawStrip(player);
    this.drawKinds();
    this.drawMoves();
    this.drawButtons();
    this.drawThinking();
    const last = state.history.at(-1);
    const { length } = match.game.moves;
    if (last && this.heard !== null && this.heard !== length) sound(match.over ? "end" : "move");
    this.heard = length;
  }

  /** A game that came by a link becomes the game of this device as soon as it is played on. */
  keep() {
    const { match } = this;
    const count = match.game.moves.length;
    this.came ??= count;
    if (this.shared && count === this.came) return;
    if (this.shared) history.replaceState(null, "", "#/play");
    this.shared = false;
    match.game.over = match.live ? match.over : match.game.over;
    keep(match.game);
  }

  get twoPeople() {
    return Object.values(this.match.game.players).every((player) => player === HUMAN);
  }

  /** What chance has just done, and who is due or has won. */
  statusText() {
    return [this.news, this.turnText()].filter(Boolean).join(" ");
  }

  turnText() {
    const { match, state, info } = this;
    const { resigned } = match.game;
    if (resigned && match.winner && match.live)
      return t("resigned", { loser: playerName(info, resigned), winner: playerName(info, match.winner) });
    if (state.turn === "over") {
      const reason = said(info, state.reason);
      if (state.winner === "draw") return t("drawn", { reason });
      return t("won", { winner: playerName(info, state.winner), reason });
    }
    if (state.turn === "chance") return t("chanceDue");
    const name = playerName(info, state.turn);
    if (!match.live) return t("stepped", { name, number: match.cursor, count: match.game.moves.length });
    if (match.game.players[state.turn] !== HUMAN) return t("theirTurn", { name });
    return this.twoPeople ? t("turn", { name }) : t("yourTurn", { name });
  }

  /** What changed, for screen readers. */
  spoken() {
    const last = this.state.history.at(-1);
    const moved = last?.mover
      ? t("spoken.move", { name: playerName(this.info, last.mover), move: last.label ?? last.move }) + " "
      : "";
    return moved + this.statusText();
  }

  /** @param {PlayerWord} player */
  drawStrip(player) {
    const { match, state, info } = this;
    const counters = state.view.counters.filter((counter) => counter.player === player);
    const who = match.game.players[player];
    this.strips[player].replaceChildren(
      html("span", { class: `mark ${player}`, "aria-hidden": "true" }),
      html("b", {}, playerName(info, player)),
      html("span", { class: "who" }, who !== HUMAN ? agentName(who) : this.twoPeople ? "" : t("human")),
      html("span", { class: "space" }),
      ...counters.map((counter) =>
        html("span", { class: "counter" }, html("span", {}, counterName(info, counter)), html("b", {}, counter.value)),
      ),
    );
    this.strips[player].classList.toggle("due", state.turn === player && !match.over);
  }

  drawKinds() {
    const kinds = this.board.kinds();
    this.kinds.hidden = kinds.length < 2;
    const chosen = this.board.chosenKind();
    const due = this.state.turn === "second" ? "second" : "first";
    const pieceOf = (/** @type {string} */ kind) =>
      this.info.pieces.find((piece) => piece.name === kind) ?? { name: kind, owner: due };
    const choice = (/** @type {string} */ kind) => {
      const choose = () => {
        this.board.choose(kind);
        this.drawKinds();
      };
      const picture = svg(
        "svg",
        { viewBox: "-50 -50 100 100", width: 30, height: 30, "aria-hidden": "true" },
        drawPiece(pieceOf(kind), this.info.presentation.shapes),
      );
      return html(
        "label",
        { class: "choice" },
        html("input", { type: "radio", name: "kind", value: kind, "data-key": kind, checked: kind === chosen, onchange: choose }),
        picture,
        pieceName(this.info, { name: kind }),
      );
    };
    refill(this.kinds, kinds.length < 2 ? [] : kinds.map(choice));
  }

  drawMoves() {
    const { match, state } = this;
    /** @type {HTMLElement[]} */
    const written = [];
    // The state knows the moves up to the one that is looked at; what comes after it was known before.
    this.history = [...state.history, ...this.history.slice(state.history.length)].slice(0, match.game.moves.length);
    match.game.moves.forEach((move, index) => {
      const played = this.history[index];
      const luck = played?.mover === null;
      const current = index + 1 === match.cursor;
      const text = luck ? outcomeSign(played) : (played?.label ?? move);
      const words = luck ? { title: outcomeText(this.info, played), "aria-label": outcomeText(this.info, played) } : {};
      written.push(
        html(
          "li",
          { class: [luck && "luck", current && "current"].filter(Boolean).join(" ") },
          html(
            "button",
            {
              type: "button",
              class: "quiet",
              "data-key": index,
              "aria-current": current ? "step" : null,
              onclick: () => match.step(index + 1),
              ...words,
            },
            text,
          ),
        ),
      );
    });
    refill(this.moves, written);
    const current = this.moves.querySelector("li.current");
    if (current instanceof HTMLElement) this.moves.scrollTop = current.offsetTop - this.moves.clientHeight / 2;
    /** @type {(to: () => number, text: string, label: string, off: boolean) => HTMLElement} */
    const go = (to, text, label, off) =>
      html(
        "button",
        { type: "button", "data-key": text, "aria-label": label, title: label, disabled: off, onclick: () => match.step(to()) },
        text,
      );
    refill(this.steps, [
      go(() => 0, "«", t("step.first"), match.cursor === 0),
      go(() => match.cursor - 1, "‹", t("step.back"), match.cursor === 0),
      go(() => match.cursor + 1, "›", t("step.on"), match.live),
      go(() => match.game.moves.length, "»", t("step.last"), match.live),
    ]);
  }

  drawButtons() {
    const { match } = this;
    /** @typedef {{ off?: boolean, kind?: string, pressed?: string | null }} ToolOptions */
    /** @type {(text: string, action: () => void, options?: ToolOptions) => HTMLElement} */
    const tool = (text, action, { off = false, kind = "", pressed = null } = {}) =>
      html(
        "button",
        { type: "button", class: kind, "data-key": text, disabled: off, "aria-pressed": pressed, onclick: action },
        text,
      );
    const mine = Object.values(match.game.players).includes(HUMAN);
    const tools = [];
    if (match.over) {
      tools.push(tool(t("rematch"), () => this.rematch(), { kind: "primary" }));
      tools.push(html("a", { class: "button", href: `#/new/${this.info.name}` }, t("newGame")));
    } else if (mine) {
      tools.push(tool(t("hint"), () => this.hint(), { off: !match.playable }));
    }
    if (mine) tools.push(tool(t("takeBack"), () => match.takeBack(), { off: match.takeable === 0 }));
    tools.push(
      tool(
        t("analyse"),
        () => {
          this.analysis.toggle();
          this.draw();
        },
        { pressed: String(this.analysis.open) },
      ),
      tool(t("flip"), () => {
        this.board.flip();
        this.near.classList.toggle("flipped", this.board.flipped);
      }),
      tool(t("share"), () => this.share()),
    );
    if (!match.over && mine) tools.push(tool(t("resign"), () => this.resign()));
    refill(this.buttons, tools);
  }

  drawThinking() {
    const { match, bar } = this;
    const thinks = match.thinking !== null;
    bar.classList.toggle("idle", !thinks);
    bar.value = thinks ? (match.progress?.done ?? 0) : 0;
  }

  /**
   * Says why nothing can be played on a square that was tapped, if it can be found out.
   *
   * @param {string} square
   * @param {string | null} from
   */
  async explain(square, from) {
    const move = this.board.meant(square, from);
    const why = move && (await this.match.whyNot(move));
    if (why) toast(refusalText(this.info, why));
    else if (!from && this.state.moves.some((legal) => legal.from)) toast(t("notMovable", { square }));
  }

  async hint() {
    const { match } = this;
    const mover = this.state.turn;
    if (mover === "chance" || mover === "over") return;
    // The engine of a browser does one thing at a time.
    this.analysis.close();
    const advice = await match.think(ANALYST, { time: HINT_TIME, watch: true });
    if (!advice || !match.playable) return;
    const best = this.state.moves.find((move) => move.move === advice.move);
    if (!best) return;
    this.board.mark({ ...this.analysis.marks, arrows: [{ from: best.from, to: best.to, weight: 0.9 }] });
    const visits = advice.candidates[0]?.visits ?? 0;
    const share = advice.simulations > 0 ? visits / advice.simulations : 1;
    const chance = firstChance(advice.value ?? 0, mover);
    const own = mover === "first" ? chance : 1 - chance;
    toast(
      t("hint.text", {
        move: best.label,
        chance: Math.round(100 * own),
        share: Math.round(100 * share),
        games: advice.simulations,
      }),
    );
  }

  share() {
    return shareDialog(this.app, this.match.game, this.info);
  }

  async resign() {
    if (
      (await dialog(t("resign"), html("p", {}, t("resign.sure")), [
        ["yes", t("resign"), "primary"],
        ["", t("close")],
      ])) === "yes"
    )
      this.match.resign();
  }

  /** The same again, with the sides swapped. */
  rematch() {
    const { spec, start, players } = this.match.game;
    keep(begun({ spec, start, players: { first: players.second, second: players.first } }));
    this.app.go("#/play");
  }
}
