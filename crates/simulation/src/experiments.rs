//! The runs of simulations, each with the table that one computer comes to.

use std::sync::OnceLock;

use plyground_core::NoResources;
use plyground_match::{AgentFactory, Experiment, GameRow, Openings, Run, RunDriver, RunError, RunPrefix, Seats, Store, Threads};

/// A run, and its games as one computer plays them.
pub struct KnownTable {
    pub run: Run,
    /// The pairs of each pairing.
    pub pairs: u64,
    pub games: Vec<GameRow>,
}

/// The runs: their games take no time, and some have openings, chance, one game to a job, or many agents.
pub fn known_tables() -> &'static [KnownTable] {
    static TABLES: OnceLock<Vec<KnownTable>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let experiment = |game: &str, agents: &[&str], plies: u32| {
            let agents: Vec<String> = agents.iter().map(|&agent| agent.to_owned()).collect();
            let openings = if plies == 0 { Openings::Start } else { Openings::Random { plies } };
            Experiment { openings, ..Experiment::new(game, &agents, &NoResources).expect("games and agents that there are") }
        };
        let fixed = Experiment { seats: Seats::Fixed, ..experiment("tictactoe", &["random", "mc:playouts=1"], 0) };
        [
            (experiment("tictactoe", &["random", "mc:playouts=1"], 2), 12),
            (experiment("tictactoe", &["random", "mcts:sims=20"], 1), 8),
            (experiment("tictactoe", &["random", "mc:playouts=2", "mc:playouts=1"], 1), 6),
            (fixed, 20),
            (experiment("tuc-chess:limit=12", &["random", "mc:playouts=1"], 0), 8),
        ]
        .into_iter()
        .map(|(experiment, pairs)| table(experiment.run(), pairs).expect("small games can be played"))
        .collect()
    })
}

fn table(run: Run, pairs: u64) -> Result<KnownTable, RunError> {
    let store = Store::in_memory()?;
    RunDriver::new(&store, &run, &Threads(1), &AgentFactory::new(&NoResources)).play_format(pairs)?;
    let games = games(&store, &run)?;
    Ok(KnownTable { run, pairs, games })
}

/// All games of a run, without what depends on the clock.
pub fn games(store: &Store, run: &Run) -> Result<Vec<GameRow>, RunError> {
    let mut games = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| games.push(timeless(game)))?;
    Ok(games)
}

/// A game without what depends on the clock.
pub fn timeless(mut game: GameRow) -> GameRow {
    game.ended = 0;
    game.moves.iter_mut().for_each(|played| played.ms = None);
    game
}
