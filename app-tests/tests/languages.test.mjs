// All languages are complete, by their keys; and nothing that is said in words is said in the same words in English and in Czech.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverHost } from "../lib/hosts.mjs";
import { Visit, launch } from "../lib/visit.mjs";

let browser;
let host;
/** The games as the engine lists them, the languages of the page, and the counters beside the boards. */
let games;
let languages;
let counters;
before(async () => {
  browser = await launch();
  host = await serverHost();
  const visit = await Visit.open(browser, host);
  ({ games, languages, counters } = await visit.page.evaluate(async () => {
    const load = (file) => import(new URL(file, document.baseURI).href);
    const engine = await (await load("js/engine.js")).connect();
    const games = await engine.ask("games", {});
    const views = await Promise.all(games.map(({ name }) => engine.ask("state", { game: name })));
    const codes = Object.entries((await load("js/i18n/index.js")).LANGUAGES);
    const files = await Promise.all(codes.map(async ([code]) => [code, (await load(`js/i18n/${code}.js`)).default]));
    const languages = Object.fromEntries(files);
    for (const [code, name] of codes) if (languages[code].name !== name) throw new Error(`${code} is called ${name}`);
    return { games, languages, counters: views.map(({ view }) => view.counters) };
  }));
  await visit.close();
});
after(async () => {
  await browser.close();
  await host.close();
});

/** Words that are the same everywhere: names, and what people write for the engine. */
const SAME =
  /^(Plyground|English|Čeština|Deutsch|Ελληνικά|Nederlands|Svenska|OK|jsonl|best|(6 · )?expert|[a-e]\d, bonus|[a-z]\d[a-z]\d)$/;
const WORD = /[a-zá-ž]{3,}/i;

/** Every text of the page, shown or read aloud. */
const texts = (page) =>
  page.evaluate(() => {
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE && !["SCRIPT", "NOSCRIPT", "TEXTAREA"].includes(node.parentNode.tagName))
        found.add(node.data.trim());
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
  // Names that a language has chosen to leave as they are, and what files are written in.
  const proper = games.flatMap(({ name, title, formats }) => [
    ...formats,
    ...(languages.cs.games[name]?.title === title ? [title] : []),
  ]);
  return [...seen[0]].filter((text) => seen[1].has(text) && WORD.test(text) && !SAME.test(text) && !proper.includes(text));
}

/** The gaps of a text. */
const gaps = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

test("every language has all words of the page", () => {
  const keys = (language) => Object.keys(languages[language].words).sort();
  for (const language of Object.keys(languages)) {
    assert.deepEqual(keys(language), keys("en"), language);
    for (const [key, text] of Object.entries(languages.en.words)) {
      if (typeof text === "string")
        assert.deepEqual(gaps(languages[language].words[key]).sort(), gaps(text).sort(), `${language}: ${key}`);
    }
  }
});

/** Texts that are the same in English and in another language: names, signs, and words that both have. */
const SHARED = /^(OK|Lab|Agent|Pause|Elo \{elo\}|\{count\} (s|min|h)|\{name\}: \{move\}\.|\{name\}:|[^a-z]*(\{\w+\}[^a-z]*)+)$/i;

test("no language has left a word of the page in English, and lists are as long", () => {
  for (const [code, { words }] of Object.entries(languages)) {
    if (code === "en") continue;
    const left = Object.entries(languages.en.words).filter(([key, text]) => words[key] === text && !SHARED.test(text));
    assert.deepEqual(left, [], code);
    for (const [key, text] of Object.entries(languages.en.words))
      if (Array.isArray(text)) assert.equal(words[key].length, text.length, `${code}: ${key}`);
  }
});

test("every language has all that the engine says about its games", () => {
  for (const [code, language] of Object.entries(languages).filter(([code]) => code !== "en")) {
    const faults = [];
    const need = (there, what) => there || faults.push(what);
    games.forEach(({ name, pieces, phrases, presentation }, number) => {
      const told = language.games[name] ?? {};
      const its = (what) => `${name}: ${what}`;
      need(
        told.title && told.summary && told.players?.length === 2 && told.rules?.length > 0,
        its("title, summary, players, rules"),
      );
      for (const [key] of presentation.keys) need(told.keys?.[key], its(`keys.${key}`));
      const named = (thing, owner) => told.names?.[`${owner} ${thing}`] ?? told.names?.[thing];
      for (const piece of pieces) need(named(piece.name, piece.owner), its(`names.${piece.name}`));
      for (const counter of counters[number]) need(named(counter.label, counter.player), its(`names.${counter.label}`));
      for (const [part, text] of Object.entries(presentation.tour)) need(!text || told.tour?.[part], its(`tour.${part}`));
      need(told.lessons?.length === presentation.lessons.length + 1, its("lessons: one for each position, and for the example"));
      for (const { key, english } of phrases) {
        const text = told.phrases?.[key] ?? language.phrases[key];
        need(text, its(`phrases.${key}: ${english}`));
        for (const gap of gaps(text ?? "")) need(gaps(english).includes(gap), its(`phrases.${key} has no {${gap}}`));
      }
      // What the engine does not say any more is not translated any more.
      for (const key of Object.keys(told.phrases ?? {}))
        need(
          phrases.some((phrase) => phrase.key === key),
          its(`phrases.${key} is not said`),
        );
    });
    for (const name of Object.keys(language.games))
      need(
        games.some((game) => game.name === name),
        `${name}: there is no such game`,
      );
    assert.deepEqual(faults, [], `app/js/i18n/${code}.js`);
  }
});

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

test("rules, setup, play", async (t) => {
  for (const { name } of games) await t.test(name, () => translated(name));
});

async function translated(game) {
  const same = await unchanged(async (visit, look) => {
    for (const screen of ["rules", "new"]) {
      await visit.go(`#/${screen}/${game}`);
      await look();
    }
    await visit.go(`#/g/${game}/-`);
    await look();
  });
  // Ready-made agents are called what they are called on the command line.
  const visit = await Visit.open(browser, host, { at: `#/new/${game}` });
  const agents = await visit.page.locator("#preset option, #rival-first option").allTextContents();
  await visit.close();
  assert.deepEqual(
    same.filter((text) => !agents.includes(text)),
    [],
  );
}

test("ends of games, refused moves, chance", async () => {
  const ends = [
    ["mnk/a1.b1.a2.b2.a3", /^Vítězí Křížky: 3 v řadě\.$/i],
    ["mnk/b2.a1.a2.c2.b3.b1.c1.a3.c3", /Remíza: deska je plná\./i],
    [
      "crosphere:size=2x2,strong=1/sa2.sa1.wb2",
      /Remíza: na tahu není možný tah: silné kameny došly a každý slabý by spojil oba\./i,
    ],
    ["crosphere:size=2x2,strong=1/wa2.wa1", /Vítězí Zelený: Zelený spojil horní a dolní okraj\./i],
    ["pawn:size=1x3/a1a2", /Vítězí Bílý: hráč na tahu nemá žádný tah\./i],
    ["connect-four/a.b.a.b.a.b.a", /Vítězí Žlutý: 4 v řadě\./i],
  ];
  for (const [at, end] of ends) {
    const visit = await Visit.open(browser, host, { memory: { language: "cs" }, at: `#/g/${at}` });
    // Who opens a finished game sees it from its beginning.
    await visit.page.keyboard.press("End");
    await visit.until(end);
    assert.doesNotMatch(await visit.status(), /\b(the|has|is|and|cannot)\b/);
    await visit.close();
  }
  const refusals = [
    ["clobber/-", ["a1", "d1"], "Pole a1 a d1 nesousedí stranou."],
    ["mnk/b2", ["b2"], "Pole b2 je obsazené."],
    ["pawn/-", ["a1", "b2"], "Na poli b2 není pěšec, kterého by šlo vzít."],
    ["tuc-chess/-", ["a2", "b3"], "Šikmo pěšec jen bere a na poli b3 nic není."],
    ["connect-four/a.a.a.a.a.a", ["a3"], "Sloupec a je plný."],
    ["breakthrough/-", ["a2", "a4"], "Kámen jde o pole vpřed, rovně nebo šikmo."],
  ];
  for (const [at, taps, words] of refusals) {
    const visit = await Visit.open(browser, host, { memory: { language: "cs" }, at: `#/g/${at}` });
    for (const square of taps) await visit.tap(square);
    await visit.page.locator(".note").filter({ hasText: words }).waitFor();
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

test("a language is fetched when it is wanted, and every one of them is spoken", async () => {
  const titles = { de: /^Spielen/, el: /^Παίξτε/, nl: /^Speel/, sv: /^Spela/ };
  for (const [code, title] of Object.entries(titles)) {
    const visit = await Visit.open(browser, host, { locale: code });
    assert.match(await visit.text("h1"), title);
    const fetched = await visit.page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    assert.deepEqual(
      fetched.filter((name) => name.includes("/i18n/")).map((name) => name.match(/(\w+)\.js$/)[1]).sort(),
      ["en", "index", code].sort(),
    );
    await visit.close();
  }
});
