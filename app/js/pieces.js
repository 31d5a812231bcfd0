// What stands on a square, drawn in a box of 100 by 100 around its middle. Players differ by shape as well as by colour.

import { svg } from "./svg.js";

/** @import { Child, DrawnPiece, PlayerWord } from "./types.js" */

const PATHS = {
  pawn: "M0-34a15 15 0 0 1 9 27c8 4 11 12 12 22h5v17h-52v-17h5c1-10 4-18 12-22a15 15 0 0 1 9-27z",
  rook: "M-25-33h11v9h8v-9h12v9h8v-9h11v20l-7 6v19l8 9v11h-52v-11l8-9v-19l-7-6z",
  king: "M-4-44h8v8h8v8h-8v7c14-11 34 0 25 18-3 6-8 10-10 16h-38c-2-6-7-10-10-16-9-18 11-29 25-18v-7h-8v-8h8zM-24 18h48v14h-48z",
  star: "M0-24 6-7 24-7 10 4 15 21 0 11-15 21-10 4-24-7-6-7z",
};

/**
 * @param {number} radius
 * @param {string} [name]
 */
const disc = (radius, name = "body") => svg("circle", { r: radius, class: name });
/** @param {keyof typeof PATHS} name */
const path = (name) => svg("path", { d: PATHS[name], class: "body" });

/** A sign on a stone that tells the players apart without colour. @param {DrawnPiece["owner"]} owner */
const sign = (owner) =>
  owner === "first" ? svg("circle", { r: 8, class: "sign" }) : svg("circle", { r: 18, class: "sign ring" });

/** @type {Record<string, (piece: DrawnPiece) => Child>} */
const SHAPES = {
  stone: (piece) => [disc(38), sign(piece.owner)],
  "triangle-stone": () => [disc(38), svg("path", { d: "M0-22 20 14-20 14z", class: "sign" })],
  "square-stone": () => [disc(38), svg("rect", { x: -15, y: -15, width: 30, height: 30, class: "sign" })],
  "small-stone": () => [disc(24), disc(10, "sign")],
  cross: () => svg("path", { d: "M-26-26 26 26M26-26-26 26", class: "stroke" }),
  nought: () => svg("circle", { r: 28, class: "stroke" }),
  star: () => svg("path", { d: PATHS.star, class: "body gold" }),
  pawn: () => path("pawn"),
  rook: () => path("rook"),
  king: () => path("king"),
};
/** @param {DrawnPiece} piece */
const letter = (piece) => [disc(38), svg("text", { class: "letter", "text-anchor": "middle", dy: "0.35em" }, piece.glyph)];

/**
 * A piece of a view as an SVG group.
 * @param {DrawnPiece} piece
 * @param {[string, string][]} shapes those of its game, by the names of pieces
 */
export function drawPiece(piece, shapes) {
  const shape = SHAPES[Object.fromEntries(shapes)[piece.name]] ?? letter;
  return svg("g", { class: `man piece ${piece.owner}`, "data-kind": piece.name }, shape(piece));
}

/** A square before anything stands on it: the hole of an upright board, or the field of a flat one. @param {boolean} hole */
export function drawGround(hole) {
  const field = svg("rect", { x: -50, y: -50, width: 100, height: 100, class: "ground" });
  return hole ? [field, svg("circle", { r: 40, class: "hole" })] : [field];
}

/**
 * The edges that belong to a player, in games where they do: they show what has to be linked. `top` is the player of the top
 * and the bottom edge.
 *
 * @param {PlayerWord | null} top
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
export function drawEdges(top, x, y, width, height) {
  if (!top) return [];
  const side = top === "first" ? "second" : "first";
  /** @type {(owner: PlayerWord, x1: number, y1: number, x2: number, y2: number) => SVGElement} */
  const edge = (owner, x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2, class: `edge ${owner}` });
  return [
    edge(top, x + 8, y - 1, x + width - 8, y - 1),
    edge(top, x + 8, y + height + 1, x + width - 8, y + height + 1),
    edge(side, x - 1, y + 8, x - 1, y + height - 8),
    edge(side, x + width + 1, y + 8, x + width + 1, y + height - 8),
  ];
}

/**
 * The lines of a board that has no squares: between them, and around a board that is not quite small.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} files
 * @param {number} ranks
 */
export function drawRuling(x, y, files, ranks) {
  const edge = files * ranks > 9 ? 0 : 1;
  /** @type {(count: number) => number[]} */
  const inner = (count) => Array.from({ length: count + 1 - 2 * edge }, (_, index) => 100 * (index + edge));
  const [width, height] = [100 * files, 100 * ranks];
  const lines = [
    ...inner(files).map((at) => `M${x + at} ${y}v${height}`),
    ...inner(ranks).map((at) => `M${x} ${y + at}h${width}`),
  ];
  return svg("path", { d: lines.join(""), class: "ruling" });
}

/**
 * A move that is proposed: an arrow, or on a square the piece that it places.
 *
 * @param {number[] | null} from
 * @param {number[]} to
 * @param {{ weight: number, piece: SVGElement | null, number: number | null }} options
 */
export function drawArrow(from, [x, y], { weight, piece, number }) {
  piece?.classList.remove("piece");
  const digit = number && svg("text", { x: piece ? 33 : 0, y: piece ? -22 : 13, "text-anchor": "middle" }, String(number));
  if (!from)
    return svg(
      "g",
      { class: "hint", transform: `translate(${x} ${y})`, opacity: weight },
      piece && svg("g", { class: "proposed" }, piece),
      svg("circle", { r: 44 }),
      digit,
    );
  const [x0, y0] = from;
  const length = Math.hypot(x - x0, y - y0) || 1;
  const [dx, dy] = [(x - x0) / length, (y - y0) / length];
  const [tx, ty] = [x - dx * 18, y - dy * 18];
  const corner = (/** @type {number} */ side) => `${tx - dx * 30 - side * dy * 18} ${ty - dy * 30 + side * dx * 18}`;
  return svg(
    "g",
    { class: "hint", opacity: weight },
    svg("path", { d: `M${x0} ${y0}L${tx - dx * 24} ${ty - dy * 24}`, class: "shaft" }),
    svg("path", { d: `M${tx} ${ty}L${corner(1)}L${corner(-1)}z`, class: "head" }),
  );
}
