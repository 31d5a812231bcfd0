// The page: which screen is shown, the bar at the top, the settings that hold everywhere.

import { connect } from "./engine.js";
import { dialog, toast } from "./dialog.js";
import { homeScreen } from "./home.js";
import { LANGUAGES, language, setLanguage, t } from "./i18n/index.js";
import { labScreen } from "./lab.js";
import { takeLooks } from "./looks.js";
import { recall, remember } from "./memory.js";
import { playScreen } from "./play.js";
import { rulesScreen } from "./rules.js";
import { setupScreen } from "./setup.js";
import { unpack } from "./share.js";
import { find, html, messageOf } from "./svg.js";
import { tourAgain } from "./tour.js";

/** @import { App, Screen } from "./types.js" */

/** @type {Record<string, Screen>} */
const SCREENS = {
  "": homeScreen,
  new: setupScreen,
  play: playScreen,
  rules: rulesScreen,
  lab: labScreen,
  g: (app, parts) => playScreen(app, [], unpack(parts)),
};

const main = find("#page");

/** What is to be done when the screen is left. @type {(() => void) | null} */
let leave = null;
let shown = 0;
/** The address of the screen. @type {string | null} */
let current = null;

/** Shows the screen that the address names. @param {App} app */
async function show(app) {
  const [, screen = "", ...parts] = location.hash.split("/");
  leave?.();
  leave = null;
  shown += 1;
  const mine = shown;
  const page = html("div", {});
  main.replaceChildren(page);
  // A new screen is seen from its top, however far down the one before it was looked at.
  if (current !== location.hash) scrollTo(0, 0);
  current = location.hash;
  drawBar(app, screen);
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
  main.focus({ preventScroll: true });
}

/**
 * @param {App} app
 * @param {string} screen
 */
function drawBar(app, screen) {
  const badge = html("span", { class: "badge", title: t(`engine.${app.engine.kind}.meaning`) }, t(`engine.${app.engine.kind}`));
  find("#bar").replaceChildren(
    html(
      "a",
      { href: "#/", class: "brand", title: t("home") },
      html("img", { src: "icons/icon.svg", alt: "", width: 28, height: 28 }),
      "Plyground",
    ),
    badge,
    html("span", { class: "space" }),
    html("button", { class: "quiet", "aria-label": t("settings"), onclick: () => settings(app) }, "⚙"),
  );
  document.title = screen ? `${t("title." + (screen === "g" ? "play" : screen)) || ""} · Plyground` : "Plyground";
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
  const tongue = choice("language", Object.keys(LANGUAGES), language(), (code) => LANGUAGES[code].name);
  const sound = html("input", { type: "checkbox", name: "sound", checked: recall("sound", false) });
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
  setLanguage(tongue.value);
  dress();
  // Colours and sounds need no new screen, and a game that came by a link is not begun again for them.
  if (language() !== before || again.checked) show(app);
}

async function begin() {
  dress();
  main.append(html("p", { class: "loading" }, t("loading")));
  const engine = await connect();
  const games = await engine.ask("games", {});
  takeLooks(games);
  /** @type {App} */
  const app = {
    engine,
    games,
    page: main,
    go: (address) => {
      if (location.hash === address) show(app);
      else location.hash = address;
    },
    game: (name) => games.find((game) => game.name === name || game.aliases.includes(name)),
  };
  addEventListener("hashchange", () => show(app));
  await show(app);
  // With a server behind the page there is nothing to keep: without it, it would be another app. Where keeping is forbidden, the
  // page works all the same.
  if (engine.kind === "browser") navigator.serviceWorker?.register("sw.js").catch(() => {});
}

addEventListener("unhandledrejection", (event) => toast(event.reason?.message ?? String(event.reason)));
begin().catch((error) => main.replaceChildren(html("p", { class: "loading" }, `${t("wentWrong")} ${error.message}`)));
