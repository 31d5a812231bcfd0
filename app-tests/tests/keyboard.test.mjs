// Everything without a mouse and without a finger, and what those hear who do not see the board.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverHost } from "../lib/hosts.mjs";
import { Visit, becomes, launch } from "../lib/visit.mjs";

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

/** Goes on with Tab until something that fits the selector has the focus. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 80; presses++) {
    if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the focus does not come to ${selector}`);
}

const focused = (page) => page.evaluate(() => document.activeElement.dataset.square ?? null);

/** Goes from the square with the focus to another. */
async function walk(page, to) {
  for (let steps = 0; steps < 30; steps++) {
    const at = await focused(page);
    assert.ok(at, "the focus is on the board");
    if (at === to) return;
    const [files, ranks] = [to.charCodeAt(0) - at.charCodeAt(0), Number(to.slice(1)) - Number(at.slice(1))];
    await page.keyboard.press(files > 0 ? "ArrowRight" : files < 0 ? "ArrowLeft" : ranks > 0 ? "ArrowUp" : "ArrowDown");
  }
  assert.fail(`the arrows do not lead to ${to}`);
}

test("a whole game by keys alone", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  await tabTo(page, '.game .tile[href="#/new/mnk"]');
  await page.keyboard.press("Enter");
  await page.locator(".setup").waitFor();
  await tabTo(page, "#level");
  await page.keyboard.press("Home");
  await tabTo(page, ".setup button.primary");
  await page.keyboard.press("Enter");
  await page.locator(".table .board [data-square]").first().waitFor();
  await tabTo(page, ".board [data-square]");
  for (let shown = await visit.turn(); !shown.over; shown = await visit.turn()) {
    await walk(page, shown.targets[0]);
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".moves [data-ply]").length > count, shown.moves);
  }
  assert.match(await visit.status(), /won|lost|draw/);
  assert.ok(await focused(page), "the focus has stayed on the board");
  await visit.close();
});

test("Enter takes a piece up and puts it down, Escape lets go of it", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  await visit.start("clobber", { opponent: "human" });
  await tabTo(page, ".board [data-square]");
  await walk(page, "a1");
  const targets = async () => (await visit.board()).targets.sort();
  await page.keyboard.press("Enter");
  await becomes(targets, ["a2", "b1"]);
  await page.keyboard.press("Escape");
  await becomes(targets, []);
  await page.keyboard.press(" ");
  await walk(page, "b1");
  await page.keyboard.press(" ");
  await visit.until(/White to move/);
  assert.equal(await focused(page), "b1");
  await visit.close();
});

test("the focus stays on what was pressed", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  const label = () =>
    page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
  await visit.start("crosphere", { opponent: "human" });
  await visit.play("d4", "e5");
  await page.getByRole("button", { name: "One move back" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".board .piece").length === 1);
  await becomes(label, "One move back");
  await page.getByRole("button", { name: "To the last move" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".board .piece").length === 2);
  // A button that can be pressed, beside the one that cannot.
  await becomes(label, "To the start");
  await page.getByRole("button", { name: "Analyse" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".analysis").waitFor();
  assert.equal(await label(), "Analyse");
  await page.getByRole("radio", { name: "weak stone" }).focus();
  await page.keyboard.press("ArrowUp");
  await becomes(() => page.getByRole("radio", { name: "green strong stone" }).isChecked(), true);
  await becomes(() => page.evaluate(() => document.activeElement.value), "green strong");
  await visit.close();
});

test("dialogs open and close by keys and give the focus back", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  await visit.start("mnk");
  const more = page.getByRole("button", { name: "More" });
  await more.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Resign" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "More");
  assert.match(await visit.status(), /your turn/);
  await visit.close();
});

test("moves, turns and ends are read aloud, and squares say what is on them", async () => {
  const visit = await Visit.open(browser, host);
  const { page } = visit;
  await visit.start("mnk", { opponent: "human" });
  const heard = (text) => page.locator("#announcer[aria-live=polite]").filter({ hasText: text }).waitFor({ state: "attached" });
  await heard("Crosses to move.");
  await visit.tap("b2");
  await heard("Crosses: b2. Noughts to move.");
  assert.equal(await page.locator("[data-square=b2]").getAttribute("aria-label"), "b2, cross");
  assert.equal(await page.locator("[data-square=a1]").getAttribute("aria-label"), "a1, empty, possible");
  await visit.play("a1", "a2", "a3", "c2");
  await heard("Crosses: c2. Crosses won: 3 in a row.");
  await visit.close();
});
