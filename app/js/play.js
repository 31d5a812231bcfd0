// The game screen: board, players, moves, and what the engine thinks.

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { dialog, toast } from "./dialog.js";
import { ANALYST, HUMAN, Match, firstChance } from "./match.js";
import { recall, remember } from "./memory.js";
import { link } from "./share.js";
import { sound } from "./sound.js";
import { agentName, gameTitle, outcomeText, pieceName, playerName, reasonText, t } from "./strings.js";
import { html } from "./svg.js";
import { tour } from "./tour.js";

const HINT_TIME = 800;

export async function playScreen(app, _, shared = null) {
  const kept = shared ?? recall("game");
  if (!kept) {
    app.go("#/");
    return null;
  }
  const players = kept.players ?? { first: HUMAN, second: HUMAN };
  const match = new Match(app.engine, { ...kept, players });
  const info = app.game(kept.spec.split(":")[0]);
  if (!info) throw new Error(t("unknownGame", { name: kept.spec }));
  const screen = new PlayScreen(app, match, info, shared !== null);
  await match.refresh();
  if (players.second === HUMAN && players.first !== HUMAN) screen.board.flip();
  if (!shared) screen.beginTour();
  return () => {
    match.stop();
    screen.analysis.close();
  };
}

class PlayScreen {
  constructor(app, match, info, shared) {
    Object.assign(this, { app, match, info, shared });
    this.board = new Board({
      onMove: (move) => match.play(move),
      onRefused: (square, from) => this.explain(square, from),
      describe: (square, piece) => (piece ? `${square}, ${pieceName(piece)}` : `${square}, ${t("empty")}`),
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
    const side = html("div", { class: "side" }, this.tour, this.status, this.bar, this.kinds, this.buttons, this.analysis.element, this.steps, this.moves);
    app.page.append(html("section", { class: "table", "data-game": info.name }, near, side));
    match.addEventListener("change", () => this.draw());
    match.addEventListener("thinking", () => this.drawThinking());
    match.addEventListener("chance", ({ detail }) => this.say(outcomeText(detail.outcome)));
  }

  /** For the first game on this device, as soon as there is something to point at. */
  beginTour() {
    const { match, info } = this;
    if (!Object.values(match.game.players).includes(HUMAN)) return;
    const steps = [[t(`tour.how.${info.name}`) || t("tour.how"), this.board.element]];
    if (!this.kinds.hidden) steps.push([t("tour.kinds"), this.kinds]);
    if (this.state.points) steps.push([t("tour.points"), this.strips.first]);
    steps.push([t("tour.help"), this.buttons], [t("tour.analysis"), this.buttons], [t("tour.moves"), this.steps]);
    this.tour.replaceWith(tour(steps));
  }

  say(text) {
    toast(text);
  }

  get state() {
    return this.match.state;
  }

  draw() {
    const { match, state, info } = this;
    if (!this.shared) remember("game", match.over ? null : match.game);
    this.analysis.follow();
    this.board.show(state, { playable: match.playable, label: t("boardOf", { game: gameTitle(info) }), marks: this.analysis.marks });
    this.near.classList.toggle("flipped", this.board.flipped);
    this.status.textContent = this.statusText();
    document.getElementById("announcer").textContent = this.spoken();
    for (const player of ["first", "second"]) this.drawStrip(player);
    this.drawKinds();
    this.drawMoves();
    this.drawButtons();
    this.drawThinking();
    const last = state.history.at(-1);
    if (last && this.announced !== match.game.moves.length) sound(match.over ? "end" : "move");
    this.announced = match.game.moves.length;
  }

  statusText() {
    const { match, state, info } = this;
    if (match.game.resigned && match.live) return t("resigned", { loser: playerName(info, match.game.resigned), winner: playerName(info, match.winner) });
    if (state.turn === "over") {
      const reason = reasonText(state.reason);
      if (state.winner === "draw") return t("drawn", { reason });
      return t("won", { winner: playerName(info, state.winner), reason });
    }
    if (state.turn === "chance") return t("chanceDue");
    const name = playerName(info, state.turn);
    return match.game.players[state.turn] === HUMAN ? t("yourTurn", { name }) : t("theirTurn", { name });
  }

  /** What changed, for those who listen. */
  spoken() {
    const last = this.state.history.at(-1);
    const moved = last?.mover ? t("spoken.move", { name: playerName(this.info, last.mover), move: last.move }) + " " : "";
    return moved + this.statusText();
  }

  drawStrip(player) {
    const { match, state, info } = this;
    const counters = state.view.counters.filter((counter) => counter.player === player);
    const who = match.game.players[player];
    this.strips[player].replaceChildren(
      html("span", { class: `mark ${player}`, "aria-hidden": "true" }),
      html("b", {}, playerName(info, player)),
      html("span", { class: "who" }, who === HUMAN ? t("human") : agentName(who)),
      html("span", { class: "space" }),
      ...counters.map((counter) => html("span", { class: "counter" }, html("span", {}, t(`counter.${counter.label}`) || counter.label), html("b", {}, counter.value))),
    );
    this.strips[player].classList.toggle("due", state.turn === player && !match.over);
  }

  drawKinds() {
    const kinds = this.board.kinds();
    this.kinds.hidden = kinds.length < 2;
    if (kinds.length < 2) return;
    const chosen = this.board.chosenKind();
    this.kinds.replaceChildren(
      ...kinds.map((kind) =>
        html(
          "button",
          {
            type: "button",
            role: "radio",
            "aria-checked": String(kind === chosen),
            class: kind === chosen ? "chosen" : "",
            onclick: () => {
              this.board.choose(kind);
              this.drawKinds();
            },
          },
          pieceName({ name: kind }),
        ),
      ),
    );
  }

  drawMoves() {
    const { match, state } = this;
    const written = [];
    match.game.moves.forEach((move, index) => {
      const played = state.history[index];
      const current = index + 1 === match.cursor;
      written.push(
        html(
          "li",
          { class: [played && played.mover === null ? "luck" : "", current ? "current" : ""].join(" ") },
          html("button", { type: "button", class: "quiet", "aria-current": current ? "step" : null, onclick: () => match.step(index + 1) }, move),
        ),
      );
    });
    this.moves.replaceChildren(...written);
    const current = this.moves.querySelector(".current");
    if (current) this.moves.scrollTop = current.offsetTop - this.moves.clientHeight / 2;
    const go = (to, text, label, off) => html("button", { type: "button", "aria-label": label, disabled: off, onclick: () => match.step(to) }, text);
    const count = match.game.moves.length;
    this.steps.replaceChildren(
      go(0, "«", t("step.first"), match.cursor === 0),
      go(match.cursor - 1, "‹", t("step.back"), match.cursor === 0),
      go(match.cursor + 1, "›", t("step.on"), match.live),
      go(count, "»", t("step.last"), match.live),
    );
  }

  drawButtons() {
    const { match } = this;
    const tool = (text, action, { off = false, kind = "", pressed = null } = {}) =>
      html("button", { type: "button", class: kind, disabled: off, "aria-pressed": pressed, onclick: action }, text);
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
      tool(t("analyse"), () => {
        this.analysis.toggle();
        this.draw();
      }, { pressed: String(this.analysis.open) }),
      tool(t("flip"), () => {
        this.board.flip();
        this.near.classList.toggle("flipped", this.board.flipped);
      }),
      tool(t("share"), () => this.share()),
    );
    if (!match.over && mine) tools.push(tool(t("resign"), () => this.resign()));
    this.buttons.replaceChildren(...tools);
  }

  drawThinking() {
    const { match, bar } = this;
    const thinks = match.thinking !== null;
    bar.classList.toggle("idle", !thinks);
    bar.value = thinks ? (match.progress?.done ?? 0) : 0;
  }

  /** Somebody tapped where nothing can be played: say why, if it can be found out. */
  async explain(square, from) {
    const move = this.board.meant(square, from);
    const why = move && (await this.match.whyNot(move));
    if (why) this.say(reasonText(why));
  }

  async hint() {
    const { match } = this;
    const mover = this.state.turn;
    const advice = await match.think(ANALYST, { time: HINT_TIME, watch: true });
    if (!advice || !match.playable) return;
    const best = this.state.moves.find((move) => move.move === advice.move);
    this.board.mark({ arrows: [{ from: best.from, to: best.to, weight: 0.9 }] });
    const visits = advice.candidates[0]?.visits ?? 0;
    const share = advice.simulations > 0 ? visits / advice.simulations : 1;
    const chance = firstChance(advice.value ?? 0, mover);
    const own = mover === "first" ? chance : 1 - chance;
    this.say(t("hint.text", { move: best.label, chance: Math.round(100 * own), share: Math.round(100 * share), games: advice.simulations }));
  }

  async share() {
    const address = link(this.match.game);
    const field = html("input", { type: "text", readonly: true, value: address, "aria-label": t("link") });
    const formats = html("select", { "aria-label": t("format") }, ["jsonl", ...(this.info.name === "crosphere" ? ["thesis"] : [])].map((format) => html("option", {}, format)));
    const record = html("textarea", { rows: 4, "aria-label": t("record") });
    const write = async () => {
      const players = ["first", "second"].map((player) => this.match.game.players[player]);
      try {
        record.value = await this.app.engine.ask("export", { ...this.match.position(), moves: this.match.game.moves, format: formats.value, players });
      } catch (error) {
        record.value = error.message;
      }
    };
    formats.addEventListener("change", write);
    await write();
    const content = html("div", { class: "fields" }, html("label", { class: "field" }, t("link"), field), html("label", { class: "field" }, t("record"), formats, record));
    const pressed = await dialog(t("share"), content, [["copy", t("copyLink"), "primary"], ["import", t("import")], ["", t("close")]]);
    if (pressed === "copy") {
      await navigator.clipboard?.writeText(address);
      this.say(t("copied"));
    } else if (pressed === "import") {
      await this.importRecord();
    }
  }

  async importRecord() {
    const field = html("textarea", { rows: 8, "aria-label": t("record") });
    if ((await dialog(t("import"), field, [["ok", t("import"), "primary"], ["", t("close")]])) !== "ok") return;
    const [game] = await this.app.engine.ask("import", { text: field.value });
    remember("game", { spec: game.game, start: game.start, moves: game.moves, players: { first: HUMAN, second: HUMAN }, resigned: null, chances: {} });
    this.app.go("#/play");
  }

  async resign() {
    if ((await dialog(t("resign"), html("p", {}, t("resign.sure")), [["yes", t("resign"), "primary"], ["", t("close")]])) === "yes") this.match.resign();
  }

  /** The same again, with the sides swapped. */
  rematch() {
    const { spec, start, players } = this.match.game;
    const swapped = { first: players.second, second: players.first };
    remember("game", { spec, start, moves: [], players: swapped, resigned: null, chances: {} });
    this.app.go("#/play");
  }
}

