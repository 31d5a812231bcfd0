// What people trust the page with: that it shows what happens, says what is so, and loses nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverHost } from "../lib/hosts.mjs";
import { Visit, becomes, launch, stream } from "../lib/visit.mjs";

let browser;
let host;
before(async () => {
  browser = await launch();
  host = await serverHost();
});
after(async () => {
  await browser.close();
  await host.close();
});

/** Is what moves drawn after every square, and so above them? */
const isAbove = (page, selector) =>
  page.evaluate((selector) => {
    const moving = document.querySelector(selector);
    const cells = [...document.querySelectorAll(".table .board .cell")];
    return moving !== null && cells.every((cell) => cell.compareDocumentPosition(moving) === Node.DOCUMENT_POSITION_FOLLOWING);
  }, selector);

test("a piece that is dragged or slides is above all squares, whichever way it goes", async () => {
  const visit = await Visit.open(browser, host, { at: "#/g/breakthrough/-" });
  const { page } = visit;
  for (const [from, to, due] of [
    ["d2", "d3", /Black to move/],
    ["e7", "e6", /White to move/],
  ]) {
    const [start, goal] = [await visit.place(from), await visit.place(to)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(goal.x, goal.y, { steps: 5 });
    await becomes(() => isAbove(page, ".board .above .man"), true);
    await page.mouse.up();
    await visit.until(due);
  }
  // A slide is over in a moment: it is looked at when it begins.
  await page.evaluate(() => {
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...all) {
      const cells = [...document.querySelectorAll(".table .board .cell")];
      window.slid = cells.every((cell) => cell.compareDocumentPosition(this) === Node.DOCUMENT_POSITION_FOLLOWING);
      return animate.apply(this, all);
    };
  });
  await visit.tap("a2");
  await visit.tap("a3");
  await visit.until(/Black to move/);
  assert.equal(await page.evaluate(() => window.slid), true);
  await visit.close();
});

test("a hint draws the stone itself and takes it in hand, so that a tap on it makes this move", async () => {
  // Green has a strong stone and needs it: a weak one on d3 would link both.
  const at = "#/g/crosphere:size=5x5,strong=3/-/5%2F2o2%2F2P2%2F2o2%2F2o2%20g%203%202";
  const visit = await Visit.open(browser, host, { at });
  const { page } = visit;
  await visit.press("Hint");
  await becomes(() => visit.text(".note"), /^Best move: (green strong|weak) stone on [a-e][1-5]\. /);
  const kind = await page.locator(".board .proposed .man").getAttribute("data-kind");
  const [, words, square] = (await visit.text(".note")).match(/: (.+) on (\w\d)\./);
  assert.equal(words, kind === "weak" ? "weak stone" : "green strong stone");
  assert.ok(await page.getByRole("radio", { name: words }).isChecked());
  await visit.play(square);
  assert.equal(await page.locator(`[data-square="${square}"] .piece`).getAttribute("data-kind"), kind);
  await visit.close();
});

test("a finished game shows what won it, cannot be resigned, and keeps its card while one steps", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  await visit.start("mnk", { opponent: "human" });
  await visit.play("a1", "b1", "a2", "b2", "a3");
  await visit.until(/^Crosses won: 3 in a row\.$/);
  const won = await page.locator(".cell.won").evaluateAll((cells) => cells.map((cell) => cell.dataset.square));
  assert.deepEqual(won.sort(), ["a1", "a2", "a3"]);
  await visit.press("One move back");
  await visit.until(/^After 4 of 5 moves/);
  await visit.press("More");
  assert.equal(await page.getByRole("button", { name: "Resign" }).count(), 0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Rematch" }).waitFor();
  await visit.press("To the last move");
  await visit.until(/^Crosses won: 3 in a row\.$/);
  await visit.close();
});

test("who beats a level is offered the next, and keeps the side", async () => {
  const won = { spec: "mnk", moves: ["a1", "b1", "a2", "b2"], players: { first: "human", second: "level=3" } };
  const visit = await Visit.open(browser, host, { at: "#/play", memory: { game: won } });
  await visit.play("a3");
  await visit.until(/^You won!: 3 in a row\.$/);
  await visit.press("Try level 4");
  await visit.until(/your turn/);
  assert.match(await visit.text(".strip.second .who"), /^4 · /);
  await visit.close();
});

test("however long the server is away, the game goes on when it is back", async (t) => {
  let away = await serverHost();
  t.after(() => away.close());
  const visit = await Visit.open(browser, away, { hurry: true });
  await visit.start("mnk");
  let tried = 0;
  visit.page.on("websocket", () => (tried += 1));
  await away.close();
  await visit.tap("b2");
  await visit.page.locator("#lost").filter({ hasText: "nothing is lost" }).waitFor();
  // More often than it was tried before it was given up.
  await becomes(async () => tried > 25, true);
  away = await serverHost(away.port);
  await becomes(async () => (await visit.board()).moves, 2);
  await visit.until(/your turn/);
  await visit.page.locator("#lost").waitFor({ state: "hidden" });
  visit.faultless(/WebSocket connection|ERR_CONNECTION_/);
  await visit.context.close();
});

test("what is said stays with its screen, and screens are seen from where they were left", async () => {
  const more = { size: "phone", permissions: ["clipboard-read", "clipboard-write"] };
  const visit = await Visit.open(browser, host, { ...more, at: "#/rules/clobber" });
  const { page } = visit;
  const down = () => page.evaluate(() => Math.round(scrollY));
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await becomes(down, (top) => top > 100);
  await visit.hit(page.getByRole("button", { name: "Play from here" }).first());
  await visit.ready();
  await becomes(down, 0);
  await visit.press("Share");
  await visit.answer("Copy link");
  await page.locator(".toast").waitFor();
  await visit.press("Plyground", "link");
  await page.locator(".games").waitFor();
  assert.equal(await page.locator(".toast").count(), 0);
  await page.evaluate(() => scrollTo(0, 300));
  await becomes(down, 300);
  await visit.hit(page.locator('.tile[href="#/new/pawn"]'));
  await page.locator(".setup").waitFor();
  await becomes(down, 0);
  await page.goBack();
  await page.locator(".games").waitFor();
  await becomes(down, (top) => Math.abs(top - 300) < 5);
  await visit.close();
});

test("a game to watch can rest, and goes on", async () => {
  const visit = await Visit.open(browser, host, { hurry: true });
  await visit.start("connect-four", { opponent: "watch" });
  const moves = async () => (await visit.board()).moves;
  await becomes(moves, (count) => count >= 1);
  await visit.press("Pause");
  await visit.page.getByRole("button", { name: "Go on" }).waitFor();
  const rested = await moves();
  await visit.quiet();
  assert.equal(await moves(), rested);
  await visit.press("Go on");
  await becomes(moves, (count) => count > rested);
  await visit.close();
});

test("lessons answer mistakes, and say a refusal as one", async () => {
  const visit = await Visit.open(browser, host, { at: "#/rules/crosphere" });
  const { page } = visit;
  const lesson = (number) => page.locator(".lesson").nth(number);
  const said = (number) => lesson(number).locator(".result");
  await lesson(0).locator('[data-square="d1"]').click();
  await said(0).filter({ hasText: "another one wins at once" }).waitFor();
  assert.match(await said(0).getAttribute("class"), /bad/);
  await lesson(0).getByRole("button", { name: "Again" }).click();
  await lesson(0).locator('[data-square="b4"]').click();
  await said(0).filter({ hasText: "Well done! Green has linked" }).waitFor();
  assert.match(await said(0).getAttribute("class"), /good/);
  await lesson(2).locator('[data-square="b3"]').click();
  await said(2).filter({ hasText: "would complete both players' chains" }).waitFor();
  assert.match(await said(2).getAttribute("class"), /bad/);
  await page.locator(".goal .cell.won").first().waitFor();
  await visit.go("#/rules/clobber");
  assert.equal(await page.getByText("`").count(), 0, "backticks are for machines");
  await visit.close();
});

test("links, positions and files are opened, with who played", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  const open = async (text, game = "") => {
    await visit.go("");
    await visit.press("Open a game or a position");
    await page.getByLabel("Record", { exact: true }).fill(text);
    if (game) await page.getByLabel("The game of a position").selectOption(game);
    await visit.press("Import");
  };
  await open(`${host.base}#/g/clobber:size=4x4/a1a2.b1c1/-/Ann~level%3D3`);
  await becomes(async () => (await visit.board()).moves, 2);
  assert.deepEqual(await page.locator(".strip .who").allInnerTexts(), ["level=3", "Ann"]);
  await open("xo1/3/xxo x");
  await becomes(async () => (await visit.board()).pieces.sort(), ["a1", "a3", "b1", "b3", "c1"]);
  await open("xx1/1oo/3 x 3", "mnk");
  await becomes(async () => (await visit.board()).pieces.length, 4);
  // A record names its players, and a file of several games fills the list.
  await visit.go("#/g/mnk/b2.a1");
  const record = { ...(await visit.record()), players: [{ name: "Ann" }, { name: "Ben" }] };
  await visit.go("");
  await visit.press("Open a game or a position");
  const buffer = Buffer.from(`${JSON.stringify(record)}\n${JSON.stringify(record)}\n`);
  await page.getByLabel("Or a file").setInputFiles({ name: "games.jsonl", mimeType: "text/plain", buffer });
  await becomes(() => page.getByLabel("Record", { exact: true }).inputValue(), /Ann/);
  await visit.press("Import");
  await becomes(async () => (await visit.board()).moves, 2);
  assert.deepEqual(await page.locator(".strip .who").allInnerTexts(), ["Ben", "Ann"]);
  await visit.close();
});

test("a shared game that is over is seen from its beginning", async () => {
  const visit = await Visit.open(browser, host, { at: "#/g/mnk/a1.b1.a2.b2.a3/-/Ann~Ben" });
  await visit.until(/^After 0 of 5 moves/);
  assert.deepEqual(await visit.page.locator(".strip .who").allInnerTexts(), ["Ben", "Ann"]);
  await visit.close();
});

test("keys step and do what the buttons do, and ? lists them", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  await visit.start("mnk", { opponent: "human" });
  await visit.play("b2", "a1", "c3");
  const pieces = async () => (await visit.board()).pieces.length;
  await page.keyboard.press("ArrowLeft");
  await becomes(pieces, 2);
  await page.keyboard.press("Home");
  await becomes(pieces, 0);
  await page.keyboard.press("ArrowRight");
  await becomes(pieces, 1);
  await page.keyboard.press("End");
  await becomes(pieces, 3);
  await page.keyboard.press("u");
  await becomes(pieces, 2);
  await page.keyboard.press("a");
  await page.locator(".analysis").waitFor();
  await page.keyboard.press("?");
  await page.locator("dialog kbd").filter({ hasText: "←" }).waitFor();
  await visit.answer("Close");
  await visit.close();
});

test("every screen has a heading and a title of its own", async () => {
  const visit = await Visit.open(browser, host);
  const titles = [];
  for (const at of ["", "#/new/pawn", "#/rules/pawn", "#/g/pawn/a1a2", "#/history", "#/lab"]) {
    await visit.go(at);
    assert.equal(await visit.page.getByRole("heading", { level: 1 }).count(), 1, at);
    titles.push(await visit.page.title());
  }
  assert.equal(new Set(titles).size, titles.length, titles.join(", "));
  await visit.close();
});

test("nothing is wider than the narrowest phone", async () => {
  const visit = await Visit.open(browser, host, { size: "phone", viewport: { width: 320, height: 568 } });
  for (const at of ["", "#/new/mnk", "#/rules/tuc-chess", "#/g/crosphere/wd4.we5", "#/g/mnk:size=15x15,k=5/h8", "#/history"]) {
    await visit.go(at);
    assert.ok(await visit.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), at);
  }
  await visit.close();
});

test("a tap leaves no button looking as if it were chosen", async () => {
  const visit = await Visit.open(browser, host, { size: "phone", at: "#/g/mnk/b2.a1" });
  const { page } = visit;
  const edge = (name) => page.getByRole("button", { name }).evaluate((button) => getComputedStyle(button).borderColor);
  const before = await edge("One move back");
  await visit.press("One move back");
  await becomes(async () => (await visit.board()).pieces.length, 1);
  assert.equal(await edge("One move back"), before);
  await visit.close();
});

test("no game is lost: all are listed, opened again, counted, saved as a file and read again", async () => {
  const visit = await Visit.open(browser, host, { hurry: true, acceptDownloads: true });
  const { page } = visit;
  await visit.start("clobber", { opponent: "human" });
  await visit.tap("a1");
  await visit.play("a2");
  const first = await visit.board();
  await visit.start("mnk", { opponent: "level=1" });
  await visit.finish(stream(11));
  await visit.press("My games", "link");
  const rows = page.locator(".rows li");
  await becomes(() => rows.count(), 2);
  await page.locator(".levels-of tbody tr").filter({ hasText: "1 · first day" }).waitFor();
  const waiting = page.waitForEvent("download");
  await visit.press("Save all as a file");
  const file = await (await waiting).path();
  await visit.hit(rows.filter({ hasText: "Tic-Tac-Toe" }).getByRole("link"));
  await page.locator(".verdict:not([hidden])").waitFor();
  await page.goBack();
  await visit.hit(rows.filter({ hasText: "Clobber" }).getByRole("link"));
  await visit.ready();
  await becomes(async () => (await visit.board()).pieces, first.pieces);
  // Who only looked at it has not played it again.
  await page.goBack();
  await becomes(() => rows.first().innerText(), /Tic-Tac-Toe/);
  // On a device that has nothing.
  const other = await Visit.open(browser, host, { at: "#/history" });
  await other.press("Open a file");
  await other.page.getByLabel("Or a file").setInputFiles(file);
  await becomes(() => other.page.getByLabel("Record", { exact: true }).inputValue(), /clobber/);
  await other.press("Import");
  await other.page.locator(".table [data-square]").first().waitFor();
  await other.go("#/history");
  await becomes(() => other.page.locator(".rows li").count(), 2);
  await other.hit(other.page.getByRole("button", { name: "Delete" }).first());
  await other.answer("Delete");
  await becomes(() => other.page.locator(".rows li").count(), 1);
  await other.close();
  await visit.close();
});

test("wins against a level lead to the next", async () => {
  const visit = await Visit.open(browser, host);
  for (let count = 0; count < 2; count++) {
    await visit.page.evaluate(() => {
      const players = { first: "human", second: "level=3" };
      const all = JSON.parse(localStorage.getItem("plyground"));
      const game = { spec: "mnk", moves: ["a1", "b1", "a2", "b2"], players };
      localStorage.setItem("plyground", JSON.stringify({ ...all, game }));
    });
    await visit.go("#/play");
    await visit.play("a3");
    await visit.until(/^You won!/);
    await visit.go("");
  }
  await visit.go("#/history");
  await visit.page.getByText("Level 3 beaten, games won: 2. Try level 4!").waitFor();
  await visit.close();
});

test("two tabs show the same game as it is, and two games do not get into each other's way", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("mnk", { opponent: "human" });
  await visit.play("b2");
  const at = new URL(visit.page.url()).hash;
  const twin = await Visit.open(browser, host, { context: visit.context, at });
  assert.deepEqual((await twin.board()).pieces, ["b2"]);
  await twin.play("a1");
  await becomes(async () => (await visit.board()).pieces.sort(), ["a1", "b2"]);
  await visit.play("c3");
  await becomes(async () => (await twin.board()).pieces.sort(), ["a1", "b2", "c3"]);
  // Another game in one tab leaves the other tab with its own.
  await twin.start("clobber", { opponent: "human" });
  await visit.reload();
  assert.deepEqual((await visit.board()).pieces.sort(), ["a1", "b2", "c3"]);
  twin.faultless();
  await visit.close();
});
