// The game screen: board, players, moves, and what the engine thinks.

import { solved, strongest } from "./advice.js";
import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { dialog } from "./dialog.js";
import { Refused, Stopped } from "./engine.js";
import { clockText } from "./friend.js";
import {
  counterName,
  gameTitle,
  outcomeText,
  playerName,
  refusalText,
  said,
  sentence,
  squareText,
  t,
  tourText,
} from "./i18n/index.js";
import { icon } from "./icons.js";
import { keysDialog, listen } from "./keys.js";
import { drawKinds } from "./kinds.js";
import { HUMAN, Match, PACES, begin, begun, firstChance, kept } from "./match.js";
import { recall, remember } from "./memory.js";
import { drawMoveList, moveWords, placedPiece } from "./moves.js";
import { shareDialog } from "./records.js";
import { mistakesOf } from "./review.js";
import { sound } from "./sound.js";
import { follow, keep, load, note } from "./store.js";
import { find, html, messageOf, refill } from "./svg.js";
import { Tools } from "./tools.js";
import { tour } from "./tour.js";
import { drawVerdict, levelOf, ownSide, playedBy, verdictTitle } from "./verdict.js";

/**
 * @import { Seat } from "./friend.js"
 * @import { Tool } from "./tools.js"
 * @import { KeyAction } from "./keys.js"
 * @import { App, Beginning, GameInfo, Move, PlayedMove, PlayerWord } from "./types.js"
 */

const SOLVE_TIME = 400;
/** @type {PlayerWord[]} */
const PLAYERS = ["first", "second"];

/**
 * @param {App} app
 * @param {string[]} parts
 * @param {Beginning | null} [shared] A game that came by a link.
 */
export async function playScreen(app, [id], shared = null) {
  const game = shared ? begun(shared) : id ? await load(id) : kept();
  if (!game) {
    app.go(id ? "#/history" : "#/");
    return null;
  }
  // A game with a friend goes on where it is.
  if (game.friend && !game.over && app.engine.kind === "server") {
    history.replaceState(history.state, "", `#/friend/${game.friend}`);
    app.show();
    return null;
  }
  const whole = { ...begun(game), ...game };
  const match = new Match(app.engine, whole);
  const info = app.game(game.spec.split(":")[0]);
  if (!info) throw new Error(t("unknownGame", { name: game.spec }));
  // Every game has an address of its own: two tabs with two games do not get into each other's way.
  if (!shared && id !== game.id) history.replaceState(history.state, "", `#/play/${game.id}`);
  document.title = `${gameTitle(info)} · ${t("title.play")} · Plyground`;
  const screen = new PlayScreen(app, match, info, shared !== null);
  const { first, second } = game.players;
  screen.board.flipped = info.presentation.turned_for_second && second === HUMAN && first !== HUMAN;
  await match.refresh();
  // Who opens a finished game of another wants to see it from its beginning.
  if (shared && match.ended && match.game.moves.length > 0) await match.step(0);
  if (!shared) screen.beginTour();
  return () => screen.close();
}

export class PlayScreen {
  /** What chance has done since the last drawing. */
  news = "";
  /** The moves that are known with their labels. @type {PlayedMove[]} */
  history = [];
  /** The number of moves when the last sound was due. @type {number | null} */
  heard = null;
  /** The reason why the game is over, once it was seen. */
  reason = "";

  /**
   * @param {App} app
   * @param {Match} match
   * @param {GameInfo} info
   * @param {boolean} shared
   * @param {Seat | null} [seat] Where the other player is not here.
   */
  constructor(app, match, info, shared, seat = null) {
    this.seat = seat;
    this.app = app;
    this.match = match;
    this.info = info;
    this.shared = shared;
    this.board = new Board({
      onMove: (move) => match.play(move),
      onRefused: (square, from) => this.explain(square, from),
      describe: (square, piece) => squareText(info, square, piece),
      placed: (move) => placedPiece(info, move, this.state.turn === "second" ? "second" : "first"),
    });
    this.board.targetWord = t("possible");
    this.analysis = new Analysis(match, this.board, info);
    this.analysis.onlearned = () => {
      if (!this.shared) note(match.game);
      this.drawMoves();
    };
    this.status = html("p", { class: "status" });
    this.note = html("p", { class: "note", role: "status" });
    this.bar = html("progress", { max: 1, value: 0, "aria-label": t("thinking") });
    this.strips = { first: html("div", { class: "strip first" }), second: html("div", { class: "strip second" }) };
    this.kinds = html("div", { class: "kinds", role: "radiogroup", "aria-label": t("stone") });
    this.verdict = html("section", { class: "verdict card", hidden: true, "aria-label": t("verdict") });
    this.moves = html("ol", { class: "moves", "aria-label": t("moves") });
    this.tools = new Tools(t("more"));
    this.steps = html("div", { class: "steps" });
    this.aside = html("section", { class: "aside card", hidden: true });
    this.tour = html("div");
    this.said = html("div", { class: "said" }, this.status, this.bar, this.note);
    const side = html(
      "div",
      { class: "side" },
      this.verdict,
      this.said,
      this.aside,
      this.tools.element,
      this.tour,
      this.analysis.element,
      this.steps,
      this.moves,
    );
    this.table = html(
      "section",
      { class: "table", "data-game": info.name },
      html("h1", { class: "spoken" }, gameTitle(info)),
      this.strips.second,
      this.board.element,
      this.kinds,
      this.strips.first,
      side,
    );
    app.page.append(this.table);
    this.known = this.#standing();
    this.#listen();
  }

  #listen() {
    const { match, info } = this;
    const stopKeys = listen(() => this.keys());
    const unfollow = follow(match.game.id, (game) => game.changed > match.game.changed && match.adopt(game));
    const lead = () => !document.hidden && match.lead();
    document.addEventListener("visibilitychange", lead);
    addEventListener("focus", lead);
    this.close = () => {
      stopKeys();
      unfollow();
      document.removeEventListener("visibilitychange", lead);
      removeEventListener("focus", lead);
      match.close();
      this.tools.close();
      this.analysis.close();
    };
    match.addEventListener("change", () => this.draw());
    match.addEventListener("moved", () => this.keep());
    match.addEventListener("thinking", () => this.drawThinking());
    match.addEventListener("chance", (event) => {
      const { detail } = /** @type {CustomEvent<{ played: PlayedMove, expected: boolean }>} */ (event);
      this.news = outcomeText(info, detail.played);
    });
  }

  /** The screen was left. */
  close = () => {};

  /** For the first game on this device, as soon as there is something to point at. */
  beginTour() {
    const { match, info } = this;
    if (!Object.values(match.game.players).includes(HUMAN)) return;
    const [kinds, points] = [tourText(info, "kinds"), tourText(info, "points")];
    /** @type {[string, Element][]} */
    const steps = [[tourText(info, "how") || t("tour.how"), this.board.element]];
    if (kinds && !this.kinds.hidden) steps.push([kinds, this.kinds]);
    if (points && this.state.points) steps.push([points, this.strips.first]);
    const tools = this.tools.element;
    steps.push([t("tour.help"), tools], [t("tour.analysis"), tools], [t("tour.moves"), this.steps]);
    this.tour.replaceWith(tour(steps));
  }

  get state() {
    return this.match.state;
  }

  draw() {
    const { match, state, info } = this;
    const standing = this.#standing();
    if (!this.shared && standing !== this.known) note(match.game);
    this.known = standing;
    this.say(this.companyText());
    this.analysis.follow();
    this.board.show(state, {
      playable: match.playable || match.explorable,
      label: t("boardOf", { game: gameTitle(info) }),
      marks: this.analysis.marks,
    });
    this.table.classList.toggle("flipped", this.board.flipped);
    if (state.turn === "over") this.reason = said(info, state.reason);
    this.status.textContent = this.statusText();
    find("#announcer").textContent = this.spoken();
    this.news = "";
    for (const player of PLAYERS) this.drawStrip(player);
    this.drawKinds();
    this.drawMoves();
    this.drawAside();
    this.drawSteps();
    this.drawTools();
    this.drawEnd();
    this.drawThinking();
    this.#sound();
  }

  /** How the game stands, as far as it is not in its moves. */
  #standing() {
    const { id, spec, over, winner } = this.match.game;
    return [id, spec, over, winner].join(" ");
  }

  #sound() {
    const { match, state } = this;
    const { length } = match.game.moves;
    const last = state.history.at(-1);
    if (last && match.live && this.heard !== null && length > this.heard) {
      const side = ownSide(match.game);
      const { winner } = match.game;
      if (match.ended && winner) sound(winner === "draw" ? "draw" : side && winner !== side ? "loss" : "win");
      else if (last.mover === null) sound("chance");
      else sound(this.board.captured ? "capture" : "move");
    }
    this.heard = length;
  }

  /** A game that came by a link becomes a game of this device as soon as it is played on. */
  keep() {
    const { match } = this;
    if (match.seat) {
      if (!this.shared) keep(match.game);
      return;
    }
    const address = `#/play/${match.game.id}`;
    if (this.shared || location.hash !== address) history.replaceState(history.state, "", address);
    this.shared = false;
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
    if (match.live && match.game.resigned) return this.endText();
    if (state.turn === "over") return this.endText();
    if (state.turn === "chance") return t("chanceDue");
    const name = playerName(info, state.turn);
    if (match.seat && match.live && !match.playable) return this.friendText(name);
    if (!match.live) return t("stepped", { name, number: match.cursor, count: match.game.moves.length });
    if (match.game.players[state.turn] !== HUMAN) return t("theirTurn", { name });
    return this.twoPeople ? t("turn", { name }) : t("yourTurn", { name });
  }

  /** A friend is due: what is to be said of that. @param {string} name */
  friendText(name) {
    const { seat } = this;
    if (seat?.state?.taken === false) return t("friend.wait");
    return seat?.side ? t("friend.theirs", { name }) : t("turn", { name });
  }

  /** Who watches a game with a friend, and who is away. */
  companyText() {
    const { seat, info } = this;
    if (!seat?.state || !this.match.seat) return "";
    const asked = seat.rematchAsked;
    const away = PLAYERS.filter((player) => seat.state?.taken && player !== seat.side && !seat.isHere(player));
    return [
      asked ? t(asked === "own" ? "friend.asked" : "friend.rematch") : "",
      seat.side ? "" : t("friend.watching"),
      ...away.map((player) => t("friend.away", { name: playerName(info, player) })),
      seat.state.watching > 0 ? t("friend.watchers", { count: seat.state.watching }) : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** Why the game is over. */
  endText() {
    const { match, info, reason } = this;
    const { resigned, winner } = match.game;
    if (resigned && match.winner)
      return t(match.game.late ? "friend.time" : "resigned", {
        loser: playerName(info, resigned),
        winner: playerName(info, match.winner),
      });
    if (winner === "draw") return t("drawn", { reason });
    return winner ? t("won", { winner: playerName(info, winner), reason }) : "";
  }

  /** What changed, for screen readers. */
  spoken() {
    const last = this.state.history.at(-1);
    const label = last?.label ?? last?.move ?? "";
    const move = last && moveWords(this.info, { from: last.from ?? null, to: last.to ?? null, piece: last.piece, label });
    const moved = last?.mover ? t("spoken.move", { name: playerName(this.info, last.mover), move }) + " " : "";
    const ended = this.match.live && this.match.ended && ownSide(this.match.game);
    const verdict = ended ? `${verdictTitle(this.match.game, this.info)} ` : "";
    return moved + verdict + this.statusText();
  }

  /** @param {PlayerWord} player */
  drawStrip(player) {
    const { match, state, info } = this;
    const counters = state.view.counters.filter((counter) => counter.player === player);
    const who = this.twoPeople && !match.game.names ? "" : playedBy(match.game, player);
    refill(this.strips[player], [
      html("span", { class: `mark ${player}`, "aria-hidden": "true" }),
      html("b", {}, playerName(info, player)),
      html("span", { class: "who" }, who),
      html("span", { class: "space" }),
      ...(match.seat?.state?.game.clock ? [html("span", { class: "clock", role: "timer" })] : []),
      ...counters.map((counter) =>
        html("span", { class: "counter" }, html("span", {}, counterName(info, counter)), html("b", {}, counter.value)),
      ),
    ]);
    this.drawClocks();
    this.strips[player].classList.toggle("due", state.turn === player && !match.over);
    this.strips[player].classList.toggle("winner", match.live && match.ended && match.game.winner === player);
  }

  /** The clocks of a game with a friend. */
  drawClocks() {
    for (const player of PLAYERS) {
      const left = this.match.seat?.left(player) ?? null;
      const clock = this.strips[player].querySelector(".clock");
      if (left === null || !(clock instanceof HTMLElement)) continue;
      clock.textContent = clockText(left);
      clock.setAttribute("aria-label", t("friend.left", { time: clockText(left) }));
      clock.classList.toggle("late", left < 15_000);
    }
  }

  drawKinds() {
    drawKinds(this.kinds, this.board, this.info, this.state.turn === "second" ? "second" : "first");
  }

  drawMoves() {
    const { match, state } = this;
    // The state knows the moves up to the one that is looked at; what comes after it was known before.
    const known = state.history.slice(0, match.cursor);
    this.history = [...known, ...this.history.slice(known.length)].slice(0, match.game.moves.length);
    drawMoveList(this.moves, {
      info: this.info,
      moves: match.game.moves,
      history: this.history,
      cursor: match.cursor,
      mistakes: mistakesOf(match.game),
      step: (ply) => match.step(ply),
    });
  }

  /** What is tried out, with the ways out of it. */
  drawAside() {
    const { match, state } = this;
    this.aside.hidden = match.aside.length === 0;
    if (this.aside.hidden) return;
    const tried = state.history.slice(match.cursor).filter(({ mover }) => mover !== null);
    const moves = tried.map(({ label, move }) => label ?? move).join(" ");
    refill(this.aside, [
      html("p", {}, t("variation", { moves })),
      html(
        "div",
        { class: "buttons" },
        html(
          "button",
          { type: "button", class: "primary", "data-key": "back", onclick: () => match.step(match.cursor) },
          t("variation.back"),
        ),
        html("button", { type: "button", "data-key": "play", onclick: () => match.branch() }, t("variation.play")),
      ),
    ]);
  }

  drawSteps() {
    const { match } = this;
    /** @type {(name: "first" | "previous" | "next" | "last", to: () => number, label: string, off: boolean) => HTMLElement} */
    const go = (name, to, label, off) =>
      html(
        "button",
        { type: "button", "data-key": name, "aria-label": label, title: label, disabled: off, onclick: () => match.step(to()) },
        icon(name),
      );
    refill(this.steps, [
      go("first", () => 0, t("step.first"), match.cursor === 0),
      go("previous", () => match.cursor - 1, t("step.back"), match.cursor === 0 && match.aside.length === 0),
      ...(match.watched && !match.ended ? [this.pauseButton(), this.paceChoice()] : []),
      go("next", () => match.cursor + 1, t("step.on"), match.live),
      go("last", () => match.game.moves.length, t("step.last"), match.live),
    ]);
  }

  pauseButton() {
    const { match } = this;
    const label = t(match.paused ? "watch.on" : "watch.pause");
    const action = () => {
      if (!match.live) match.cursor = match.game.moves.length;
      match.rest(!match.paused);
    };
    return html(
      "button",
      { type: "button", "data-key": "pause", "aria-label": label, title: label, onclick: action },
      icon(match.paused ? "play" : "pause"),
    );
  }

  paceChoice() {
    const { match } = this;
    const select = html(
      "select",
      { "aria-label": t("watch.pace"), onchange: () => (match.pace = /** @type {keyof typeof PACES} */ (select.value)) },
      Object.keys(PACES).map((pace) => html("option", { value: pace, selected: pace === match.pace }, t(`watch.pace.${pace}`))),
    );
    return select;
  }

  drawTools() {
    const { match, info } = this;
    const mine = Object.values(match.game.players).includes(HUMAN);
    // In a game with a friend no engine is asked.
    const free = mine && !match.seat;
    /** @type {Tool[]} */
    const tools = [];
    if (free && !match.ended) tools.push({ icon: "hint", text: t("hint"), action: () => this.hint(), off: !match.playable });
    if (free) tools.push({ icon: "back", text: t("takeBack"), action: () => match.takeBack(), off: match.takeable === 0 });
    if (mine && match.seat && !match.ended)
      tools.push({ icon: "flag", text: t("resign"), action: () => this.resign(), kind: "grave" });
    if (match.seat) tools.push(this.rulesTool());
    if (!match.seat || match.ended)
      tools.push({ icon: "analyse", text: t("analyse"), action: () => this.analyse(), pressed: this.analysis.open });
    /** @type {Tool[]} */
    const rest = [
      ...(match.seat ? [] : [this.rulesTool()]),
      { icon: "flip", text: t("flip"), action: () => this.flip() },
      { icon: "share", text: t("share"), action: () => this.share() },
      { icon: "swap", text: t("newGame"), action: () => this.app.go(`#/new/${info.name}`) },
      { icon: "board", text: t("title.edit"), action: () => this.edit() },
      { icon: "keys", text: t("keys"), action: () => this.help() },
    ];
    if (document.fullscreenEnabled) rest.push({ icon: "full", text: t("fullScreen"), action: () => this.present() });
    if (!match.ended && free) rest.push({ icon: "flag", text: t("resign"), action: () => this.resign(), kind: "grave" });
    this.tools.draw(tools, rest);
  }

  /** @returns {Tool} */
  rulesTool() {
    return { icon: "rules", text: t("rules"), action: () => this.app.go(`#/rules/${this.info.name}`) };
  }

  drawEnd() {
    const { match } = this;
    drawVerdict(this.verdict, {
      game: match.game,
      info: this.info,
      reason: match.game.resigned || !this.reason ? this.endText() : sentence(this.reason),
      company: this.companyText(),
      done: Object.keys(match.game.judged).length > match.game.moves.length,
      rematch: () => this.rematch(),
      other: (level) => this.rematch(`level=${level}`),
      review: () => this.analyse(true),
      again: match.live || match.aside.length > 0 || match.state.turn === "over" ? null : () => match.branch(),
    });
    // The card says it.
    this.said.hidden = match.game.over && match.live;
  }

  drawThinking() {
    const { match, bar } = this;
    const thinks = match.thinking !== null;
    bar.classList.toggle("idle", !thinks);
    bar.value = thinks ? (match.progress?.done ?? 0) : 0;
  }

  /** @returns {KeyAction[]} */
  keys() {
    const { match } = this;
    /** @type {KeyAction[]} */
    const all = [
      { key: "ArrowLeft", shown: "←", text: t("step.back"), action: () => match.step(match.cursor - 1) },
      { key: "ArrowRight", shown: "→", text: t("step.on"), action: () => match.step(match.cursor + 1) },
      { key: "Home", text: t("step.first"), action: () => match.step(0) },
      { key: "End", text: t("step.last"), action: () => match.step(match.game.moves.length) },
      { key: "h", text: t("hint"), action: () => match.playable && this.hint() },
      { key: "u", text: t("takeBack"), action: () => match.takeBack() },
      { key: "a", text: t("analyse"), action: () => (!match.seat || match.ended) && this.analyse() },
      { key: "f", text: t("flip"), action: () => this.flip() },
      { key: "s", text: t("share"), action: () => this.share() },
      { key: "m", text: t("rematch"), action: () => match.ended && this.rematch() },
      { key: "?", text: t("keys"), action: () => this.help() },
    ];
    if (match.watched)
      all.push({ key: " ", shown: "␣", text: t("watch.pause"), action: () => !match.ended && match.rest(!match.paused) });
    return all;
  }

  /** Sets a position up, beginning with the one that is looked at. */
  edit() {
    this.app.go(`#/edit/${this.info.name}/${encodeURIComponent(this.state.position)}`);
  }

  help() {
    return keysDialog(this.keys());
  }

  flip() {
    this.board.flip();
    this.table.classList.toggle("flipped", this.board.flipped);
  }

  present() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch((error) => (this.note.textContent = messageOf(error)));
  }

  /** @param {boolean} [whole] Is the whole game to be looked at? */
  analyse(whole = false) {
    if (!whole || !this.analysis.open) this.analysis.toggle();
    this.draw();
    if (whole) this.analysis.lookAtAll();
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
    if (why) this.say(refusalText(this.info, why), true);
    else if (!from && this.state.moves.some((legal) => legal.from)) this.say(t("notMovable", { square }), true);
  }

  /**
   * Says something beside the board, until the next move.
   *
   * @param {string} text
   * @param {boolean} [bad]
   */
  say(text, bad = false) {
    this.note.classList.toggle("bad", bad);
    this.note.textContent = text;
  }

  async hint() {
    const { match } = this;
    const mover = this.state.turn;
    if (mover === "chance" || mover === "over") return;
    // The engine of a browser does one thing at a time.
    this.analysis.close();
    this.say(t("hint.wait"));
    const found = await this.#advice(mover).catch((error) => {
      if (error instanceof Refused) this.say(error.message, true);
      else if (!(error instanceof Stopped)) throw error;
      return null;
    });
    if (!found || !match.playable) return;
    const { move, text } = found;
    this.board.propose(move, placedPiece(this.info, move, mover), this.analysis.marks);
    this.drawKinds();
    this.say(text);
  }

  /**
   * The best move and what is to be said of it.
   *
   * @param {PlayerWord} mover
   * @returns {Promise<{ move: Move, text: string } | null>}
   */
  async #advice(mover) {
    const { match } = this;
    return match.search(async (signal, onProgress) => {
      const position = match.position();
      const known = await solved(match.engine, position, SOLVE_TIME, signal);
      const advice = known?.best ? null : await strongest(match.engine, position, { signal, onProgress });
      const wanted = known?.best ?? advice?.move;
      const move = this.state.moves.find((legal) => legal.move === wanted);
      if (!move) return null;
      const words = moveWords(this.info, move);
      if (known) return { move, text: t(`hint.${known.value}`, { move: words }) };
      const chance = firstChance(advice?.value ?? 0, mover);
      return { move, text: t("hint.text", { move: words, chance: Math.round(100 * (mover === "first" ? chance : 1 - chance)) }) };
    });
  }

  share() {
    return shareDialog(this.app, this.match.game, this.info);
  }

  async resign() {
    if (this.match.ended) return;
    const sure = await dialog(t("resign"), html("p", {}, t("resign.sure")), [
      ["yes", t("resign"), "primary"],
      ["", t("close")],
    ]);
    if (sure === "yes") this.match.resign();
  }

  /** The same again, with the sides swapped; with another opponent the sides stay. @param {string} [opponent] */
  rematch(opponent) {
    if (this.match.seat) {
      this.match.seat.rematch();
      return;
    }
    const { game } = this.match;
    const { first, second } = game.players;
    const side = ownSide(game);
    const swapped = { first: second, second: first };
    const players = opponent ? (side === "first" ? { first, second: opponent } : { first: opponent, second }) : swapped;
    if (opponent && levelOf(opponent) > 0) {
      const all = recall("setup", {});
      remember("setup", { ...all, [this.info.name]: { ...all[this.info.name], opponent } });
    }
    begin(this.app, { spec: game.spec, start: game.start, players });
  }
}
