//! Positions as pictures.

use std::fmt::Write as _;

use plyground_core::{BoardView, InputError, MoveSquares, Owner, Square};
use plyground_match::GameRow;
use plyground_session::{draw_board, open};

use super::html::escaped;

/// A position of a game.
pub(super) struct Board {
    /// As an SVG element.
    pub svg: String,
    /// As plain text.
    pub text: String,
    pub caption: String,
}

/// A game at the end of its opening, halfway from there, and at its end.
pub(super) fn boards(game: &str, row: &GameRow) -> Result<Vec<Board>, InputError> {
    let end = row.moves.len();
    let mut places = vec![row.opening, row.opening.midpoint(end), end];
    places.dedup();
    let mut session = open(game, None)?;
    let mut boards = Vec::new();
    for number in 0..=end {
        if places.contains(&number) {
            let (view, last) = (session.view(), session.last_move());
            let plies = |end: usize| row.movers[..end].iter().flatten().count();
            let mover = row.movers[..number].iter().rposition(Option::is_some);
            let last_move = mover.map_or("", |number| row.moves[number].text.as_str());
            let caption = match number {
                0 => "the start".to_owned(),
                _ if number == end => format!("the end, after {last_move}"),
                _ if number == row.opening => "after the opening".to_owned(),
                _ => format!("after {last_move}, ply {} of {}", plies(number), plies(end)),
            };
            let text = without_colours(&draw_board(&view, &last));
            boards.push(Board { svg: svg(&view, &last, &session.position()), text, caption });
        }
        if let Some(played) = row.moves.get(number) {
            session.play(&played.text)?;
        }
    }
    Ok(boards)
}

/// Boards for the terminal carry ANSI colours: escape sequences that end with an m.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once('m').map_or("", |(_, rest)| rest)).collect::<String>()
}

/// The colours of the two players' pieces, as in the terminal.
pub(super) const COLOURS: [&str; 2] = ["green", "pink"];

const SQUARE: u32 = 30;
const MARGIN: u32 = 20;

/// A board as SVG: the players' pieces in two colours that are also distinct to the colour-blind, the last move marked.
fn svg(view: &BoardView, last: &MoveSquares, position: &str) -> String {
    let (files, ranks) = (u32::from(view.files), u32::from(view.ranks));
    let (width, height) = (files * SQUARE + MARGIN + 2, ranks * SQUARE + MARGIN + 2);
    let mut text = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" \
        text-anchor=\"middle\"><title>{}</title>",
        escaped(position)
    );
    for rank in 0..view.ranks {
        let top = (ranks - 1 - u32::from(rank)) * SQUARE + 1;
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"#454e60\">{}</text>",
            MARGIN / 2,
            top + SQUARE / 2 + 4,
            rank + 1
        );
        for file in 0..view.files {
            let square = Square { file, rank };
            let left = MARGIN + u32::from(file) * SQUARE;
            let fill = match [last.from, last.to].contains(&Some(square)) {
                true => "#ffe9a8",
                false if (file + rank) % 2 == 0 => "#e9ebf0",
                false => "#f8f9fb",
            };
            let _ = write!(
                text,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\" stroke=\"#b9bfcb\" />"
            );
            let Some(piece) = view.piece(square) else { continue };
            let (fill, stroke, ink) = match piece.owner {
                Owner::First => ("#1a7f37", "#0d4a1f", "#ffffff"),
                Owner::Second => ("#d63b9e", "#8a1a61", "#ffffff"),
                Owner::Neutral => ("#ffffff", "#6b7385", "#1d2330"),
            };
            let (x, y) = (left + SQUARE / 2, top + SQUARE / 2);
            let _ = write!(
                text,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"11\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.5\" />\
                <text x=\"{x}\" y=\"{}\" font-size=\"13\" fill=\"{ink}\">{}</text>",
                y + 5,
                escaped(&piece.glyph.to_string())
            );
        }
    }
    for file in 0..view.files {
        let (x, letter) = (MARGIN + u32::from(file) * SQUARE + SQUARE / 2, char::from(b'a' + file));
        let _ = write!(text, "<text x=\"{x}\" y=\"{}\" font-size=\"12\" fill=\"#454e60\">{letter}</text>", ranks * SQUARE + 16);
    }
    text + "</svg>"
}
