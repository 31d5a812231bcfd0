//! Files that are handed from one person to another: studies, competitions, networks, tablebases and learnt tables.

use std::ops::ControlFlow;
use std::str::from_utf8;

use plyground_core::{InputError, hash_state};
use plyground_nets::weights::{self, Header};
use plyground_nets::{Network, Predictor, Size};
use plyground_session::{
    Limits, NoClock, NoObserver, NoResources, Resources, Seed, Session, SolveOrder, StopCheck, WallClock, open, solver_database,
    tablebase_spec,
};
use plyground_studies::competition::Competition;
use plyground_studies::study::Study;
use plyground_train::{header_game, read_network, trainable_agent, trainable_game};

use crate::{choice, chosen};

/// The one file that agents can read.
struct OneFile<'a>(&'a [u8]);

impl Resources for OneFile<'_> {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.to_vec())
    }
}

/// A study is refused with an error, or its runs keep their names, and every cell has a pairing among its agents.
pub fn studies(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let Ok(study) = Study::read(text) else { return false };
    for part in study.runs.iter().take(4) {
        assert_eq!(part.pairings().len(), part.cells.len());
        let _ = study.games(part, Some(10));
        if let Ok(run) = part.run(1, &NoResources) {
            assert!(part.pairings().iter().flatten().all(|&agent| agent < run.experiment.agents.len()));
            assert_eq!(run.experiment.clone().run(), run);
        }
    }
    true
}

pub fn study_seeds() -> Vec<Vec<u8>> {
    let text = r#"title = "A table"
source = "A thesis"
question = "Which is stronger?"
games = 10
remarks = ["none"]

[[run]]
game = "clobber:size=4x4"
seats = "fixed"
move_time = "10ms"

[[run.cell]]
first = "mcts:sims=20"
second = "random"
share = 0.9
of = 100
plies = 7.5

[[run.cell]]
first = "random"
second = "mcts:sims=20"
games = [1, 0, 9]
each_outcome = true
"#;
    vec![text.into()]
}

/// A competition is refused with an error that names a line, or all that is in it can be played: its run has all entrants.
pub fn competitions(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let competition = match Competition::read(text, &NoResources) {
        Ok(competition) => competition,
        Err(error) => {
            assert!(error.to_string().contains("line "), "an error names its line: {error}");
            return false;
        }
    };
    assert_eq!(competition.has_guests(), !competition.guests().is_empty());
    if let Ok(run) = competition.run(&NoResources) {
        assert_eq!(run.experiment.agents.len(), competition.entrants.len());
        assert_eq!(run.experiment.clone().run(), run);
    }
    true
}

pub fn competition_seeds() -> Vec<Vec<u8>> {
    let guests = r#"title = "An afternoon"
game = "tuc-chess"
format = "swiss"
double = true
rounds = 3
move_time = "4s"
clock = "5min"
game_time = "12min"
tie_breaks = ["direct", "wins"]
boards = 2
opening_plies = 4
seed = 7
listen = "127.0.0.1:9876"
wait = "2min"
begin_delay = "3s"
resend = true

[[entrant]]
name = "Anna"
agent = "mcts:sims=20"

[[entrant]]
udp = "client15"
"#;
    let agents = "title = \"t\"\ngame = \"tictactoe\"\n[[entrant]]\nagent = \"random\"\n[[entrant]]\nagent = \"mcts:sims=9\"\n";
    vec![guests.into(), agents.into()]
}

/// A network is refused with an error, or written again it is the same, bit for bit; it can be asked, and an agent plays with it.
pub fn networks(input: &[u8]) -> bool {
    let Ok((header, network)) = weights::read(input) else { return false };
    let written = weights::write(&header, &network).expect("a network can be written");
    let (header_again, again) = weights::read(&written).expect("what was written can be read");
    let bits = |network: &Network| {
        let tensors = network.tensors().into_iter();
        tensors
            .map(|tensor| (tensor.name, tensor.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()))
            .collect::<Vec<_>>()
    };
    assert_eq!((header_again, bits(&again)), (header.clone(), bits(&network)));
    let architecture = network.architecture();
    let moves: Vec<usize> = (0..architecture.moves().min(8)).collect();
    let planes = vec![0.5; architecture.input.numbers()];
    let mut predictor = Predictor::new(&network);
    predictor.evaluate(&planes, &moves, &mut vec![0.0; moves.len()]).expect("the planes are those of its architecture");
    if read_network("file", input).is_ok() {
        play_with_network(&header, input);
    }
    true
}

fn play_with_network(header: &Header, file: &[u8]) {
    let mut session = open(&header_game(header), None).expect("a network fits its game");
    for spec in ["net:net=file", "az:net=file,sims=3"] {
        let Ok(seat) = session.seat(spec, Seed(1), &OneFile(file)) else { continue };
        let Ok(advice) = session.think(seat, Limits::default(), &NoClock, &mut NoObserver) else { continue };
        assert!(session.moves().iter().any(|mv| mv.text == advice.mv), "{spec} plays a legal move");
    }
}

pub fn network_seeds() -> Vec<Vec<u8>> {
    let game = trainable_game("tictactoe", None).expect("networks can learn this game");
    let network = Network::new(game.architecture(Size { channels: 1, blocks: 1 }), Seed(1)).expect("it is an architecture");
    vec![weights::write(&game.header(&network), &network).expect("a network can be written")]
}

/// Which table a file is read as, and in which game.
const TABLES: [(&str, &str); 6] = [
    ("tictactoe", "tablebase"),
    ("clobber:size=3x3", "tablebase"),
    ("tictactoe", "q:table=file"),
    ("clobber:size=3x3", "regions"),
    ("clobber:size=3x3", "solve:regions=file,nodes=50,memory=1"),
    ("tictactoe", "mcts:tb=file,sims=10"),
];

/// A table is refused with an error, or an agent plays legal moves by it and a solver ends with it. Checksums are set right where the
/// first byte says so: a mistaken writer sets them, too.
pub fn tables(input: &[u8]) -> bool {
    let Some((number, rest)) = choice(input, 2 * TABLES.len()) else { return false };
    let ((game, table), mut file) = (TABLES[number / 2], rest.to_vec());
    if number % 2 == 1 {
        seal(table, &mut file);
    }
    let mut session = open(game, None).expect("the game is one of ours");
    let _ = tablebase_spec(&file);
    match table {
        "tablebase" => solves(session.as_ref(), Some("file"), None, &file),
        "regions" => solves(session.as_ref(), None, Some("file"), &file),
        spec => {
            let Ok(seat) = session.seat(spec, Seed(1), &OneFile(&file)) else { return false };
            let limits = Limits::default();
            let advice = session.think(seat, limits, &WallClock::start(), &mut NoObserver).expect("it plays with its table");
            assert!(session.moves().iter().any(|mv| mv.text == advice.mv), "{spec} plays a legal move");
            true
        }
    }
}

/// Writes the checksum that the contents should have.
fn seal(table: &str, file: &mut [u8]) {
    let Some((contents, sum)) = file.split_last_chunk_mut::<8>() else { return };
    let right = match table {
        table if table.starts_with("q:") => {
            contents.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        }
        table if table.contains("regions") => {
            contents.iter().fold(0, |sum: u64, &byte| mixed(sum.rotate_left(23) ^ u64::from(byte)))
        }
        _ => hash_state(&&*contents),
    };
    *sum = right.to_le_bytes();
}

/// The hash of databases of regions, a word at a time.
fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 32)
}

/// A solver that stops after so many looks.
struct Stop(u32);

impl StopCheck for Stop {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Solves with a table to begin with; true if the table was accepted. What is kept then can be read again.
fn solves(session: &dyn Session, tablebase: Option<&str>, regions: Option<&str>, file: &[u8]) -> bool {
    let order = |tablebase: Option<&str>, regions: Option<&str>| SolveOrder {
        method: "auto".to_owned(),
        memory: 1,
        tablebase: tablebase.map(str::to_owned),
        regions: regions.map(str::to_owned),
        keep: 100,
        strategy: true,
    };
    let Ok(solved) = session.solve(&order(tablebase, regions), &OneFile(file), &mut Stop(5)) else { return false };
    let again = session.solve(&order(Some("kept"), None), &OneFile(&solved.tablebase), &mut Stop(5));
    assert!(again.is_ok(), "what was kept can be read: {again:?}");
    true
}

pub fn table_seeds() -> Vec<Vec<u8>> {
    let solved = |game: &str| {
        let order =
            SolveOrder { method: "auto".to_owned(), memory: 1, tablebase: None, regions: None, keep: 30, strategy: false };
        let session = open(game, None).expect("the game is one of ours");
        session.solve(&order, &NoResources, &mut Stop(u32::MAX)).expect("it can be solved").tablebase
    };
    let regions = solver_database("clobber:size=3x3", 3, &mut |_, _| {});
    let regions = regions.expect("a small database can be made").expect("this game has one");
    let mut seeds: Vec<Vec<u8>> = [0, 1].iter().map(|&number| chosen(2 * number, solved(TABLES[number].0))).collect();
    seeds.push(chosen(10, solved(TABLES[5].0)));
    seeds.push(chosen(6, &regions));
    seeds.push(chosen(8, &regions));
    let mut learner = trainable_agent("tictactoe", "q:episodes=20").expect("it can be trained");
    learner.train(20, &mut |_| ControlFlow::Continue(()));
    seeds.push(chosen(4, learner.save()));
    // With a checksum that the target sets right.
    seeds.extend(seeds.clone().into_iter().map(|mut seed| {
        seed[0] += 1;
        seed.last_mut().into_iter().for_each(|byte| *byte ^= 1);
        seed
    }));
    seeds
}
