// Games that are shared, kept, opened again, brought along as a record, or found damaged.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOSTS, serverHost } from "../lib/hosts.mjs";
import { Visit, becomes, launch, stream } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

for (const [way, open] of Object.entries(HOSTS)) {
  describe(way, () => {
    let host;
    before(async () => (host = await open()));
    after(() => host.close());

    test("a link holds the whole game, and whoever plays on owns it", async () => {
      const visit = await Visit.open(browser, host, { permissions: ["clipboard-read", "clipboard-write"] });
      await visit.start("crosphere", { opponent: "human", board: "crosphere:size=5x5,strong=3" });
      await visit.play("c3", "b2", "d4");
      await visit.press("Share");
      const link = await visit.page.getByLabel("Link to this game").inputValue();
      await visit.answer("Copy link");
      await visit.page.locator(".toast").waitFor();
      assert.equal(await visit.page.evaluate(() => navigator.clipboard.readText()), link);
      const other = await Visit.open(browser, host, { size: "phone", at: link.slice(host.base.length) });
      assert.deepEqual((await other.board()).pieces.sort(), ["b2", "c3", "d4"]);
      await other.tap("e5");
      await other.until(/Green to move/);
      await other.reload();
      assert.deepEqual((await other.board()).pieces.sort(), ["b2", "c3", "d4", "e5"]);
      await other.close();
      await visit.close();
    });

    test("a game goes on after a reload and from the first screen; a finished one stays to be looked at", async () => {
      const visit = await Visit.open(browser, host, { hurry: true });
      await visit.start("mnk");
      await visit.move(stream(3));
      await visit.until(/your turn/);
      const { pieces } = await visit.board();
      await visit.reload();
      await visit.until(/your turn/);
      assert.deepEqual((await visit.board()).pieces, pieces);
      await visit.go("");
      await visit.hit(visit.page.getByRole("link", { name: /^Go on/ }));
      await visit.until(/your turn/);
      assert.deepEqual((await visit.board()).pieces, pieces);
      await visit.finish(stream(4));
      const end = await visit.status();
      await visit.reload();
      assert.equal(await visit.status(), end);
      await visit.press("Plyground", "link");
      await visit.page.locator(".games").waitFor();
      assert.equal(await visit.page.getByRole("link", { name: /^Go on/ }).count(), 0);
      await visit.close();
    });

    test("a record goes out and comes in", async () => {
      const visit = await Visit.open(browser, host, { at: "#/g/clobber:size=4x4/a1a2.b1c1" });
      const record = await visit.record();
      assert.deepEqual([record.game, record.moves.length], ["clobber:size=4x4", 2]);
      await visit.go("");
      await visit.press("Open a game or a position");
      await visit.page.getByLabel("Record", { exact: true }).fill("no game at all");
      await visit.press("Import");
      await visit.page.locator("dialog .problem").filter({ hasText: /\w/ }).waitFor();
      await visit.page.getByLabel("Record", { exact: true }).fill(JSON.stringify(record));
      await visit.press("Import");
      await becomes(async () => (await visit.board()).moves, 2);
      await visit.close();
    });

    test("links that cannot be read say what is wrong", async () => {
      for (const [at, words] of [
        ["#/g/chess/e2e4", "chess"],
        ["#/g/clobber/a1a5", "not side by side"],
        ["#/g/clobber/%E0%A4%A", "URI malformed"],
        ["#/rules/go", "no game called “go”"],
        ["#/new/go", "no game called “go”"],
      ]) {
        const visit = await Visit.open(browser, host, { at });
        await visit.page.locator("main .card").filter({ hasText: words }).waitFor();
        await visit.press("Home", "link");
        await visit.page.locator(".games").waitFor();
        await visit.close();
      }
    });

    test("a damaged memory is forgotten, and the page works", async () => {
      for (const memory of [
        { game: { spec: 5 } },
        { game: { spec: "chess", moves: [], players: { first: "human", second: "human" } } },
        { language: "xx", theme: 3 },
        [],
      ]) {
        const visit = await Visit.open(browser, host, { memory });
        assert.ok((await visit.page.locator(".game").count()) >= 6);
        await visit.close();
      }
    });
  });
}

test("the thesis format of Crosphere goes out and comes in", async (t) => {
  const host = await serverHost();
  t.after(() => host.close());
  const visit = await Visit.open(browser, host, { at: "#/g/crosphere/wd1.wd2.wd3.wd4.wd5.wd6.wd7.wd8" });
  await visit.press("Share");
  await visit.page.getByLabel("Format").selectOption("crosphere-thesis");
  const field = visit.page.getByLabel("Record", { exact: true });
  await visit.page.waitForFunction(() => document.querySelector("dialog textarea").value.startsWith("[Player_1"));
  const record = await field.inputValue();
  await visit.page.locator("dialog").getByRole("button", { name: "Import" }).click();
  await visit.page.getByLabel("Record", { exact: true }).fill(record);
  await visit.press("Import");
  const opened = () => location.hash.startsWith("#/play/") && document.querySelectorAll(".moves [data-ply]").length === 8;
  await visit.page.waitForFunction(opened);
  await visit.until(/^Green won/);
  await visit.close();
});

test("a game survives a restart of the server", async (t) => {
  let host = await serverHost();
  t.after(() => host.close());
  const visit = await Visit.open(browser, host);
  await visit.start("mnk");
  await host.close();
  await visit.tap("b2");
  host = await serverHost(host.port);
  await visit.page.waitForFunction(() => document.querySelectorAll(".moves [data-ply]").length === 2);
  await visit.until(/your turn/);
  visit.faultless(/WebSocket connection|ERR_CONNECTION_REFUSED/);
  await visit.context.close();
});
