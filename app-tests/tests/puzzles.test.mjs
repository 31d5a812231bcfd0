// Puzzles: solved and failed, the one of the day, and all of it on both ways to the engine.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOSTS } from "../lib/hosts.mjs";
import { Visit, becomes, launch } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A game whose moves are written as the two squares that one taps. */
const GAME = "pawn";

/** The puzzles of a game, as their file has them. */
const puzzlesOf = (visit, game) =>
  visit.page.evaluate(async (name) => {
    const text = await (await fetch(`puzzles/${name}.jsonl`)).text();
    return text
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line));
  }, game);

/** The rows of the board as positions write them, from what is drawn. */
const drawn = (visit) =>
  visit.page.evaluate(() =>
    [...document.querySelectorAll(".board [role=row]")]
      .map((row) =>
        [...row.querySelectorAll("[data-square]")]
          .map((cell) => (cell.querySelector(".piece.first") ? "P" : cell.querySelector(".piece.second") ? "p" : "1"))
          .join("")
          .replace(/1+/g, (empty) => String(empty.length)),
      )
      .join("/"),
  );

const result = (visit) => visit.text(".puzzle .result");

/** Makes the moves of a line that are the person's, each when the board is theirs again. */
async function solve(visit, { line }) {
  for (let index = 0; index < line.length; index += 2) {
    const [from, to] = [line[index].slice(0, 2), line[index].slice(2)];
    await visit.page.locator(`.board .cell.source[data-square="${from}"]`).waitFor();
    await visit.tap(from);
    await visit.page.locator(`.board .cell.open[data-square="${to}"]`).waitFor();
    await visit.tap(to);
  }
}

/** Makes some move that is not the one that is wanted. */
async function fail(visit, { line }) {
  for (const from of (await visit.board()).sources) {
    await visit.tap(from);
    await visit.page.locator(".board .cell.selected").waitFor();
    const to = (await visit.board()).targets.find((target) => from + target !== line[0]);
    if (to) return visit.tap(to);
    await visit.tap(from);
  }
  throw new Error("there is no other move");
}

for (const [name, begin] of Object.entries(HOSTS)) {
  describe(name, () => {
    let host;
    before(async () => (host = await begin()));
    after(() => host.close());

    test("a mistake is told and costs rating, the right moves solve it, and the next one comes", async () => {
      const visit = await Visit.open(browser, host, { size: "phone", hurry: true, at: `#/puzzles/${GAME}/1` });
      const [puzzle] = await puzzlesOf(visit, GAME);
      assert.equal(puzzle.start.split(" ")[0], await drawn(visit));
      await fail(visit, puzzle);
      await becomes(() => result(visit), puzzle.keeps === "win" ? "That gives the win away." : "That loses the draw.");
      assert.match(await visit.text(".puzzle .side .faint"), /^Rating: \d+ \(−\d+\)$/);
      await visit.press("Again");
      await solve(visit, puzzle);
      await becomes(() => result(visit), "Solved!");
      await visit.press("Next puzzle");
      await becomes(() => visit.text("h1"), (title) => /^Puzzle \d+ of \d+$/.test(title) && !title.startsWith("Puzzle 1 "));
      await visit.go("#/puzzles");
      assert.equal(await visit.page.locator(".trophies div", { hasText: "Solved" }).locator("dd").innerText(), "1");
      await visit.reload();
      await visit.page.locator(`.tile[href="#/puzzles/${GAME}"]`, { hasText: /solved: 1 of 500/ }).waitFor();
      await visit.close();
    });

    test("a solution that is shown is played to its end", async () => {
      const visit = await Visit.open(browser, host, { hurry: true, at: `#/puzzles/${GAME}/500` });
      await visit.press("Show the solution");
      await visit.page.getByRole("button", { name: "Next puzzle", exact: true }).waitFor();
      assert.equal(await result(visit), "This is the solution.");
      await visit.press("Play from here");
      await visit.page.locator(".table .strip").first().waitFor();
      await visit.close();
    });
  });
}

test("the puzzle of the day is the same everywhere, and days in a row are counted", async (t) => {
  const host = await HOSTS.wasm();
  t.after(() => host.close());
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "Asia/Tokyo" });
  const visit = await Visit.open(browser, host, { context, hurry: true });
  // A day on which it is the turn of this game.
  const games = await visit.page.evaluate(async () => Object.keys(await (await fetch("puzzles/index.json")).json()).sort());
  const first = 20_000 - (20_000 % games.length) + games.indexOf(GAME);
  const noon = (day) => new Date(day * 24 * 60 * 60 * 1000 + 3 * 60 * 60 * 1000);
  await visit.page.clock.setFixedTime(noon(first));
  await visit.go("#/puzzles/daily");
  await visit.page.locator(".puzzle .board [data-square]").first().waitFor();
  const shown = await drawn(visit);
  const puzzle = (await puzzlesOf(visit, GAME)).find(({ start }) => start.startsWith(`${shown} `));
  const other = await Visit.open(browser, host);
  await other.page.clock.setFixedTime(noon(first));
  await other.go("#/puzzles/daily");
  assert.equal(await drawn(other), shown);
  await other.page.clock.setFixedTime(noon(first + games.length));
  await other.reload();
  assert.notEqual(await drawn(other), shown);
  await other.close();
  await solve(visit, puzzle);
  await becomes(() => result(visit), "Solved!");
  await visit.go("");
  assert.match(await visit.text(".daily"), /Today’s puzzle is solved\..*\n?Days in a row: 1/s);
  // The row is kept for a day, and broken after two.
  await visit.page.clock.setFixedTime(noon(first + 1));
  await visit.reload();
  assert.match(await visit.text(".daily"), /The same for everyone.*\n?Days in a row: 1/s);
  await visit.page.clock.setFixedTime(noon(first + 2));
  await visit.reload();
  assert.doesNotMatch(await visit.text(".daily"), /Days in a row/);
  await visit.close();
});
