// What the engine thinks of a position, and how a game went.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOSTS } from "../lib/hosts.mjs";
import { Visit, becomes, launch, stream } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

for (const [way, open] of Object.entries(HOSTS)) {
  describe(way, () => {
    let host;
    before(async () => (host = await open()));
    after(() => host.close());

    test("chances, best line, candidates and visits of a position", async () => {
      const visit = await Visit.open(browser, host, { at: "#/g/crosphere/wd4.we5" });
      await visit.press("Analyse");
      await visit.page.locator(".candidates tbody tr").first().waitFor();
      assert.match(await visit.page.locator(".chance").getAttribute("aria-label"), /^Green \d+ %, Pink \d+ %$/);
      // The line grows with the time that the engine has, and so does the part of the board that it has looked at.
      await becomes(() => visit.text(".line"), /Best line:\s+[a-h][1-8](\s+[a-h][1-8])+/);
      await becomes(() => visit.page.locator(".board .hint").count(), 3);
      await becomes(
        () => visit.page.locator(".board .heat").count(),
        (count) => count > 0 && count <= 5,
      );
      assert.match(await visit.text(".candidates tbody tr"), /^\s*[a-h][1-8]\s+\d+ %\s+\d+ %$/);
      await visit.press("Analyse");
      await visit.page.locator(".analysis").waitFor({ state: "hidden" });
      await visit.page.waitForFunction(() => document.querySelectorAll(".board .heat, .board .hint").length === 0);
      await visit.close();
    });

    test("what the solver knows is said", async () => {
      const visit = await Visit.open(browser, host, { at: "#/g/mnk/a1.b1.a2.b2" });
      await visit.press("Analyse");
      await visit.page.locator(".line").filter({ hasText: /Solved: Crosses wins, moves left: 1\. Best line: \s*a3/ }).waitFor();
      assert.equal(await visit.page.locator(".chance").getAttribute("aria-label"), "Crosses 100 %, Noughts 0 %");
      await visit.go("#/g/mnk/b2");
      await visit.press("Analyse");
      await visit.page.locator(".line").filter({ hasText: "Solved: a draw with best play." }).waitFor();
      await visit.close();
    });

    test("the analysis follows the game and does not hold it up", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("connect-four");
      await visit.press("Analyse");
      await visit.page.locator(".candidates tbody tr").first().waitFor();
      // From now on nobody waits for it.
      for (let count = 2; count <= 6; count += 2) {
        await visit.move(stream(count));
        await visit.page.waitForFunction(
          (count) =>
            document.querySelectorAll(".moves [data-ply]").length >= count || document.querySelector(".verdict:not([hidden])"),
          count,
        );
      }
      await visit.press("Review the whole game");
      await visit.page.locator(".graph polyline").waitFor();
      await visit.close();
    });
  });
}

describe("a whole game", () => {
  let host;
  before(async () => (host = await HOSTS.WebSocket()));
  after(() => host.close());

  test("mistakes are named, marked and led to, and can be tried again", async () => {
    // Noughts leave a row open again and again, and Crosses do not complete it.
    const visit = await Visit.open(browser, host, { at: "#/g/mnk/a1.c3.a2.c2.b2.c1" });
    const { page } = visit;
    await visit.press("Review the game");
    await page.locator(".analysis .buttons button:enabled").waitFor();
    const mistakes = () => page.locator(".mistakes li .quiet span").allInnerTexts();
    await becomes(mistakes, [
      "Noughts: c3 gave away a draw; b2 keeps it.",
      "Crosses: a2 gave away the win and lost the game; c1 keeps the win.",
      "Noughts: c2 gave away the win and lost the game; a3 keeps the win.",
      "Crosses: b2 gave away the win and lost the game; a3 keeps the win.",
    ]);
    const marked = await page.locator(".moves .mistake").evaluateAll((moves) => moves.map((move) => move.textContent));
    assert.deepEqual(marked, ["c3??", "a2??", "c2??", "b2??"]);
    assert.equal(await page.locator(".graph .turn").count(), 4);
    // The list leads to the position, and so does the graph.
    await visit.hit(page.locator(".mistakes li").last().locator(".quiet"));
    await page.waitForFunction(() => document.querySelectorAll(".board .cell .piece").length === 5);
    const box = await page.locator(".graph svg").boundingBox();
    await page.mouse.click(box.x + 3, box.y + box.height / 2);
    await page.waitForFunction(() => document.querySelectorAll(".board .cell .piece").length === 0);
    // Another try is a game of its own.
    await visit.hit(page.locator(".mistakes li").last().getByRole("button", { name: "Try again from here" }));
    await visit.until(/^Crosses to move/);
    await visit.play("a3");
    await visit.until(/^Crosses won: 3 in a row\.$/);
    await visit.close();
  });

  test("luck has its share in TUC-Chess", async () => {
    const visit = await Visit.open(browser, host, { hurry: true });
    await visit.start("tuc-chess", { board: "tuc-chess:limit=8" });
    await visit.finish(stream(5));
    await visit.press("Analyse");
    await visit.press("Review the whole game");
    await visit.page
      .locator(".graph")
      .filter({ hasText: /Luck made \d+ % of all changes\. All in all it (was even|favoured \w+ by \d+ in a hundred)\./ })
      .waitFor();
    await visit.page.locator(".analysis .buttons button:enabled").waitFor();
    await visit.close();
  });
});
