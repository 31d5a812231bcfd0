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
import { html } from "./svg.js";
import { tourAgain } from "./tour.js";

const SCREENS = {
  "": homeScreen,
  new: setupScreen,
  play: playScreen,
  rules: rulesScreen,
  lab: labScreen,
  g: (app, parts) => playScreen(app, [], unpack(parts)),
};

const app = {
  engine: null,
  games: [],
  page: document.getElementById("page"),
  go: (address) => (location.hash === address ? show() : (location.hash = address)),
  game: (name) => app.games.find((game) => game.name === name || game.aliases.includes(name)),
};

let leave = null;
let shown = 0;

async function show() {
  const [, screen = "", ...parts] = location.hash.split("/");
  leave?.();
  leave = null;
  shown += 1;
  const mine = shown;
  const page = html("div", {});
  app.page.replaceChildren(page);
  drawBar(screen);
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
        html("p", {}, error.message),
        html("a", { class: "button", href: "#/" }, t("home")),
      ),
    );
  }
  app.page.focus({ preventScroll: true });
}

function drawBar(screen) {
  const badge = html("span", { class: "badge", title: t(`engine.${app.engine.kind}.meaning`) }, t(`engine.${app.engine.kind}`));
  document
    .getElementById("bar")
    .replaceChildren(
      html(
        "a",
        { href: "#/", class: "brand", title: t("home") },
        html("img", { src: "icons/icon.svg", alt: "", width: 28, height: 28 }),
        "Plyground",
      ),
      badge,
      html("span", { class: "space" }),
      html("button", { class: "quiet", "aria-label": t("settings"), onclick: settings }, "⚙"),
    );
  document.title = screen ? `${t("title." + (screen === "g" ? "play" : screen)) || ""} · Plyground` : "Plyground";
}

const THEMES = ["system", "light", "dark", "contrast"];

function dress() {
  document.documentElement.dataset.theme = recall("theme", "system");
  document.documentElement.lang = language();
}

async function settings() {
  const choice = (name, options, chosen, label) =>
    html(
      "label",
      { class: "field" },
      t(name),
      html(
        "select",
        { name },
        options.map((option) => html("option", { value: option, selected: option === chosen }, label(option))),
      ),
    );
  const sound = html("input", { type: "checkbox", name: "sound", checked: recall("sound", false) });
  const again = html("input", { type: "checkbox", name: "tour" });
  const content = html(
    "div",
    { class: "fields" },
    choice("theme", THEMES, recall("theme", "system"), (theme) => t("theme." + theme)),
    choice("language", Object.keys(LANGUAGES), language(), (code) => LANGUAGES[code].name),
    html("label", { class: "field row" }, sound, t("sound")),
    html("label", { class: "field row" }, again, t("tour.again")),
  );
  if ((await dialog(t("settings"), content, [["ok", t("ok"), "primary"]])) !== "ok") return;
  remember("theme", content.querySelector("[name=theme]").value);
  remember("sound", sound.checked);
  if (again.checked) tourAgain();
  const before = language();
  setLanguage(content.querySelector("[name=language]").value);
  dress();
  // Colours and sounds need no new screen, and a game that came by a link is not begun again for them.
  if (language() !== before || again.checked) show();
}

async function begin() {
  dress();
  app.page.append(html("p", { class: "loading" }, t("loading")));
  app.engine = await connect();
  app.games = await app.engine.ask("games", {});
  takeLooks(app.games);
  addEventListener("hashchange", show);
  await show();
  // With a server behind the page there is nothing to keep: without it, it would be another app. Where keeping is forbidden, the
  // page works all the same.
  if (app.engine.kind === "browser") navigator.serviceWorker?.register("sw.js").catch(() => {});
}

addEventListener("unhandledrejection", (event) => toast(event.reason?.message ?? String(event.reason)));
begin().catch((error) => app.page.replaceChildren(html("p", { class: "loading" }, `${t("wentWrong")} ${error.message}`)));
