// What a game screen can do besides moves by taps: drag, take back, hint, resign, rematch, step, flip, sound, motion, the stones
// of Crosphere, the chance of TUC-Chess, two people, and agents to watch.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { HOSTS, serverHost } from "../lib/hosts.mjs";
import { SIZES, Visit, becomes, launch, stream } from "../lib/visit.mjs";

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

for (const [way, open] of Object.entries(HOSTS)) {
  describe(way, () => {
    let host;
    before(async () => (host = await open()));
    after(() => host.close());

    test("a move is taken back together with the answer", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("connect-four");
      const back = visit.page.getByRole("button", { name: "Take back" });
      assert.ok(await back.isDisabled(), "there is nothing to take back yet");
      await visit.move(stream(1));
      await visit.until(/your turn/);
      assert.equal((await visit.board()).moves, 2);
      await visit.hit(back);
      await visit.page.waitForFunction(() => document.querySelectorAll(".moves [data-ply]").length === 0);
      await visit.until(/your turn/);
      assert.deepEqual((await visit.board()).pieces, []);
      await visit.close();
    });

    test("a hint names a move and its chance in words, and marks it", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("clobber");
      await visit.press("Hint");
      await becomes(
        () => visit.text(".note"),
        /^Best move: [a-e]\d to [a-e]\d\. (It (wins about \d+ % of the time|is sure to win)\.|The game is lost .+)$/,
      );
      assert.equal(await visit.page.locator(".board .hint").count(), 1);
      await visit.close();
    });

    test("who moves while a hint is being looked for is answered all the same", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("mnk");
      await visit.press("Hint");
      await visit.tap("b2");
      await visit.page.waitForFunction(() => document.querySelectorAll(".moves [data-ply]").length === 2);
      await visit.until(/your turn/);
      await visit.close();
    });

    test("who closes the analysis while the opponent thinks is answered all the same", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("crosphere", { opponent: "level=4" });
      await visit.press("Analyse");
      await visit.tap("d4");
      await visit.press("Analyse");
      await visit.page.waitForFunction(() => document.querySelectorAll(".moves [data-ply]").length === 2);
      await visit.close();
    });

    test("agents play for those who watch", async () => {
      const visit = await Visit.open(browser, host);
      await visit.start("mnk", { opponent: "watch" });
      await visit.page.locator(".verdict:not([hidden])").waitFor();
      assert.match(await visit.status(), /draw|won/);
      assert.equal(await visit.page.getByRole("button", { name: "Hint" }).count(), 0);
      await visit.close();
    });
  });
}

describe("behind a slow connection", () => {
  /** Everything that the engine says comes late, and even later whether there is one. */
  async function slowly() {
    const context = await browser.newContext({ ...SIZES.desktop, locale: "en-GB" });
    await context.route("**/server.json", async (route) => {
      await pause(2000);
      await route.continue();
    });
    await context.routeWebSocket(/\/engine$/, (page) => {
      const server = page.connectToServer();
      server.onMessage((message) => setTimeout(() => page.send(message), 300));
    });
    return Visit.open(browser, host, { context });
  }

  test("the server is waited for, and whoever taps twice moves once", async () => {
    const visit = await slowly();
    assert.match(await visit.text(".badge"), /this server/);
    await visit.start("mnk", { opponent: "human" });
    const { x, y } = await visit.place("b2");
    await visit.page.mouse.dblclick(x, y);
    await visit.until(/Noughts to move/);
    assert.equal((await visit.board()).moves, 1);
    await visit.play("a1");
    await visit.close();
  });

  test("a button that is held while the opponent moves does what it says", async () => {
    const visit = await slowly();
    await visit.start("mnk");
    await visit.tap("b2");
    await visit.page.getByRole("button", { name: "Analyse" }).hover();
    await visit.page.mouse.down();
    await visit.page.waitForFunction(() => document.querySelectorAll(".moves [data-ply]").length === 2);
    await visit.page.mouse.up();
    await visit.page.locator(".analysis").waitFor();
    await visit.close();
  });
});

test("a piece is dragged with the mouse", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("pawn", { opponent: "human" });
  const [from, to] = [await visit.place("a1"), await visit.place("a2")];
  await visit.page.mouse.move(from.x, from.y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(to.x, to.y, { steps: 5 });
  // Legal targets are shown while dragging.
  await becomes(async () => (await visit.board()).targets, ["a2"]);
  await visit.page.mouse.up();
  await visit.until(/Black to move/);
  assert.deepEqual((await visit.board()).last.sort(), ["a1", "a2"]);
  await visit.close();
});

test("a piece is dragged with a finger, and dropped outside it stays", async () => {
  const visit = await Visit.open(browser, host, { size: "phone" });
  await visit.start("pawn", { opponent: "human" });
  const devtools = await visit.context.newCDPSession(visit.page);
  const targets = async () => (await visit.board()).targets;
  const drag = async (from, to) => {
    const touch = (type, points) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [from]);
    for (let step = 1; step <= 8; step++) {
      await touch("touchMove", [{ x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 }]);
    }
    await becomes(targets, ["b2"]);
    await touch("touchEnd", []);
    await becomes(targets, []);
  };
  const from = await visit.place("b1");
  await drag(from, { x: from.x, y: from.y + 150 });
  const [start, goal] = [await visit.place("b1"), await visit.place("b2")];
  await drag(start, goal);
  await visit.until(/Black to move/);
  assert.equal((await visit.board()).moves, 1, "only one of the two drags was a move");
  await visit.close();
});

test("the last move is marked by its corners, and squares have names", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("clobber", { opponent: "human" });
  await visit.tap("a1");
  await becomes(async () => (await visit.board()).targets.sort(), ["a2", "b1"]);
  await visit.tap("a2");
  await visit.until(/White to move/);
  assert.deepEqual((await visit.board()).last.sort(), ["a1", "a2"]);
  const labels = await visit.page.locator(".board .label").allTextContents();
  assert.deepEqual(labels.sort(), ["1", "2", "3", "4", "5", "6", "a", "b", "c", "d", "e"]);
  await visit.close();
});

test("two people play on one device", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("mnk", { opponent: "human" });
  await visit.play("a1", "b1", "a2", "b2", "a3");
  await visit.until(/^Crosses won: 3 in a row\.$/);
  await visit.close();
});

test("who resigns loses, may take it back, and gets a rematch with sides swapped", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("mnk");
  await visit.move(stream(2));
  await visit.until(/your turn/);
  await visit.press("Resign");
  await visit.answer("Resign");
  await visit.until(/^You lost: Crosses resigned: Noughts won\.$/);
  await visit.press("Rematch");
  await visit.until(/^Noughts to move: it is your turn\.$/);
  assert.equal((await visit.board()).moves, 1, "the opponent has begun");
  await visit.close();
});

test("moves are stepped through, and what is tapped on the way leaves the game as it is", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("mnk", { opponent: "human" });
  await visit.play("b2", "a1", "c3");
  await visit.press("One move back");
  await visit.page.waitForFunction(() => document.querySelectorAll(".board .piece").length === 2);
  await visit.tap("c1");
  await visit.page.locator(".aside").waitFor();
  assert.equal((await visit.board()).moves, 3);
  await visit.press("To the start");
  await visit.page.waitForFunction(() => document.querySelectorAll(".board .piece").length === 0);
  await visit.hit(visit.page.locator(".moves button").nth(1));
  await visit.page.waitForFunction(() => document.querySelectorAll(".board .piece").length === 2);
  await visit.press("To the last move");
  await visit.page.waitForFunction(() => document.querySelectorAll(".board .cell.open").length === 6);
  await visit.close();
});

test("a flipped board turns around, and stays playable", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("pawn", { opponent: "human" });
  const before = await visit.place("a1");
  await visit.press("Flip");
  await becomes(
    () => visit.place("a1"),
    (after) => after.x > before.x && after.y < before.y,
  );
  await visit.tap("a1");
  await visit.tap("a2");
  await visit.until(/Black to move/);
  await visit.close();
});

test("whoever plays the second side of a marching game sees it from there", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("pawn", { side: "second" });
  await visit.until(/your turn/);
  const [near, far] = [await visit.place("a4"), await visit.place("a1")];
  assert.ok(near.y > far.y);
  const names = await visit.page
    .locator(".strip b:first-of-type")
    .evaluateAll((names) =>
      names.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((name) => name.textContent),
    );
  assert.deepEqual(names, ["White", "Black"]);
  await visit.close();
});

test("a new screen is seen from its top, however far down the one before it was looked at", async () => {
  const visit = await Visit.open(browser, host, { size: "phone", viewport: { width: 844, height: 390 }, at: "#/new/clobber" });
  const down = () => visit.page.evaluate(() => scrollY);
  await visit.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await becomes(down, (top) => top > 0);
  await visit.hit(visit.page.locator(".setup button.primary"));
  await visit.ready();
  await becomes(down, 0);
  await visit.close();
});

test("Crosphere: strong or weak is chosen, and both reserves are shown", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("crosphere", { opponent: "human" });
  const reserves = () => visit.page.locator(".strip .counter b").allTextContents();
  assert.deepEqual(await reserves(), ["5", "5"]);
  const piece = (square) => visit.page.locator(`[data-square="${square}"] .piece`).getAttribute("data-kind");
  await visit.tap("d4");
  await visit.until(/Pink to move/);
  assert.equal(await piece("d4"), "weak");
  await visit.hit(visit.page.getByRole("radio", { name: "pink strong stone" }));
  await visit.tap("e4");
  await visit.until(/Green to move/);
  assert.equal(await piece("e4"), "pink strong");
  assert.deepEqual((await reserves()).sort(), ["4", "5"]);
  await visit.close();
});

test("TUC-Chess: chance is shown before play goes on, and what it showed is not taken back", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("tuc-chess", { board: "tuc-chess:appear=1,worth=0" });
  assert.deepEqual(await visit.page.locator(".strip .counter b").allTextContents(), ["0", "0"]);
  // What is said stays only for a moment, so everything is written down, with what the board shows at the same time.
  await visit.page.evaluate(() => {
    const status = document.querySelector(".status");
    const squares = (kind) =>
      [...document.querySelectorAll(`.board .cell:has([data-kind=${kind}])`)].map((cell) => cell.dataset.square);
    window.told = [];
    const tell = () =>
      window.told.push({
        said: status.textContent,
        bonuses: squares("bonus"),
        moves: document.querySelectorAll(".moves [data-ply]").length,
      });
    new MutationObserver(tell).observe(status, { childList: true });
  });
  const told = () => visit.page.evaluate(() => window.told);
  await visit.tap("c2");
  await visit.tap("c3");
  await becomes(async () => (await told()).at(-1)?.said, /your turn/);
  const [decides, appears] = await told();
  assert.deepEqual([decides.said, decides.moves], ["Chance decides…", 1]);
  const [, square] = appears.said.match(/^A bonus appears on ([a-e][1-7])\./);
  assert.ok(appears.bonuses.includes(square) && appears.moves === 2, "the bonus is there before the opponent moves");
  assert.ok(await visit.page.getByRole("button", { name: "Take back" }).isDisabled());
  await visit.close();
});

test("TUC-Chess: where chance has no choice, a move can be taken back", async () => {
  const visit = await Visit.open(browser, host);
  await visit.start("tuc-chess", { board: "tuc-chess:appear=0" });
  await visit.tap("c2");
  await visit.play("c3");
  await visit.until(/your turn/);
  await visit.press("Take back");
  await visit.page.waitForFunction(() => document.querySelectorAll(".moves [data-ply]").length === 0);
  await visit.close();
});

test("motion is shown to those who want it, and to nobody else", async () => {
  for (const [reducedMotion, moved] of [
    ["no-preference", true],
    ["reduce", false],
  ]) {
    const visit = await Visit.open(browser, host, { reducedMotion });
    await visit.page.evaluate(() => {
      const animate = Element.prototype.animate;
      window.animations = 0;
      Element.prototype.animate = function (...all) {
        window.animations += 1;
        return animate.apply(this, all);
      };
    });
    await visit.page.evaluate(() => (location.hash = "#/g/clobber/a1b1"));
    await visit.page.locator(".table .board").waitFor();
    await visit.tap("e6");
    await visit.tap("d6");
    await visit.until(/Black to move/);
    assert.equal((await visit.page.evaluate(() => window.animations)) > 0, moved);
    await visit.close();
  }
});

test("a move is heard once the page was touched, until sounds are switched off", async () => {
  const visit = await Visit.open(browser, host);
  await visit.page.evaluate(() => {
    const Real = window.AudioContext;
    window.sounds = 0;
    window.AudioContext = class extends Real {
      createOscillator() {
        window.sounds += 1;
        return super.createOscillator();
      }
    };
  });
  const sounds = () => visit.page.evaluate(() => window.sounds);
  await visit.page.evaluate(() => (location.hash = "#/g/mnk/-"));
  await visit.until(/Crosses to move/);
  await visit.tap("a1");
  await visit.until(/Noughts to move/);
  await becomes(sounds, 1);
  await visit.press("Settings");
  await visit.page.getByLabel("Sounds").uncheck();
  await visit.answer("OK");
  await visit.tap("a2");
  await visit.until(/Crosses to move/);
  assert.equal(await sounds(), 1);
  await visit.close();
});

test("a level that is picked takes the place of an agent that was written before, and stays when the board changes", async () => {
  const visit = await Visit.open(browser, host, { at: "#/new/mnk" });
  await visit.hit(visit.page.locator(".setup summary"));
  await visit.page.getByLabel("Any agent").fill("random");
  await visit.oppose("level=1");
  await becomes(() => visit.page.getByLabel("Any agent").inputValue(), "");
  const before = await visit.page.locator("input[value=engine]").elementHandle();
  await visit.hit(visit.page.locator("input[value='mnk:size=4x4,k=4']"));
  // The opponents for another board are drawn anew.
  await visit.page.waitForFunction((before) => !before.isConnected, before);
  await visit.press("Start");
  await visit.page.locator(".strip .who").filter({ hasText: "1 · first day" }).waitFor();
  await visit.close();
});

test("opponents of the published work are offered by their names, and one that was played is offered again", async () => {
  const visit = await Visit.open(browser, host, { at: "#/new/mnk" });
  const { page } = visit;
  const named = page.locator("#from-work");
  assert.ok(await named.isHidden(), "who plays a level sees no other names");
  const choice = page.locator("label.choice").filter({ hasText: "the course report on Tic-Tac-Toe, 2024" });
  await visit.hit(choice);
  await named.waitFor();
  await named.selectOption("report-minimax");
  await visit.press("Start");
  await page.locator(".strip .who").filter({ hasText: "report-minimax" }).waitFor();
  await visit.go("#/new/mnk");
  await becomes(() => named.inputValue(), "report-minimax");
  assert.ok(await choice.locator("input").isChecked());
  // A game that no work is about has none.
  await visit.go("#/new/connect-four");
  await page.locator("input[value=engine]").waitFor();
  assert.equal(await page.locator("input[name=opponent][value=work]").count(), 0);
  await visit.close();
});

test("wrong agents and boards are refused with what was expected", async () => {
  const visit = await Visit.open(browser, host, { at: "#/new/mnk" });
  await visit.hit(visit.page.locator(".setup summary"));
  await visit.page.getByLabel("Any agent").fill("mtcs");
  await visit.press("Start");
  await visit.page.locator(".problem").filter({ hasText: "did you mean 'mcts'" }).waitFor();
  await visit.close();
});
