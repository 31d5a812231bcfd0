//! The games of a run as tables for other programs.

use plyground_core::Player;

use super::parquet_file::{self, Column};
use crate::{Experiment, GameRow, Run, RunError, RunPrefix, Store};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Whole,
    Real,
}

/// One entry; it is of the kind of its column, or missing.
#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Text(String),
    Whole(i64),
    Real(f64),
    Missing,
}

const COLUMNS: [(&str, Kind); 16] = [
    ("job", Kind::Text),
    ("pair", Kind::Whole),
    ("game", Kind::Whole),
    ("first", Kind::Text),
    ("second", Kind::Text),
    ("result", Kind::Text),
    ("first_points", Kind::Whole),
    ("second_points", Kind::Whole),
    ("reason", Kind::Text),
    ("fault", Kind::Text),
    ("opening_plies", Kind::Whole),
    ("plies", Kind::Whole),
    ("moves", Kind::Text),
    // From here on what differs when a game without time limits is played again.
    ("ended", Kind::Whole),
    ("first_ms", Kind::Real),
    ("second_ms", Kind::Real),
];

fn cells(game: &GameRow, experiment: &Experiment) -> [Cell; COLUMNS.len()] {
    let text = |text: &str| Cell::Text(text.to_owned());
    let points = |player: Player| game.points.map_or(Cell::Missing, |points| Cell::Whole(points[player.index()].into()));
    let ms = |player: Player| Cell::Real(game.thinking().filter(|(seat, _)| *seat == player).map(|(_, ms)| ms).sum());
    let opening = game.movers[..game.opening].iter().flatten().count();
    let moves: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
    let [first, second] = game.specs(experiment).map(Cell::Text);
    [
        text(&game.job),
        Cell::Whole(game.pair as i64),
        Cell::Whole(game.game.into()),
        first,
        second,
        text(game.outcome.word()),
        points(Player::First),
        points(Player::Second),
        text(&game.reason),
        game.fault.as_deref().map_or(Cell::Missing, text),
        Cell::Whole(opening as i64),
        Cell::Whole(game.plies() as i64),
        text(&moves.join(" ")),
        Cell::Whole(game.ended),
        ms(Player::First),
        ms(Player::Second),
    ]
}

fn rows(store: &Store, run: &Run) -> Result<Vec<[Cell; COLUMNS.len()]>, RunError> {
    let mut rows = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| rows.push(cells(&game, &run.experiment)))?;
    Ok(rows)
}

/// All games of a run as comma-separated values (RFC 4180), a row each below the names of the columns.
pub fn csv(store: &Store, run: &Run) -> Result<String, RunError> {
    let written = |cell: &Cell| match cell {
        Cell::Text(text) if text.contains([',', '"', '\n', '\r']) => format!("\"{}\"", text.replace('"', "\"\"")),
        Cell::Text(text) => text.clone(),
        Cell::Whole(number) => number.to_string(),
        Cell::Real(number) => format!("{number:.3}"),
        Cell::Missing => String::new(),
    };
    let line = |row: [Cell; COLUMNS.len()]| row.each_ref().map(written).join(",") + "\n";
    let names = COLUMNS.map(|(name, _)| name).join(",") + "\n";
    Ok(names + &rows(store, run)?.into_iter().map(line).collect::<String>())
}

/// All games of a run as the bytes of a Parquet file.
pub fn parquet(store: &Store, run: &Run) -> Result<Vec<u8>, RunError> {
    let rows = rows(store, run)?;
    // A file without games still says which columns there are.
    let groups = if rows.is_empty() { vec![&rows[..]] } else { rows.chunks(GROUP).collect() };
    let groups: Vec<Vec<Column<'_>>> = groups.into_iter().map(columns).collect();
    Ok(parquet_file::write("games", &COLUMNS.map(|(name, _)| name), &groups))
}

/// The most rows of one group of a Parquet file.
const GROUP: usize = 100_000;

fn columns(rows: &[[Cell; COLUMNS.len()]]) -> Vec<Column<'_>> {
    (0..COLUMNS.len()).map(|number| column(rows, number)).collect()
}

fn column(rows: &[[Cell; COLUMNS.len()]], number: usize) -> Column<'_> {
    let cells = rows.iter().map(|row| &row[number]);
    match COLUMNS[number].1 {
        Kind::Text => {
            Column::Text(cells.map(|cell| if let Cell::Text(text) = cell { Some(text.as_str()) } else { None }).collect())
        }
        Kind::Whole => Column::Whole(cells.map(|cell| if let Cell::Whole(value) = cell { Some(*value) } else { None }).collect()),
        Kind::Real => Column::Real(cells.map(|cell| if let Cell::Real(value) = cell { Some(*value) } else { None }).collect()),
    }
}
