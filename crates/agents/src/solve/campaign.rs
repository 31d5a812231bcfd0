//! Campaigns: a large game is solved opening by opening, by several threads with one table.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use plyground_core::sync::{lock, wait_timeout};
use plyground_core::{GameValue, InputError, Solvable, StopCheck, Turn};

use super::lookup::symmetric_key;
use super::openings::Openings;
use super::solver::{Solver, refuse_chance};
use super::table::Table;

/// The settings of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct CampaignOptions {
    /// The openings are the positions after so many plies, symmetric ones once.
    pub depth: u32,
    /// Threads that solve openings.
    pub threads: usize,
    /// Of all tables together, in bytes.
    pub memory: usize,
}

/// An opening whose value is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedOpening {
    /// The position, as the game writes it.
    pub position: String,
    /// Its value for the player to move.
    pub value: GameValue,
    /// The positions searched for it.
    pub nodes: u64,
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CampaignProgress {
    /// Openings that are solved.
    pub solved: usize,
    /// All openings up to symmetry.
    pub openings: usize,
    /// The fewest that have to be solved still.
    pub at_least: usize,
    /// Those on which the value of the start may depend still.
    pub at_most: usize,
}

/// What a campaign says while it goes on. One thread at a time speaks.
pub trait CampaignObserver: Send {
    /// Called every few milliseconds by each thread; `Break` ends the campaign.
    fn check(&mut self, thread: usize, nodes: u64) -> ControlFlow<()>;

    /// A thread begins with an opening.
    fn begins(&mut self, thread: usize, position: &str);

    /// A thread has solved its opening.
    fn solved(&mut self, thread: usize, opening: &SolvedOpening, progress: CampaignProgress);

    /// Is it time to save the table?
    fn wants_table(&mut self) -> bool {
        false
    }

    /// Saves the table: `write` writes it to a file.
    fn save(&mut self, write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>) {
        let _ = write;
    }
}

/// The end of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignResult {
    /// The value of the start for the player to move, where it is known.
    pub value: Option<GameValue>,
    /// The moves of the start with what they are worth to the player who makes them, as far as it is known.
    pub moves: Vec<(String, Option<GameValue>)>,
    /// How far it went.
    pub progress: CampaignProgress,
}

const MAGIC: &[u8; 8] = b"PLYTABLE";

/// The table as it is saved: the magic, the key of the start of the game, the table.
#[derive(Clone, Copy)]
struct SavedTable<'a> {
    table: &'a Table,
    key: u128,
}

impl SavedTable<'_> {
    fn write(self, to: &mut dyn io::Write) -> io::Result<()> {
        to.write_all(MAGIC)?;
        to.write_all(&self.key.to_le_bytes())?;
        self.table.write(to)
    }
}

/// What all threads work on.
struct Shared<'a, S> {
    openings: Mutex<Openings<S>>,
    /// An opening was solved or given up.
    changed: Condvar,
    observer: Mutex<&'a mut dyn CampaignObserver>,
    over: AtomicBool,
}

/// Passes on the stop check of one thread.
struct Beat<'a, 'b, S> {
    shared: &'a Shared<'b, S>,
    table: Option<SavedTable<'a>>,
    thread: usize,
    beats: u32,
}

/// How long a thread waits for others before it looks again.
const PATIENCE: Duration = Duration::from_millis(500);

/// Stop checks between two words to the observer, whom all threads share.
const BEATS: u32 = 32;

impl<S> StopCheck for Beat<'_, '_, S> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        if self.shared.over.load(Relaxed) {
            return ControlFlow::Break(());
        }
        self.beats += 1;
        if !self.beats.is_multiple_of(BEATS) {
            return ControlFlow::Continue(());
        }
        let mut observer = lock(&self.shared.observer);
        if let Some(table) = &self.table
            && observer.wants_table()
        {
            observer.save(&mut |to| table.write(to));
        }
        let told = observer.check(self.thread, nodes);
        if told.is_break() {
            self.shared.over.store(true, Relaxed);
        }
        told
    }
}

/// A campaign: the openings that matter most for the value of a position are solved first.
pub struct Campaign<'a, G: Solvable> {
    game: &'a G,
    options: CampaignOptions,
    openings: Openings<G::State>,
    start: G::State,
    database: Option<&'a [u8]>,
    table: Table,
    is_own: bool,
}

impl<'a, G: Solvable> Campaign<'a, G> {
    /// A campaign from a position. `database` is for the game's own solver.
    pub fn new(game: &'a G, start: &G::State, options: CampaignOptions, database: Option<&'a [u8]>) -> Result<Self, InputError> {
        refuse_chance(game)?;
        let openings = Openings::new(game, start, options.depth)?;
        let is_own = game.exact_solver(0, None)?.is_some();
        // The game's own solvers have tables of their own.
        let table = Table::fixed(if is_own { 0 } else { options.memory });
        Ok(Self { game, options, openings, start: start.clone(), database, table, is_own })
    }

    /// Takes up openings that were solved before. An error if one is none of this campaign.
    pub fn resume(&mut self, known: &[SolvedOpening]) -> Result<(), InputError> {
        let text = |state: &G::State| self.game.position_text(state);
        let places: HashMap<String, usize> = self.openings.all().map(|(number, state)| (text(state), number)).collect();
        for opening in known {
            let place = places.get(&opening.position).ok_or_else(|| {
                let detail = format!("it is no opening of {} after {} plies", self.game.spec(), self.options.depth);
                InputError::malformed("opening", &opening.position, detail)
            })?;
            self.openings.solved(*place, opening.value);
        }
        self.openings.update();
        Ok(())
    }

    /// Takes up a table that was saved before; games with a solver of their own have none. After an error it is empty.
    pub fn load(&mut self, from: &mut dyn io::Read) -> io::Result<()> {
        if self.is_own {
            return Ok(());
        }
        let mut header = [0; 24];
        from.read_exact(&mut header)?;
        let (magic, key) = header.split_at(8);
        if magic != MAGIC || key != self.game.value_key(&self.game.start()).to_le_bytes() {
            let why = format!("expected a table of {}, found another game's, or something else", self.game.spec());
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        self.table.read(from)
    }

    /// Solves openings until the value of the start is known or the observer ends it.
    pub fn run(self, observer: &mut dyn CampaignObserver) -> Result<CampaignResult, InputError> {
        let Self { game, options, openings, start, database, table, is_own } = self;
        let threads = options.threads.max(1);
        let mut solvers = Vec::new();
        for _ in 0..threads {
            solvers.push(Solver::sharing(game, table.share(), options.memory / threads, database)?);
        }
        let observer = Mutex::new(observer);
        let shared = Shared { openings: Mutex::new(openings), changed: Condvar::new(), observer, over: AtomicBool::new(false) };
        let saved = (!is_own).then_some(SavedTable { table: &table, key: game.value_key(&game.start()) });
        std::thread::scope(|scope| {
            for (thread, solver) in solvers.into_iter().enumerate() {
                let (shared, table) = (&shared, saved);
                scope.spawn(move || work(game, solver, shared, Beat { shared, table, thread, beats: 0 }));
            }
        });
        if let Some(table) = saved {
            lock(&shared.observer).save(&mut |to| table.write(to));
        }
        let openings = lock(&shared.openings);
        Ok(CampaignResult { value: openings.worth(), moves: moves(game, &start, &openings), progress: progress(&openings) })
    }
}

/// One thread: solves the opening that matters most, until there is none.
fn work<G: Solvable>(game: &G, mut solver: Solver<G>, shared: &Shared<'_, G::State>, mut beat: Beat<'_, '_, G::State>) {
    loop {
        let mut openings = lock(&shared.openings);
        let next = loop {
            if openings.worth().is_some() || shared.over.load(Relaxed) {
                shared.over.store(true, Relaxed);
                shared.changed.notify_all();
                return;
            }
            match openings.next() {
                Some(next) => break next,
                // All that matter are being solved by others.
                None => openings = wait_timeout(&shared.changed, openings, PATIENCE),
            }
        };
        let state = openings.state(next).clone();
        drop(openings);
        let position = game.position_text(&state);
        lock(&shared.observer).begins(beat.thread, &position);
        let before = solver.nodes();
        let value = solver.value(game, &state, &mut beat).exact();
        let mut openings = lock(&shared.openings);
        match value {
            Some(value) => {
                openings.solved(next, value);
                openings.update();
                let opening = SolvedOpening { position, value, nodes: solver.nodes() - before };
                lock(&shared.observer).solved(beat.thread, &opening, progress(&openings));
            }
            None => openings.given_up(next),
        }
        shared.changed.notify_all();
    }
}

fn progress<S: Clone>(openings: &Openings<S>) -> CampaignProgress {
    let ([solved, all], [at_least, at_most]) = (openings.count(), openings.left());
    CampaignProgress { solved, openings: all, at_least, at_most }
}

/// The moves of the start. Symmetric ones lead to one position of the tree, and are found in it by their key.
fn moves<G: Solvable>(game: &G, start: &G::State, openings: &Openings<G::State>) -> Vec<(String, Option<GameValue>)> {
    let key = |state: &G::State| symmetric_key(game, state);
    let known: HashMap<u128, Option<GameValue>> = openings.children().map(|(child, worth)| (key(child), worth)).collect();
    let mut moves = Vec::new();
    if let Turn::Player(_) = game.turn(start) {
        game.moves(start, &mut moves);
    }
    let of = |mv: G::Move| {
        let mut child = start.clone();
        game.play(&mut child, mv);
        (game.move_text(start, mv), known.get(&key(&child)).copied().flatten())
    };
    moves.into_iter().map(of).collect()
}
