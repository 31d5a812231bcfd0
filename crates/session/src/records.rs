//! Game records: all formats, reading and writing, and replay.

use plyground_agents::catalogue::player_in;
use plyground_core::{GameRecord, InputError, RecordFormat, Turn, read_records, split_records, write_records};

use crate::session::{Session, open};

/// The record format of Plyground: JSON Lines.
pub const JSON_LINES: RecordFormat = RecordFormat {
    name: "jsonl",
    summary: "Plyground records: one JSON object a line, every game",
    extension: "jsonl",
    detect: |text| text.trim_start_matches('\u{feff}').trim_start().starts_with('{') || text.trim().is_empty(),
    split: split_records,
    read: read_records,
    write: |records| Ok(write_records(records)),
};

/// All record formats, the project's own first.
pub fn formats() -> Vec<RecordFormat> {
    let mut formats = vec![JSON_LINES];
    formats.extend(plyground_games::record_formats());
    formats
}

/// The format with this name.
pub fn format_named(name: &str) -> Result<RecordFormat, InputError> {
    let known = formats();
    let names = || known.iter().map(|format| format.name);
    known.iter().find(|format| format.name == name).copied().ok_or_else(|| InputError::unknown("format", name, names()))
}

/// Writes records in a format, with the players' names as its own program would write them.
pub fn write_as(format: &RecordFormat, records: &[GameRecord]) -> Result<String, InputError> {
    let mut records = records.to_vec();
    for player in records.iter_mut().flat_map(|record| &mut record.players) {
        player.name = player_in(format.name, &player.name);
    }
    (format.write)(&records)
}

/// Reads records of any known format, which is detected from the text.
pub fn read_any(text: &str) -> Result<Vec<GameRecord>, InputError> {
    (format_of(text)?.read)(text)
}

/// The format that a text looks like.
pub fn format_of(text: &str) -> Result<RecordFormat, InputError> {
    let known = formats();
    if let Some(format) = known.iter().find(|format| (format.detect)(text)) {
        return Ok(*format);
    }
    let names: Vec<&str> = known.iter().map(|format| format.name).collect();
    let detail = format!("it does not look like any of the formats {}", names.join(", "));
    Err(InputError::malformed("file of records", text, detail))
}

/// The games of a text one by one, each a record or what is wrong with it, with its line: a game that is damaged does not hide the
/// others.
pub fn read_each(format: &RecordFormat, text: &str) -> Vec<(usize, Result<GameRecord, InputError>)> {
    let one = |line: usize, game: &str| {
        let mut records = (format.read)(game).map_err(|error| match line {
            1 => error,
            // Readers count from the line where their text begins.
            _ => (format.read)(&("\n".repeat(line - 1) + game)).err().unwrap_or(error),
        })?;
        let found = records.len();
        let single = records.pop().filter(|_| found == 1);
        single.ok_or_else(|| InputError::malformed("record", game, format!("line {line}: expected one game, found {found}")))
    };
    (format.split)(text).into_iter().map(|(line, game)| (line, one(line, game))).collect()
}

/// The session of a recorded game after its last move; everything in the record is checked against the rules.
pub fn replay(record: &GameRecord) -> Result<Box<dyn Session>, InputError> {
    let mut session = open(&record.game, record.start.as_deref())?;
    for (index, played) in record.moves.iter().enumerate() {
        let at =
            |error: InputError| InputError::malformed("record", &played.text, format!("move {} of the game: {error}", index + 1));
        let chance = session.turn() == Turn::Chance;
        session.play(&played.text).map_err(at)?;
        session.annotate(played.ms, played.value);
        if chance != played.chance {
            let detail =
                if chance { "chance made it: expected \"chance\":true beside it" } else { "a player made it, not chance" };
            return Err(at(InputError::illegal(&played.text, detail)));
        }
    }
    // A game may be decided away from the board (resignation, time), but not against it.
    let differs = |what: &str, found: String, said: String| {
        let detail = format!("the moves lead to {what} {found}, the record says {said}");
        Err(InputError::malformed("record", &record.game, detail))
    };
    if let Turn::Over(outcome) = session.turn()
        && outcome.word() != record.result
    {
        return differs("the result", outcome.word().to_owned(), record.result.clone());
    }
    if let Some(said) = record.points
        && session.points() != Some(said)
    {
        let found = session.points().map_or("none".to_owned(), |[first, second]| format!("{first}:{second}"));
        return differs("the points", found, format!("{}:{}", said[0], said[1]));
    }
    Ok(session)
}
