// Links for other devices: as text to copy or to send, and as a picture to scan.

import { toast } from "./dialog.js";
import { t } from "./i18n/index.js";
import { html, svg } from "./svg.js";

/** @import { Engine } from "./types.js" */

/** The margin that a scanner needs around a code, in its squares. */
const MARGIN = 3;

/**
 * A link as a QR code; nothing where it is too long for one.
 *
 * @param {Engine} engine
 * @param {string} link
 */
export async function qrPicture(engine, link) {
  const code = await engine.ask("qr", { text: link }).catch(() => null);
  if (!code) return null;
  const side = code.size + 2 * MARGIN;
  const box = `${-MARGIN} ${-MARGIN} ${side} ${side}`;
  const ground = svg("rect", { x: -MARGIN, y: -MARGIN, width: side, height: side, fill: "#fff" });
  const picture = svg("svg", { viewBox: box, class: "qr", role: "img", "aria-label": t("friend.qr") }, ground);
  picture.append(svg("path", { d: code.path, fill: "#000", "shape-rendering": "crispEdges" }));
  return picture;
}

/**
 * The card that asks a friend to come.
 *
 * @param {Engine} engine
 * @param {string} link
 * @param {boolean} local Does the link lead nowhere on other devices?
 */
export async function invitation(engine, link, local) {
  const shown = { type: "text", readonly: true, value: link, "aria-label": t("link") };
  const field = html("input", { ...shown, onfocus: () => field.select() });
  const copy = async () => {
    await navigator.clipboard.writeText(link);
    toast(t("copied"));
  };
  const able = typeof navigator.share === "function" && !local;
  const send = () => navigator.share({ title: "Plyground", url: link }).catch(() => {});
  return html(
    "section",
    { class: "invitation card" },
    html("h2", {}, t("friend.wait")),
    html("p", {}, t("friend.invite")),
    field,
    html(
      "div",
      { class: "buttons" },
      navigator.clipboard ? html("button", { type: "button", class: "primary", onclick: copy }, t("copyLink")) : "",
      able ? html("button", { type: "button", onclick: send }, t("share.with")) : "",
    ),
    local ? html("p", { class: "faint" }, t("link.local")) : "",
    html("p", { class: "faint" }, t("friend.scan")),
    await qrPicture(engine, link),
  );
}
