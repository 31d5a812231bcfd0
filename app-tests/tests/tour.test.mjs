// The first game on a device comes with a tour, which can be followed, skipped, and asked for again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { staticHost } from "../lib/hosts.mjs";
import { SIZES, Visit, becomes, launch, stream } from "../lib/visit.mjs";

let browser;
let host;
before(async () => {
  browser = await launch();
  host = await staticHost();
});
after(async () => {
  await browser.close();
  await host.close();
});

for (const size of Object.keys(SIZES)) {
  test(`it points at one thing after the other and covers none of them (${size})`, async () => {
    const visit = await Visit.open(browser, host, { size, memory: { toured: false } });
    await visit.start("crosphere");
    const tour = visit.page.locator(".tour");
    const said = [];
    for (let step = 1; step <= 5; step++) {
      await becomes(() => tour.innerText(), new RegExp(`${step} / 5`));
      assert.equal(await visit.page.locator(".pointed").count(), 1);
      said.push(await tour.locator("p").innerText());
      if (step === 2) {
        await visit.shot("tour", size);
        // The game is there all the same.
        await visit.move(stream(1));
      }
      await visit.press(step < 5 ? "Next" : "Got it");
    }
    assert.equal(new Set(said).size, 5, "every step says something else");
    await tour.waitFor({ state: "hidden" });
    assert.equal(await visit.page.locator(".pointed").count(), 0);
    await visit.start("mnk");
    assert.ok(await tour.isHidden(), "it comes once");
    await visit.close();
  });
}

test("it can be skipped, and asked for again", async () => {
  const visit = await Visit.open(browser, host, { memory: { toured: false } });
  await visit.start("tuc-chess");
  await visit.press("Skip");
  await visit.page.locator(".tour").waitFor({ state: "hidden" });
  await visit.reload();
  assert.ok(await visit.page.locator(".tour").isHidden());
  await visit.press("Settings");
  await visit.page.getByLabel("Show the tour of the first game again").check();
  await visit.answer("OK");
  await visit.page.locator(".tour").waitFor();
  await visit.close();
});
