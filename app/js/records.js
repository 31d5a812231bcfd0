// Games that come and go: links, and records in the formats of the engine.

import { dialog, toast } from "./dialog.js";
import { agentName, gameTitle, playerName, t } from "./i18n/index.js";
import { HUMAN, begin, begun } from "./match.js";
import { qrPicture } from "./invite.js";
import { download, isLocal, link, linkParts, unpack } from "./share.js";
import { put } from "./store.js";
import { html, messageOf } from "./svg.js";
import { playedBy } from "./verdict.js";

/** @import { App, Beginning, Fields, Game, GameInfo, ImportedGame } from "./types.js" */

/** No file of games is larger than this, in bytes: a server reads no longer message. */
const LARGEST = 200_000;

/**
 * The link and the record of a game.
 *
 * @param {App} app
 * @param {Game} game
 * @param {GameInfo} info
 */
export async function shareDialog(app, game, info) {
  const people = Object.values(game.players).every((player) => player === HUMAN) && !game.names;
  /** @type {[string, string]} */
  const names = [nameIn(game, info, "first"), nameIn(game, info, "second")];
  const address = link(app.engine, game, people ? null : names);
  const field = html("input", { type: "text", readonly: true, value: address, onfocus: () => field.select() });
  const formats = html(
    "select",
    {},
    ["jsonl", ...info.formats].map((format) => html("option", {}, format)),
  );
  const record = html("textarea", { rows: 4, readonly: true });
  const picture = html("details", {}, html("summary", {}, t("friend.qr")));
  const drawn = async () => picture.append((await qrPicture(app.engine, address)) ?? "");
  picture.addEventListener("toggle", drawn, { once: true });
  const write = async () => {
    const { spec, start, moves, players } = game;
    /** @type {Fields["export"]} */
    const request = { game: spec, start, moves, format: formats.value, players: game.names ?? [players.first, players.second] };
    record.value = await app.engine.ask("export", request).catch(messageOf);
  };
  formats.addEventListener("change", write);
  await write();
  const content = html(
    "div",
    { class: "fields" },
    html("label", { class: "field" }, t("link"), field),
    isLocal() && !app.engine.reach ? html("p", { class: "faint" }, t("link.local")) : "",
    picture,
    html("label", { class: "field" }, t("format"), formats),
    html("label", { class: "field" }, t("record"), record),
  );
  const able = typeof navigator.share === "function" && !isLocal();
  // Pages that did not come over a safe connection may not write to the clipboard.
  /** @type {[string, string, string?][]} */
  const buttons = [];
  if (able) buttons.push(["share", t("share.with"), "primary"]);
  if (navigator.clipboard) buttons.push(["copy", t("copyLink"), able ? "" : "primary"]);
  buttons.push(["save", t("save")], ["import", t("import")], ["", t("close")]);
  const pressed = await dialog(t("share"), content, buttons);
  if (pressed === "share") {
    // Who thinks better of it has closed the sheet, and that is all.
    await navigator.share({ title: gameTitle(info), url: address }).catch(() => {});
  } else if (pressed === "copy") {
    await navigator.clipboard.writeText(address);
    toast(t("copied"));
  } else if (pressed === "save") download(`${info.name}.${formats.value === "jsonl" ? "jsonl" : "txt"}`, record.value);
  else if (pressed === "import") await importDialog(app);
}

/** @type {(game: Game, info: GameInfo, player: "first" | "second") => string} */
const nameIn = (game, info, player) =>
  game.names || game.players[player] !== HUMAN ? playedBy(game, player) : playerName(info, player);

/**
 * Asks for a record, a link or a position until there is one that can be read, and opens its game. Of several games in a file all
 * are kept, and the first is opened.
 *
 * @param {App} app
 */
export async function importDialog(app) {
  const field = html("textarea", { rows: 6 });
  const file = html("input", { type: "file", accept: ".jsonl,.json,.txt,.rec,text/plain" });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    if (chosen.size > LARGEST) problem.textContent = t("import.large", { most: LARGEST / 1000 });
    else field.value = await chosen.text();
  });
  const games = html(
    "select",
    {},
    html("option", { value: "" }, t("import.any")),
    app.games.map((game) => html("option", { value: game.name }, gameTitle(game))),
  );
  const problem = html("p", { class: "problem", role: "alert" });
  const content = html(
    "div",
    { class: "fields" },
    html("p", { class: "faint" }, t("import.lead")),
    html("label", { class: "field" }, t("record"), field),
    html("label", { class: "field" }, t("import.file"), file),
    html("label", { class: "field" }, t("import.game"), games),
    problem,
  );
  while (
    (await dialog(t("import"), content, [
      ["ok", t("import"), "primary"],
      ["", t("close")],
    ])) === "ok"
  ) {
    try {
      const [first, ...others] = await read(app, field.value, games.value);
      if (!first) throw new Error(t("noRecord"));
      for (const game of others) await put(begun(game));
      if (others.length > 0) toast(t("import.all", { count: others.length + 1 }));
      begin(app, first);
      return;
    } catch (error) {
      problem.textContent = messageOf(error);
    }
  }
}

/**
 * The games of a text: those of a link or of a record, or one that begins at a position.
 *
 * @param {App} app
 * @param {string} text
 * @param {string} chosen The game of a position; empty if it is to be found out.
 * @returns {Promise<Beginning[]>}
 */
async function read(app, text, chosen) {
  const parts = linkParts(text);
  if (parts) {
    const game = unpack(parts);
    await app.engine.ask("state", { game: game.spec, start: game.start, moves: game.moves });
    return [game];
  }
  try {
    return (await app.engine.ask("import", { text })).map(beginning);
  } catch (error) {
    const start = text.trim();
    if (start === "" || start.includes("\n")) throw error;
    const fits = (/** @type {string} */ game) => app.engine.ask("state", { game, start });
    if (chosen) {
      const { game } = await fits(chosen);
      return [{ spec: game, start }];
    }
    const found = await Promise.allSettled(app.games.map(({ name }) => fits(name)));
    const games = found.flatMap((one) => (one.status === "fulfilled" ? [one.value.game] : []));
    if (games.length === 0) throw error;
    if (games.length > 1) throw new Error(t("import.which"), { cause: error });
    return [{ spec: games[0], start }];
  }
}

/** A game of a record. Who played is told, and nobody of them has to be here. @param {ImportedGame} game @returns {Beginning} */
const beginning = ({ game, start, moves, players }) => ({
  spec: game,
  start,
  moves,
  names: [agentName(players[0]), agentName(players[1])],
});
