// Other moves than those that were played: tried out beside a game, and in positions of one's own.

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

const shown = (visit, selector) => visit.page.locator(selector).allInnerTexts();
const count = (visit) => visit.page.locator(".moves [data-ply]").count();

test("where one has stepped back, other moves can be tried, left again, and played on with", async () => {
  const visit = await Visit.open(browser, host, { size: "phone", at: "#/g/pawn/a1a2.d4d3.b1b2" });
  await visit.press("One move back");
  await visit.until(/After 2 of 3 moves/);
  for (const square of ["c1", "c2"]) await visit.tap(square);
  await becomes(() => shown(visit, ".aside p"), ["Variation: c1c2"]);
  for (const square of ["a4", "a3"]) await visit.tap(square);
  await becomes(() => shown(visit, ".aside p"), ["Variation: c1c2 a4a3"]);
  assert.equal(await count(visit), 3);
  // A step back leaves the last of them, and a step on the way all of them.
  await visit.press("One move back");
  await becomes(() => shown(visit, ".aside p"), ["Variation: c1c2"]);
  await visit.press("Back to the game");
  await visit.page.locator(".aside").waitFor({ state: "hidden" });
  await visit.until(/After 2 of 3 moves/);
  // The move that was played is no other move.
  for (const square of ["b1", "b2"]) await visit.tap(square);
  await visit.until(/to move\.$/);
  assert.equal(await visit.page.locator(".aside:visible").count(), 0);
  await visit.press("To the start");
  await visit.until(/After 0 of 3 moves/);
  for (const square of ["d1", "d2"]) await visit.tap(square);
  await becomes(() => shown(visit, ".aside p"), ["Variation: d1d2"]);
  await visit.press("Play on with it");
  await becomes(() => count(visit), 1);
  for (const square of ["a4", "a3"]) await visit.tap(square);
  await becomes(() => count(visit), 2);
  await visit.close();
});

test("a position is set up on the board or as text, and played when the engine accepts it", async () => {
  const visit = await Visit.open(browser, host, { at: "#/edit/mnk" });
  const { page } = visit;
  const field = page.getByLabel("Position as text");
  const play = page.getByRole("button", { name: "Play from here", exact: true });
  await becomes(() => field.inputValue(), "3/3/3 x 3");
  await visit.hit(page.locator(".choice", { hasText: "cross" }));
  await visit.tap("a1");
  await becomes(() => field.inputValue(), "3/3/x2 x 3");
  // A cross alone, and cross to move: that cannot be.
  await becomes(() => play.isDisabled(), true);
  assert.notEqual(await visit.text(".problem"), "");
  await visit.hit(page.locator(".choice", { hasText: "nought" }));
  await visit.tap("b2");
  await becomes(() => field.inputValue(), "3/1o1/x2 x 3");
  await becomes(() => play.isDisabled(), false);
  // What stands there goes by the same tap.
  await visit.tap("b2");
  await becomes(() => field.inputValue(), "3/3/x2 x 3");
  await field.fill("2o/1o1/x1x x 3");
  await becomes(() => play.isDisabled(), false);
  await visit.hit(play);
  await visit.until(/Crosses to move/);
  await visit.tap("b1");
  await visit.until(/Crosses won/);
  await visit.close();
});
