// The engine in Chromium, for `cargo xtask wasm-speed`: each line of the input is a request to the engine, each line of the
// output its answer and the milliseconds that the page waited for it.

import { createInterface } from "node:readline";
import { staticHost } from "./lib/hosts.mjs";
import { launch } from "./lib/visit.mjs";

const host = await staticHost();
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(host.base);
  await page.locator(".games").waitFor();
  await page.evaluate(async () => {
    const { connect } = await import("./js/engine.js");
    window.engine = await connect();
  });
  console.log(JSON.stringify({ browser: browser.version() }));
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await page.evaluate(async ({ do: task, ...fields }) => {
      const begin = performance.now();
      const answer = await window.engine.ask(task, fields);
      return { answer, milliseconds: performance.now() - begin };
    }, JSON.parse(line));
    console.log(JSON.stringify(answer));
  }
} finally {
  await browser.close();
  await host.close();
}
