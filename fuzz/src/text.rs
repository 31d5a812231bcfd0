//! What people type and write: specs, positions, moves, records, openings, experiments.

use std::str::from_utf8;

use plyground_match::{Experiment, ImportedGame, Results, RunPrefix, Store, import, read_openings};
use plyground_session::{
    AGENTS, Evaluation, GameRecord, JSON_LINES, NoResources, PlayedMove, RecordedPlayer, Seed, Session, Turn, formats, infos,
    open, read_any, read_each, replay,
};

use crate::web::ALLOWANCE;
use crate::{choice, chosen};

/// A game, chosen by the first byte, and the text behind it.
fn game_and_text(input: &[u8]) -> Option<(&'static str, &str)> {
    let infos = infos();
    let (number, rest) = choice(input, infos.len())?;
    Some((infos[number].name, from_utf8(rest).ok()?))
}

/// One input for each game, with a text that is made for it.
fn for_each_game(text: impl Fn(&str) -> String) -> Vec<Vec<u8>> {
    infos().iter().enumerate().map(|(number, info)| chosen(number, text(info.name))).collect()
}

/// Some moves from the start of a game.
fn played(game: &str, plies: usize) -> Box<dyn Session> {
    let mut session = open(game, None).expect("a game opens with its defaults");
    let mut rng = Seed(1).rng();
    for _ in 0..plies {
        if session.roll(&mut rng).is_some() {
            continue;
        }
        let moves = session.moves();
        let Some(mv) = (!moves.is_empty()).then(|| &moves[rng.below(moves.len() as u32) as usize]) else { break };
        session.play(&mv.text).expect("a listed move can be played");
    }
    session
}

/// A game or agent spec is refused with an error, or opens a game whose own spec opens the same game.
pub fn specs(input: &[u8]) -> bool {
    let Some((game, text)) = game_and_text(input) else { return false };
    let mut accepted = false;
    for spec in [text.to_owned(), format!("{game}:{text}")] {
        if let Ok(session) = open(&spec, None) {
            accepted = true;
            let again = open(&session.spec(), None).expect("a game's own spec opens it");
            assert_eq!((again.spec(), again.position()), (session.spec(), session.position()));
        }
    }
    let named = AGENTS.iter().map(|agent| format!("{}:{text}", agent.name));
    // Memory is given to those who ask for it, so not too much is asked for here.
    for spec in std::iter::once(text.to_owned()).chain(named).filter(|spec| ALLOWANCE.check(spec).is_ok()) {
        let mut session = open(game, None).expect("every game opens with its defaults");
        accepted |= session.seat(&spec, Seed(0), &NoResources).is_ok();
    }
    accepted
}

pub fn spec_seeds() -> Vec<Vec<u8>> {
    let samples = infos().into_iter().flat_map(|info| info.samples).map(|sample| chosen(0, sample));
    samples.chain(for_each_game(|_| "mcts:sims=20".to_owned())).collect()
}

/// A position is refused with an error, or accepted and written back the same; an accepted one can be played on.
pub fn positions(input: &[u8]) -> bool {
    let Some((game, text)) = game_and_text(input) else { return false };
    let Ok(mut session) = open(game, Some(text)) else { return false };
    assert_eq!(session.position(), text);
    let again = open(&session.spec(), Some(text)).expect("the spec of an accepted position fits it");
    assert_eq!(again.position(), text);
    let mut rng = Seed(text.len() as u64).rng();
    for _ in 0..20 {
        if session.roll(&mut rng).is_some() {
            continue;
        }
        let moves = session.moves();
        if moves.is_empty() {
            break;
        }
        session.play(&moves[rng.below(moves.len() as u32) as usize].text).expect("a listed move can be played");
    }
    let _ = session.view();
    true
}

pub fn position_seeds() -> Vec<Vec<u8>> {
    for_each_game(|game| played(game, 5).position())
}

/// A word is refused with an error, or it is one of the listed moves (or outcomes) and is played.
pub fn moves(input: &[u8]) -> bool {
    let infos = infos();
    let Some((game, rest)) = choice(input, infos.len()) else { return false };
    let samples = infos[game].samples;
    let Some((sample, rest)) = choice(rest, samples.len()) else { return false };
    let (sample, Ok(text)) = (samples[sample], from_utf8(rest)) else { return false };
    let mut session = open(sample, None).expect("a sample opens");
    let mut accepted = false;
    for word in text.split('\n').take(200) {
        let mut listed: Vec<String> = session.moves().into_iter().map(|mv| mv.text).collect();
        listed.extend(session.outcomes().into_iter().map(|(outcome, _)| outcome));
        let before = session.position();
        match session.play(word) {
            Ok(played) => {
                assert!(listed.contains(&played), "{sample}: {before}: {word:?} was played as {played}");
                accepted = true;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(session.position(), before, "a refused move changes nothing");
            }
        }
    }
    accepted
}

pub fn move_seeds() -> Vec<Vec<u8>> {
    let line = |game: &str| {
        let words: Vec<String> = played(game, 6).history().iter().map(|played| played.text.clone()).collect();
        format!("\0{}", words.join("\n"))
    };
    infos().iter().enumerate().map(|(number, info)| chosen(number, line(info.samples[0]))).collect()
}

/// A file of records is refused with an error, or reads, writes and reads again as the same records; replaying never panics.
pub fn records(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let mut accepted = false;
    for format in formats() {
        let Ok(records) = (format.read)(text) else { continue };
        accepted |= !records.is_empty();
        for record in &records {
            let _ = replay(record);
        }
        if let Ok(written) = (format.write)(&records) {
            let again = (format.read)(&written).expect("what was written can be read");
            assert_eq!(again, records);
        }
        let lines = (JSON_LINES.write)(&records).expect("every record fits the project's own format");
        assert_eq!(read_any(&lines).expect("what was written can be read"), records);
    }
    accepted
}

pub fn record_seeds() -> Vec<Vec<u8>> {
    let player = || RecordedPlayer { name: "random".to_owned(), seed: Some(3) };
    let mut seeds = Vec::new();
    for info in infos() {
        let mut record: GameRecord = played(info.name, 30).record([player(), player()], Some(7));
        if let Some(PlayedMove { ms, value, .. }) = record.moves.first_mut() {
            (*ms, *value) = (Some(0.5), Some(-0.25));
        }
        seeds.extend(formats().iter().filter_map(|format| (format.write)(std::slice::from_ref(&record)).ok()));
    }
    seeds.sort();
    seeds.dedup();
    seeds.into_iter().map(String::into_bytes).collect()
}

/// The games of a file that can be imported are a run of the store: each of them is there as it was, the results are read from it, and
/// the same file again adds nothing.
pub fn imports(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let mut accepted = false;
    for format in formats() {
        let read = || read_each(&format, text).into_iter().filter_map(|(_, record)| ImportedGame::of(&record.ok()?).ok());
        let games: Vec<ImportedGame> = read().collect();
        if games.is_empty() {
            continue;
        }
        accepted = true;
        let (all, store) = (games.len() as u64, Store::in_memory().expect("a store in memory"));
        let runs = import(&store, games, "hash", "ply import FILE", "").expect("what was played through can be kept");
        assert_eq!(runs.iter().map(|run| run.new).sum::<u64>(), all);
        for imported in &runs {
            let prefix = RunPrefix::all(&imported.run.id);
            let results = Results::read(&store, imported.run.experiment.seats, prefix).expect("its results can be read");
            assert_eq!(results.games(), imported.games);
            let replayed = |game: plyground_match::GameRow| {
                let record = game.record(&imported.run.experiment);
                replay(&record).unwrap_or_else(|error| panic!("an imported game can be played: {error}: {record:?}"));
            };
            store.games(prefix, replayed).expect("its games can be read");
        }
        let again = import(&store, read().collect(), "hash", "ply import FILE", "").expect("it was imported before");
        assert!(again.iter().all(|run| run.new == 0), "the same file again is the same games");
    }
    accepted
}

/// Finished games of every game of the list, in every format that can hold them.
pub fn import_seeds() -> Vec<Vec<u8>> {
    let player = |name: &str| RecordedPlayer { name: name.to_owned(), seed: None };
    let records = infos().into_iter().map(|info| {
        // The smallest board, so that the inputs are short.
        let record = |sample: &&str| played(sample, 2_000).record([player("Ada"), player("Bo, 0.44")], None);
        let games = info.samples.iter().map(record).filter(|record| record.result != "open");
        games.min_by_key(|record| record.moves.len()).expect("some game comes to its end")
    });
    let written = records.flat_map(|record| {
        let records = [record];
        formats().iter().filter_map(|format| (format.write)(&records).ok()).collect::<Vec<String>>()
    });
    let mut seeds: Vec<Vec<u8>> = written.map(String::into_bytes).collect();
    seeds.sort();
    seeds.dedup();
    seeds
}

/// An evaluator with its keys is refused with an error, or says the same of a position whenever it is asked: a number, with a win chance
/// from 0 to 1, and terms that are numbers, too.
pub fn evaluations(input: &[u8]) -> bool {
    let Some((game, rest)) = choice(input, infos().len()) else { return false };
    let Some((plies, rest)) = choice(rest, 40) else { return false };
    let (session, Ok(text)) = (played(infos()[game].name, plies), from_utf8(rest)) else { return false };
    if matches!(session.turn(), Turn::Over(_)) {
        return false;
    }
    let named = session.evaluators().iter().map(|info| format!("{}:{text}", info.name));
    let evaluated: Vec<Evaluation> = std::iter::once(text.to_owned())
        .chain(named)
        .filter_map(|name| {
            let evaluation = session.evaluate(&name).ok()?;
            assert_eq!(session.evaluate(&name).as_ref(), Ok(&evaluation), "{name}: the same again");
            Some(evaluation)
        })
        .collect();
    for Evaluation { score, chance, terms } in &evaluated {
        assert!(score.is_finite() && (0.0..=1.0).contains(chance), "{score}, a win chance of {chance}");
        assert!(terms.iter().all(|term| term.score.is_finite()), "{terms:?}");
    }
    !evaluated.is_empty()
}

/// Every evaluator of every game.
pub fn evaluation_seeds() -> Vec<Vec<u8>> {
    let of_game = |(number, info): (usize, &&'static plyground_session::GameInfo)| {
        let session = open(info.name, None).expect("a game opens with its defaults");
        let named = session.evaluators().iter().map(|info| chosen(number, chosen(1, info.name)));
        named.collect::<Vec<_>>()
    };
    infos().iter().enumerate().flat_map(of_game).collect()
}

/// A file of openings is refused with an error, or its lines are openings that are read again the same.
pub fn openings(input: &[u8]) -> bool {
    let Some((game, text)) = game_and_text(input) else { return false };
    let Ok(lines) = read_openings(game, text) else { return false };
    let written: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
    assert_eq!(read_openings(game, &written.join("\n")).as_ref(), Ok(&lines));
    true
}

pub fn opening_seeds() -> Vec<Vec<u8>> {
    for_each_game(|game| {
        let words: Vec<String> = played(game, 3).history().iter().map(|played| played.text.clone()).collect();
        format!("{}\n", words.join(" "))
    })
}

/// A game and agents (one a line, with ranges in braces) are refused with an error, or are an experiment that keeps its name when it
/// is written and read; so is the JSON of an experiment. What it draws for a game are agents that can be made.
pub fn experiments(input: &[u8]) -> bool {
    let Some((kind, rest)) = choice(input, 2) else { return false };
    let Ok(text) = from_utf8(rest) else { return false };
    let experiment = if kind == 0 {
        let mut lines = text.lines().take(8);
        let game = lines.next().unwrap_or_default();
        let agents: Vec<String> = lines.map(str::to_owned).collect();
        Experiment::new(game, &agents, &NoResources).ok()
    } else {
        serde_json::from_str(text).ok()
    };
    let Some(experiment) = experiment else { return false };
    let run = experiment.clone().run();
    let written = serde_json::to_string(&experiment).expect("settings are plain data");
    let again: Experiment = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(again.run(), run);
    if kind == 0 && experiment.agents.len() >= 2 {
        let mut session = open(&experiment.game, None).expect("its game was opened");
        for spec in experiment.specs([0, 1], 3, 1) {
            assert!(!spec.contains('{'), "a number is drawn for every range: {spec}");
            let _ = session.seat(&spec, Seed(0), &NoResources);
        }
    }
    true
}

pub fn experiment_seeds() -> Vec<Vec<u8>> {
    let texts = "random\nmcts:sims={5..20}";
    let mut seeds: Vec<Vec<u8>> = infos().iter().map(|info| chosen(0, format!("{}\n{texts}", info.name))).collect();
    let experiment = Experiment::new("tictactoe", &["random".to_owned(), "mcts:sims=5".to_owned()], &NoResources);
    let experiment = experiment.expect("these are agents");
    seeds.push(chosen(1, serde_json::to_string(&experiment).expect("settings are plain data")));
    seeds
}
