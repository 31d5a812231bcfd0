// The page: which screen is shown, the bar at the top, the settings that hold everywhere.

import { connect } from "./engine.js";
import { dialog, toast } from "./dialog.js";
import { editScreen } from "./edit.js";
import { historyScreen } from "./history.js";
import { homeScreen } from "./home.js";
import { LANGUAGES, gameTitle, language, loadLanguage, setLanguage, t } from "./i18n/index.js";
import { icon } from "./icons.js";
import { labScreen } from "./lab.js";
import { takeLooks } from "./looks.js";
import { recall, remember } from "./memory.js";
import { playScreen } from "./play.js";
import { puzzlesScreen } from "./puzzles.js";
import { rulesScreen } from "./rules.js";
import { setupScreen } from "./setup.js";
import { unpack } from "./share.js";
import { randomName } from "./store.js";
import { find, html, messageOf } from "./svg.js";
import { friendScreen } from "./table.js";
import { tourAgain } from "./tour.js";

/** @import { App, Screen } from "./types.js" */

/** @type {Record<string, Screen>} */
const SCREENS = {
  "": homeScreen,
  new: setupScreen,
  play: playScreen,
  rules: rulesScreen,
  friend: friendScreen,
  lab: labScreen,
  edit: editScreen,
  history: historyScreen,
  puzzles: puzzlesScreen,
  g: (app, parts) => playScreen(app, [], unpack(parts)),
};

const main = find("#page");

/** What is to be done when the screen is left. @type {(() => void) | null} */
let leave = null;
let shown = 0;
/** How far down screens were looked at, by the names of their places in the history. @type {Map<string, number>} */
const scrolled = new Map();
/** The place of the screen that is shown. @type {string | null} */
let place = null;

/** How far down the page was looked at last. */
let depth = 0;

/** Shows the screen that the address names. @param {App} app */
async function show(app) {
  const [, screen = "", ...parts] = location.hash.split("/");
  leave?.();
  leave = null;
  shown += 1;
  const mine = shown;
  if (place !== null) scrolled.set(place, depth);
  // Who comes back to a screen finds it where it was left; a new one is seen from its top.
  const known = history.state?.place ?? null;
  place = known ?? randomName();
  if (!known) history.replaceState({ place }, "");
  const page = html("div", {});
  main.replaceChildren(page);
  // What was said belongs to the screen that it was said on.
  find("#toasts").replaceChildren();
  find("#announcer").textContent = "";
  drawBar(app, screen, parts);
  try {
    const left = (await (SCREENS[screen] ?? homeScreen)({ ...app, page }, parts)) ?? null;
    // A screen that was left while it was being set up is never shown.
    if (mine !== shown) left?.();
    else leave = left;
  } catch (error) {
    page.replaceChildren(
      html(
        "section",
        { class: "card" },
        html("h1", {}, t("wentWrong")),
        html("p", {}, messageOf(error)),
        html("a", { class: "button", href: "#/" }, t("home")),
      ),
    );
  }
  if (mine !== shown) return;
  main.focus({ preventScroll: true });
  scrollTo(0, scrolled.get(place ?? "") ?? 0);
}

/**
 * @param {App} app
 * @param {string} screen
 * @param {string[]} parts
 */
function drawBar(app, screen, parts) {
  const words = t("settings");
  find("#bar").replaceChildren(
    html(
      "a",
      { href: "#/", class: "brand", title: t("home") },
      html("img", { src: "icons/icon.svg", alt: "", width: 28, height: 28 }),
      "Plyground",
    ),
    html("span", { class: "space" }),
    html("a", { class: "button quiet", href: "#/history" }, t("title.history")),
    html("button", { class: "quiet", "aria-label": words, title: words, onclick: () => settings(app) }, icon("settings")),
  );
  find("#foot").replaceChildren(
    html("span", { class: "badge", title: t(`engine.${app.engine.kind}.meaning`) }, t(`engine.${app.engine.kind}`)),
  );
  const game = app.game(parts[0] ?? "");
  const titles = [game ? gameTitle(game) : "", screen ? t("title." + (screen === "g" ? "play" : screen)) : "", "Plyground"];
  document.title = titles.filter(Boolean).join(" · ");
}

const THEMES = ["system", "light", "dark", "contrast"];

function dress() {
  document.documentElement.dataset.theme = recall("theme", "system");
  document.documentElement.lang = language();
}

/** @param {App} app */
async function settings(app) {
  /** @type {(name: string, options: string[], chosen: string, label: (option: string) => string) => HTMLSelectElement} */
  const choice = (name, options, chosen, label) =>
    html(
      "select",
      { name },
      options.map((option) => html("option", { value: option, selected: option === chosen }, label(option))),
    );
  const theme = choice("theme", THEMES, recall("theme", "system"), (name) => t("theme." + name));
  const tongue = choice("language", Object.keys(LANGUAGES), language(), (code) => LANGUAGES[code]);
  const sound = html("input", { type: "checkbox", name: "sound", checked: recall("sound", true) });
  const again = html("input", { type: "checkbox", name: "tour" });
  const content = html(
    "div",
    { class: "fields" },
    html("label", { class: "field" }, t("theme"), theme),
    html("label", { class: "field" }, t("language"), tongue),
    html("label", { class: "field row" }, sound, t("sound")),
    html("label", { class: "field row" }, again, t("tour.again")),
  );
  if ((await dialog(t("settings"), content, [["ok", t("ok"), "primary"]])) !== "ok") return;
  remember("theme", theme.value);
  remember("sound", sound.checked);
  if (again.checked) tourAgain();
  const before = language();
  await setLanguage(tongue.value);
  dress();
  // Colours and sounds need no new screen, and a game that came by a link is not begun again for them.
  if (language() !== before || again.checked) show(app);
}

async function begin() {
  dress();
  const [engine] = await Promise.all([connect(), welcome()]);
  const games = await engine.ask("games", {});
  takeLooks(games);
  /** @type {App} */
  const app = {
    engine,
    games,
    page: main,
    go: (address) => {
      if (location.hash === address) {
        place = null;
        show(app);
      }
      else location.hash = address;
    },
    show: () => show(app),
    game: (name) => games.find((game) => game.name === name || game.aliases.includes(name)),
  };
  addEventListener("hashchange", () => show(app));
  history.scrollRestoration = "manual";
  addEventListener("scroll", () => (depth = scrollY), { passive: true });
  engine.onlost = (lost) => {
    const banner = find("#lost");
    banner.hidden = !lost;
    banner.textContent = lost ? t("connectionLost") : "";
  };
  await show(app);
  // With a server behind the page there is nothing to keep: without it, it would be another app. Where keeping is forbidden, the
  // page works all the same.
  if (engine.kind === "browser") navigator.serviceWorker?.register("sw.js").catch(() => {});
}

/** Says in the language of the page that it comes. */
async function welcome() {
  await loadLanguage();
  dress();
  if (!main.hasChildNodes()) main.append(html("p", { class: "loading" }, t("loading")));
}

addEventListener("unhandledrejection", (event) => toast(event.reason?.message ?? String(event.reason)));
begin().catch((error) => main.replaceChildren(html("p", { class: "loading" }, `${t("wentWrong")} ${error.message}`)));
