//! The driver of a run: jobs are requested, executed and counted, from the first pair to the last.

use std::sync::Mutex;

use plyground_core::CancelToken;
use plyground_core::sync::{into_inner, lock};

use crate::run::rounds::{next_round, rounds};
use crate::{
    Book, Executor, Format, PlayerFactory, Results, Run, RunError, RunEvent, RunObserver, RunPrefix, Store, jobs, machine,
    pairings,
};

/// The driver of a run: it plays pairs until they are done, it is cancelled, or the results are enough. Earlier games count, too.
///
/// All games of matches, tournaments, tests, studies, tunings, competitions and measurements are played by a driver.
pub struct RunDriver<'a> {
    /// The store of all results.
    pub store: &'a Store,
    /// The run.
    pub run: &'a Run,
    /// The executor of the jobs.
    pub executor: &'a dyn Executor,
    /// The factory of the players.
    pub players: &'a dyn PlayerFactory,
    cancel: CancelToken,
    command: &'a str,
    observer: &'a dyn RunObserver,
    enough: &'a (dyn Fn(&Results) -> bool + Sync),
    book: Mutex<Option<Book<'a>>>,
}

impl<'a> RunDriver<'a> {
    /// A driver that plays everything that it is asked for, and tells nothing.
    pub fn new(store: &'a Store, run: &'a Run, executor: &'a dyn Executor, players: &'a dyn PlayerFactory) -> Self {
        Self {
            store,
            run,
            executor,
            players,
            cancel: CancelToken::new(),
            command: "",
            observer: &|_: &Run, _: &RunEvent<'_>| {},
            enough: &|_| false,
            book: Mutex::new(None),
        }
    }

    /// Stops when this token is cancelled, also while agents think.
    #[must_use]
    pub fn cancelled_by(self, cancel: &CancelToken) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Notes this as the command line that asks for the run.
    #[must_use]
    pub fn for_command(self, command: &'a str) -> Self {
        Self { command, ..self }
    }

    /// Tells this observer what happens.
    #[must_use]
    pub fn observed_by(self, observer: &'a dyn RunObserver) -> Self {
        Self { observer, ..self }
    }

    /// Stops when this says after a job that what is known is enough.
    #[must_use]
    pub fn until(self, enough: &'a (dyn Fn(&Results) -> bool + Sync)) -> Self {
        Self { enough, ..self }
    }

    /// The first so many pairs of each pairing of the run.
    pub fn prefix(&self, pairs: u64) -> RunPrefix<'a> {
        RunPrefix { run: &self.run.id, pairs }
    }

    /// Plays so many pairs of all who meet in the format of the run; the results, and whether all were played.
    pub fn play_format(&self, pairs: u64) -> Result<(Results, bool), RunError> {
        let experiment = &self.run.experiment;
        let mut met = pairings(experiment.format, experiment.agents.len());
        let (mut results, mut complete) = self.play(&met, pairs)?;
        for _ in 1..rounds(experiment) {
            let round = next_round(experiment, &met, &results);
            if round.is_empty() || !complete {
                break;
            }
            met.extend(round);
            (results, complete) = self.play(&met, pairs)?;
        }
        Ok((results, complete))
    }

    /// Requests so many pairs of all who meet, in a Swiss tournament in its first round, unless that was done before.
    pub fn request_format(&self, pairs: u64) -> Result<(), RunError> {
        let experiment = &self.run.experiment;
        self.request_once(&pairings(experiment.format, experiment.agents.len()), pairs)
    }

    /// Plays all that was ever requested and is not done; the results, and whether all were played.
    pub fn resume(&self) -> Result<(Results, bool), RunError> {
        match self.run.experiment.format {
            // The rounds to come were not requested yet.
            Format::Swiss { pairs, .. } => self.play_format(pairs),
            Format::Games { rounds: Some(_), .. } => self.play_format(1),
            _ => self.play_requested(RunPrefix::all(&self.run.id).pairs),
        }
    }

    /// Plays the first so many pairs (or games with fixed seats) of each pairing; their results, and whether all were played.
    pub fn play(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(Results, bool), RunError> {
        self.request_once(pairings, pairs)?;
        self.play_requested(pairs)
    }

    fn request_once(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        if self.store.requested(self.prefix(pairs))? < pairings.len() as u64 * pairs {
            self.request(pairings, pairs)?;
        }
        Ok(())
    }

    /// Requests the first so many pairs of each pairing, beside what was requested before.
    pub fn request(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        self.store.begin(self.run, self.command, &machine())?;
        let mut book = lock(&self.book);
        if book.is_none() {
            *book = Some(Book::new(&self.run.experiment, self.players)?);
        }
        let book = book.as_mut().expect("it was made where there was none");
        self.store.request(&jobs(self.run, book, pairings, pairs)?)?;
        Ok(())
    }

    /// Plays all that was requested of the first so many pairs of every pairing; the results, and whether all were played.
    pub fn play_requested(&self, pairs: u64) -> Result<(Results, bool), RunError> {
        let prefix = self.prefix(pairs);
        let wanted = self.store.requested(prefix)?;
        let read = || Results::read(self.store, self.run.experiment.seats, prefix);
        let tell = |event: &RunEvent<'_>| self.observer.observe(self.run, event);
        let results = read()?;
        let cancel = self.cancel.child();
        let stop_if_enough = |results: &Results| {
            if (self.enough)(results) {
                cancel.cancel();
            }
        };
        stop_if_enough(&results);
        tell(&RunEvent::RunStarted { results: &results, pairs, wanted });
        let counted = Mutex::new(results);
        self.executor.execute(self, pairs, &cancel, &|event| {
            tell(event);
            let RunEvent::JobFinished { games, .. } = event else { return };
            let mut results = lock(&counted);
            games.iter().for_each(|game| results.add(game));
            tell(&RunEvent::Progress { results: &results, wanted });
            stop_if_enough(&results);
        })?;
        drop(into_inner(counted));
        // Another process may have played some of it.
        let results = read()?;
        let complete = results.jobs() >= wanted;
        tell(&RunEvent::RunEnded { results: &results, complete });
        Ok((results, complete))
    }
}
