//! Games that were played elsewhere, as runs.

use plyground_core::{GameRecord, RecordedPlayer};
use plyground_match::{GameRow, ImportedGame, Results, Run, RunPrefix, Store, import};
use plyground_session::{format_named, format_of, read_any, read_each};

use crate::common::{Directory, games};

const THESIS: &str = include_str!("../../../games/tests/data/crosphere-thesis.txt");

fn record(players: [&str; 2], moves: &str, result: &str) -> GameRecord {
    let moves = moves.split(' ').map(|text| plyground_core::PlayedMove { text: text.to_owned(), ..Default::default() });
    GameRecord {
        version: GameRecord::VERSION,
        game: "tictactoe".to_owned(),
        players: players.map(|name| RecordedPlayer { name: name.to_owned(), seed: None }),
        moves: moves.collect(),
        result: result.to_owned(),
        ..GameRecord::default()
    }
}

const WON: &str = "a1 b1 a2 b2 a3";

fn kept(store: &Store, records: &[GameRecord], hash: &str) -> Vec<(Run, u64)> {
    let games = records.iter().map(|record| ImportedGame::of(record).unwrap()).collect();
    let runs = import(store, games, hash, "ply import FILE", "a device").unwrap();
    runs.into_iter().map(|run| (run.run, run.new)).collect()
}

#[test]
fn a_record_of_the_thesis_becomes_a_run() {
    let directory = Directory::new();
    let store = directory.store();
    let records = read_any(THESIS).unwrap();
    let [(run, 1)] = &kept(&store, &records, "hash")[..] else { panic!("one run with one game") };
    let mut ended = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| ended.push(game.ended)).unwrap();
    let [game] = &games(&store, run)[..] else { panic!("one game") };
    assert_eq!((game.plies(), game.outcome.word(), &ended[..]), (26, "second", &[1_710_326_902][..]));
    assert!(run.experiment.agents[0].starts_with("type=MCTS_heuristic, exploration_weight=0.44"));
    let again = GameRecord { date: records[0].date.clone(), tags: records[0].tags.clone(), ..game.record(&run.experiment) };
    assert_eq!(again, records[0], "nothing is made up and nothing is lost");
    let results = Results::read(&store, run.experiment.seats, RunPrefix::all(&run.id)).unwrap();
    assert_eq!((results.jobs(), results.games()), (1, 1));
    let row = store.find(&run.id).unwrap();
    assert_eq!((row.pairs, row.done, row.games, row.machine.as_str()), (1, 1, 1, "a device"));
    assert!(store.check().unwrap().is_intact());
}

#[test]
fn the_same_file_again_adds_nothing_and_each_game_has_a_run() {
    let directory = Directory::new();
    let store = directory.store();
    let mut records = vec![record(["Ada", "Bo"], WON, "first"); 3];
    records.push(record(["Bo", "Bo"], WON, "first"));
    records.extend(read_any(THESIS).unwrap());
    let first = kept(&store, &records, "one");
    assert_eq!(first.iter().map(|run| run.1).collect::<Vec<_>>(), [1, 4]);
    let again = kept(&store, &records, "one");
    assert_eq!(again.iter().map(|run| run.1).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(again[0].0, first[0].0);
    let other = kept(&store, &records, "another file");
    assert_eq!(other.iter().map(|run| run.1).collect::<Vec<_>>(), [1, 4]);
    assert_ne!(other[0].0.id, first[0].0.id);
    let rows: Vec<GameRow> = games(&store, &first[1].0);
    assert_eq!(rows.iter().map(|row| row.agents).collect::<Vec<_>>().iter().filter(|agents| **agents == [0, 1]).count(), 3);
    assert!(rows.iter().all(|row| row.record(&first[1].0.experiment).seed.is_none()));
}

#[test]
fn many_players_are_put_together_by_their_names() {
    let directory = Directory::new();
    let store = directory.store();
    let name = |number: u32| format!("type=x, rollouts={}, w={{0.5}}", 500 + number);
    let records: Vec<GameRecord> = (0..200).map(|number| record([&name(number), "Bo"], WON, "first")).collect();
    let (run, new) = kept(&store, &records, "many").swap_remove(0);
    assert_eq!(
        (new, &run.experiment.agents[..]),
        (200, &["type=x, rollouts={500..699}, w={0.5}".to_owned(), "Bo".to_owned()][..])
    );
    let letters = |mut number: u32| -> String {
        std::iter::from_fn(|| {
            let letter = char::from(b'a' + (number % 26) as u8);
            number /= 26;
            (number > 0 || letter != 'a').then_some(letter)
        })
        .chain(['.'])
        .collect()
    };
    let strange: Vec<GameRecord> = (0..500).map(|number| record([&letters(number), "Bo"], WON, "first")).collect();
    let (run, new) = kept(&store, &strange, "strange").swap_remove(0);
    assert!(new == 500 && run.experiment.agents.len() <= 64, "{} players", run.experiment.agents.len());
    assert!(run.experiment.agents.contains(&"other players".to_owned()));
}

#[test]
fn what_is_no_game_of_a_run_is_refused() {
    let refused = |record: &GameRecord| ImportedGame::of(record).err().unwrap().to_string();
    assert!(refused(&record(["Ada", "Bo"], "a1 b1", "open")).contains("it is not over after 2 moves"));
    assert!(refused(&record(["Ada", "Bo"], "a1 a1", "first")).contains("move 2 of the game"));
    assert!(refused(&record(["Ada", "Bo"], WON, "second")).contains("the record says second"));
    let elsewhere = GameRecord { start: Some("1o1/3/3 x".to_owned()), ..record(["Ada", "Bo"], "a1", "open") };
    assert!(ImportedGame::of(&elsewhere).is_err());
    assert!(ImportedGame::of(&record(["Ada", "Bo"], "a1 b1", "second")).is_ok(), "a player may resign");
}

#[test]
fn a_bad_game_does_not_hide_the_others_and_has_its_line() {
    let text = format!("{THESIS}\n{}\n{THESIS}", THESIS.replace("2. (0, (2, 3))", "2. (0, (1, 6))"));
    let found = read_each(&format_of(&text).unwrap(), &text);
    let lines = THESIS.lines().count() + 1;
    assert_eq!(
        found.iter().map(|game| (game.0, game.1.is_ok())).collect::<Vec<_>>(),
        [(1, true), (lines + 1, false), (2 * lines + 1, true)]
    );
    let said = found[1].1.as_ref().unwrap_err().to_string();
    assert!(said.contains(&format!("line {}: illegal move", lines + 7)), "{said}");
    let good = plyground_core::write_records(&[record(["Ada", "Bo"], WON, "first")]);
    let text = format!("{good}\n{{\"plyground\":1}}\n{good}");
    let found = read_each(&format_named("jsonl").unwrap(), &text);
    assert_eq!(found.iter().map(|game| (game.0, game.1.is_ok())).collect::<Vec<_>>(), [(1, true), (3, false), (4, true)]);
    assert!(found[1].1.as_ref().unwrap_err().to_string().contains("line 3:"));
}
