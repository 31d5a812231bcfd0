//! Games as rows of the database.

use plyground_core::{Outcome, PlayedMove, Player};
use rusqlite::{Connection, Row, params};

use super::checksum::game_columns;
use crate::{Experiment, GameRow};

/// The player of a move, as a letter.
const MOVERS: [(Option<Player>, char); 3] = [(Some(Player::First), '1'), (Some(Player::Second), '2'), (None, '~')];
/// The result of a game without a winner, in the table.
const DRAW: &str = "draw";

/// The games of a prefix, those of a job one after the other; each with whether its checksum is right.
pub(super) const SELECT_GAMES: &str = concat!(
    "SELECT ",
    game_columns!(),
    ", checksum IS row_checksum('games', ",
    game_columns!(),
    ") FROM games WHERE run = ?1 AND pair < ?2 ORDER BY pair, job, game"
);

const INSERT_GAME: &str = concat!(
    "INSERT OR IGNORE INTO games (",
    game_columns!(),
    ", checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
        row_checksum('games', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17))"
);

pub(super) fn insert_game(connection: &Connection, run: &str, game: &GameRow) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(INSERT_GAME)?;
    let texts: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
    let letter = |mover| MOVERS.iter().find(|known| known.0 == mover).expect("all are there").1;
    let movers: String = game.movers.iter().map(|&mover| letter(mover)).collect();
    statement.execute(params![
        game.job,
        game.game,
        run,
        game.pair,
        game.agents[0],
        game.agents[1],
        game.outcome.word(),
        game.outcome.margin,
        game.reason,
        game.fault,
        game.points.map(|[first, second]| format!("{first} {second}")),
        game.opening,
        texts.join(" "),
        movers,
        packed(game.moves.iter().map(|played| played.ms.map(|ms| ms as f32))),
        packed(game.moves.iter().map(|played| played.value)),
        game.ended,
    ])
}

/// Numbers as 32-bit floats; one that is missing is not a number.
fn packed(numbers: impl Iterator<Item = Option<f32>>) -> Vec<u8> {
    numbers.flat_map(|number| number.unwrap_or(f32::NAN).to_le_bytes()).collect()
}

fn unpacked(bytes: &[u8]) -> impl Iterator<Item = Option<f32>> {
    let numbers = bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks of four")));
    numbers.map(|number| (!number.is_nan()).then_some(number))
}

/// The name of the job that a row belongs to, also of a damaged one.
pub(super) fn job_of(row: &Row<'_>) -> rusqlite::Result<String> {
    let name = row.get_ref(0)?;
    Ok(name.as_bytes().map_or_else(|_| "?".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned()))
}

/// The game of a row of [`SELECT_GAMES`]; what was expected and found where it is damaged.
pub(super) fn game_of(row: &Row<'_>) -> rusqlite::Result<Result<GameRow, String>> {
    let intact: bool = row.get(17)?;
    if !intact {
        return Ok(Err("a game does not have its checksum".to_owned()));
    }
    Ok(read_game(row).map_err(|error| format!("a game cannot be read: {error}")).and_then(|found| found))
}

fn read_game(row: &Row<'_>) -> rusqlite::Result<Result<GameRow, String>> {
    let result: String = row.get(6)?;
    let winner = Player::BOTH.into_iter().find(|player| player.word() == result);
    if winner.is_none() && result != DRAW {
        return Ok(Err(format!("expected first, second or draw as the result of a game, found '{result}'")));
    }
    let points: Option<String> = row.get(10)?;
    let points = points.and_then(|text| {
        let (first, second) = text.split_once(' ')?;
        Some([first.parse().ok()?, second.parse().ok()?])
    });
    let (texts, letters): (String, String) = (row.get(12)?, row.get(13)?);
    let mover = |letter: char| MOVERS.iter().find(|known| known.1 == letter).map(|known| known.0);
    let Some(movers) = letters.chars().map(mover).collect::<Option<Vec<Option<Player>>>>() else {
        return Ok(Err(format!("expected 1, 2 or ~ for each move of a game, found '{letters}'")));
    };
    let (times, expectations): (Vec<u8>, Vec<u8>) = (row.get(14)?, row.get(15)?);
    let numbers = unpacked(&times).zip(unpacked(&expectations));
    let moves = texts.split_whitespace().zip(&movers).zip(numbers).map(|((text, mover), (ms, value))| PlayedMove {
        text: text.to_owned(),
        chance: mover.is_none(),
        // To the nanosecond: what is behind that is only the way from 32 bits to 64.
        ms: ms.map(|ms| (f64::from(ms) * 1e6).round() / 1e6),
        value,
    });
    let game = GameRow {
        job: row.get(0)?,
        pair: row.get(3)?,
        game: row.get(1)?,
        agents: [row.get(4)?, row.get(5)?],
        outcome: Outcome { winner, margin: row.get(7)? },
        reason: row.get(8)?,
        fault: row.get(9)?,
        points,
        opening: row.get(11)?,
        moves: moves.collect(),
        movers,
        ended: row.get(16)?,
    };
    if game.moves.len() != game.movers.len() || game.opening > game.moves.len() {
        let (moves, movers, opening) = (game.moves.len(), game.movers.len(), game.opening);
        return Ok(Err(format!(
            "expected as many players as moves of a game, found {moves} moves, {movers} players and an opening of {opening}"
        )));
    }
    Ok(Ok(game))
}

/// What the games of a job have to be.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// The number of agents of the run.
    agents: usize,
    /// The number of games of a job.
    pub games: usize,
}

impl Shape {
    pub fn of(experiment: &Experiment) -> Self {
        Self { agents: experiment.agents.len(), games: usize::from(experiment.seats.games()) }
    }

    /// The games of a job, if all of them are there and fit together.
    pub fn whole(self, games: Vec<Result<GameRow, String>>) -> Result<Vec<GameRow>, String> {
        let games = games.into_iter().collect::<Result<Vec<GameRow>, String>>()?;
        if games.len() != self.games || games.iter().enumerate().any(|(number, game)| usize::from(game.game) != number) {
            let plural = if self.games == 1 { "" } else { "s" };
            return Err(format!("expected {} game{plural}, found {}", self.games, games.len()));
        }
        if let Some(agent) = games.iter().flat_map(|game| game.agents).find(|&agent| agent >= self.agents) {
            return Err(format!("expected agents by numbers below {}, found {agent}", self.agents));
        }
        if games.iter().any(|game| (game.pair, game.pairing()) != (games[0].pair, games[0].pairing())) {
            return Err("expected both games to be of one pair, found two".to_owned());
        }
        Ok(games)
    }
}
