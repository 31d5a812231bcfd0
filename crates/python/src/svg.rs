//! Boards as pictures: what the app draws, as one SVG that needs no style sheet.

use std::fmt::Write as _;

use plyground_core::{BoardGround, BoardView, GameInfo, MoveSquares, Owner, Piece, PieceShape, Player, Square, Theme};

/// The side of a square; pieces are drawn around its middle.
const CELL: u32 = 100;
/// Room for the letters and numbers.
const MARGIN: u32 = 44;
const COLOURS: Theme = Theme { first: ["#fdfdfb", "#2b2b2b"], second: ["#2b2b2b", "#f5f2ec"], board: None };
const BOARD: [&str; 2] = ["#c9a36a", "#5b4526"];
const GOLD: &str = "#e8b923";

/// A board with its pieces; the squares of the last move are marked.
pub(crate) fn draw(info: &GameInfo, view: &BoardView, last: &MoveSquares) -> String {
    let look = &info.presentation;
    let (files, ranks) = (u32::from(view.files), u32::from(view.ranks));
    let (width, height) = (files * CELL + 2 * MARGIN, ranks * CELL + 2 * MARGIN);
    let [ground, marks] = look.theme.and_then(|theme| theme.board).unwrap_or(BOARD).map(plain);
    let shown = (files * 44 + 40).clamp(120, 480);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{shown}\" role=\"img\" \
         font-family=\"system-ui,sans-serif\"><rect width=\"{width}\" height=\"{height}\" rx=\"16\" fill=\"{ground}\"/>"
    );
    for rank in 0..view.ranks {
        for file in 0..view.files {
            let square = Square { file, rank };
            let (x, y) = (MARGIN + u32::from(file) * CELL, MARGIN + (ranks - 1 - u32::from(rank)) * CELL);
            field(&mut svg, look.ground, [x, y], (file + rank) % 2 == 0, marks);
            let (x, y) = (x + CELL / 2, y + CELL / 2);
            let _ = write!(svg, "<g transform=\"translate({x} {y})\">");
            if [last.from, last.to].contains(&Some(square)) {
                svg.push_str("<path d=\"M-46-28v-18h18M28-46h18v18M46 28v18h-18M-28 46h-18v-18\" fill=\"none\" stroke=\"#d2451e\" stroke-width=\"6\"/>");
            }
            if let Some(piece) = view.piece(square) {
                let shape = look.shapes.iter().find(|(name, _)| *name == piece.name).map(|&(_, shape)| shape);
                draw_piece(&mut svg, &piece, shape, look.theme.unwrap_or(COLOURS));
            }
            svg.push_str("</g>");
        }
    }
    if let Some(top) = look.top_edge {
        edges(&mut svg, top, look.theme.unwrap_or(COLOURS), [files * CELL, ranks * CELL]);
    }
    labels(&mut svg, [files, ranks], marks);
    svg.push_str("</svg>");
    svg
}

/// A colour that needs no style sheet.
fn plain(colour: &'static str) -> &'static str {
    if colour.starts_with("var(") { "#888888" } else { colour }
}

fn field(svg: &mut String, ground: BoardGround, [x, y]: [u32; 2], is_dark: bool, marks: &str) {
    let opacity = if is_dark { 0.28 } else { 0.1 };
    let _ = match ground {
        BoardGround::Chequered => {
            write!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\" fill=\"{marks}\" fill-opacity=\"{opacity}\"/>")
        }
        BoardGround::Tiles => write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"94\" height=\"94\" rx=\"8\" fill=\"{marks}\" fill-opacity=\"0.18\"/>",
            x + 3,
            y + 3
        ),
        BoardGround::Lines => write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\" fill=\"none\" stroke=\"{marks}\" stroke-opacity=\"0.6\" stroke-width=\"2\"/>"
        ),
        BoardGround::Holes => write!(
            svg,
            "<circle cx=\"{}\" cy=\"{}\" r=\"41\" fill=\"{marks}\" fill-opacity=\"0.3\"/>",
            x + CELL / 2,
            y + CELL / 2
        ),
    };
}

fn draw_piece(svg: &mut String, piece: &Piece, shape: Option<PieceShape>, theme: Theme) {
    let [body, sign] = match piece.owner {
        Owner::First => theme.first,
        Owner::Second => theme.second,
        Owner::Neutral => ["#9a9a9a", "#222222"],
    }
    .map(plain);
    let disc = |radius: u32| format!("<circle r=\"{radius}\" fill=\"{body}\" stroke=\"{sign}\" stroke-width=\"3\"/>");
    let figure = |path: &str, fill: &str| format!("<path d=\"{path}\" fill=\"{fill}\" stroke=\"{sign}\" stroke-width=\"3\"/>");
    let drawn = match shape {
        Some(PieceShape::Stone) if piece.owner == Owner::First => format!("{}<circle r=\"8\" fill=\"{sign}\"/>", disc(38)),
        Some(PieceShape::Stone) => {
            format!("{}<circle r=\"18\" fill=\"none\" stroke=\"{sign}\" stroke-width=\"5\"/>", disc(38))
        }
        Some(PieceShape::TriangleStone) => format!("{}<path d=\"M0-22 20 14-20 14z\" fill=\"{sign}\"/>", disc(38)),
        Some(PieceShape::SquareStone) => {
            format!("{}<rect x=\"-15\" y=\"-15\" width=\"30\" height=\"30\" fill=\"{sign}\"/>", disc(38))
        }
        Some(PieceShape::SmallStone) => format!("{}<circle r=\"10\" fill=\"{sign}\"/>", disc(24)),
        Some(PieceShape::Cross) => {
            format!("<path d=\"M-26-26 26 26M26-26-26 26\" stroke=\"{body}\" stroke-width=\"12\" stroke-linecap=\"round\"/>")
        }
        Some(PieceShape::Nought) => format!("<circle r=\"28\" fill=\"none\" stroke=\"{body}\" stroke-width=\"12\"/>"),
        Some(PieceShape::Star) => figure("M0-24 6-7 24-7 10 4 15 21 0 11-15 21-10 4-24-7-6-7z", GOLD),
        Some(PieceShape::Pawn) => {
            figure("M0-34a16 16 0 0 1 9 28c8 4 12 11 13 21h4v17h-52v-17h4c1-10 5-17 13-21a16 16 0 0 1 9-28z", body)
        }
        Some(PieceShape::Rook) => figure("M-26-32h12v8h8v-8h12v8h8v-8h12v20l-8 6v18l9 9v11h-54v-11l9-9v-18l-8-6z", body),
        Some(PieceShape::King) => figure(
            "M-4-44h8v8h8v8h-8v8c13-12 33 0 24 17-3 6-7 10-9 16h-38c-2-6-6-10-9-16-9-17 11-29 24-17v-8h-8v-8h8zM-25 19h50v13h-50z",
            body,
        ),
        None => format!(
            "{}<text text-anchor=\"middle\" dy=\"0.35em\" font-size=\"46\" fill=\"{sign}\">{}</text>",
            disc(38),
            escaped(piece.glyph)
        ),
    };
    svg.push_str(&drawn);
}

fn escaped(glyph: char) -> String {
    match glyph {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        _ => glyph.to_string(),
    }
}

/// The edges that a player has to link.
fn edges(svg: &mut String, top: Player, theme: Theme, [width, height]: [u32; 2]) {
    let colour = |player: Player| plain(if player == Player::First { theme.first[0] } else { theme.second[0] });
    let mut line = |colour: &str, [x1, y1, x2, y2]: [u32; 4]| {
        let _ = write!(svg, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" stroke-width=\"8\"/>");
    };
    let (right, bottom) = (MARGIN + width, MARGIN + height);
    line(colour(top), [MARGIN, MARGIN, right, MARGIN]);
    line(colour(top), [MARGIN, bottom, right, bottom]);
    line(colour(top.other()), [MARGIN, MARGIN, MARGIN, bottom]);
    line(colour(top.other()), [right, MARGIN, right, bottom]);
}

fn labels(svg: &mut String, [files, ranks]: [u32; 2], marks: &str) {
    let mut label = |x: u32, y: u32, text: &str| {
        let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"26\" fill=\"{marks}\">{text}</text>");
    };
    for file in 0..files {
        label(MARGIN + file * CELL + CELL / 2, ranks * CELL + 2 * MARGIN - 12, &char::from(b'a' + file as u8).to_string());
    }
    for rank in 0..ranks {
        label(MARGIN / 2, MARGIN + (ranks - 1 - rank) * CELL + CELL / 2 + 9, &(rank + 1).to_string());
    }
}
