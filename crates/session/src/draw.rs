//! Boards in a terminal: Unicode, coloured, and readable without colour.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use plyground_core::{BoardView, MoveSquares, Owner, Square};

fn style(owner: Owner) -> Style {
    let colour = match owner {
        Owner::First => AnsiColor::BrightGreen,
        Owner::Second => AnsiColor::BrightMagenta,
        Owner::Neutral => AnsiColor::BrightYellow,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

/// Draws a board with coordinates; the squares of the last move stand in brackets.
///
/// The text carries ANSI colours: print it through something that strips them where there is no colour terminal.
pub fn draw_board(view: &BoardView, last: &MoveSquares) -> String {
    let margin = view.ranks.to_string().len();
    let edge = "─".repeat(usize::from(view.files) * 2 + 1);
    let mut text = format!("{:margin$} ┌{edge}┐\n", "");
    let marked = |file: Option<u8>, rank| file.is_some_and(|file| [last.from, last.to].contains(&Some(Square { file, rank })));
    for rank in (0..view.ranks).rev() {
        write!(text, "{:>margin$} │", rank + 1).expect("writing to a string");
        for file in 0..=view.files {
            text.push(match (marked(file.checked_sub(1), rank), marked(Some(file), rank)) {
                (true, true) => '|',
                (false, true) => '[',
                (true, false) => ']',
                (false, false) => ' ',
            });
            if file < view.files {
                let piece = view.piece(Square { file, rank });
                let style = piece.map_or(Style::new().dimmed(), |piece| style(piece.owner));
                let glyph = piece.map_or('·', |piece| piece.glyph);
                write!(text, "{style}{glyph}{style:#}").expect("writing to a string");
            }
        }
        text.push_str("│\n");
    }
    writeln!(text, "{:margin$} └{edge}┘", "").expect("writing to a string");
    let letters: Vec<String> = (0..view.files).map(|file| char::from(b'a' + file).to_string()).collect();
    writeln!(text, "{:margin$}   {}", "", letters.join(" ")).expect("writing to a string");
    text
}

/// The numbers beside the board, a line each, e.g. `Green, strong stones left: 5`.
pub fn draw_counters(view: &BoardView, players: [&str; 2]) -> String {
    let mut text = String::new();
    for counter in &view.counters {
        let style = style(counter.player.into());
        let name = players[counter.player.index()];
        writeln!(text, "{style}{name}{style:#}, {}: {}", counter.label, counter.value).expect("writing to a string");
    }
    text
}
