// The board: draws a view, and turns taps, drags and keys into moves. It knows squares and legal moves, and no game.

import { lookOf } from "./looks.js";
import { drawArrow, drawEdges, drawGround, drawPiece, drawRuling } from "./pieces.js";
import { find, svg } from "./svg.js";

/** @import { Arrow, BoardView, DrawnPiece, Marks, Move, Piece, Shown } from "./types.js" */

const CELL = 100;
const MARGIN = 34;
const letters = "abcdefghijklmnopqrstuvwxyz";
/** A board before it shows anything. @type {Shown} */
const NOTHING = {
  game: "",
  view: { files: 0, ranks: 0, cells: [], counters: [] },
  last: { from: null, to: null },
  moves: [],
  history: [],
};
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The squares of a view, row by row from the top left. @param {BoardView} view */
const squaresOf = (view) => view.cells.map((_, index) => nameOf(view, index));
/** @type {(view: BoardView, index: number) => string} */
const nameOf = (view, index) => letters[index % view.files] + (view.ranks - Math.floor(index / view.files));

/** The square that a part of a board belongs to. @param {EventTarget | null} part */
const squareAt = (part) => (part instanceof Element ? part.closest("[data-square]")?.getAttribute("data-square") : null);

export class Board {
  state = NOTHING;
  /** The moves that can be made. @type {Move[]} */
  moves = [];
  /** @type {Marks} */
  marks = {};
  label = "";
  /** What is said of a square that can be chosen. */
  targetWord = "";
  flipped = false;
  /** Did the last move take a piece? */
  captured = false;
  /** The kind of piece that was chosen. @type {string | null} */
  kind = null;
  /** The square of the piece that was taken up. @type {string | null} */
  selected = null;
  /** The square that has the focus, if the board has it. */
  focus = "";
  /** Do keys move the focus from square to square? After a press they do not, and belong to the page. */
  #keyed = false;
  #redrawn = false;
  /** What is on its way, above everything else. */
  #above = svg("g", { class: "above", "aria-hidden": "true" });
  /** What a move that is pointed at would place. @type {SVGElement | null} */
  #ghost = null;

  /**
   * `onMove` gets the text of a legal move, `onRefused` squares that no legal move fits, `describe` says a square in words, and
   * `placed` gives the piece that a move places, if it places one.
   *
   * @param {{
   *   onMove?: (move: string) => void,
   *   onRefused?: (square: string, from: string | null) => void,
   *   describe: (square: string, piece: Piece | null) => string,
   *   placed?: (move: Move) => DrawnPiece | null,
   * }} listeners
   */
  constructor({ onMove, onRefused, describe, placed }) {
    this.onMove = onMove;
    this.onRefused = onRefused;
    this.describe = describe;
    this.placed = placed;
    this.element = svg("svg", { class: "board", role: "grid" });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("pointerdown", (event) => this.#press(event));
    this.element.addEventListener("pointermove", ({ pointerType, target }) => {
      if (pointerType === "mouse") this.#point(squareAt(target) ?? null);
    });
    this.element.addEventListener("pointerleave", () => this.#point(null));
    this.element.addEventListener("focusin", ({ relatedTarget }) => {
      // A square that is drawn anew gets the focus back that it had: nobody has come to the board by that.
      if (relatedTarget && !this.#redrawn) this.#keyed ||= this.element.querySelector(":focus-visible") !== null;
    });
    this.element.addEventListener("focusout", () => this.#point(null));
  }

  /** Do keys belong to the board now? */
  get keyed() {
    return this.#keyed && this.element.contains(document.activeElement);
  }

  /** Shows what a move on a square would place there. @param {string | null} square */
  #point(square) {
    const move = square && !this.selected ? this.#fitting(square)[0] : null;
    const to = move?.to ?? null;
    if (this.#ghost?.dataset.on === to && to) return;
    this.#ghost?.remove();
    this.#ghost = null;
    const piece = move && this.placed?.(move);
    if (!piece || !to) return;
    const [x, y] = this.#middle(to);
    const drawn = drawPiece(piece, lookOf(this.element.dataset.game ?? "").shapes);
    drawn.classList.remove("piece");
    this.#ghost = svg("g", { class: "ghost", "data-on": to, transform: `translate(${x} ${y})` }, drawn);
    this.#above.append(this.#ghost);
  }

  /**
   * Shows a state of the engine. With `playable` its moves can be made.
   *
   * @param {Shown} state
   * @param {{ playable?: boolean, label?: string, marks?: Marks }} [options]
   */
  show(state, { playable = false, label = "", marks = {} } = {}) {
    const before = this.state;
    this.#ghost = null;
    const { to } = state.last;
    const one = state.history.length === before.history.length + 1 && before.game === state.game;
    this.captured = one && to !== null && before.view.cells[squaresOf(before.view).indexOf(to)] !== null;
    this.state = state;
    this.moves = playable ? state.moves : [];
    this.selected = null;
    this.marks = marks;
    this.label = label;
    this.#draw();
    if (before.game === state.game && !still()) this.#animate(before, state);
  }

  /** Arrows and a heat map over the position that is shown. @param {Marks} marks */
  mark(marks) {
    this.marks = marks;
    this.#draw();
  }

  /**
   * Proposes a move: what it places is drawn on its square and taken in hand, so that a tap there makes this move.
   *
   * @param {Move} move
   * @param {DrawnPiece | null} piece
   * @param {Marks} marks
   */
  propose(move, piece, marks) {
    if (move.piece) this.kind = move.piece;
    this.mark({ ...marks, arrows: [{ from: move.from, to: move.to, weight: 1, piece }] });
  }

  flip() {
    this.flipped = !this.flipped;
    this.#draw();
  }

  /** Which of several kinds of pieces the next placement takes (their names), where there is a choice. */
  kinds() {
    return [...new Set(this.moves.flatMap((move) => (!move.from && move.piece ? [move.piece] : [])))];
  }

  /** The kind that was chosen, or else the last: what runs out is listed first. */
  chosenKind() {
    const kinds = this.kinds();
    return this.kind !== null && kinds.includes(this.kind) ? this.kind : kinds.at(-1);
  }

  /**
   * The move that a tap on a square would be if it were legal; null if that cannot be told from the legal moves.
   *
   * @param {string} square
   * @param {string | null} from
   */
  meant(square, from) {
    const kind = this.chosenKind();
    const like = this.moves.find((move) => (from ? move.from && move.to : !move.from && (!move.piece || move.piece === kind)));
    if (!like?.to) return null;
    if (from) return from + square;
    if (like.move === like.to[0]) return square[0];
    return like.move.includes(like.to) ? like.move.replace(like.to, square) : null;
  }

  /** @param {string} kind */
  choose(kind) {
    this.kind = kind;
    this.#draw();
  }

  /** The middle of a square in the picture. @param {string} square */
  #middle(square) {
    const { files, ranks } = this.state.view;
    const [file, rank] = [letters.indexOf(square[0]), Number(square.slice(1)) - 1];
    const [column, row] = this.flipped ? [files - 1 - file, rank] : [file, ranks - 1 - rank];
    return [MARGIN + (column + 0.5) * CELL, (row + 0.5) * CELL + 6];
  }

  /** The moves that a tap on a square could mean. @param {string | null} square */
  #fitting(square) {
    const kind = this.chosenKind();
    if (this.selected) return this.moves.filter((move) => move.from === this.selected && move.to === square);
    // A move that names a file only can be made on any of its squares.
    const hits = (/** @type {Move} */ move) => move.to === square || move.move === square?.[0];
    return this.moves.filter((move) => !move.from && hits(move) && (!move.piece || move.piece === kind));
  }

  #targets() {
    const moves = this.selected
      ? this.moves.filter((move) => move.from === this.selected)
      : this.moves.filter((move) => !move.from && this.#fitting(move.to).includes(move));
    return new Set(moves.map((move) => move.to));
  }

  #draw() {
    const { view, last } = this.state;
    const { files, ranks } = view;
    const [width, height] = [files * CELL + MARGIN + 6, ranks * CELL + MARGIN + 6];
    const hadFocus = this.element.contains(document.activeElement);
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.setAttribute("aria-label", this.label);
    this.element.dataset.game = this.state.game.split(":")[0];
    const look = lookOf(this.element.dataset.game);
    this.element.classList.remove("chequered", "tiles", "lines", "holes");
    this.element.classList.add(look.ground);
    this.element.style.setProperty("--ratio", String(width / height));
    const won = new Set(this.state.won ?? []);
    this.element.classList.toggle("decided", won.size > 0);
    const squares = squaresOf(view);
    if (!squares.includes(this.focus)) this.focus = squares[0];
    const targets = this.#targets();
    const sources = new Set(this.moves.map((move) => move.from).filter(Boolean));
    const lastSquares = [last.from, last.to].filter(Boolean);
    const heat = this.marks.heat ?? {};
    const order = this.flipped ? [...squares].reverse() : squares;
    const rows = [];
    for (let row = 0; row < ranks; row++) {
      const cells = order.slice(row * files, (row + 1) * files).map((square) => {
        const [x, y] = this.#middle(square);
        const index = squares.indexOf(square);
        const piece = view.cells[index];
        const dark = ((index % files) + Math.floor(index / files)) % 2 === 1;
        const open = targets.has(square);
        const classes = [
          "cell",
          dark && "dark",
          this.selected === square && "selected",
          sources.has(square) && "source",
          open && "open",
          won.has(square) && "won",
        ];
        return svg(
          "g",
          {
            class: classes.filter(Boolean).join(" "),
            role: "gridcell",
            "data-square": square,
            tabindex: square === this.focus ? 0 : -1,
            "aria-label": this.describe(square, piece) + (open ? `, ${this.targetWord}` : ""),
            "aria-selected": this.selected === square ? "true" : null,
            transform: `translate(${x} ${y})`,
          },
          drawGround(look.ground === "holes"),
          heat[square] && svg("rect", { x: -48, y: -48, width: 96, height: 96, rx: 10, class: "heat", opacity: heat[square] }),
          lastSquares.includes(square) &&
            svg("path", { d: "M-46-28v-18h18M28-46h18v18M46 28v18h-18M-28 46h-18v-18", class: "last" }),
          won.has(square) && svg("rect", { x: -46, y: -46, width: 92, height: 92, rx: 16, class: "decisive" }),
          piece && drawPiece(piece, look.shapes),
          // Where a stone is placed every empty square is possible, or nearly: dots would only bury the stones.
          open &&
            this.selected !== null &&
            (piece ? svg("circle", { r: 44, class: "target ring" }) : svg("circle", { r: 13, class: "target" })),
        );
      });
      rows.push(svg("g", { role: "row" }, cells));
    }
    const labels = [];
    // As large on the screen on a small board as on a large one.
    const size = Math.min(30, Math.max(14, 3.25 * Math.max(files, ranks)));
    for (let file = 0; file < files; file++) {
      const [x] = this.#middle(letters[file] + "1");
      labels.push(svg("text", { x, y: height - 7, "text-anchor": "middle", "font-size": size, class: "label" }, letters[file]));
    }
    for (let rank = 1; rank <= ranks; rank++) {
      const [, y] = this.#middle("a" + rank);
      labels.push(
        svg("text", { x: MARGIN / 2, y: y + size / 3, "text-anchor": "middle", "font-size": size, class: "label" }, String(rank)),
      );
    }
    const arrows = (this.marks.arrows ?? []).map((arrow, number) => this.#arrow(arrow, number));
    this.#above.replaceChildren();
    this.#ghost = null;
    this.element.replaceChildren(
      svg(
        "g",
        { "aria-hidden": "true" },
        labels,
        look.ground === "lines" ? drawRuling(MARGIN, 6, files, ranks) : "",
      ),
      ...rows,
      svg("g", { "aria-hidden": "true" }, drawEdges(look.top_edge, MARGIN, 6, files * CELL, ranks * CELL)),
      svg("g", { class: "arrows", "aria-hidden": "true" }, arrows.filter(Boolean)),
      this.#above,
    );
    this.#redrawn = true;
    if (hadFocus) this.#cell(this.focus).focus({ preventScroll: true });
    this.#redrawn = false;
  }

  /**
   * @param {Arrow} arrow
   * @param {number} number
   */
  #arrow({ from, to, weight, piece }, number) {
    if (!to) return null;
    const shapes = lookOf(this.element.dataset.game ?? "").shapes;
    return drawArrow(from ? this.#middle(from) : null, this.#middle(to), {
      weight,
      // The piece itself says what to place; a number, which comes first.
      piece: piece ? drawPiece(piece, shapes) : null,
      number: (this.marks.arrows?.length ?? 0) > 1 ? number + 1 : null,
    });
  }

  /**
   * Lifts the piece of a square above everything else; it is back when the lifted one is gone.
   *
   * @param {string} square
   */
  #lift(square) {
    const piece = this.#cell(square).querySelector(".piece");
    if (!(piece instanceof SVGElement)) return null;
    const [x, y] = this.#middle(square);
    const copy = /** @type {SVGElement} */ (piece.cloneNode(true));
    copy.classList.remove("piece");
    const lifted = svg("g", { transform: `translate(${x} ${y})` }, copy);
    this.#above.append(lifted);
    piece.style.visibility = "hidden";
    const land = () => {
      lifted.remove();
      piece.style.visibility = "";
    };
    return { lifted: copy, land };
  }

  /**
   * The piece that moved slides from where it came, and what it took fades.
   *
   * @param {Shown} before
   * @param {Shown} after
   */
  #animate(before, after) {
    const { from, to } = after.last;
    if (after.history.length !== before.history.length + 1) return;
    const timing = { duration: 180, easing: "ease-out" };
    const appear = (/** @type {Element | null} */ piece) =>
      piece?.animate(
        [
          { transform: "scale(0.4)", opacity: 0 },
          { transform: "none", opacity: 1 },
        ],
        timing,
      );
    const pieceOn = (/** @type {string} */ square) => this.#cell(square).querySelector(".piece");
    if (after.history.at(-1)?.mover === null) {
      const fresh = squaresOf(after.view).filter((_, index) => after.view.cells[index] && !before.view.cells[index]);
      for (const square of fresh) appear(pieceOn(square));
      return;
    }
    const piece = to && pieceOn(to);
    if (!to || !piece) return;
    if (!from) {
      appear(piece);
      return;
    }
    const [[x, y], [x0, y0]] = [this.#middle(to), this.#middle(from)];
    const moving = this.#lift(to);
    if (!moving) return;
    const slide = [{ transform: `translate(${x0 - x}px, ${y0 - y}px)` }, { transform: "none" }];
    moving.lifted.animate(slide, timing).onfinish = moving.land;
    const taken = before.view.cells[squaresOf(before.view).indexOf(to)];
    if (taken) {
      const ghost = drawPiece(taken, lookOf(this.element.dataset.game ?? "").shapes);
      ghost.classList.remove("piece");
      this.#cell(to).insertBefore(ghost, piece);
      ghost.animate([{ opacity: 1 }, { opacity: 0, transform: "scale(0.6)" }], timing).onfinish = () => ghost.remove();
    }
  }

  /**
   * @param {string} square
   * @returns {SVGElement}
   */
  #cell(square) {
    return find(`[data-square="${square}"]`, this.element);
  }

  /** A square was chosen, by whatever means. @param {string} square */
  tap(square) {
    this.focus = square;
    const fitting = this.#fitting(square);
    if (fitting.length > 0) {
      this.selected = null;
      this.onMove?.(fitting[0].move);
      return;
    }
    const from = this.selected;
    if (this.moves.some((move) => move.from === square) && from !== square) {
      this.selected = square;
    } else {
      this.selected = null;
      if (this.moves.length > 0 && from !== square) this.onRefused?.(square, from);
    }
    this.#draw();
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const square = squareAt(event.target);
    if (!square || event.button !== 0) return;
    this.#keyed = false;
    const draggable = this.moves.some((move) => move.from === square);
    this.#point(square);
    const begin = [event.clientX, event.clientY];
    // A finger's events go to what it touched first, and that is drawn anew while it moves.
    const { pointerId } = event;
    this.element.setPointerCapture(pointerId);
    /** @type {{ lifted: SVGElement, land: () => void } | null} */
    let dragged = null;
    const move = (/** @type {PointerEvent} */ now) => {
      if (!draggable || now.pointerId !== pointerId) return;
      if (!dragged && Math.hypot(now.clientX - begin[0], now.clientY - begin[1]) < 8) return;
      if (!dragged) {
        this.selected = square;
        this.#draw();
        dragged = this.#lift(square);
      }
      const scale = this.element.viewBox.baseVal.width / this.element.getBoundingClientRect().width;
      const [dx, dy] = [(now.clientX - begin[0]) * scale, (now.clientY - begin[1]) * scale];
      dragged?.lifted.setAttribute("transform", `translate(${dx} ${dy})`);
      now.preventDefault();
    };
    const release = (/** @type {PointerEvent} */ now) => {
      if (now.pointerId !== pointerId) return;
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", release);
      removeEventListener("pointercancel", release);
      if (!dragged) {
        this.#point(null);
        if (now.type === "pointerup") this.tap(square);
        return;
      }
      dragged.land();
      const target = squareAt(document.elementFromPoint(now.clientX, now.clientY));
      if (now.type === "pointerup" && target && target !== square) this.tap(target);
      else {
        this.selected = null;
        this.#draw();
      }
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", release);
    addEventListener("pointercancel", release);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    // After a press the arrows belong to the page, which steps through the game with them.
    if (step && !this.#keyed) return;
    if (step) {
      const { files, ranks } = this.state.view;
      const sign = this.flipped ? -1 : 1;
      const file = Math.min(files - 1, Math.max(0, letters.indexOf(this.focus[0]) + sign * step[0]));
      const rank = Math.min(ranks, Math.max(1, Number(this.focus.slice(1)) + sign * step[1]));
      this.focus = letters[file] + rank;
      for (const cell of this.element.querySelectorAll("[data-square]"))
        cell.setAttribute("tabindex", squareAt(cell) === this.focus ? "0" : "-1");
      this.#cell(this.focus).focus();
      this.#point(this.focus);
    } else if (event.key === "Enter" || event.key === " ") {
      this.tap(this.focus);
    } else if (event.key === "Escape" && this.selected) {
      this.selected = null;
      this.#draw();
    } else return;
    event.preventDefault();
  }
}
