// The rules at the board: what is refused and why, draws, and the positions of the rules screen.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOSTS } from "../lib/hosts.mjs";
import { Visit, becomes, launch } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

for (const [way, open] of Object.entries(HOSTS)) {
  describe(way, () => {
    let host;
    before(async () => (host = await open()));
    after(() => host.close());

    test("a draw of Crosphere, played by taps", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("crosphere", { opponent: "human", board: "crosphere:size=2x2,strong=1" });
      await visit.hit(visit.page.getByRole("radio", { name: "green strong stone" }));
      await visit.tap("a2");
      await visit.until(/Pink to move/);
      await visit.hit(visit.page.getByRole("radio", { name: "pink strong stone" }));
      await visit.tap("a1");
      await visit.until(/Green to move/);
      await visit.tap("b2");
      await visit.until(
        /^A draw: Pink cannot move: no strong stones left, and every weak stone would complete both players' chains\.$/,
      );
      await visit.close();
    });

    test("a prohibited stone of Crosphere is refused with its reason", async () => {
      const visit = await Visit.open(browser, host, {
        size: "phone",
        at: "#/g/crosphere:size=4x4,strong=0/-/1o2%2Fo1oo%2F1o2%2F1o2%20g%200%200",
      });
      assert.ok(!(await visit.board()).targets.includes("b3"));
      await visit.tap("b3");
      await visit.page
        .locator(".note")
        .filter({ hasText: "A weak stone on b3 would complete both players' chains at once." })
        .waitFor();
      assert.equal((await visit.board()).moves, 0);
      await visit.close();
    });
  });
}

describe("at the board", () => {
  let host;
  before(async () => (host = await HOSTS.WebSocket()));
  after(() => host.close());

  test("what cannot be played is refused with its reason", async () => {
    for (const [at, taps, words] of [
      ["clobber/-", ["a1", "d1"], "a1 and d1 are not side by side or one above the other."],
      ["mnk/b2", ["b2"], "b2 is occupied."],
      ["pawn/-", ["a1", "a3"], "A pawn steps one square; two only in the variant double."],
      ["pawn/-", ["a4"], "Nothing on a4 can move now."],
      ["tuc-chess/-", ["a2", "a5"], "A pawn moves one square ahead."],
      ["connect-four/a.a.a.a.a.a", ["a3"], "File a is full."],
    ]) {
      const visit = await Visit.open(browser, host, { at: `#/g/${at}` });
      for (const square of taps) await visit.tap(square);
      await visit.page.locator(".note").filter({ hasText: words }).waitFor();
      await visit.close();
    }
  });

  test("a disc falls wherever its file is touched", async () => {
    const visit = await Visit.open(browser, host, { size: "phone", at: "#/g/connect-four/-" });
    await visit.tap("c6");
    await visit.until(/Red to move/);
    assert.deepEqual((await visit.board()).pieces, ["c1"]);
    await visit.close();
  });

  test("the positions of the rules can be tried, and played on", async () => {
    const visit = await Visit.open(browser, host, { at: "#/rules/crosphere" });
    const { page } = visit;
    const lesson = (number) => page.locator(".lesson").nth(number);
    const square = (number, name) => lesson(number).locator(`[data-square="${name}"]`);
    await square(0, "b4").click();
    await lesson(0).locator(".result").filter({ hasText: "Green has linked the top and the bottom edge" }).waitFor();
    await lesson(0).getByRole("button", { name: "Again" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".lesson")[0].querySelectorAll(".piece").length === 3);
    await square(2, "b3").click();
    await lesson(2)
      .locator(".result")
      .filter({ hasText: "A weak stone on b3 would complete both players' chains at once." })
      .waitFor();
    await lesson(1).getByRole("button", { name: "Play from here" }).click();
    await becomes(async () => (await visit.board()).pieces.sort(), ["a3", "b3", "c3"]);
    await visit.tap("d3");
    await visit.until(/^Pink won/);
    await visit.close();
  });
});
