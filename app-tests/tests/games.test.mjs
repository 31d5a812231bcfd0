// Every game, from the first screen to its end, by taps against the weakest opponent: on a phone and on a desktop, with the
// engine of a server and with that of the browser.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOSTS } from "../lib/hosts.mjs";
import { SIZES, Visit, launch, stream } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

for (const [way, open] of Object.entries(HOSTS)) {
  for (const size of Object.keys(SIZES)) {
    describe(`${way}, ${size}`, () => {
      let host;
      before(async () => (host = await open()));
      after(() => host.close());

      test("all games to their ends", async (t) => {
        const visit = await Visit.open(browser, host, { size, hurry: true });
        const games = await visit.page
          .locator(".game .tile")
          .evaluateAll((links) => links.map((link) => link.hash.split("/")[2]));
        assert.ok(games.length >= 6, `only ${games}`);
        for (const [number, game] of games.entries()) {
          await t.test(game, async () => {
            await visit.start(game, { side: number % 2 === 0 ? "first" : "second" });
            assert.match(await visit.text(".badge"), way === "wasm" ? /browser/ : /this server/);
            await visit.finish(stream(number + 1));
            const status = await visit.status();
            assert.match(status, /^(You won!|You lost|A draw): .+\.$/);
            assert.match(
              await visit.page.locator("#announcer").textContent(),
              new RegExp(`${status.split(":")[0]}.+\\.$`),
            );
            const shown = await visit.board();
            const record = await visit.record();
            assert.equal(record.moves.length, shown.moves);
            assert.ok(["first", "second", "draw"].includes(record.result), record.result);
            assert.deepEqual(shown.targets, [], "nothing can be played any more");
          });
        }
        await visit.close();
      });
    });
  }
}
