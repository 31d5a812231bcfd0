// A person in front of the app: a page on a phone or on a desktop, and what people do there. Everything is found and done as
// people find and do it, through what the page shows; nothing asks the app's own code.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";

export const SIZES = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  desktop: { viewport: { width: 1280, height: 900 } },
};

/** The name under which the app keeps everything. */
const STORAGE = "plyground";

/** Milliseconds. Nothing takes as long unless something is wrong; a machine that also does other things may be slow. */
export const PATIENCE = 60_000;

export const options = {
  timeout: PATIENCE,
  executablePath: process.env.PLYGROUND_CHROMIUM ?? "/usr/bin/chromium",
  // Chromium's sandbox does not work for root, as whom tests in containers run.
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
};

export const launch = () => chromium.launch(options);

/**
 * Waits until what `read` gives is what is expected: a value, a pattern of a text, or a condition. What people do has its effect
 * as soon as the page comes to it, so what follows from it is never read only once.
 */
export async function becomes(read, expected) {
  const fits = (value) => {
    if (expected instanceof RegExp) return expected.test(value);
    return typeof expected === "function" ? expected(value) : isDeepStrictEqual(value, expected);
  };
  const end = Date.now() + PATIENCE;
  let value = await read();
  for (; !fits(value) && Date.now() < end; value = await read()) await pause(20);
  if (fits(value)) return;
  if (expected instanceof RegExp || typeof expected === "function")
    assert.fail(`${JSON.stringify(value)} does not fit ${expected}`);
  assert.deepStrictEqual(value, expected);
}

/** Numbers that look random and are the same in every run. */
export function stream(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What is behind the button for more, on the screen of a game. */
const IN_MENU = new Set(["Flip", "Share", "Resign", "Keys"]);

export class Visit {
  #problems = [];

  /**
   * Opens the app, on a device that has seen the tour. `memory` is what the device remembers from before, `hurry` shortens the
   * pauses that the app makes for people, and `context` may be one that is open already.
   */
  static async open(browser, host, { size = "desktop", memory = {}, hurry = false, at = "", context = null, ...more } = {}) {
    const visit = new Visit();
    visit.host = host;
    visit.touch = SIZES[size].hasTouch ?? false;
    visit.context = context ?? (await browser.newContext({ ...SIZES[size], locale: "en-GB", ...more }));
    // For the page, and for those that it opens.
    visit.context.setDefaultTimeout(PATIENCE);
    visit.page = await visit.context.newPage();
    visit.#listen();
    await visit.page.addInitScript(
      ([key, value]) => {
        if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
      },
      // Most tests are about people who know their way around.
      [STORAGE, JSON.stringify(Array.isArray(memory) ? memory : { toured: true, ...memory })],
    );
    if (hurry) {
      await visit.page.addInitScript(() => {
        const real = window.setTimeout;
        window.setTimeout = (action, time = 0, ...rest) => real(action, time / 20, ...rest);
      });
    }
    await visit.go(at);
    return visit;
  }

  #listen() {
    this.page.on("pageerror", (error) => this.#problems.push(error.message));
    this.page.on("console", (message) => {
      // Whether there is a server is found out by asking for this file; the browser reports that there is none.
      const asked = message.location().url?.endsWith("/server.json");
      if (message.type() === "error" && !asked) this.#problems.push(message.text());
    });
  }

  /** Fails if the page reported something unexpected; `expected` are patterns of what may be reported. */
  faultless(...expected) {
    const unexpected = this.#problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    assert.deepEqual(unexpected, []);
  }

  async close(...expected) {
    this.faultless(...expected);
    await this.context.close();
  }

  /** Opens a screen by its address and waits until it is there. */
  async go(at) {
    // Where only the end of the address changes, the screen that was there before stays for a moment.
    await this.page.evaluate(() => document.querySelector("main > div")?.setAttribute("data-left", ""));
    await this.page.goto(this.host.base + at);
    await this.page.locator("[data-left]").waitFor({ state: "detached" });
    await this.ready();
  }

  /** A screen is there, and a game with its position. */
  async ready() {
    const screens = [".games", ".setup", ".table [data-square]", ".rules", ".card", ".history"];
    await this.page.locator(screens.map((screen) => `main ${screen}`).join(", ")).first().waitFor();
  }

  async reload() {
    await this.page.reload();
    await this.ready();
  }

  /** Presses something with a name. */
  async press(name, role = "button") {
    if (role === "button" && IN_MENU.has(name)) await this.hit(this.page.getByRole("button", { name: "More", exact: true }));
    await this.hit(this.page.getByRole(role, { name, exact: true }));
  }

  async hit(locator) {
    if (this.touch) await locator.tap();
    else await locator.click();
  }

  /** Presses a button of the dialog and waits until the dialog is gone: then the page has taken what was said there. */
  async answer(name) {
    const dialog = this.page.locator("dialog");
    await this.hit(dialog.getByRole("button", { name, exact: true }));
    await dialog.waitFor({ state: "detached" });
  }

  text(selector) {
    return this.page.locator(selector).first().innerText();
  }

  /** What is said of the game: whose turn it is, or how it ended and why. */
  status() {
    return this.page.evaluate(() => {
      const verdict = document.querySelector(".verdict:not([hidden])");
      if (!verdict) return document.querySelector(".status")?.innerText ?? "";
      const live = document.querySelector(".said").hidden;
      const end = `${verdict.querySelector("h2").innerText}: ${verdict.querySelector("p").innerText}`;
      return live ? end : document.querySelector(".status").innerText;
    });
  }

  /** Waits until the status says something that fits. */
  until(pattern) {
    return becomes(() => this.status(), pattern);
  }

  /** Chooses the opponent in the setup: a level by the slider, anyone else by the name of the choice. */
  async oppose(opponent) {
    const level = opponent.match(/^level=(\d)$/)?.[1];
    await this.hit(this.page.locator(`input[name=opponent][value="${level ? "engine" : opponent}"]`));
    if (level) await this.page.getByRole("slider", { name: "Level" }).fill(level);
  }

  /** Waits until the page has stayed as it is for a moment: what is looked at for long should not change meanwhile. */
  quiet() {
    return this.page.evaluate(
      () =>
        new Promise((resolve) => {
          const observer = new MutationObserver(() => again());
          let timer = null;
          const end = () => {
            observer.disconnect();
            resolve();
          };
          const again = () => {
            clearTimeout(timer);
            timer = setTimeout(end, 700);
          };
          observer.observe(document.querySelector("main"), {
            subtree: true,
            childList: true,
            attributes: true,
            characterData: true,
          });
          again();
        }),
    );
  }

  async shot(name, size) {
    const folder = process.env.PLYGROUND_SHOTS;
    if (!folder) return;
    await mkdir(folder, { recursive: true });
    await this.page.evaluate(() => scrollTo(0, 0));
    await this.page.screenshot({ path: join(folder, `${name}-${size}.png`), fullPage: true });
  }

  /** From the first screen to a game, as people do it. */
  async start(game, { opponent = "level=1", side = "first", board = "" } = {}) {
    await this.go("");
    await this.hit(this.page.locator(`.game a[href="#/new/${game}"]`));
    await this.page.locator(".setup").waitFor();
    await this.oppose(opponent);
    // A person who watches has no side.
    if (opponent !== "watch") await this.hit(this.page.locator(`input[name=side][value=${side}]`));
    if (board) {
      await this.hit(this.page.locator(".setup summary"));
      await this.page.locator("#own-board").fill(board);
    }
    await this.hit(this.page.locator(".setup button.primary"));
    await this.page.locator(".table .board [data-square]").first().waitFor();
  }

  /** Where a square is on the screen. Nothing else may lie over it, but for a piece on its way. */
  async place(square) {
    const found = await this.page.waitForFunction((square) => {
      const ground = document.querySelector(`main .board [data-square="${square}"] .ground`);
      if (!ground) return null;
      const box = () => ground.getBoundingClientRect();
      const bar = document.getElementById("bar").getBoundingClientRect().bottom;
      if (box().top < bar || box().bottom > innerHeight) ground.scrollIntoView({ block: "center" });
      const [x, y] = [box().left + box().width / 2, box().top + box().height / 2];
      return document.elementFromPoint(x, y)?.closest("[data-square]")?.dataset.square === square ? { x, y } : null;
    }, square);
    return found.jsonValue();
  }

  async tap(square) {
    const { x, y } = await this.place(square);
    if (this.touch) await this.page.touchscreen.tap(x, y);
    else await this.page.mouse.click(x, y);
  }

  /** What the board shows: pieces that can be taken up, squares that can be chosen, and captures among them. */
  board() {
    return this.page.evaluate(() => {
      const squares = (selector) =>
        [...document.querySelectorAll(`.table .board ${selector}`)].map((cell) => cell.dataset.square);
      return {
        sources: squares(".cell.source"),
        targets: squares(".cell.open"),
        captures: squares(".cell:has(.target.ring)"),
        last: squares(".cell:has(.last)"),
        pieces: squares(".cell:has(.piece)"),
        over: document.querySelector(".verdict:not([hidden])") !== null,
        moves: document.querySelectorAll(".moves [data-ply]").length,
      };
    });
  }

  /** Waits until a person here can move or the game is over, and gives what the board shows. */
  async turn() {
    await this.page.waitForFunction(() =>
      document.querySelector(".table .board :is(.cell.source, .cell.open), .verdict:not([hidden])"),
    );
    return this.board();
  }

  /** Makes some legal move by taps. */
  async move(random, shown = null) {
    const before = shown ?? (await this.turn());
    const pick = (list) => list[random(list.length)];
    let { targets, captures } = before;
    if (before.sources.length > 0) {
      await this.tap(pick(before.sources));
      await this.page.waitForFunction(() => document.querySelector(".table .board .cell.open"));
      ({ targets, captures } = await this.board());
    }
    await this.play(pick(captures.length > 0 ? captures : targets));
  }

  /** Ends one move after the other by a tap on a square, each as soon as the one before is made. */
  async play(...squares) {
    for (const square of squares) {
      const { moves } = await this.board();
      await this.tap(square);
      await this.page.waitForFunction((count) => document.querySelectorAll(".moves [data-ply]").length > count, moves);
    }
  }

  /** Makes moves by taps until the game is over. */
  async finish(random) {
    for (let shown = await this.turn(); !shown.over; shown = await this.turn()) await this.move(random, shown);
  }

  /** The record of the game as the share dialog gives it. */
  async record() {
    await this.press("Share");
    const text = await this.page.getByLabel("Record", { exact: true }).inputValue();
    await this.answer("Close");
    return JSON.parse(text);
  }
}
