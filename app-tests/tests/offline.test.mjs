// The app without a network after the first visit, and as something that can be installed.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { staticHost } from "../lib/hosts.mjs";
import { PATIENCE, SIZES, Visit, becomes, launch, options, stream } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** The first visit, up to the moment in which everything is kept. */
async function visited(host, more) {
  const visit = await Visit.open(browser, host, more);
  await visit.page.evaluate(() => navigator.serviceWorker.ready);
  await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  return visit;
}

test("after the first visit everything works without a network", async (t) => {
  const host = await staticHost();
  t.after(() => host.close());
  const visit = await visited(host, { size: "phone", hurry: true });
  await host.close();
  await visit.context.setOffline(true);
  await visit.reload();
  await visit.start("clobber");
  await visit.finish(stream(7));
  assert.match(await visit.status(), /won|lost/);
  await visit.press("Analyse");
  await visit.press("Review the whole game");
  await visit.page.locator(".graph polyline").waitFor();
  // The game is on the list, and there are puzzles, whether they were looked at before or not.
  await visit.go("#/history");
  assert.equal(await visit.page.locator(".rows li").count(), 1);
  await visit.go("#/puzzles/pawn/7");
  await visit.press("Show the solution");
  await visit.page.getByRole("button", { name: "Next puzzle", exact: true }).waitFor();
  for (const at of ["#/rules/tuc-chess", "#/new/pawn", "#/g/mnk/b2"]) await visit.go(at);
  visit.faultless(/ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED)/);
  await visit.context.close();
});

test("everything that is kept comes with the first visit", async (t) => {
  const host = await staticHost();
  t.after(() => host.close());
  const visit = await visited(host);
  const kept = await visit.page.evaluate(async () => {
    const [name, ...others] = (await caches.keys()).filter((name) => name.startsWith("plyground-"));
    const files = (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname);
    return { name, others, files };
  });
  assert.deepEqual(kept.others, []);
  assert.notEqual(kept.name, "plyground-unbuilt");
  for (const file of ["/", "/engine.wasm", "/style.css", "/js/main.js", "/js/worker.js", "/manifest.webmanifest"])
    assert.ok(kept.files.includes(file), file);
  await visit.close();
});

test("the browser offers to install it", async (t) => {
  const host = await staticHost();
  t.after(() => host.close());
  // Only in a profile of its own: in a private window nothing can be installed.
  const profile = await mkdtemp(join(tmpdir(), "plyground-"));
  const context = await chromium.launchPersistentContext(profile, { ...options, ...SIZES.phone });
  t.after(async () => {
    // A browser that is still there writes into its profile, and what ends it may take a moment.
    await context.close();
    await rm(profile, { recursive: true, maxRetries: 10 });
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  await page.goto(host.base);
  await page.locator(".games").waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  const devtools = await context.newCDPSession(page);
  const { errors, data } = await devtools.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(data);
  for (const icon of manifest.icons.filter((icon) => icon.type === "image/png")) {
    const size = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, icon.src);
    assert.equal(size, icon.sizes);
  }
  await becomes(async () => (await devtools.send("Page.getInstallabilityErrors")).installabilityErrors, []);
});
