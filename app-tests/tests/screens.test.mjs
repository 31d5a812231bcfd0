// Every screen at both sizes: pictures of it, no serious finding of axe-core in any of the three themes, and nothing that is
// wider than the screen.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { serverHost } from "../lib/hosts.mjs";
import { writeTraining } from "../lib/training.mjs";
import { SIZES, Visit, launch } from "../lib/visit.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
let host;
before(async () => {
  browser = await launch();
  host = await serverHost();
  await writeTraining(host.data, "clobber-small", 9);
});
after(async () => {
  await browser.close();
  await host.close();
});

const analysed = async (visit) => {
  await visit.press("Analyse");
  await visit.press("Review the whole game");
  await visit.page.locator(".graph polyline").waitFor();
  await visit.page.locator(".analysis .buttons button:enabled").waitFor();
  await visit.press("One move back");
  await visit.page.locator(".moves [aria-current]").waitFor();
  await visit.page.locator(".candidates tbody tr").first().waitFor();
  await visit.quiet();
};

/** A finished game by a link is seen from its beginning. */
const ended = async (visit) => {
  await visit.press("To the last move");
  await visit.page.locator(".cell.won").first().waitFor();
};

/** The record is asked for before the dialog opens. */
const shared = async (visit) => {
  await visit.press("Share");
  await visit.page.locator("dialog[open]").waitFor();
};

const invited = async (visit) => {
  await visit.oppose("friend");
  await visit.press("Start");
  await visit.page.locator(".invitation .qr").waitFor();
};

const UNFINISHED = { game: { spec: "clobber", moves: ["a1a2"], players: { first: "human", second: "level=3" } } };
const TUC = "tuc-chess/5242.@41.1222.@-.6252.@-.0212.@23";
const SCREENS = {
  home: { at: "", memory: UNFINISHED },
  settings: { at: "", act: (visit) => visit.press("Settings") },
  setup: { at: "#/new/crosphere" },
  "setup-advanced": { at: "#/new/mnk", act: (visit) => visit.hit(visit.page.locator(".setup summary")) },
  "play-crosphere": { at: "#/g/crosphere/wd4.we5.se4.sd5.wc4.sd3.wf4.wc5" },
  "play-mnk": { at: "#/g/mnk/b2.a1.c3" },
  "play-clobber": { at: "#/g/clobber/a1a2.b1c1.b2b3.d1d2", act: (visit) => visit.tap("e1") },
  "play-pawn": { at: "#/g/pawn/a1a2.d4d3", act: (visit) => visit.tap("c1") },
  "play-tuc-chess": { at: `#/g/${TUC}`, act: (visit) => visit.tap("b1") },
  "play-connect-four": { at: "#/g/connect-four/d.d.c.e.e.c.d.f" },
  "play-breakthrough": { at: "#/g/breakthrough/d2d3.e7e6.c1d2.g7f6", act: (visit) => visit.tap("d3") },
  analysis: { at: "#/g/connect-four/d.d.c.e.b.a.f", act: analysed },
  "analysis-crosphere": { at: "#/g/crosphere/wd4.we5.se4.sd5.wc4.sd3", act: analysed },
  share: { at: "#/g/crosphere/wd4.we5.se4", act: shared },
  import: { at: "", act: (visit) => visit.press("Open a game or a position") },
  tour: {
    at: "#/play",
    memory: { toured: false, game: { spec: "tuc-chess", moves: [], players: { first: "human", second: "level=1" } } },
  },
  end: { at: "#/g/connect-four/a.b.a.b.a.b.a", act: ended },
  history: { at: "#/history", memory: UNFINISHED },
  rules: { at: "#/rules/crosphere" },
  "rules-tuc-chess": { at: "#/rules/tuc-chess" },
  puzzles: { at: "#/puzzles" },
  puzzle: { at: "#/puzzles/pawn/300" },
  invitation: { at: "#/new/connect-four", act: invited },
  lab: { at: "#/lab" },
  training: { at: "#/lab/training/clobber-small" },
  wrong: { at: "#/g/chess/e2e4" },
};

/** What axe-core finds that keeps somebody from using the screen; `rules` are all of them, or those that look at colours. */
async function findings(page, rules) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (rules) => window.axe.run(document, { resultTypes: ["violations"], ...rules }),
    rules,
  );
  const grave = violations.filter((violation) => ["serious", "critical"].includes(violation.impact));
  return grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
}

for (const size of Object.keys(SIZES)) {
  describe(size, () => {
    for (const [name, { at, memory, act }] of Object.entries(SCREENS)) {
      test(name, async () => {
        // Without motion nothing is caught half faded in.
        const visit = await Visit.open(browser, host, { size, at, memory, reducedMotion: "reduce" });
        const { page } = visit;
        await act?.(visit);
        const found = {};
        for (const theme of ["light", "dark", "contrast"]) {
          await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
          await visit.shot(theme === "light" ? name : `${name}-${theme}`, size);
          const grave = await findings(page, theme === "light" ? {} : { runOnly: ["color-contrast", "link-in-text-block"] });
          if (grave.length > 0) found[theme] = grave;
        }
        assert.deepEqual(found, {});
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the screen scrolls sideways");
        await visit.close();
      });
    }
  });
}

test("themes are chosen in the settings, and the device's is taken otherwise", async () => {
  const ground = (visit) => visit.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const colours = {};
  for (const [theme, label] of [
    ["light", "light"],
    ["dark", "dark"],
    ["contrast", "high contrast"],
  ]) {
    const visit = await Visit.open(browser, host);
    await visit.press("Settings");
    await visit.page.getByLabel("Colours").selectOption({ label });
    await visit.answer("OK");
    colours[theme] = await ground(visit);
    await visit.reload();
    assert.equal(await ground(visit), colours[theme]);
    await visit.close();
  }
  assert.equal(new Set(Object.values(colours)).size, 3);
  for (const colorScheme of ["light", "dark"]) {
    const visit = await Visit.open(browser, host, { colorScheme });
    assert.equal(await ground(visit), colours[colorScheme]);
    await visit.close();
  }
});
