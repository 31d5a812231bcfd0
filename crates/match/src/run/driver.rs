//! A run from its first pair to its last: what is asked for is laid out, played and counted, and whoever wants to know hears of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use plyground_core::Resources;

use crate::schedule::swiss_games;
use crate::{
    Book, Event, Executor, Experiment, Format, Results, Run, RunError, RunPrefix, RunRow, Store, Task, jobs, machine, pairings,
    swiss_round,
};

/// What there is to tell about a run that is conducted. A Swiss tournament begins and ends with every round.
#[derive(Clone, Debug)]
pub enum News<'a> {
    /// It begins, with what was played before.
    Begun {
        /// What is known.
        results: &'a Results,
        /// How many jobs are wanted.
        wanted: u64,
    },
    /// Something happened at a board.
    Event(&'a Event<'a>),
    /// A job was done, and its games are counted.
    Progress {
        /// What is known now.
        results: &'a Results,
        /// How many jobs are wanted.
        wanted: u64,
    },
    /// Nothing is left, or somebody said stop.
    Ended {
        /// What is known at the end, by whomever it was played.
        results: &'a Results,
        /// Was all of it played?
        complete: bool,
    },
}

/// Plays pairs of a run until they are done, or somebody says stop; what was played before counts, too.
pub struct RunDriver<'a> {
    /// Where everything is kept.
    pub store: &'a Store,
    /// What is played.
    pub run: &'a Run,
    /// Where agents find the files that they name.
    pub shelf: &'a (dyn Resources + Sync),
    /// Who plays.
    pub crew: &'a dyn Executor,
    /// How one would ask for this run on the command line.
    pub command: &'a str,
    /// Is asked before every move, and while agents think, whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Is asked after every job whether what is known is enough.
    pub enough: &'a (dyn Fn(&Results) -> bool + Sync),
    /// Hears what happens, from any thread.
    pub listen: &'a (dyn Fn(&News<'_>) + Sync),
}

impl RunDriver<'_> {
    /// Plays so many pairs of all who meet in the format of the run; the results, and whether all were played.
    pub fn play_format(&self, pairs: u64) -> Result<(Results, bool), RunError> {
        let experiment = &self.run.experiment;
        let mut book = Book::new(experiment)?;
        let mut met = pairings(experiment.format, experiment.agents.len());
        let (mut results, mut complete) = self.play(&mut book, &met, pairs)?;
        for _ in 1..rounds(experiment) {
            let round = next_round(experiment, &met, &results);
            if round.is_empty() || !complete {
                break;
            }
            met.extend(round);
            (results, complete) = self.play(&mut book, &met, pairs)?;
        }
        Ok((results, complete))
    }

    /// Asks for so many pairs of all who meet, in a Swiss tournament in its first round, unless that was done before.
    pub fn ask_format(&self, pairs: u64) -> Result<(), RunError> {
        let experiment = &self.run.experiment;
        let meet = pairings(experiment.format, experiment.agents.len());
        self.ask_once(&mut Book::new(experiment)?, &meet, pairs)
    }

    /// Plays all that was ever asked for and is not done; the results, and whether all were played.
    pub fn resume(&self) -> Result<(Results, bool), RunError> {
        match self.run.experiment.format {
            // The rounds to come were not asked for yet.
            Format::Swiss { pairs, .. } => self.play_format(pairs),
            Format::Games { rounds: Some(_), .. } => self.play_format(1),
            _ => self.play_what_is_asked(RunPrefix::all(&self.run.id).pairs),
        }
    }

    /// Plays the first so many pairs (or games with fixed seats) of each pairing; their results, and whether all were played.
    pub fn play(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> Result<(Results, bool), RunError> {
        self.ask_once(book, pairings, pairs)?;
        self.play_what_is_asked(pairs)
    }

    fn ask_once(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        if self.store.asked(RunPrefix { run: &self.run.id, pairs })? < pairings.len() as u64 * pairs {
            self.ask(book, pairings, pairs)?;
        }
        Ok(())
    }

    /// Asks for the first so many pairs of each pairing, beside what was asked for before.
    pub fn ask(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        self.store.begin(self.run, self.command, &machine())?;
        self.store.ask(&jobs(self.run, book, pairings, pairs)?)?;
        Ok(())
    }

    /// Plays all that was asked for of the first so many pairs of every pairing; the results, and whether all were played.
    pub fn play_what_is_asked(&self, pairs: u64) -> Result<(Results, bool), RunError> {
        let lot = RunPrefix { run: &self.run.id, pairs };
        let wanted = self.store.asked(lot)?;
        let results = Results::read(self.store, self.run.experiment.seats, lot)?;
        let decided = AtomicBool::new((self.enough)(&results));
        (self.listen)(&News::Begun { results: &results, wanted });
        let counted = Mutex::new(results);
        let hear = |event: &Event<'_>| {
            (self.listen)(&News::Event(event));
            let Event::JobFinished { games, .. } = event else { return };
            let mut results = counted.lock().unwrap_or_else(PoisonError::into_inner);
            games.iter().for_each(|game| results.add(game));
            (self.listen)(&News::Progress { results: &results, wanted });
            if (self.enough)(&results) {
                decided.store(true, Ordering::Relaxed);
            }
        };
        self.crew.play(&Task {
            store: self.store,
            run: self.run,
            shelf: self.shelf,
            pairs,
            stop: &|| decided.load(Ordering::Relaxed) || (self.stop)(),
            events: &hear,
        })?;
        // Another process may have played some of it.
        let results = Results::read(self.store, self.run.experiment.seats, lot)?;
        let complete = results.jobs() >= wanted;
        (self.listen)(&News::Ended { results: &results, complete });
        Ok((results, complete))
    }
}

fn rounds(experiment: &Experiment) -> u32 {
    match experiment.format {
        Format::Swiss { rounds, .. } | Format::Games { rounds: Some(rounds), .. } => rounds,
        _ => 1,
    }
}

/// The next round of a Swiss tournament, by the rounds before it alone: when a run goes on, later ones may be there already.
fn next_round(experiment: &Experiment, met: &[[usize; 2]], results: &Results) -> Vec<[usize; 2]> {
    let score = |agent| results.of_pairings(agent, met).sample().mean;
    match experiment.format {
        Format::Games { double, .. } => swiss_games(experiment.agents.len(), met, score, double),
        _ => swiss_round(experiment.agents.len(), met, score),
    }
}

/// Who meets whom in each round, as far as that is known: the next round depends on the results of those before it.
pub fn rounds_so_far(experiment: &Experiment, results: &Results) -> Vec<Vec<[usize; 2]>> {
    let mut met = pairings(experiment.format, experiment.agents.len());
    let mut all = vec![met.clone()];
    for _ in 1..rounds(experiment) {
        let played = |pairing: &[usize; 2]| results.of_pairings(pairing[0], [pairing]).tally().games() > 0;
        if !met.iter().all(played) {
            break;
        }
        let round = next_round(experiment, &met, results);
        if round.is_empty() {
            break;
        }
        met.extend(&round);
        all.push(round);
    }
    all
}

impl RunRow {
    /// Was all played that the run asks for? `results` are those of all its games.
    pub fn is_complete(&self, results: &Results) -> bool {
        let pairs = match self.run.experiment.format {
            Format::Swiss { pairs, .. } => pairs,
            Format::Games { rounds: Some(_), .. } => 1,
            // Whoever was killed before it asked for anything has asked for nothing.
            _ => return self.pairs > 0 && self.done >= self.pairs,
        };
        // The rounds to come were not asked for yet.
        let experiment = &self.run.experiment;
        let mut met = pairings(experiment.format, experiment.agents.len());
        for _ in 1..rounds(experiment) {
            met.extend(next_round(experiment, &met, results));
        }
        self.done >= met.len() as u64 * pairs
    }
}
