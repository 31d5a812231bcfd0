// Opponents that ask a network: it comes with the server, or is fetched beside the page when it is needed, and then kept.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOSTS, staticHost } from "../lib/hosts.mjs";
import { Visit, launch, stream } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A game of Crosphere that waits for the first move. */
const against = (second) => ({ game: { spec: "crosphere:size=8x8", moves: [], players: { first: "human", second } } });

const AGAINST_A_NETWORK = against("az:sims=20");

/** Makes a move and waits for the answer of the network. */
async function answered(visit, moves) {
  await visit.move(stream(3));
  await visit.page.waitForFunction((count) => document.querySelectorAll(".moves [data-ply]").length >= count, moves);
}

describe("a network plays", () => {
  for (const [transport, host] of Object.entries(HOSTS)) {
    for (const opponent of ["az:sims=20", "thesis-cnn-125"]) {
      test(`${opponent}, ${transport}`, async (t) => {
        const place = await host();
        t.after(() => place.close());
        const visit = await Visit.open(browser, place, { at: "#/play", memory: against(opponent), hurry: true });
        await answered(visit, 2);
        await visit.close();
      });
    }
  }
});

test("a network that was met once needs no connection any more", async (t) => {
  const host = await staticHost();
  t.after(() => host.close());
  const visit = await Visit.open(browser, host, { at: "#/play", memory: AGAINST_A_NETWORK, hurry: true });
  await visit.page.evaluate(() => navigator.serviceWorker.ready);
  await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  // Before that, nobody was there who could have kept it.
  await visit.reload();
  await answered(visit, 2);
  const kept = await visit.page.evaluate(async () => (await caches.match("nets/crosphere-8x8.safetensors")) !== undefined);
  assert.ok(kept);
  await host.close();
  await visit.context.setOffline(true);
  await visit.reload();
  await answered(visit, 4);
  visit.faultless(/ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED)/);
  await visit.context.close();
});
