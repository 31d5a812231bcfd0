//! How things are written to the terminal.

use std::io::{self, BufRead, Write};

use plyground_table::{KeyInfo, Session, Turn, draw_board, draw_counters};
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

/// Whose turn it is, or how the game ended.
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
