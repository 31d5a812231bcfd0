// The workers at a queue on the network: who is there, how fast they are, and what they have done.

import { formatNumber, t } from "./i18n/index.js";
import { LOOK_AGAIN, ask } from "./labtools.js";
import { html, messageOf } from "./svg.js";

/** @import { Fleet, FleetWorker } from "./types.js" */

/** @type {(workers: FleetWorker[], number: (worker: FleetWorker) => number) => number} */
const sum = (workers, number) => workers.reduce((all, worker) => all + number(worker), 0);

/** A section with all workers, which looks again now and then; nothing where the server knows of no queue. */
export async function fleetList() {
  const first = await ask("fleet");
  if (first.queue === null) return "";
  const facts = html("p", { class: "run-facts", role: "status" });
  const rows = html("tbody", {});
  const names = ["worker", "cores", "speed", "jobs", "retries", "failed", "lessons"];
  const table = html(
    "table",
    { class: "measured" },
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        names.map((name) => html("th", { scope: "col" }, t(`fleet.${name}`))),
      ),
    ),
    rows,
  );
  const section = html("section", { "aria-label": t("fleet") }, html("h2", {}, t("fleet")), facts, table);
  const row = (/** @type {FleetWorker} */ worker) =>
    html(
      "tr",
      {},
      html("th", { scope: "row", title: worker.machine }, worker.worker),
      [worker.cores, worker.speed, worker.jobs, worker.retries, worker.failed, worker.lessons].map((number) =>
        html("td", {}, formatNumber(Math.round(number))),
      ),
    );
  /** @param {Fleet} fleet */
  function draw({ queue, queued, workers }) {
    const cores = sum(workers, (worker) => worker.cores);
    const speed = sum(workers, (worker) => worker.cores * worker.speed);
    facts.textContent = t("fleet.facts", {
      queue,
      workers: formatNumber(workers.length),
      cores: formatNumber(cores),
      speed: formatNumber(Math.round(speed)),
      queued: formatNumber(queued),
    });
    rows.replaceChildren(...workers.map(row));
    table.hidden = workers.length === 0;
  }
  async function again() {
    if (!section.isConnected) return;
    try {
      draw(await ask("fleet"));
    } catch (error) {
      facts.textContent = messageOf(error);
    }
    setTimeout(again, LOOK_AGAIN);
  }
  draw(first);
  setTimeout(again, LOOK_AGAIN);
  return section;
}
