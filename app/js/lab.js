// The lab of a server: runs are listed, started, stopped and followed. `ply serve` has one; without it none of this is shown.

import { toast } from "./dialog.js";
import { fleetList } from "./fleet.js";
import { agentName, formatNumber, gameTitle, t } from "./i18n/index.js";
import { agentIn, ask, duration, gameOf, learnLevels, LOOK_AGAIN, percent, titleOf } from "./labtools.js";
import { recall, remember } from "./memory.js";
import { boardName, boardsOf } from "./setup.js";
import { Spectator } from "./spectate.js";
import { html, messageOf } from "./svg.js";
import { trainingList, trainingScreen } from "./training.js";

/** @import { App, MatchLine, RunLine, RunPage, Score, Standing } from "./types.js" */

const RUNNING = ["running", "stopping"];

/** @param {Score} row */
const interval = (row) => `[${formatNumber(100 * row.score_low, 1)}, ${formatNumber(100 * row.score_high, 1)}]`;

/**
 * @param {App} app
 * @param {string[]} parts
 */
export async function labScreen(app, [run, training]) {
  if (!app.engine.lab) throw new Error(t("lab.none"));
  if (run === "training") return trainingScreen(app, decodeURIComponent(training ?? ""));
  return run ? runScreen(app, run) : listScreen(app);
}

/** @param {App} app */
async function listScreen(app) {
  const lines = html("div", { class: "runs" });
  const damage = html("div", {});
  const more = html("button", { type: "button", hidden: true, onclick: () => fill(shown + 30) }, t("lab.more"));
  let shown = 30;
  /** @type {number | undefined} */
  let timer;
  async function fill(/** @type {number} */ count) {
    clearTimeout(timer);
    shown = count;
    /** @type {RunLine[]} */
    const runs = [];
    /** @type {{ runs: RunLine[], of: number, damage?: string[] }} */
    let page;
    do {
      page = await ask(`runs?skip=${runs.length}`);
      runs.push(...page.runs);
    } while (page.runs.length > 0 && runs.length < Math.min(shown, page.of));
    await Promise.all([...new Set(runs.map((line) => line.game))].map((game) => learnLevels(app, game)));
    lines.replaceChildren(...runs.map((line) => card(app, line)), runs.length === 0 ? html("p", {}, t("lab.empty")) : "");
    damage.replaceChildren(...damaged(page.damage));
    more.hidden = runs.length >= page.of;
    if (runs.some((line) => RUNNING.includes(line.state)))
      timer = setTimeout(() => lines.isConnected && fill(shown).catch(() => {}), LOOK_AGAIN);
    return runs.length;
  }
  const known = await fill(shown);
  const [trainings, fleet] = await Promise.all([trainingList(app), fleetList()]);
  const form = await newRun(app);
  const wide = matchMedia("(min-width: 56rem)").matches;
  app.page.append(
    html("section", { class: "intro" }, html("h1", {}, t("lab")), html("p", {}, t("lab.lead"))),
    html(
      "div",
      { class: "lab" },
      html("details", { class: "card new-run", open: wide || known === 0 }, html("summary", {}, t("lab.new")), form),
      html(
        "div",
        {},
        html("section", { "aria-label": t("lab.runs") }, html("h2", {}, t("lab.runs")), damage, lines, more),
        trainings,
        fleet,
      ),
    ),
  );
  return () => clearTimeout(timer);
}

/** @type {(game: string, leader: Standing) => string} */
const leading = (game, leader) =>
  t("lab.leader", { agent: agentIn(game, leader.agent), score: percent(leader.score), interval: interval(leader) });

/**
 * A run in the list.
 *
 * @param {App} app
 * @param {RunLine} line
 */
function card(app, line) {
  const leader = line.leader
    ? leading(line.game, line.leader)
    : "";
  return html(
    "a",
    { class: "card run", href: `#/lab/${line.run}` },
    html(
      "span",
      { class: "run-head" },
      html("b", {}, titleOf(app, line.game)),
      html("span", { class: `badge ${line.state}` }, t(`lab.state.${line.state}`)),
    ),
    html("span", { class: "run-agents" }, line.agents.map((agent) => agentIn(line.game, agent)).join(" · ")),
    html("progress", { max: Math.max(1, line.pairs), value: line.done, "aria-label": t("lab.progress") }),
    html(
      "span",
      { class: "run-facts" },
      t(`lab.done.${line.unit}`, { done: formatNumber(line.done), of: formatNumber(line.pairs) }),
      leader ? html("span", {}, leader) : "",
    ),
  );
}

/** @type {(id: string, text: string, element: HTMLElement, hint?: string) => HTMLElement} */
const field = (id, text, element, hint = "") =>
  html("label", { class: "field", for: id }, text, element, hint ? html("small", {}, hint) : "");
const plain = { autocapitalize: "off", autocomplete: "off", spellcheck: "false" };

/** The form for a new run. @param {App} app */
async function newRun(app) {
  const before = recall("lab", {
    game: app.games[0].name,
    agents: ["level=2", "level=4"],
    pairs: 20,
    format: "round-robin",
    budget: "",
    limit: "",
  });
  const boards = app.games.map((game) =>
    html(
      "optgroup",
      { label: gameTitle(game) },
      boardsOf(game).map((spec) =>
        html("option", { value: spec, selected: spec === before.game }, `${gameTitle(game)}, ${boardName(spec, game)}`),
      ),
    ),
  );
  const game = html("select", { id: "lab-game" }, boards);
  const own = html("input", {
    id: "lab-board",
    type: "text",
    ...plain,
    placeholder: app.games[0].samples.at(-1),
    value: before.own ?? "",
  });
  const rows = html("ol", { class: "agents" });
  const add = html("select", { id: "lab-add", "aria-label": t("lab.add") });
  const row = (/** @type {string} */ value) => {
    const text = html("input", { type: "text", ...plain, value, placeholder: "mcts:sims=500", "aria-label": t("lab.agent") });
    const item = html(
      "li",
      {},
      text,
      html("button", { type: "button", class: "quiet", "aria-label": t("lab.remove"), onclick: () => item.remove() }, "×"),
    );
    rows.append(item);
    return text;
  };
  before.agents.forEach(row);
  const opponents = async () => {
    const all = await app.engine.ask("opponents", { game: own.value.trim() || game.value }).catch(() => []);
    add.replaceChildren(
      html("option", { value: "" }, t("lab.add")),
      ...all.map((opponent) => html("option", { value: opponent.name }, `${agentName(opponent.name)} (${opponent.spec})`)),
      html("option", { value: "own" }, t("lab.add.own")),
    );
  };
  game.addEventListener("change", opponents);
  own.addEventListener("change", opponents);
  add.addEventListener("change", () => {
    if (add.value === "own") row("").focus();
    else if (add.value) row(add.value);
    add.value = "";
  });
  await opponents();
  const pairs = html("input", { id: "lab-pairs", type: "text", inputmode: "numeric", ...plain, value: before.pairs });
  /** @type {(chosen: string, names: string[], text: (name: string) => string) => HTMLElement[]} */
  const options = (chosen, names, text) =>
    names.map((name) => html("option", { value: name, selected: name === chosen }, text(name)));
  const format = html(
    "select",
    { id: "lab-format" },
    options(before.format, ["round-robin", "gauntlet", "swiss"], (name) => t(`lab.format.${name}`)),
  );
  const budget = html(
    "select",
    { id: "lab-budget" },
    options(before.budget, ["", "sims", "time"], (name) => t(`lab.budget.${name || "own"}`)),
  );
  const limit = html("input", { type: "text", ...plain, value: before.limit, "aria-label": t("lab.limit") });
  const limits = () => {
    limit.hidden = budget.value === "";
    limit.placeholder = budget.value === "time" ? "100ms" : "1000";
  };
  budget.addEventListener("change", limits);
  limits();
  const problem = html("p", { class: "problem", role: "alert" });
  const begin = html("button", { class: "primary" }, t("start"));
  async function start(/** @type {SubmitEvent} */ event) {
    event.preventDefault();
    const agents = [...rows.querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
    const settings = {
      game: own.value.trim() || game.value,
      agents,
      pairs: wholeNumber(pairs.value),
      format: format.value,
      ...(budget.value === "sims" && { sims: wholeNumber(limit.value) }),
      ...(budget.value === "time" && { move_time: limit.value.trim() }),
    };
    remember("lab", {
      game: game.value,
      own: own.value.trim(),
      agents,
      pairs: pairs.value,
      format: format.value,
      budget: budget.value,
      limit: limit.value,
    });
    const bad = [pairs.value, ...(budget.value === "sims" ? [limit.value] : [])].find((text) => wholeNumber(text) === 0);
    if (bad !== undefined) {
      problem.textContent = t("lab.whole", { text: bad.trim() });
      return;
    }
    begin.disabled = true;
    try {
      app.go(`#/lab/${(await ask("runs", settings)).run}`);
    } catch (error) {
      problem.textContent = messageOf(error);
    } finally {
      begin.disabled = false;
    }
  }
  return html(
    "form",
    { class: "fields", onsubmit: start },
    field("lab-game", t("lab.game"), game),
    html("fieldset", {}, html("legend", {}, t("lab.agents")), rows, add),
    html("div", { class: "pair" }, field("lab-pairs", t("lab.pairs"), pairs), field("lab-format", t("lab.format"), format)),
    html("small", {}, t("lab.pairs.meaning")),
    field("lab-budget", t("lab.budget"), budget),
    limit,
    html("details", {}, html("summary", {}, t("advanced")), field("lab-board", t("advanced.board"), own)),
    problem,
    html("div", { class: "buttons" }, begin),
  );
}

/** A number for the lab to judge: what is none becomes 0, which it refuses in words. @param {string} text */
const wholeNumber = (text) => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : 0);

/**
 * A run: how far it is, its table, and the games that are played.
 *
 * @param {App} app
 * @param {string} name
 */
async function runScreen(app, name) {
  /** @type {RunPage} */
  let run = await ask(`runs/${name}`);
  await learnLevels(app, run.game);
  const state = html("p", { class: "status" });
  const bar = html("progress", { "aria-label": t("lab.progress") });
  const facts = html("p", { class: "run-facts" });
  const problem = html("p", { class: "problem", role: "alert" });
  const buttons = html("div", { class: "buttons" });
  const table = html("ol", { class: "standings", "aria-label": t("lab.table") });
  const remarks = html("div", {});
  const matches = html("ul", { class: "matches" });
  const all = html("details", { hidden: true }, html("summary", {}, t("lab.matches")), matches);
  const spectator = new Spectator(app, run.game, gameOf(app, run.game));
  /** @type {EventSource | null} */
  let events = null;
  /** @type {number | undefined} */
  let timer;
  /** @type {number | undefined} */
  let clock;
  let told = performance.now();
  /** The state that the buttons were drawn for. @type {string | null} */
  let buttonsFor = null;
  let left = false;

  function draw() {
    clearTimeout(clock);
    const playing = RUNNING.includes(run.state);
    state.textContent = t(`lab.state.${run.state}`);
    bar.max = Math.max(1, run.pairs);
    bar.value = run.done;
    const done = t(`lab.done.${run.unit}`, { done: formatNumber(run.done), of: formatNumber(run.pairs) });
    facts.replaceChildren(html("span", {}, done), playing && run.played > 0 ? html("span", {}, pace(run, told)) : "");
    problem.textContent = run.trouble ?? "";
    // A button that is drawn anew while it is pressed does nothing.
    if (buttonsFor !== run.state) drawButtons(playing);
    table.replaceChildren(...run.standings.map((row) => standing(run.game, row)));
    remarks.replaceChildren(...about(run));
    all.hidden = run.agents.length <= 2 || run.matches.length === 0;
    matches.replaceChildren(...run.matches.map((match) => matchLine(run.game, match)));
    spectator.element.hidden = !playing && spectator.empty;
    // Time goes on when nothing else does.
    if (playing) clock = setTimeout(draw, 1000);
  }

  function take(/** @type {RunPage} */ page) {
    run = page;
    told = performance.now();
    draw();
  }

  function drawButtons(/** @type {boolean} */ playing) {
    buttonsFor = run.state;
    /** @type {(text: string, action: () => void, off?: boolean) => HTMLElement} */
    const tool = (text, action, off) =>
      html("button", { type: "button", class: "primary", disabled: off, onclick: action }, text);
    buttons.replaceChildren(
      playing
        ? tool(t("lab.stop"), () => act("stop"), run.state === "stopping")
        : run.state === "unfinished"
          ? tool(t("lab.resume"), () => act("resume"))
          : "",
      html("a", { class: "button", href: `lab/runs/${run.run}/report`, target: "_blank", rel: "noopener" }, t("lab.report")),
      html("a", { class: "button", href: "#/lab" }, t("lab.runs")),
    );
  }

  async function act(/** @type {"stop" | "resume"} */ what) {
    for (const button of buttons.querySelectorAll("button")) button.disabled = true;
    try {
      await ask(`runs/${run.run}/${what}`, null);
    } catch (error) {
      toast(messageOf(error));
    }
    buttonsFor = null;
    await look();
  }

  /** Looks at the run, and follows it if it is being played. */
  async function look() {
    clearTimeout(timer);
    const page = await ask(`runs/${run.run}`);
    if (left) return;
    take(page);
    if (RUNNING.includes(run.state) && !events) follow();
  }

  function follow() {
    const source = new EventSource(`lab/runs/${run.run}/events`);
    events = source;
    /** @type {(event: string, then: (data: any) => void) => void} */
    const hear = (event, then) => source.addEventListener(event, ({ data }) => then(JSON.parse(data)));
    hear("run", take);
    hear("boards", (boards) => spectator.begin(boards));
    hear("started", (board) => spectator.started(board));
    hear("move", (move) => spectator.moved(move));
    hear("over", (over) => spectator.over(over));
    hear("end", () => {
      close();
      spectator.end();
      look().catch(() => {});
    });
    // A connection that was lost comes back by itself; one that was refused does not.
    source.addEventListener("error", () => {
      if (events?.readyState !== EventSource.CLOSED) return;
      close();
      timer = setTimeout(() => look().catch((error) => (problem.textContent = error.message)), LOOK_AGAIN);
    });
  }

  function close() {
    events?.close();
    events = null;
  }

  app.page.append(
    html("section", { class: "intro" }, html("h1", {}, titleOf(app, run.game)), html("p", {}, html("code", {}, run.command))),
    html(
      "div",
      { class: "lab" },
      html(
        "section",
        { class: "card" },
        state,
        bar,
        facts,
        problem,
        buttons,
        html("h2", {}, t("lab.table")),
        table,
        remarks,
        all,
      ),
      spectator.element,
    ),
  );
  draw();
  if (RUNNING.includes(run.state)) follow();
  return () => {
    left = true;
    close();
    clearTimeout(timer);
    clearTimeout(clock);
    spectator.close();
  };
}

/**
 * An agent in the table: its score with the interval as a picture and in numbers.
 *
 * @param {string} game
 * @param {Standing} row
 */
function standing(game, row) {
  const played = row.games > 0;
  const [band, dot] = [html("span", { class: "band" }), html("span", { class: "dot" })];
  const scale = html("span", { class: "scale", "aria-hidden": "true", hidden: !played }, band, dot);
  band.style.left = `${100 * row.score_low}%`;
  band.style.width = `${100 * (row.score_high - row.score_low)}%`;
  dot.style.left = `${100 * row.score}%`;
  const facts = [
    t("lab.tally", {
      games: formatNumber(row.games),
      wins: formatNumber(row.wins),
      draws: formatNumber(row.draws),
      losses: formatNumber(row.losses),
    }),
    played ? t("lab.elo", { elo: eloWords(row.elo_words) }) : "",
    row.ms === null ? "" : t("lab.ms", { ms: formatNumber(row.ms, 2) }),
  ];
  return html(
    "li",
    {},
    html(
      "span",
      { class: "run-head" },
      html("b", { title: row.agent }, agentIn(game, row.agent)),
      html("span", {}, played ? html("b", {}, percent(row.score)) : "–", played ? ` ${interval(row)}` : ""),
    ),
    scale,
    html("small", {}, facts.filter(Boolean).join(" · ")),
  );
}

/** Elo with its error, or the bound that is known where everything was won or lost. @param {string} words */
function eloWords(words) {
  const [, which, bound] = words.match(/^at (least|most) (.+)$/) ?? [];
  return which ? t(`lab.elo.${which}`, { bound }) : words;
}

/**
 * @param {string} game
 * @param {MatchLine} match
 */
function matchLine(game, match) {
  const [one, other] = match.agents.map((agent) => agentIn(game, agent));
  return html(
    "li",
    {},
    t("lab.match", {
      one,
      other,
      wins: match.wins,
      draws: match.draws,
      losses: match.losses,
      score: percent(match.score),
      interval: interval(match),
    }),
  );
}

/** What is damaged in the store. @param {string[]} [places] */
const damaged = (places = []) => places.map((place) => html("p", { class: "problem" }, t("lab.damage", { place })));

/** What other machines have sent that does not count. @param {RunPage} run */
function refused({ refused: found }) {
  if (!found) return [];
  const senders = found.most.slice(0, 5).map((sender) =>
    t(sender.banned ? "lab.refused.banned" : "lab.refused.sender", {
      worker: sender.worker || t("lab.refused.nameless"),
      results: formatNumber(sender.results),
      reason: sender.reason,
    }),
  );
  const words = t("lab.refused", { results: formatNumber(found.results), senders: senders.join("; ") });
  return [html("p", { class: "problem" }, words)];
}

/** What belongs below the table. @param {RunPage} run */
function about(run) {
  const games = Math.max(1, run.games);
  const facts = {
    plies: formatNumber(run.plies ?? 0, 1),
    first: percent(run.first_won / games),
    second: percent(run.second_won / games),
    drawn: percent(run.drawn / games),
    repeated: percent(run.redundancy),
  };
  return [
    run.games > 0 ? html("p", { class: "run-facts" }, t("lab.facts", facts)) : "",
    ...run.faults.map((fault) =>
      html(
        "p",
        { class: "problem" },
        t("lab.fault", {
          agent: agentIn(run.game, fault.agent),
          fault: t(`lab.fault.${fault.fault}`) || fault.fault,
          games: formatNumber(fault.games),
        }),
      ),
    ),
    ...damaged(run.damage),
    ...refused(run),
  ];
}

/**
 * How fast it goes, and how long it will take, if it was told at this time.
 *
 * @param {RunPage} run
 * @param {number} told
 */
function pace(run, told) {
  const rate = run.played / (run.seconds + (performance.now() - told) / 1000);
  const words =
    rate < 1 ? t("lab.pace.minute", { rate: formatNumber(60 * rate, 1) }) : t("lab.pace", { rate: formatNumber(rate, 1) });
  return `${words}, ${t("lab.left", { time: duration(Math.max(0, run.pairs - run.done) / rate) })}`;
}
