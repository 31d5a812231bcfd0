// The screen of a game with a friend: the screen of any game, with a seat at a table of the server behind it.

import { Seat } from "./friend.js";
import { gameTitle, t } from "./i18n/index.js";
import { invitation } from "./invite.js";
import { Match, begun } from "./match.js";
import { PlayScreen } from "./play.js";
import { isLocal, reachable } from "./share.js";
import { keep, load } from "./store.js";
import { html } from "./svg.js";

/** @import { App, Game } from "./types.js" */

/** How often clocks are drawn, in milliseconds. */
const TICK = 200;

/**
 * @param {App} app
 * @param {string[]} parts
 */
export async function friendScreen(app, [table]) {
  const seat = new Seat(table ?? "");
  const there = await new Promise((resolve) => {
    seat.addEventListener("state", () => resolve(true), { once: true });
    seat.addEventListener("gone", () => resolve(false), { once: true });
  });
  if (!there) {
    app.page.append(
      html("section", { class: "card" }, html("h1", {}, t("friend.none")), html("a", { class: "button", href: "#/" }, t("home"))),
    );
    return null;
  }
  const screen = await new Table(app, seat).begin();
  return () => screen.close();
}

class Table {
  /**
   * @param {App} app
   * @param {Seat} seat
   */
  constructor(app, seat) {
    this.app = app;
    this.seat = seat;
    this.invitation = html("div");
    this.clocks = 0;
  }

  async begin() {
    const { app, seat } = this;
    const game = await this.game();
    const match = new Match(app.engine, game);
    match.seat = seat;
    const info = app.game(game.spec.split(":")[0]);
    if (!info) throw new Error(t("unknownGame", { name: game.spec }));
    document.title = `${gameTitle(info)} · ${t("title.friend")} · Plyground`;
    this.screen = new PlayScreen(app, match, info, seat.side === null, seat);
    this.match = match;
    this.screen.board.flipped = this.flipped;
    await match.refresh();
    seat.addEventListener("state", () => this.follow());
    seat.addEventListener("refused", () => this.follow());
    seat.addEventListener("lost", () => this.screen?.say(t("connectionLost"), true));
    seat.addEventListener("found", () => this.screen?.say(""));
    this.clocks = window.setInterval(() => this.screen?.drawClocks(), TICK);
    await this.follow();
    return this;
  }

  close() {
    clearInterval(this.clocks);
    this.seat.close();
    this.screen?.close();
  }

  /** Does the person here look from the other side? */
  get flipped() {
    const info = this.app.game(this.seat.state?.game.spec.split(":")[0] ?? "");
    return info?.presentation.turned_for_second === true && this.seat.side === "second";
  }

  /** The game, with what this device has found out about it. @returns {Promise<Game>} */
  async game() {
    const told = this.seat.game([t("human"), t("friend.name")]);
    const before = await load(told.id);
    return { ...begun(told), ...told, judged: before?.judged ?? {}, begun: before?.begun ?? Date.now() };
  }

  /** The server has told how the game stands. */
  async follow() {
    const { match, screen, seat } = this;
    if (!match || !screen || match.seat !== seat) return;
    this.invite();
    const next = await this.game();
    const again = next.id !== match.game.id;
    if (again) screen.board.flipped = this.flipped;
    const same = next.moves.join(" ") === match.game.moves.join(" ") && next.resigned === match.game.resigned;
    if (again || !same) {
      await match.adopt(next);
      if (seat.side) await keep(match.game);
    } else screen.draw();
  }

  /** Asks the friend to come, as long as there is none. */
  async invite() {
    const { seat, screen, invitation: card } = this;
    const wanted = seat.state?.taken === false;
    if (!wanted) card.remove();
    else if (!card.isConnected) {
      screen?.said.before(card);
      const link = `${reachable(this.app.engine)}#/friend/${seat.table}`;
      card.replaceChildren(await invitation(this.app.engine, link, isLocal() && !this.app.engine.reach));
    }
  }
}
