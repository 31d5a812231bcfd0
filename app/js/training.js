// Trainings of networks: those of this computer are listed, and each has a page with its curves, which grow while it goes on.

import { curves } from "./curves.js";
import { agentName, formatNumber, t } from "./i18n/index.js";
import { LOOK_AGAIN, ask, duration, percent, titleOf } from "./labtools.js";
import { html, messageOf } from "./svg.js";

/** @import { App, Curve, Measured, TrainingLine, TrainingPage, TrainingPlan, TrainingRound } from "./types.js" */

/** Where an interval of Elo has no end, the lab says this or more. */
const ENDLESS = 4000;

/** @param {TrainingLine | TrainingPlan} training */
const size = (training) => t("training.size", { channels: training.channels, blocks: training.blocks });

/** A section with all trainings; nothing where there are none. @param {App} app */
export async function trainingList(app) {
  /** @type {{ trainings: TrainingLine[] }} */
  const { trainings } = await ask("trainings");
  if (trainings.length === 0) return "";
  return html(
    "section",
    { "aria-label": t("training") },
    html("h2", {}, t("training")),
    html(
      "div",
      { class: "runs trainings" },
      trainings.map((training) => card(app, training)),
    ),
  );
}

/**
 * @param {App} app
 * @param {TrainingLine} training
 */
function card(app, training) {
  const facts = t("training.facts", {
    rounds: formatNumber(training.rounds),
    games: formatNumber(training.games),
    time: duration(training.seconds),
  });
  return html(
    "a",
    { class: "card run", href: `#/lab/training/${encodeURIComponent(training.training)}` },
    html(
      "span",
      { class: "run-head" },
      html("b", {}, titleOf(app, training.game)),
      html("span", { class: "badge" }, size(training)),
    ),
    html("span", { class: "run-agents" }, html("code", {}, training.training)),
    html("span", { class: "run-facts" }, training.rounds > 0 ? facts : t("training.none")),
  );
}

/**
 * The curves of a training. New rounds are asked for now and then.
 *
 * @param {App} app
 * @param {string} name
 */
export async function trainingScreen(app, name) {
  const address = (/** @type {number} */ skip) => `trainings/${encodeURIComponent(name)}?skip=${skip}`;
  /** @type {TrainingPage} */
  let training = await ask(address(0));
  let { rounds } = training;
  const facts = html("dl", { class: "numbers" });
  const pictures = html("div", { class: "pictures" });
  const strength = html("div", {});
  const news = html("p", { class: "run-facts", role: "status" });
  const problem = html("p", { class: "problem", role: "alert" });
  /** @type {number | undefined} */
  let timer;
  let left = false;

  function draw() {
    facts.replaceChildren(...numbers(rounds.at(-1)));
    pictures.replaceChildren(...drawn(training.plan, rounds));
    // Who has opened the table wants to see the next one, too.
    strength.replaceChildren(...table(rounds, strength.querySelector("details")?.open ?? false));
  }

  function tell() {
    news.textContent =
      rounds.length > 0
        ? t("training.last", { round: formatNumber(rounds.length), time: duration(training.quiet_seconds) })
        : t("training.none");
  }

  async function look() {
    try {
      training = await ask(address(rounds.length));
      if (left) return;
      problem.textContent = "";
      // A training that began anew under this name has fewer rounds than we know.
      if (training.of < rounds.length) {
        training = await ask(address(0));
        rounds = [];
      }
      if (training.rounds.length > 0 || training.of === 0) {
        rounds = [...rounds, ...training.rounds];
        draw();
      }
      tell();
    } catch (error) {
      problem.textContent = messageOf(error);
    }
    if (!left) timer = setTimeout(look, LOOK_AGAIN);
  }

  const { plan } = training;
  app.page.append(
    html(
      "section",
      { class: "intro" },
      html("h1", {}, titleOf(app, plan.game)),
      html("p", {}, `${t("training")}, ${size(plan)}: `, html("code", {}, name)),
    ),
    html("section", { class: "card training" }, news, problem, facts, strength),
    pictures,
    html("div", { class: "buttons" }, html("a", { class: "button", href: "#/lab" }, t("lab"))),
  );
  draw();
  tell();
  timer = setTimeout(look, LOOK_AGAIN);
  return () => {
    left = true;
    clearTimeout(timer);
  };
}

/** What the last round says, name by name. @param {TrainingRound | undefined} round */
function numbers(round) {
  if (!round) return [];
  const lines = {
    games: `${formatNumber(round.games)}, ${t("training.per_hour", { count: formatNumber(round.games_per_hour) })}`,
    judgements: round.taught
      ? "–"
      : t("training.judged", { count: formatNumber(round.judgements_per_second), share: percent(round.network_share) }),
    steps: `${formatNumber(round.steps)}, ${t("lab.pace", { rate: formatNumber(round.steps_per_second, 1) })}`,
    window: t("training.window_of", { count: formatNumber(round.window), age: formatNumber(round.age) }),
    reuse: formatNumber(round.reuse, 2),
    repeated: percent(round.redundancy),
  };
  return Object.entries(lines).map(([name, value]) =>
    html("div", {}, html("dt", {}, t(`training.${name}`)), html("dd", {}, value)),
  );
}

/** Where everything was won or lost, one end of the interval is all that is known. @param {Measured} measured */
function elo(measured) {
  const [low, high] = measured.elo;
  const middle = measured.score >= 1 ? low : measured.score <= 0 ? high : -400 * Math.log10(1 / measured.score - 1);
  return { y: middle, low: low <= -ENDLESS ? -Infinity : low, high: high >= ENDLESS ? Infinity : high };
}

/** @param {number} value */
const signed = (value) => `${value < 0 ? "−" : "+"}${formatNumber(Math.abs(value))}`;

/**
 * @param {TrainingPlan} plan
 * @param {TrainingRound[]} rounds
 */
function drawn(plan, rounds) {
  /** @type {(title: string, value: (round: TrainingRound) => number | undefined, write: (value: number) => string) => Element} */
  const single = (title, value, write) => {
    const points = rounds.flatMap((round) => {
      const y = value(round);
      return y === undefined ? [] : [{ x: round.seconds, y }];
    });
    return curves(t(title), [{ name: "", colour: 0, points }], write);
  };
  /** @type {(player: Measured["player"]) => Curve[]} */
  const against = (player) =>
    plan.anchors.map((anchor, colour) => ({
      name: agentName(anchor),
      colour: colour % 6,
      points: rounds.flatMap((round) =>
        (round.measured ?? [])
          .filter((measured) => measured.player === player && measured.anchor === anchor)
          .map((measured) => ({ x: round.seconds, ...elo(measured) })),
      ),
    }));
  /** @type {(name: string, colour: number, of: "decided" | "to_keep", right: "winner_right" | "kept") => Curve} */
  const agreed = (name, colour, of, right) => ({
    name: t(name),
    colour,
    points: rounds.flatMap(({ seconds, agreement }) =>
      agreement && agreement[of] > 0 ? [{ x: seconds, y: agreement[right] / agreement[of] }] : [],
    ),
  });
  const whole = (/** @type {number} */ value) => formatNumber(value);
  const tenths = (/** @type {number} */ value) => formatNumber(value, 1);
  const exact = (/** @type {number} */ value) => formatNumber(value, 3);
  const solver = [agreed("training.winner", 0, "decided", "winner_right"), agreed("training.move", 1, "to_keep", "kept")];
  return [
    curves(t("training.elo", { sims: formatNumber(plan.anchor_sims) }), against("search"), signed),
    curves(t("training.alone"), against("alone"), signed),
    single("training.policy_loss", (round) => round.policy_loss, exact),
    single("training.value_loss", (round) => round.value_loss, exact),
    curves(t("training.solver"), solver, percent),
    single("training.length", (round) => round.plies, tenths),
    single("training.first", (round) => round.first_score, percent),
    single("training.speed", (round) => (round.taught ? undefined : round.judgements_per_second), whole),
    single("training.pace", (round) => round.games_per_hour, whole),
    single("training.window", (round) => round.window, whole),
  ];
}

/**
 * The last measurement in words and numbers.
 *
 * @param {TrainingRound[]} rounds
 * @param {boolean} open
 */
function table(rounds, open) {
  const last = rounds.findLast((round) => round.measured && round.measured.length > 0);
  if (!last?.measured) return [];
  const bounds = (/** @type {Measured} */ measured) => {
    const { low, high } = elo(measured);
    if (high === Infinity) return t("lab.elo.least", { bound: signed(low) });
    if (low === -Infinity) return t("lab.elo.most", { bound: signed(high) });
    return `${signed(low)} … ${signed(high)}`;
  };
  const row = (/** @type {Measured} */ measured) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, agentName(measured.anchor)),
      html("td", {}, t(`training.player.${measured.player}`)),
      html("td", {}, percent(measured.score)),
      html("td", {}, bounds(measured)),
    );
  const heads = ["anchor", "player", "score", "interval"].map((name) => html("th", { scope: "col" }, t(`training.${name}`)));
  return [
    html(
      "details",
      { open },
      html(
        "summary",
        {},
        t("training.measured", { round: formatNumber(last.round), games: formatNumber(last.measured[0].games) }),
      ),
      html("table", { class: "measured" }, html("thead", {}, html("tr", {}, heads)), html("tbody", {}, last.measured.map(row))),
    ),
  ];
}
