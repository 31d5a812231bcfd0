// Games that come and go: links, and records in the formats of the engine.

import { dialog, toast } from "./dialog.js";
import { t } from "./i18n/index.js";
import { begun, keep } from "./match.js";
import { link } from "./share.js";
import { html, messageOf } from "./svg.js";

/** @import { App, Fields, Game, GameInfo } from "./types.js" */

/**
 * The link and the record of a game.
 *
 * @param {App} app
 * @param {Game} game
 * @param {GameInfo} info
 */
export async function shareDialog(app, game, info) {
  const address = link(game);
  const field = html("input", { type: "text", readonly: true, value: address, onfocus: () => field.select() });
  const formats = html(
    "select",
    {},
    ["jsonl", ...info.formats].map((format) => html("option", {}, format)),
  );
  const record = html("textarea", { rows: 4, readonly: true });
  const write = async () => {
    const { spec, start, moves, players } = game;
    /** @type {Fields["export"]} */
    const request = { game: spec, start, moves, format: formats.value, players: [players.first, players.second] };
    record.value = await app.engine.ask("export", request).catch(messageOf);
  };
  formats.addEventListener("change", write);
  await write();
  const content = html(
    "div",
    { class: "fields" },
    html("label", { class: "field" }, t("link"), field),
    html("label", { class: "field" }, t("format"), formats),
    html("label", { class: "field" }, t("record"), record),
  );
  // Pages that did not come over a safe connection may not write to the clipboard.
  /** @type {[string, string, string][]} */
  const copy = navigator.clipboard ? [["copy", t("copyLink"), "primary"]] : [];
  const pressed = await dialog(t("share"), content, [...copy, ["import", t("import")], ["", t("close")]]);
  if (pressed === "copy") {
    await navigator.clipboard.writeText(address);
    toast(t("copied"));
  } else if (pressed === "import") {
    await importDialog(app);
  }
}

/** Asks for a record until there is one that can be read, and opens its game. @param {App} app */
export async function importDialog(app) {
  const field = html("textarea", { rows: 8 });
  const problem = html("p", { class: "problem", role: "alert" });
  const content = html("div", { class: "fields" }, html("label", { class: "field" }, t("record"), field), problem);
  while (
    (await dialog(t("import"), content, [
      ["ok", t("import"), "primary"],
      ["", t("close")],
    ])) === "ok"
  ) {
    try {
      const [game] = await app.engine.ask("import", { text: field.value });
      if (!game) throw new Error(t("noRecord"));
      keep(begun({ spec: game.game, start: game.start, moves: game.moves }));
      app.go("#/play");
      return;
    } catch (error) {
      problem.textContent = messageOf(error);
    }
  }
}
