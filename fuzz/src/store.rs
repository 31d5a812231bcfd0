//! The store: a file whose bytes were changed is refused, or its damage is told, or it reads the same; it can be repaired and gone on
//! with.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use plyground_core::NoResources;
use plyground_match::{
    AgentFactory, Experiment, Openings, Results, Run, RunDriver, RunError, RunPrefix, Store, Threads, csv, results_json,
};

/// A store with a run, as the bytes of its file, and what is in it.
struct Fixture {
    folder: PathBuf,
    bytes: Vec<u8>,
    run: Run,
    /// Everything that can be read from it.
    contents: String,
    /// The games without their times.
    games: Vec<String>,
}

const PAIRS: u64 = 3;

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    // In memory where there is such a folder: every input is a file.
    let place = Some(PathBuf::from("/dev/shm")).filter(|folder| folder.is_dir()).unwrap_or_else(std::env::temp_dir);
    let folder = place.join(format!("plyground-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    let file = folder.join("runs.sqlite");
    let agents = ["random".to_owned(), "mcts:sims=5".to_owned()];
    let experiment = Experiment::new("tictactoe", &agents, &NoResources).expect("these are agents");
    let run = Experiment { openings: Openings::Random { plies: 2 }, ..experiment }.run();
    let games = gone_on(&Store::open(&file).expect("a store can be made"), &run).expect("honest agents play");
    let contents = everything(&Store::open(&file).expect("it is a store")).expect("it can be read");
    let bytes = fs::read(&file).expect("it is there");
    Fixture { folder, bytes, run, contents, games }
});

/// Everything that can be read from a store: the list of runs, the tables and the games of each.
fn everything(store: &Store) -> Result<String, RunError> {
    let mut text = String::new();
    for row in store.runs()? {
        let results = Results::read(store, row.run.experiment.seats, RunPrefix::all(&row.run.id))?;
        let _ = writeln!(text, "{row:?}\n{}\n{}", results_json(&row.run, &results), csv(store, &row.run)?);
    }
    Ok(text)
}

/// Goes on with the run until it has all its pairs; its games without their times.
fn gone_on(store: &Store, run: &Run) -> Result<Vec<String>, RunError> {
    let (executor, players) = (Threads(1), AgentFactory::of_run(&NoResources, run));
    let (_, complete) = RunDriver::new(store, run, &executor, &players).play_format(PAIRS)?;
    assert!(complete, "all pairs are played, or there is an error: {:?}", store.damage());
    let mut lines = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| {
        let moves: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
        lines.push(format!("{} {} {:?} {:?} {moves:?}", game.job, game.game, game.agents, game.outcome));
    })?;
    Ok(lines)
}

/// The bytes of the store after the changes of an input: five bytes each, a place (three), what is done there, and a number.
fn changed(input: &[u8]) -> Vec<u8> {
    let mut bytes = FIXTURE.bytes.clone();
    for change in input.as_chunks::<5>().0.iter().take(50) {
        let [place @ .., what, number] = *change;
        let place = u32::from_le_bytes([place[0], place[1], place[2], 0]) as usize;
        if bytes.is_empty() {
            break;
        }
        let place = place % bytes.len();
        match what % 6 {
            0 => bytes[place] = number,
            1 => bytes[place] ^= 1 << (number % 8),
            2 => bytes[place] = bytes[place].wrapping_add(number),
            3 => bytes.truncate(place),
            4 => {
                // A sector of the disk that was never written, or belongs to another file.
                let end = (place + 512).min(bytes.len());
                bytes[place..end].fill(number);
            }
            _ => {
                let end = (place + usize::from(number)).min(bytes.len());
                let copied = bytes[..end - place].to_vec();
                bytes[place..end].copy_from_slice(&copied);
            }
        }
    }
    bytes
}

fn put(file: &Path, bytes: &[u8]) {
    for ending in ["-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(format!("{}{ending}", file.display()));
    }
    fs::write(file, bytes).expect("the folder can be written to");
}

/// A changed store is refused, or what was changed is told, or it reads the same. Repaired, it is intact or says what is left; gone on
/// with, it has the same games, or says why not.
pub fn damaged_store(input: &[u8]) -> bool {
    let bytes = changed(input);
    let file = FIXTURE.folder.join("damaged.sqlite");
    let run = &FIXTURE.run;
    put(&file, &bytes);
    let read = Store::open(&file).and_then(|store| Ok((everything(&store)?, store.damage())));
    let accepted = match read {
        // An empty file is a store that was only just begun.
        Ok((text, damage)) if damage.is_empty() && !bytes.is_empty() => {
            assert_eq!(text, FIXTURE.contents, "silently another result");
            true
        }
        _ => false,
    };
    if let Ok(repaired) = Store::open(&file).and_then(|store| store.repair()) {
        let left = Store::open(&file).and_then(|store| store.check()).expect("what was repaired can be checked");
        assert_eq!(left.is_intact(), repaired.is_intact(), "a repair says what it left: {repaired:?} {left:?}");
    }
    put(&file, &bytes);
    if let Ok(games) = Store::open(&file).and_then(|store| gone_on(&store, run)) {
        assert_eq!(games, FIXTURE.games, "other games after going on");
    }
    accepted
}

pub fn seeds() -> Vec<Vec<u8>> {
    vec![Vec::new(), [0, 0, 0, 1, 255].repeat(2)]
}
