// Curves over the time of a training, as pictures.

import { duration } from "./labtools.js";
import { html, svg } from "./svg.js";

/** @import { Curve } from "./types.js" */

/** The picture in its own units: on a phone, one of them is about a pixel. */
const WIDTH = 340;
const HEIGHT = 190;
const LEFT = 60;
const BOTTOM = 22;
const EDGE = 8;

/** The numbers at the side: two to five round ones. @param {number[]} range */
function ticks([low, high]) {
  const most = (high - low) / 2;
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 5].map((times) => times * unit).findLast((size) => size <= most) ?? unit;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}

/** From the least to the greatest of the values, and a little more; never nothing. @param {number[]} values */
function range(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const gap = 0.06 * (high - low) || 0.06 * Math.abs(high) || 1;
  return [low - gap, high + gap];
}

/**
 * A picture with its heading and what its colours mean. A line has a `name` and `points`: `x` in seconds, `y`, and where that is
 * not certain `low` and `high`, which may be without end.
 *
 * @param {string} title
 * @param {Curve[]} lines
 * @param {(value: number) => string} write
 */
export function curves(title, lines, write) {
  const shown = lines.filter((line) => line.points.length > 0);
  const last = (/** @type {Curve} */ line) => write(line.points.at(-1)?.y ?? 0);
  const words = shown.map((line) => (line.name ? `${line.name}: ${last(line)}` : last(line))).join("; ");
  const named = shown.length > 1 || shown.some((line) => line.name);
  return html(
    "figure",
    { class: "curves" },
    html("figcaption", {}, html("b", {}, title), named || shown.length === 0 ? "" : ` ${last(shown[0])}`),
    shown.length === 0 ? html("p", {}, "–") : picture(shown, write, `${title}. ${words}`),
    named
      ? html(
          "ul",
          { class: "legend" },
          shown.map((line) =>
            html(
              "li",
              {},
              svg(
                "svg",
                { viewBox: "0 0 24 10", "aria-hidden": "true" },
                svg("path", { d: "M0 5H24", class: `line c${line.colour}` }),
              ),
              line.name,
            ),
          ),
        )
      : "",
  );
}

/**
 * @param {Curve[]} lines
 * @param {(value: number) => string} write
 * @param {string} words
 */
function picture(lines, write, words) {
  const all = lines.flatMap((line) => line.points);
  const values = all.flatMap(({ y, low = y, high = y }) => [y, low, high]);
  const [least, most] = range(values.filter(Number.isFinite));
  const end = Math.max(1, ...all.map(({ x }) => x));
  const across = (/** @type {number} */ x) => LEFT + (x / end) * (WIDTH - LEFT - EDGE);
  const up = (/** @type {number} */ y) =>
    EDGE + ((most - Math.min(most, Math.max(least, y))) / (most - least)) * (HEIGHT - BOTTOM - EDGE);
  const fixed = (/** @type {number} */ number) => number.toFixed(1);
  const side = ticks([least, most]).flatMap((value) => [
    svg("path", { class: "rule", d: `M${LEFT} ${fixed(up(value))}H${WIDTH - EDGE}` }),
    svg("text", { x: LEFT - 5, y: fixed(up(value) + 4), "text-anchor": "end" }, write(value)),
  ]);
  const below = [
    svg("text", { x: LEFT, y: HEIGHT - 5 }, "0"),
    svg("text", { x: WIDTH - EDGE, y: HEIGHT - 5, "text-anchor": "end" }, duration(end)),
  ];
  const drawn = lines.flatMap(({ points, colour }) => [
    ...points.flatMap(({ x, low, high }) =>
      low === undefined || high === undefined
        ? []
        : [svg("path", { class: `error c${colour}`, d: `M${fixed(across(x))} ${fixed(up(low))}V${fixed(up(high))}` })],
    ),
    svg("polyline", {
      class: `line c${colour}`,
      points: points.map(({ x, y }) => `${fixed(across(x))},${fixed(up(y))}`).join(" "),
    }),
    // A line of one point is not to be seen.
    ...(points.length < 40
      ? points.map(({ x, y }) => svg("circle", { class: `dot-of c${colour}`, cx: fixed(across(x)), cy: fixed(up(y)), r: 2.5 }))
      : []),
  ]);
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words }, side, below, drawn);
}
