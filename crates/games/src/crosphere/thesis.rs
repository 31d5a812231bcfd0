//! The record format of the thesis that Crosphere comes from (2024): a block of tags and numbered moves for each game.
//!
//! ```text
//! [Player_1 "type=MCTS_heuristic, exploration_weight=0.44, rollouts_per_move=922, stone_weight=0.39"]
//! [Player_2 "type=MCTS_heuristic, exploration_weight=0.5, rollouts_per_move=1713, stone_weight=0.42"]
//! [Result "0"]
//! [Datetime "13-03-2024 10:48:22"]
//! [Device "system=Linux, node=laptop"]
//! 1. (1, (1, 6))
//! 2. (0, (2, 3))
//! ```
//!
//! `Result` is 1 when the first player has won, 0 when the second has, 0.5 for a draw. A move is its number, the kind of stone (0
//! weak, 1 strong), and the row and column of the square, counted from 0 at the top left. The games of a file are separated by a
//! blank line.
//!
//! The format knows one board, 8x8 with five strong stones each, one start, and no unfinished games: a player cannot resign in
//! Crosphere, so that a record that stops before the end is a damaged one. All of this is checked in both directions, by playing
//! the moves. A tag may be broken over several lines, as they are printed in the thesis. `Datetime`, `Device` and further tags may be missing. Seeds, thinking times and opinions on moves have no place in
//! the format and are left out when a record is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use plyground_core::{Game, GameRecord, InputError, PlayedMove, RecordFormat, RecordedPlayer, Turn};

use super::{Crosphere, Placement, State};

pub(crate) const FORMAT: RecordFormat = RecordFormat {
    name: "crosphere-thesis",
    summary: "the records of the Crosphere thesis of 2024 (8x8, five strong stones, finished games)",
    extension: "txt",
    detect: |text| text.trim_start_matches('\u{feff}').trim_start().starts_with("[P"),
    split,
    read,
    write,
};

/// The tags that have a place of their own in a [`GameRecord`], in the order in which they are written.
const PLAYERS: [&str; 2] = ["Player_1", "Player_2"];
const RESULT: &str = "Result";
const DATETIME: &str = "Datetime";

/// The texts of a result here and in a [`GameRecord`].
const RESULTS: [(&str, &str); 3] = [("1", "first"), ("0", "second"), ("0.5", "draw")];

fn thesis_game() -> Crosphere {
    Crosphere::new(8, 8, 5)
}

/// The most lines of one tag.
const LONGEST_TAG: usize = 8;

/// A line that says something, with a broken tag made whole again.
struct WholeLine<'a> {
    number: usize,
    /// Where it begins in the text.
    begin: usize,
    text: Cow<'a, str>,
}

/// The lines of a text but for empty ones. A tag that does not end on its line goes on on the next ones, as long as these are no tag
/// and no move.
fn whole_lines(text: &str) -> Vec<WholeLine<'_>> {
    // Editors of some systems put a mark in front of a text.
    let mut begin = text.len() - text.trim_start_matches('\u{feff}').len();
    let (mut lines, mut parts): (Vec<WholeLine<'_>>, usize) = (Vec::new(), 0);
    for (index, line) in text[begin..].split_inclusive('\n').enumerate() {
        let here = WholeLine { number: index + 1, begin, text: line.trim().into() };
        begin += line.len();
        if here.text.is_empty() {
            continue;
        }
        let goes_on = |tag: &str| tag.starts_with('[') && !tag.ends_with(']');
        match lines.last_mut().filter(|last| goes_on(&last.text) && parts < LONGEST_TAG) {
            Some(tag) if !here.text.starts_with('[') && parse_move(&here.text).is_none() => {
                tag.text = format!("{} {}", tag.text, here.text).into();
                parts += 1;
            }
            _ => {
                lines.push(here);
                parts = 1;
            }
        }
    }
    lines
}

/// A game begins with the first tag behind the moves of the game before.
fn split(text: &str) -> Vec<(usize, &str)> {
    let lines = whole_lines(text);
    let is_tag = |line: &WholeLine<'_>| line.text.starts_with('[');
    let begins = |index: usize| index == 0 || (is_tag(&lines[index]) && !is_tag(&lines[index - 1]));
    let begins: Vec<&WholeLine<'_>> = (0..lines.len()).filter(|&index| begins(index)).map(|index| &lines[index]).collect();
    let ends = begins.iter().skip(1).map(|line| line.begin).chain([text.len()]);
    begins.iter().zip(ends).map(|(line, end)| (line.number, &text[line.begin..end])).collect()
}

fn read(text: &str) -> Result<Vec<GameRecord>, InputError> {
    let mut records = Vec::new();
    let mut block: Option<Block<'_>> = None;
    let lines = whole_lines(text);
    for line in &lines {
        let here = Line { number: line.number, text: &line.text };
        if here.text.starts_with('[') {
            if let Some(finished) = block.take_if(|block| !block.moves.is_empty()) {
                records.push(finished.record()?);
            }
            block.get_or_insert_with(|| Block::new(here)).read_tag(here)?;
        } else {
            let missing = || here.error("expected a tag like [Player_1 \"name\"] before the moves");
            block.as_mut().ok_or_else(missing)?.read_move(here)?;
        }
    }
    if let Some(last) = block {
        records.push(last.record()?);
    }
    Ok(records)
}

/// A line of the file, for messages.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn error(self, detail: impl std::fmt::Display) -> InputError {
        InputError::malformed("record", self.text, format!("line {}: {detail}", self.number))
    }
}

/// A game while it is read; the moves are played as they come.
struct Block<'a> {
    first_line: Line<'a>,
    last_line: Line<'a>,
    tags: BTreeMap<&'a str, (Line<'a>, &'a str)>,
    moves: Vec<PlayedMove>,
    game: Crosphere,
    state: State,
}

impl<'a> Block<'a> {
    fn new(first_line: Line<'a>) -> Self {
        let game = thesis_game();
        let state = game.start();
        Self { first_line, last_line: first_line, tags: BTreeMap::new(), moves: Vec::new(), game, state }
    }

    fn read_tag(&mut self, line: Line<'a>) -> Result<(), InputError> {
        let tag = line.text.strip_prefix('[').and_then(|rest| rest.strip_suffix("\"]"));
        let Some((name, value)) = tag.and_then(|tag| tag.split_once(" \"")).filter(|tag| is_tag(tag.0, tag.1)) else {
            return Err(line.error("expected a tag, like [Result \"1\"]"));
        };
        if let Some((first, _)) = self.tags.insert(name, (line, value)) {
            return Err(line.error(format!("{name} is given twice in this game, first on line {}", first.number)));
        }
        self.last_line = line;
        Ok(())
    }

    fn read_move(&mut self, line: Line<'a>) -> Result<(), InputError> {
        let wanted = self.moves.len() + 1;
        let Some((number, mv)) = parse_move(line.text) else {
            return Err(line.error(format!(
                "expected move {wanted} as NUMBER. (KIND, (ROW, COLUMN)), like {wanted}. (0, (2, 3)): kind 0 or 1, row and \
                 column 0 to 7"
            )));
        };
        if number != wanted {
            return Err(line.error(format!("expected move number {wanted}, found {number}")));
        }
        let text = self.game.move_text(&self.state, mv);
        let mv = match self.game.legal_move(&self.state, &text) {
            Ok(mv) => mv,
            Err(InputError::Illegal { why, .. }) => return Err(line.error(format!("illegal move {text}: {why}"))),
            Err(other) => return Err(line.error(other)),
        };
        self.game.play(&mut self.state, mv);
        self.moves.push(PlayedMove { text, ..PlayedMove::default() });
        self.last_line = line;
        Ok(())
    }

    fn record(mut self) -> Result<GameRecord, InputError> {
        let Turn::Over(outcome) = self.game.turn(&self.state) else {
            return Err(self.last_line.error("the game ends here, but nobody is linked and there are moves left"));
        };
        let first_line = self.first_line;
        let mut required =
            |name: &str| self.tags.remove(name).ok_or_else(|| first_line.error(format!("this game has no {name} tag")));
        let players = [required(PLAYERS[0])?, required(PLAYERS[1])?];
        let (result_line, result) = required(RESULT)?;
        let Some((_, result)) = RESULTS.into_iter().find(|(here, _)| *here == result) else {
            return Err(result_line.error("expected the result 1 (first player), 0 (second player) or 0.5 (draw)"));
        };
        if result != outcome.word() {
            return Err(result_line.error(format!("the result contradicts the moves: {}", why_over(&self.game, &self.state))));
        }
        Ok(GameRecord {
            version: GameRecord::VERSION,
            game: self.game.spec(),
            players: players.map(|(_, name)| RecordedPlayer { name: name.to_owned(), seed: None }),
            moves: self.moves,
            result: result.to_owned(),
            reason: why_over(&self.game, &self.state),
            date: self.tags.remove(DATETIME).map(|(_, date)| date.to_owned()),
            tags: self.tags.into_iter().map(|(name, (_, value))| (name.to_owned(), value.to_owned())).collect(),
            ..GameRecord::default()
        })
    }
}

/// Can this be a tag? Quotes and line ends would end it early.
fn is_tag(name: &str, value: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') && !value.contains(['"', '\n', '\r'])
}

/// Reads `12. (1, (1, 6))`: the number, and the move in the terms of the game.
fn parse_move(text: &str) -> Option<(usize, Placement)> {
    let (number, stone) = text.split_once('.')?;
    let stone: String = stone.chars().filter(|c| !c.is_whitespace()).collect();
    let (kind, square) = stone.strip_prefix('(')?.strip_suffix("))")?.split_once(",(")?;
    let (row, column) = square.split_once(',')?;
    let digit = |text: &str, end: u32| match text.as_bytes() {
        [digit @ b'0'..=b'9'] => Some(u32::from(digit - b'0')).filter(|&digit| digit < end),
        _ => None,
    };
    let (kind, row, column) = (digit(kind, 2)?, digit(row, 8)?, digit(column, 8)?);
    Some((number.parse().ok()?, Placement::new(kind == 1, (7 - row) * 8 + column)))
}

fn write(records: &[GameRecord]) -> Result<String, InputError> {
    let mut blocks = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let refuse = |detail: String| {
            InputError::malformed("record", &record.game, format!("game {} cannot be written: {detail}", index + 1))
        };
        blocks.push(block_text(record).map_err(refuse)?);
    }
    Ok(blocks.join("\n"))
}

/// The block of a game, or what the format cannot hold.
fn block_text(record: &GameRecord) -> Result<String, String> {
    let game = thesis_game();
    let mut state = game.start();
    let opened = crate::open(&record.game, record.start.as_deref(), Opened).map_err(|error| error.to_string())?;
    if opened != (game.spec(), game.position_text(&state)) {
        let (spec, start) = opened;
        return Err(format!("the format knows only {} from its start, this is {spec} from {start}", game.spec()));
    }
    let mut moves = String::new();
    for (index, played) in record.moves.iter().enumerate() {
        let number = index + 1;
        let mv = game.legal_move(&state, &played.text).map_err(|error| format!("move {number}: {error}"))?;
        game.play(&mut state, mv);
        let (kind, row, column) = (u32::from(mv.is_strong()), 7 - mv.index() / 8, mv.index() % 8);
        writeln!(moves, "{number}. ({kind}, ({row}, {column}))").expect("writing to a string");
    }
    let Turn::Over(outcome) = game.turn(&state) else {
        return Err("it is not finished, and the format has no result for that".to_owned());
    };
    if record.result != outcome.word() {
        return Err(format!("its result is '{}', but {}", record.result, why_over(&game, &state)));
    }
    let result = RESULTS.into_iter().find(|(_, there)| *there == outcome.word()).map_or("", |(here, _)| here);
    let players = record.players.each_ref().map(|player| player.name.as_str());
    let names = PLAYERS.into_iter().zip(players);
    let date = record.date.as_deref().map(thesis_date);
    let date = date.iter().map(|date| (DATETIME, &**date));
    let others = record.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut text = String::new();
    let mut written = Vec::new();
    for (name, value) in names.chain([(RESULT, result)]).chain(date).chain(others) {
        if !is_tag(name, value) {
            return Err(format!("the tag {name} with the text {value:?} has characters that would break it"));
        }
        if written.contains(&name) {
            return Err(format!("the tag {name} is written from the record itself and cannot be given twice"));
        }
        written.push(name);
        writeln!(text, "[{name} \"{value}\"]").expect("writing to a string");
    }
    Ok(text + &moves)
}

/// `2024-03-13T10:48:22Z` as the thesis writes it; any other date stays as it is.
fn thesis_date(date: &str) -> Cow<'_, str> {
    let parts = || {
        let (day, time) = date.strip_suffix('Z')?.split_once('T')?;
        let [year, month, day] = day.split('-').collect::<Vec<_>>().try_into().ok()?;
        let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
        let right = digits(year, 4) && digits(month, 2) && digits(day, 2);
        right.then(|| format!("{day}-{month}-{year} {time}"))
    };
    parts().map_or(Cow::Borrowed(date), Cow::Owned)
}

/// The spec and the position that a game opens with.
struct Opened;

impl plyground_core::Visitor for Opened {
    type Output = (String, String);
    fn visit<G: plyground_core::PlayableGame>(self, game: G, state: G::State) -> (String, String) {
        (game.spec(), game.position_text(&state))
    }
}

/// The reason of a finished game in English.
fn why_over(game: &Crosphere, state: &State) -> String {
    game.why_over(state).map_or_else(String::new, |why| why.english)
}
