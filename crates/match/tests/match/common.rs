//! What the tests share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use plyground_core::{CancelToken, Clock, InputError, Limits, NoResources, Resources, Seed};
use plyground_match::{
    AgentFactory, Book, Experiment, Fault, GameRow, Job, MatchPlayer, Openings, PlayerFactory, Reply, Results, Run, RunContext,
    RunError, RunPrefix, Store, WorkerConfig, jobs, pairings, work,
};
use plyground_session::Session;

/// A directory of its own for a test, gone when the test is over.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("plyground-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn store(&self) -> Store {
        Store::open(&self.0.join("runs.sqlite")).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The settings of a run between agents of the table.
pub fn experiment(game: &str, agents: &[&str], plies: u32) -> Experiment {
    let agents: Vec<String> = agents.iter().map(|&agent| agent.to_owned()).collect();
    let openings = if plies == 0 { Openings::Start } else { Openings::Random { plies } };
    Experiment { openings, ..Experiment::new(game, &agents, &NoResources).unwrap() }
}

pub fn all_jobs(run: &Run, pairs: u64) -> Vec<Job> {
    let pairings = pairings(run.experiment.format, run.experiment.agents.len());
    jobs(run, &mut Book::new(&run.experiment, &AgentFactory::new(&NoResources)).unwrap(), &pairings, 0..pairs).unwrap()
}

/// Plays a run with these contestants until it is done.
pub fn play_with(store: &Store, players: &dyn PlayerFactory, run: &Run, pairs: u64) -> Result<Results, RunError> {
    play_jobs(store, players, run, &all_jobs(run, pairs), pairs)
}

/// Plays the first so many pairs or games of these pairings.
pub fn play_pairings(store: &Store, run: &Run, pairings: &[[usize; 2]], pairs: u64) -> Results {
    let all = jobs(run, &mut Book::new(&run.experiment, &AgentFactory::new(&NoResources)).unwrap(), pairings, 0..pairs).unwrap();
    play_jobs(store, &AgentFactory::new(&NoResources), run, &all, pairs).unwrap()
}

fn play_jobs(store: &Store, players: &dyn PlayerFactory, run: &Run, all: &[Job], pairs: u64) -> Result<Results, RunError> {
    store.begin(run, "ply match", "a machine")?;
    store.request(all)?;
    let prefix = RunPrefix { run: &run.id, pairs };
    let runs = &RunContext { run, players, clock_speed: 1.0 };
    work(&WorkerConfig {
        sink: store,
        queue: &store.queue(prefix),
        runs,
        threads: 2,
        cancel: &CancelToken::new(),
        events: &|_| {},
    })?;
    Results::read(store, run.experiment.seats, prefix)
}

pub fn play(store: &Store, run: &Run, pairs: u64) -> Results {
    play_with(store, &AgentFactory::new(&NoResources), run, pairs).unwrap()
}

/// All games of a run without what depends on the clock.
pub fn games(store: &Store, run: &Run) -> Vec<GameRow> {
    let mut games = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| games.push(game)).unwrap();
    for game in &mut games {
        game.ended = 0;
        game.moves.iter_mut().for_each(|played| played.ms = None);
    }
    games
}

/// Always plays the first move in the list: whatever differs between its games is luck or opening.
pub struct FirstInList;

impl MatchPlayer for FirstInList {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        Ok(())
    }

    fn choose(&mut self, session: &mut dyn Session, _: Limits, _: &dyn Clock, _: &CancelToken) -> Result<Reply, Fault> {
        Ok(Reply { mv: session.moves()[0].text.clone(), value: None })
    }
}

impl PlayerFactory for FirstInList {
    fn player(&self, _: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        Ok(Box::new(Self))
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        &NoResources
    }
}
