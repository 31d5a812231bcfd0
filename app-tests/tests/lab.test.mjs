// The lab of `ply serve`: a run from the form to its report, stopped and resumed, with its games to look at.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverHost, staticHost } from "../lib/hosts.mjs";
import { writeTraining } from "../lib/training.mjs";
import { SIZES, Visit, becomes, launch } from "../lib/visit.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Fills in the form. */
async function order(visit, { game, agents, pairs }) {
  const form = visit.page.locator(".new-run");
  if (!(await form.getByRole("button", { name: "Start" }).isVisible())) await visit.hit(form.locator("summary"));
  await visit.page.locator("#lab-game").selectOption(game);
  const fields = form.getByLabel("Agent", { exact: true });
  for (const [index, agent] of agents.entries()) await fields.nth(index).fill(agent);
  await visit.page.locator("#lab-pairs").fill(String(pairs));
  await visit.hit(form.getByRole("button", { name: "Start" }));
}

for (const size of Object.keys(SIZES)) {
  test(`a match is played, looked at and reported on (${size})`, async (context) => {
    const host = await serverHost();
    context.after(() => host.close());
    const visit = await Visit.open(browser, host, { size });
    await visit.press("Open the lab", "link");
    await visit.page.locator(".new-run").waitFor();
    await order(visit, { game: "clobber:size=4x4", agents: ["nobody", "random"], pairs: 10 });
    const problem = visit.page.locator(".problem").filter({ hasText: "nobody" });
    await problem.waitFor();
    await order(visit, { game: "clobber:size=4x4", agents: ["level=2", "random"], pairs: "abc" });
    await visit.page.locator(".problem").filter({ hasText: "found “abc”" }).waitFor();
    await order(visit, { game: "clobber:size=4x4", agents: ["level=2", "random"], pairs: 10 });
    await visit.page.getByText("finished", { exact: true }).first().waitFor();
    await becomes(() => visit.text("main"), /20 games/);
    assert.match(await visit.text(".standings"), /2 · beginner/);
    await visit.shot("lab-run", size);
    const [report] = await Promise.all([visit.context.waitForEvent("page"), visit.press("Report", "link")]);
    await report.locator("h1").first().waitFor();
    await becomes(() => report.innerText("body"), /mcts:sims=60/);
    await report.close();
    await visit.go("#/lab");
    await visit.page.locator(".run").first().waitFor();
    await visit.shot("lab", size);
    // The browser reports the refusal, too.
    await visit.close(/400 \(Bad Request\)/);
  });
}

test("a run is stopped and goes on where it was", async (context) => {
  const host = await serverHost();
  context.after(() => host.close());
  const visit = await Visit.open(browser, host, { at: "#/lab" });
  await order(visit, { game: "clobber:size=6x6", agents: ["mcts:sims=30000", "mcts:sims=20000"], pairs: 1000 });
  await visit.page.locator(".board [data-square]").first().waitFor();
  await visit.shot("lab-live", "desktop");
  await visit.press("Stop");
  await visit.page.getByText("not finished", { exact: true }).first().waitFor();
  await visit.press("Go on");
  await visit.page.getByText("is being played", { exact: true }).first().waitFor();
  await visit.press("Stop");
  await visit.page.getByText("not finished", { exact: true }).first().waitFor();
  await visit.close();
});

for (const size of Object.keys(SIZES)) {
  test(`a training shows its curves, and new rounds as they come (${size})`, async (context) => {
    const host = await serverHost();
    context.after(() => host.close());
    await writeTraining(host.data, "clobber-small", 5);
    const visit = await Visit.open(browser, host, { size, at: "#/lab" });
    await visit.hit(visit.page.locator(".trainings a").filter({ hasText: "clobber-small" }));
    await becomes(() => visit.text("main"), /Round 5 was over/);
    const picture = (name) => visit.page.getByRole("img", { name });
    await becomes(() => picture(/^Loss of the policy\. 1\.5/).count(), 1);
    // The search against five opponents, of which one has lost everything: no error bar without an end goes beyond the picture.
    await becomes(
      () =>
        picture(/^Elo with 100 simulations/)
          .locator("path.error")
          .count(),
      5,
    );
    await becomes(
      () =>
        picture(/^Elo of the network alone/)
          .locator("polyline")
          .count(),
      2,
    );
    await becomes(() => picture(/^Right by the solver\. winner: 68\.3 %; move: 70 %/).count(), 1);
    await visit.hit(visit.page.getByText("Measured after round 3"));
    await becomes(() => visit.text(".measured"), /at least \+180/);
    await writeTraining(host.data, "clobber-small", 6);
    await becomes(() => visit.text("main"), /Round 6 was over/);
    await becomes(
      () =>
        picture(/^Elo with 100 simulations/)
          .locator("path.error")
          .count(),
      10,
    );
    await becomes(() => visit.text(".measured"), /at least \+360/);
    await visit.shot("training", size);
    await visit.go("#/lab/training/nobody");
    await becomes(() => visit.text("main"), /there is no training 'nobody'/);
    await visit.close(/404 \(Not Found\)/);
  });
}

test("without a server there is no lab", async (context) => {
  const host = await staticHost();
  context.after(() => host.close());
  const visit = await Visit.open(browser, host);
  assert.equal(await visit.page.getByText("Open the lab").count(), 0);
  await visit.close();
});
