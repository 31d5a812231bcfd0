// The live page of a competition, as a class sees it on a projector and on phones.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { PATIENCE, SIZES, becomes, launch } from "../lib/visit.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const FILE = `
title = "Friday"
game = "tuc-chess"
double = true
boards = 2
move_time = "20s"
[[entrant]]
name = "Tree"
agent = "mcts:time=300ms"
[[entrant]]
name = "Twig"
agent = "mcts:time=250ms"
[[entrant]]
name = "Nobody"
agent = "random"
`;

let browser;
let competition;
let address;
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "plyground-live-"));
  await writeFile(join(folder, "friday.toml"), FILE);
  const words = ["compete", join(folder, "friday.toml"), "--data", folder, "--web", "0", "--stay"];
  competition = spawn(process.env.PLYGROUND_PLY, words, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: competition.stdout })) {
    address = line.match(/http:\/\/\S+/)?.[0];
    if (address) break;
  }
  competition.stdout.resume();
  browser = await launch();
});
after(async () => {
  await browser.close();
  const ended = once(competition, "exit");
  competition.kill("SIGKILL");
  await ended;
  await rm(folder, { recursive: true });
});

for (const size of Object.keys(SIZES)) {
  describe(size, () => {
    test("the table, a board with its clocks, and the games are there for everybody", async () => {
      const context = await browser.newContext({ ...SIZES[size], locale: "en-GB", reducedMotion: "reduce" });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      const faults = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      await page.goto(address);
      await becomes(() => page.locator("tbody tr").count(), 3);
      assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Friday");
      await becomes(
        () => page.locator(".stage .piece").count(),
        (count) => count > 1,
      );
      await becomes(() => page.locator(".stage .time").first().textContent(), /^\d+([.:]\d+)( s)?$/);
      await becomes(() => page.locator(".head .state").textContent(), /games: \d+ of 6/);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const grave = violations.filter((violation) => ["serious", "critical"].includes(violation.impact));
      assert.deepEqual(
        grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join("; ")}`),
        [],
      );
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the screen scrolls sideways");
      assert.deepEqual(faults, []);
      await context.close();
    });
  });
}
