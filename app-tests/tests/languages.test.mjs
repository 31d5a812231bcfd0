// Both languages are complete: nothing that is said in words is said in the same words in English and in Czech.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverHost } from "../lib/hosts.mjs";
import { Visit, launch } from "../lib/visit.mjs";

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

/** Words that are the same everywhere: names, and what people write for the engine. */
const SAME = /^(Plyground|Crosphere|Clobber|TUC-Chess|English|Čeština|OK|jsonl|crosphere-thesis|best|(6 · )?expert|[a-e]\d, bonus|[a-z]\d[a-z]\d)$/;
const WORD = /[a-zá-ž]{3,}/i;

/** Every text of the page, shown or read aloud. */
const texts = (page) =>
  page.evaluate(() => {
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE && !["SCRIPT", "NOSCRIPT", "TEXTAREA"].includes(node.parentNode.tagName)) found.add(node.data.trim());
      else for (const name of ["aria-label", "title", "alt"]) if (node.getAttribute?.(name)) found.add(node.getAttribute(name));
    }
    return [...found];
  });

/** Does the same in both languages and gives the words that did not change. */
async function unchanged(walk) {
  const seen = [];
  for (const language of ["en", "cs"]) {
    const visit = await Visit.open(browser, host, { memory: { language } });
    assert.equal(await visit.page.evaluate(() => document.documentElement.lang), language);
    const found = new Set();
    const look = async () => {
      for (const text of await texts(visit.page)) found.add(text);
      for (const text of [await visit.page.title()]) found.add(text);
    };
    await walk(visit, look);
    seen.push(found);
    await visit.close();
  }
  return [...seen[0]].filter((text) => seen[1].has(text) && WORD.test(text) && !SAME.test(text));
}

const GAMES = ["crosphere", "mnk", "clobber", "pawn", "tuc-chess", "connect-four"];

test("home, settings, import", async () => {
  const same = await unchanged(async (visit, look) => {
    await look();
    await visit.page.locator("#bar button").last().click();
    await look();
    await visit.page.keyboard.press("Escape");
    await visit.page.locator("main > div > .buttons button").last().click();
    await look();
  });
  assert.deepEqual(same, []);
});

for (const game of GAMES) {
  test(`${game}: rules, setup, play`, async () => {
    const same = await unchanged(async (visit, look) => {
      for (const screen of ["rules", "new"]) {
        await visit.go(`#/${screen}/${game}`);
        await look();
      }
      await visit.go(`#/g/${game}/-`);
      await look();
    });
    // Ready-made agents are called what they are called on the command line.
    const agents = await (async () => {
      const visit = await Visit.open(browser, host, { at: `#/new/${game}` });
      const names = await visit.page.locator("#preset option").allTextContents();
      await visit.close();
      return names;
    })();
    assert.deepEqual(same.filter((text) => !agents.includes(text)), []);
  });
}

test("ends of games, refused moves, chance", async () => {
  const ends = [
    ["mnk/a1.b1.a2.b2.a3", /Vítězí Křížky: 3 v řadě\./],
    ["mnk/b2.a1.a2.c2.b3.b1.c1.a3.c3", /Remíza: deska je plná\./],
    ["crosphere:size=2x2,strong=1/sa2.sa1.wb2", /Remíza: na tahu není možný tah: silné kameny došly a každý slabý by spojil oba\./],
    ["crosphere:size=2x2,strong=1/wa2.wa1", /Vítězí Zelený: Zelený spojil horní a dolní okraj\./],
    ["pawn:size=1x3/a1a2", /Vítězí Bílý: hráč na tahu nemá žádný tah\./],
    ["connect-four/a.b.a.b.a.b.a", /Vítězí Žlutý: 4 v řadě\./],
  ];
  for (const [at, end] of ends) {
    const visit = await Visit.open(browser, host, { memory: { language: "cs" }, at: `#/g/${at}` });
    assert.match(await visit.status(), end);
    assert.doesNotMatch(await visit.status(), /\b(the|has|is|and|cannot)\b/);
    await visit.close();
  }
  const refusals = [
    ["clobber/-", ["a1", "d1"], "Pole a1 a d1 nesousedí stranou."],
    ["mnk/b2", ["b2"], "Pole b2 je obsazené."],
    ["pawn/-", ["a1", "b2"], "Na poli b2 není pěšec, kterého by šlo vzít."],
    ["tuc-chess/-", ["a2", "b3"], "Šikmo pěšec jen bere a na poli b3 nic není."],
    ["connect-four/a.a.a.a.a.a", ["a3"], "Sloupec a je plný."],
  ];
  for (const [at, taps, words] of refusals) {
    const visit = await Visit.open(browser, host, { memory: { language: "cs" }, at: `#/g/${at}` });
    for (const square of taps) await visit.tap(square);
    await visit.page.locator(".toast").filter({ hasText: words }).waitFor();
    await visit.close();
  }
});

test("the language of the device is taken, and another can be chosen", async () => {
  const visit = await Visit.open(browser, host, { locale: "cs-CZ" });
  assert.match(await visit.text("h1"), /Hrajte/);
  await visit.press("Nastavení");
  await visit.page.getByLabel("Jazyk").selectOption("en");
  await visit.answer("OK");
  await visit.page.locator("h1").filter({ hasText: "Play" }).waitFor();
  assert.equal(await visit.page.evaluate(() => document.documentElement.lang), "en");
  await visit.reload();
  assert.match(await visit.text("h1"), /^Play/);
  await visit.close();
});
