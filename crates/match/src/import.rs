//! Games that were played elsewhere, as a run of the store: then all that is made of runs can be made of them.

use std::collections::{BTreeMap, HashMap};

use plyground_core::{GameRecord, InputError, NoResources, Outcome, Player, Turn};
use plyground_session::{open, replay};

use crate::date::seconds_of;
use crate::{Experiment, Format, GameRow, Job, ResultSink, Run, RunError, Seats, Store};

/// The most players of an imported run. Players that differ in numbers only are put together first.
const MOST_PLAYERS: usize = 64;
/// The name of those that are more than that.
const OTHERS: &str = "other players";
/// Games in a transaction.
const AT_ONCE: usize = 1_000;

/// An imported game that has been played through by the rules.
pub struct ImportedGame {
    game: String,
    players: [String; 2],
    row: GameRow,
}

/// A run of imported games.
#[derive(Debug)]
pub struct ImportedRun {
    /// The run.
    pub run: Run,
    /// Its games.
    pub games: u64,
    /// Those that were not in the store before.
    pub new: u64,
    /// Were players that differ only in numbers put together?
    pub merged: bool,
}

impl ImportedGame {
    /// Plays a record through by the rules. Games that are not over, or that began somewhere else, are no games of a run.
    pub fn of(record: &GameRecord) -> Result<Self, InputError> {
        let refuse = |detail: String| Err(InputError::malformed("record", &record.game, detail));
        let played = replay(record)?;
        let mut session = open(&record.game, None)?;
        if let Some(start) = record.start.as_deref().filter(|start| **start != session.position()) {
            return refuse(format!("it begins in the position '{start}'; expected the start of the game"));
        }
        let mut movers = Vec::new();
        for played in &record.moves {
            movers.push(if let Turn::Player(player) = session.turn() { Some(player) } else { None });
            session.play(&played.text)?;
        }
        let winner = Player::BOTH.into_iter().find(|player| player.word() == record.result);
        let outcome = match played.turn() {
            Turn::Over(outcome) => outcome,
            _ if record.result == "open" => {
                return refuse(format!("it is not over after {} moves; expected a finished game", record.moves.len()));
            }
            _ => Outcome { winner, margin: 0 },
        };
        let row = GameRow {
            job: String::new(),
            pair: 0,
            game: 0,
            agents: [0; 2],
            outcome,
            reason: record.reason.clone(),
            fault: None,
            points: played.points(),
            opening: 0,
            moves: played.history().to_vec(),
            movers,
            ended: record.date.as_deref().and_then(seconds_of).unwrap_or(0),
        };
        Ok(Self { game: played.spec(), players: record.players.each_ref().map(|player| player.name.clone()), row })
    }
}

/// Keeps games as runs, one for each game with its parameters. `hash` is that of what they were read from: the same file again is the same
/// runs, and nothing is there twice.
pub fn import(
    store: &Store,
    games: Vec<ImportedGame>,
    hash: &str,
    command: &str,
    machine: &str,
) -> Result<Vec<ImportedRun>, RunError> {
    let mut by_game: BTreeMap<String, Vec<ImportedGame>> = BTreeMap::new();
    for game in games {
        by_game.entry(game.game.clone()).or_default().push(game);
    }
    by_game.into_iter().map(|(game, games)| import_game(store, &game, games, hash, command, machine)).collect()
}

fn import_game(
    store: &Store,
    game: &str,
    games: Vec<ImportedGame>,
    hash: &str,
    command: &str,
    machine: &str,
) -> Result<ImportedRun, RunError> {
    let (names, merged) = player_names(&games);
    let mut agents: Vec<String> = Vec::new();
    let mut number_of: HashMap<&str, usize> = HashMap::new();
    for player in games.iter().flat_map(|game| &game.players) {
        let name = &names[player];
        number_of.entry(name).or_insert_with(|| {
            agents.push(name.clone());
            agents.len() - 1
        });
    }
    let mut experiment = Experiment::new(game, &[], &NoResources)?;
    experiment.agents = agents;
    experiment.format = if experiment.agents.len() == 1 { Format::SelfPlay } else { Format::RoundRobin };
    experiment.seats = Seats::Fixed;
    experiment.imported = Some(hash.to_owned());
    let run = experiment.run();
    store.begin(&run, command, machine)?;
    let mut pairs: HashMap<[usize; 2], u64> = HashMap::new();
    let mut imported = ImportedRun { games: games.len() as u64, new: 0, merged, run };
    let mut rows = Vec::with_capacity(games.len());
    for ImportedGame { players, mut row, .. } in games {
        let [first, second] = players.each_ref().map(|player| number_of[names[player].as_str()]);
        let pair = pairs.entry([first, second]).or_insert(0);
        (row.agents, row.pair) = ([first, second], *pair);
        row.job = format!("{}-{first}-{second}-{pair}", imported.run.id);
        *pair += 1;
        rows.push(row);
    }
    for rows in rows.chunks(AT_ONCE) {
        let job = |row: &GameRow| Job {
            id: row.job.clone(),
            run: imported.run.id.clone(),
            agents: row.agents,
            pair: row.pair,
            opening: Vec::new(),
        };
        store.request(&rows.iter().map(job).collect::<Vec<_>>())?;
        let games: Vec<Vec<GameRow>> = rows.iter().map(|row| vec![row.clone()]).collect();
        imported.new += store.keep(&imported.run.id, &games)?.into_iter().filter(|new| *new).count() as u64;
    }
    Ok(imported)
}

/// What each player is called in the run, and whether several have become one.
fn player_names(games: &[ImportedGame]) -> (HashMap<String, String>, bool) {
    let mut players: Vec<&String> = games.iter().flat_map(|game| &game.players).collect();
    players.sort_unstable();
    players.dedup();
    if players.len() <= MOST_PLAYERS {
        return (players.into_iter().map(|player| (player.clone(), player.clone())).collect(), false);
    }
    let mut kinds: BTreeMap<Vec<Option<&str>>, Vec<&String>> = BTreeMap::new();
    for player in players {
        let kind = parts(player).into_iter().map(|(text, number)| number.is_none().then_some(text)).collect();
        kinds.entry(kind).or_default().push(player);
    }
    let many = kinds.len() > MOST_PLAYERS;
    let mut names = HashMap::new();
    for (index, players) in kinds.into_values().enumerate() {
        let name = if many && index >= MOST_PLAYERS - 1 { OTHERS.to_owned() } else { with_ranges(&players) };
        names.extend(players.into_iter().map(|player| (player.clone(), name.clone())));
    }
    (names, true)
}

/// A name with `{500..2500}` where those that differ in numbers only have different ones.
fn with_ranges(players: &[&String]) -> String {
    let all: Vec<_> = players.iter().map(|player| parts(player)).collect();
    let column = |index: usize| {
        let numbers = all.iter().filter_map(|parts| parts[index].1.map(|number| (parts[index].0, number)));
        let low = numbers.clone().min_by(|one, other| one.1.total_cmp(&other.1));
        let high = numbers.max_by(|one, other| one.1.total_cmp(&other.1));
        match (low, high) {
            (Some((low, _)), Some((high, _))) if low != high => format!("{{{low}..{high}}}"),
            _ => all[0][index].0.to_owned(),
        }
    };
    (0..all[0].len()).map(column).collect()
}

/// A name in parts: numbers, and what is between them.
fn parts(name: &str) -> Vec<(&str, Option<f64>)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digit = |letter: char| letter.is_ascii_digit();
        let number = rest.starts_with(digit);
        let end = rest.find(|letter: char| if number { !digit(letter) && letter != '.' } else { digit(letter) });
        let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push((part, if number { part.parse().ok() } else { None }));
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_numbers_become_one_with_ranges() {
        let names = ["a=0.44, b=922 x", "a=0.5, b=922 x", "a=0.47, b=922 x"].map(str::to_owned);
        assert_eq!(with_ranges(&names.each_ref()), "a={0.44..0.5}, b=922 x");
        assert_eq!(with_ranges(&[&"only 1.2.3".to_owned()]), "only 1.2.3");
        assert_eq!(parts("1a2.5"), [("1", Some(1.0)), ("a", None), ("2.5", Some(2.5))]);
    }
}
