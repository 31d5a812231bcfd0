// The first game: what is what on the screen, one thing at a time. It lies among the other things and covers none of them.

import { t } from "./i18n/index.js";
import { recall, remember } from "./memory.js";
import { html } from "./svg.js";

/**
 * A card that speaks of the parts of a screen in turn; hidden once it was seen. `steps`: pairs of a text and the part that it is
 * about.
 *
 * @param {[string, Element][]} steps
 */
export function tour(steps) {
  const card = html("section", { class: "tour card", "aria-label": t("tour") });
  card.hidden = recall("toured", false) || steps.length === 0;
  if (card.hidden) return card;
  const text = html("p", { role: "status" });
  const count = html("span", { class: "count" });
  const on = html("button", { type: "button", class: "primary" });
  const end = () => {
    remember("toured", true);
    point(null);
    card.hidden = true;
  };
  const point = (/** @type {Element | null} */ part) => {
    for (const [, other] of steps) other.classList.toggle("pointed", other === part);
  };
  let at = 0;
  const show = () => {
    const [said, part] = steps[at];
    point(part);
    text.textContent = said;
    count.textContent = `${at + 1} / ${steps.length}`;
    on.textContent = t(at + 1 < steps.length ? "tour.on" : "tour.end");
  };
  on.addEventListener("click", () => {
    at += 1;
    if (at < steps.length) show();
    else end();
  });
  card.append(
    text,
    html(
      "div",
      { class: "buttons" },
      on,
      html("button", { type: "button", onclick: end }, t("tour.skip")),
      html("span", { class: "space" }),
      count,
    ),
  );
  show();
  return card;
}

/** From the next game on it is shown again. */
export const tourAgain = () => remember("toured", false);
