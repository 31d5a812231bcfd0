//! The events of a run, and who is told.

use plyground_core::{PlayedMove, Player};

use crate::{GameRow, Job, PlayedGame, RefusedResults, Results, Run};

/// An event of a run. A Swiss tournament starts and ends with every round.
#[derive(Clone, Debug)]
pub enum RunEvent<'a> {
    /// The run starts, with the results of earlier sessions.
    RunStarted {
        /// The results so far.
        results: &'a Results,
        /// The number of pairs of each pairing that are requested.
        pairs: u64,
        /// The number of jobs that these are.
        wanted: u64,
    },
    /// A game starts.
    GameStarted {
        /// Its job.
        job: &'a Job,
        /// The first or the second game of the job.
        game: u8,
        /// The agents, in the order in which they move.
        agents: &'a [String; 2],
    },
    /// A player has made a move, or chance has decided. (Openings are told with the job.)
    MoveMade {
        /// The job of the game.
        job: &'a Job,
        /// The first or the second game of the job.
        game: u8,
        /// The mover; `None` for chance.
        player: Option<Player>,
        /// The move, its duration and the value that the mover expects.
        played: &'a PlayedMove,
    },
    /// A game is over. It is not kept yet: that is done with all games of a job at once.
    GameEnded {
        /// Its job.
        job: &'a Job,
        /// The first or the second game of the job.
        game: u8,
        /// All of it.
        played: &'a PlayedGame,
    },
    /// A job was done: its games were played and are kept.
    JobFinished {
        /// The job.
        job: &'a Job,
        /// Its games, the second with the seats swapped, or the only one.
        games: &'a [GameRow],
    },
    /// Results that another machine has sent are refused and do not count: told for the first of a sender, and again at the end of
    /// the run with the number of all.
    ResultsRefused {
        /// The sender, the number so far, and the reason.
        refused: &'a RefusedResults,
    },
    /// A worker has made results up: it is banned from the run, and what it has sent before is taken back and played again.
    WorkerBanned {
        /// The worker, and the reason.
        refused: &'a RefusedResults,
        /// The number of jobs that are played again.
        jobs: u64,
    },
    /// The games of a job are counted.
    Progress {
        /// The results so far.
        results: &'a Results,
        /// The number of jobs that are requested.
        wanted: u64,
    },
    /// The run ends: no job is left, it was cancelled, or the results are enough.
    RunEnded {
        /// The results at the end, with those of other processes.
        results: &'a Results,
        /// Was all of it played?
        complete: bool,
    },
}

/// A subscriber to the events of runs: a terminal, a file of JSON lines, a web page, a test. It is called from any thread, and must not
/// hold up the players.
pub trait RunObserver: Sync {
    /// Takes note of an event.
    fn observe(&self, run: &Run, event: &RunEvent<'_>);
}

/// A function is an observer.
impl<F: Fn(&Run, &RunEvent<'_>) + Sync> RunObserver for F {
    fn observe(&self, run: &Run, event: &RunEvent<'_>) {
        self(run, event);
    }
}

/// Several observers, each told every event in this order.
pub struct Observers<'a>(pub Vec<&'a dyn RunObserver>);

impl RunObserver for Observers<'_> {
    fn observe(&self, run: &Run, event: &RunEvent<'_>) {
        self.0.iter().for_each(|observer| observer.observe(run, event));
    }
}
