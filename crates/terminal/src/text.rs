//! How things are written to the terminal.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use plyground_session::{KeyInfo, Session, Turn, draw_board, draw_counters};
use serde_json::Value;

/// One JSON value on a line of its own.
pub fn print_json(out: &mut impl Write, value: &Value) -> anyhow::Result<()> {
    writeln!(out, "{value}")?;
    Ok(())
}

/// A paragraph wrapped to the width of the terminal, 100 columns at most, each line behind an indent.
pub fn wrapped(text: &str, indent: &str) -> String {
    hanging(text, indent, indent)
}

/// The same with an indent of its own for the first line. Words are not split: a spec is a word, hyphens and all.
fn hanging(text: &str, first: &str, others: &str) -> String {
    let options = textwrap::Options::new(textwrap::termwidth().min(100))
        .initial_indent(first)
        .subsequent_indent(others)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    textwrap::fill(text, options)
}

/// The keys of a spec, one below the other behind an indent: how each is written, what it means, what holds without it.
pub fn key_list(keys: &[KeyInfo], indent: &str) -> String {
    let written = |key: &KeyInfo| match key.value {
        "" => key.key.to_owned(),
        value => format!("{}={value}", key.key),
    };
    let column = keys.iter().map(|key| written(key).len()).max().unwrap_or(0);
    let others = format!("{indent}{:column$}  ", "");
    let lines = keys.iter().map(|key| {
        let default = if key.default.is_empty() { String::new() } else { format!(" [default: {}]", key.default) };
        let first = format!("{indent}{:column$}  ", written(key));
        hanging(&format!("{}{default}", key.meaning), &first, &others) + "\n"
    });
    lines.collect()
}

/// The board and what belongs beside it.
pub fn table(session: &dyn Session) -> String {
    let view = session.view();
    draw_board(&view, &session.last_move()) + &draw_counters(&view, session.info().players)
}

/// The status in a line: whose turn it is, or how the game ended.
pub fn status_line(session: &dyn Session) -> String {
    let players = session.info().players;
    match session.turn() {
        Turn::Player(player) => format!("{} ({}) to move", players[player.index()], player.word()),
        Turn::Chance => {
            let outcomes: Vec<String> = session.outcomes().into_iter().map(|(text, _)| text).collect();
            format!("chance decides: {}", outcomes.join(" "))
        }
        Turn::Over(outcome) => {
            let how = match outcome.winner {
                Some(winner) => format!("{} ({}) wins", players[winner.index()], winner.word()),
                None => "a draw".to_owned(),
            };
            format!("the game is over, {how}: {}", session.why_over())
        }
    }
}

/// An expectation from -1 to +1 as a chance of winning.
pub fn percent(value: f32) -> String {
    format!("{:.0} %", f64::from(value + 1.0) * 50.0)
}

/// A whole number with commas between the thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate in a second, to three figures: 950, 83.1 k, 1.24 M. Nothing where no time has passed.
pub fn rate(number: u64, time: Duration) -> Option<String> {
    let seconds = time.as_secs_f64();
    (seconds > 0.0).then(|| {
        let (value, unit) = match number as f64 / seconds {
            value if value < 999.5 => return format!("{value:.0}"),
            value if value < 999_500.0 => (value / 1e3, "k"),
            value if value < 999_500_000.0 => (value / 1e6, "M"),
            value => (value / 1e9, "G"),
        };
        let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        format!("{value:.decimals$} {unit}")
    })
}

/// A time in seconds.
pub fn seconds(time: Duration) -> String {
    let decimals = if time.as_secs() < 10 { 3 } else { 1 };
    format!("{:.decimals$} s", time.as_secs_f64())
}

/// At most `most` moves of a line.
pub fn shortened(line: &[String], most: usize) -> String {
    let dots = if line.len() > most { " …" } else { "" };
    line[..line.len().min(most)].join(" ") + dots
}

/// Items in as many columns of one width as the terminal has room for, row by row, each line behind an indent.
pub fn grid(items: &[String], indent: &str) -> String {
    const GAP: &str = "  ";
    let width = items.iter().map(|item| item.chars().count()).max().unwrap_or(0);
    let room = textwrap::termwidth().min(100).saturating_sub(indent.len());
    let columns = ((room + GAP.len()) / (width + GAP.len())).max(1);
    let line = |row: &[String]| {
        let cells: Vec<String> = row.iter().map(|item| format!("{item}{}", " ".repeat(width - item.chars().count()))).collect();
        format!("{indent}{}\n", cells.join(GAP).trim_end())
    };
    items.chunks(columns).map(line).collect()
}

/// Which way a column leans.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lean {
    Left,
    Right,
}

/// Rows of cells under one another, two spaces between the columns, no space at the end of a line.
pub fn columns<const N: usize>(leans: [Lean; N], rows: &[[String; N]]) -> String {
    rows_of_cells(&leans, rows)
}

/// The same where the number of columns is not known before.
pub fn rows_of_cells(leans: &[Lean], rows: &[impl AsRef<[String]>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..leans.len()).map(width).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).zip(leans).map(|((cell, &width), lean)| {
            // Not by a width in a format: that panics beyond 65,535.
            let space = " ".repeat(width - cell.chars().count());
            match lean {
                Lean::Left => format!("{cell}{space}"),
                Lean::Right => format!("{space}{cell}"),
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(|row| line(row.as_ref())).collect()
}

/// What the user must be told, without being asked, where it does not mix with what was asked for.
pub fn print_notes(notes: &[String], quiet: bool) {
    if !quiet {
        for note in notes {
            let _ = writeln!(io::stderr(), "note: {note}");
        }
    }
}

/// Asks for a line; `None` when the input has ended.
pub fn ask(out: &mut impl Write, question: &str) -> anyhow::Result<Option<String>> {
    write!(out, "{question}")?;
    out.flush()?;
    // Bytes that are no text are an answer like any other nonsense, and no reason to stop.
    let mut line = Vec::new();
    if io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_may_be_of_any_width() {
        let name = "x".repeat(70_000);
        let rows = [[name.clone(), "1".to_owned()], ["é".to_owned(), "23".to_owned()]];
        let text = columns([Lean::Left, Lean::Right], &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("{name}   1"));
        assert_eq!(lines[1], format!("é{}  23", " ".repeat(69_999)));
    }
}
