// A game with a friend by a link: two people with devices of their own, a connection that is cut, a spectator, a rematch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverHost } from "../lib/hosts.mjs";
import { SIZES, Visit, becomes, launch } from "../lib/visit.mjs";

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

/** A device whose connection to its friend can be cut, and is not there again before it is mended. */
async function fragile() {
  const context = await browser.newContext({ ...SIZES.phone, locale: "en-GB" });
  const open = new Set();
  let cut = false;
  await context.routeWebSocket(/\/friend$/, (line) => {
    if (cut) return void line.close();
    line.connectToServer();
    open.add(line);
  });
  const control = {
    cut() {
      cut = true;
      for (const line of open) line.close();
      open.clear();
    },
    mend: () => (cut = false),
  };
  return { context, control };
}

/** The place of the game in its link. */
const placeOf = async (visit) => {
  const link = await visit.page.locator(".invitation input").inputValue();
  return link.slice(link.indexOf("#"));
};

const moves = (visit) => visit.page.locator(".moves [data-ply]").count();

test("two people play by a link; a cut connection loses no move; others watch; the rematch has the sides swapped", async () => {
  const one = await Visit.open(browser, host, { hurry: true });
  await one.start("mnk", { opponent: "friend", side: "first" });
  await one.until(/Waiting for your friend/);
  await one.page.locator(".invitation .qr path").waitFor();
  const at = await placeOf(one);
  const { context, control } = await fragile();
  const two = await Visit.open(browser, host, { context, hurry: true, at });
  two.touch = true;
  await one.until(/it is your turn/);
  assert.equal(await one.page.locator(".invitation").count(), 0);
  await two.until(/your friend is thinking/);
  const three = await Visit.open(browser, host, { at });
  await becomes(() => three.text(".note"), /You are watching\./);
  await one.play("a1");
  await two.until(/it is your turn/);
  control.cut();
  await becomes(() => one.text(".note"), /Noughts is not connected|not connected at the moment/);
  // The move is made where there is no connection, and arrives when there is one.
  await two.play("b2");
  assert.equal(await moves(one), 1);
  control.mend();
  await one.until(/it is your turn/);
  assert.equal(await moves(one), 2);
  await becomes(() => moves(three), 2);
  // Who comes back to the page has the seat.
  await two.page.reload();
  await two.until(/your friend is thinking/);
  await one.play("a2");
  await two.until(/it is your turn/);
  await two.play("c3");
  await one.until(/it is your turn/);
  await one.play("a3");
  await one.until(/You won!/);
  await two.until(/You lost/);
  await three.until(/Crosses won/);
  await one.press("Rematch");
  await becomes(() => two.text(".verdict .note"), /^Your friend would like a rematch\./);
  await two.press("Rematch");
  await two.until(/it is your turn/);
  await becomes(() => moves(three), 0);
  await one.go("#/history");
  assert.match(await one.text(".rows li .outcome"), /won/);
  for (const visit of [one, two, three]) await visit.close(/WebSocket/);
});

test("a link to a game that is not there says so", async () => {
  const visit = await Visit.open(browser, host, { at: "#/friend/nothing" });
  await becomes(() => visit.text("h1"), "This game is not there any more.");
  await visit.close();
});

test("who resigns has lost, and a clock is shown on both sides", async () => {
  const one = await Visit.open(browser, host, { hurry: true });
  await one.go("#/new/connect-four");
  await one.oppose("friend");
  await one.page.getByLabel("Clock").selectOption({ label: "5 min + 3 s a move" });
  await one.press("Start");
  const two = await Visit.open(browser, host, { hurry: true, at: await placeOf(one) });
  for (const visit of [one, two]) await becomes(() => visit.page.locator(".strip .clock").allInnerTexts(), ["5:00", "5:00"]);
  await two.hit(two.page.getByRole("button", { name: "Resign", exact: true }));
  await two.answer("Resign");
  await two.until(/You lost/);
  await one.until(/You won!.*resigned/s);
  for (const visit of [one, two]) await visit.close();
});
