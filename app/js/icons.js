// The signs on buttons: lines in a box of 24 by 24, in the colour of the text.

import { svg } from "./svg.js";

const LINES = {
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 1 3.5 10.9c-.6.5-1 1.2-1 2.1h-5c0-.9-.4-1.6-1-2.1A6 6 0 0 1 12 3z",
  back: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 0 8h-2",
  analyse: "M4 20V4M4 20h16M7 15l4-5 3 3 5-7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  first: "M18 6l-6 6 6 6M8 6v12",
  previous: "M15 6l-6 6 6 6",
  next: "M9 6l6 6-6 6",
  last: "M6 6l6 6-6 6M16 6v12",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  flip: "M7 4v15M7 19l-3-3M7 19l3-3M17 20V5M17 5l-3 3M17 5l3 3",
  rules: "M5 4h9a4 4 0 0 1 4 4v12H8a3 3 0 0 1-3-3zM9 9h5M9 13h5",
  share: "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  flag: "M6 21V4M6 5h11l-2.500 4 2.500 4H6",
  board: "M4 4h16v16H4zM4 12h16M12 4v16",
  swap: "M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4",
  keys: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M9 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
};

/**
 * The face of an opponent: the stronger it is, the sterner it looks.
 *
 * @param {number} level From 1 to 8.
 */
export function face(level) {
  const mood = 4.5 - level;
  const brow = level > 4 ? `M6 ${8.5 - level / 8}l3.500 1.500M18 ${8.5 - level / 8}l-3.500 1.500` : "";
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: 44, height: 44, class: "sign-of face", "aria-hidden": "true" },
    svg("circle", { cx: 12, cy: 12, r: 10 }),
    svg("path", { d: `M9 11v.01M15 11v.01M8 ${16 - mood / 4}q4 ${1.2 * mood} 8 0${brow}` }),
  );
}

/** @param {keyof typeof LINES} name */
export const icon = (name) =>
  svg(
    "svg",
    { viewBox: "0 0 24 24", width: 24, height: 24, class: "sign-of", "aria-hidden": "true" },
    svg("path", { d: LINES[name] }),
  );
