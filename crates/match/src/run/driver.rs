//! The driver of a run: jobs are requested, executed and counted, from the first pair to the last.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plyground_core::sync::lock;
use plyground_core::{CancelToken, InputError};

use crate::run::rounds::{next_round, rounds};
use crate::{
    Book, Executor, Format, PlayerFactory, Results, Run, RunError, RunEvent, RunObserver, RunPrefix, Store, jobs, machine,
    pairings,
};

/// The number of jobs that are made at once.
const SLICE: u64 = 10_000;
/// The number of jobs that are requested before the first one is played; when they are played, as many again.
const AHEAD: u64 = 100_000;
/// The same where nothing but time ends a run.
const AHEAD_IN_TIME: u64 = 1_000;
/// The most jobs that are requested before the first one is played, where all have to be.
const MOST_REQUESTED: u64 = 10_000_000;

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
    /// Were the rows of the jobs compared with their checksums?
    checked: AtomicBool,
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
            checked: AtomicBool::new(false),
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

    /// Plays pairs of all who meet in the format of the run for so long, as many as fit into this time; not for formats with rounds.
    /// What counts are the pairs before the first one that is not done, so that the results are those of a run with as many pairs: their
    /// results, and how many of each pairing they are. Called again, it goes on.
    pub fn play_for(self, time: Duration) -> Result<(Results, u64), RunError> {
        let driver = Self { cancel: self.cancel.child_for(time), ..self };
        let experiment = &driver.run.experiment;
        let pairings = pairings(experiment.format, experiment.agents.len());
        let meetings = pairings.len().max(1) as u64;
        let mut part = AHEAD_IN_TIME.div_ceil(meetings).max(driver.store.longest(&driver.run.id)?);
        let most = i64::MAX as u64 / meetings;
        loop {
            driver.request_once(&pairings, part)?;
            let (results, complete) = driver.play_part(part, 0)?;
            if !complete || driver.cancel.is_cancelled() || (driver.enough)(&results) {
                break;
            }
            part = part.saturating_mul(2).min(most);
        }
        let pairs = driver.whole_pairs(&pairings)?;
        Ok((Results::read(driver.store, experiment.seats, driver.prefix(pairs))?, pairs))
    }

    /// The pairs from the first one that are done by all who meet.
    fn whole_pairs(&self, pairings: &[[usize; 2]]) -> Result<u64, RunError> {
        let seats = self.run.experiment.seats;
        let mut games: BTreeMap<(u64, [usize; 2]), u8> = BTreeMap::new();
        Results::read_with(self.store, seats, RunPrefix::all(&self.run.id), |game| {
            *games.entry((game.pair, game.pairing())).or_default() += 1;
        })?;
        let is_whole = |pair: u64| pairings.iter().all(|&agents| games.get(&(pair, agents)) == Some(&seats.games()));
        let most = games.len() as u64;
        Ok((0..most).find(|&pair| !is_whole(pair)).unwrap_or(most))
    }

    /// Requests so many pairs of all who meet, in a Swiss tournament in its first round, unless that was done before.
    pub fn request_format(&self, pairs: u64) -> Result<(), RunError> {
        let experiment = &self.run.experiment;
        let pairings = pairings(experiment.format, experiment.agents.len());
        checked_number(&pairings, pairs, MOST_REQUESTED)?;
        self.request_once(&pairings, pairs)
    }

    /// Plays all that was ever requested and is not done; the results, and whether all were played.
    pub fn resume(&self) -> Result<(Results, bool), RunError> {
        let format = self.run.experiment.format;
        match format {
            // The rounds to come were not requested yet.
            Format::Swiss { pairs, .. } => self.play_format(pairs),
            Format::Games { rounds: Some(_), .. } => self.play_format(1),
            _ => {
                if self.forget_damaged_jobs()? {
                    let pairs = self.store.longest(&self.run.id)?;
                    self.request(&pairings(format, self.run.experiment.agents.len()), pairs)?;
                }
                self.play_requested(RunPrefix::all(&self.run.id).pairs)
            }
        }
    }

    /// Plays the first so many pairs (or games with fixed seats) of each pairing; their results, and whether all were played. Jobs
    /// are requested in parts, so that any number of pairs can be asked for.
    pub fn play(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(Results, bool), RunError> {
        let all = checked_number(pairings, pairs, i64::MAX as u64)?;
        let meetings = pairings.len().max(1) as u64;
        self.forget_damaged_jobs()?;
        let before = self.store.requested(self.prefix(pairs))? / meetings;
        let mut part = (AHEAD / meetings).max(1).max(before).min(pairs);
        loop {
            self.request_once(pairings, part)?;
            let (results, complete) = self.play_part(part, all - pairings.len() as u64 * part)?;
            if part == pairs || !complete || (self.enough)(&results) || self.cancel.is_cancelled() {
                return Ok((results, complete && part == pairs));
            }
            part = part.saturating_mul(2).min(pairs);
        }
    }

    fn request_once(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        self.forget_damaged_jobs()?;
        let wanted = checked_number(pairings, pairs, i64::MAX as u64)?;
        if self.store.requested(self.prefix(pairs))? >= wanted {
            return Ok(());
        }
        self.request_slices(pairings, pairs)?;
        // A broken index counts fewer than there are: the run would be over before all are played.
        let found = self.store.requested(self.prefix(pairs))?;
        if found < wanted && !self.cancel.is_cancelled() {
            return Err(self.store.damaged(format!("expected {wanted} jobs of run {}, found {found}", self.run.id)));
        }
        Ok(())
    }

    /// Requests the first so many pairs of each pairing, beside what was requested before.
    pub fn request(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        checked_number(pairings, pairs, MOST_REQUESTED)?;
        self.request_slices(pairings, pairs)
    }

    fn request_slices(&self, pairings: &[[usize; 2]], pairs: u64) -> Result<(), RunError> {
        self.store.begin(self.run, self.command, &machine())?;
        let mut book = lock(&self.book);
        if book.is_none() {
            *book = Some(Book::new(&self.run.experiment, self.players)?);
        }
        let book = book.as_mut().expect("it was made where there was none");
        let step = (SLICE / pairings.len().max(1) as u64).max(1);
        let mut from = 0;
        while from < pairs && !self.cancel.is_cancelled() {
            let to = from.saturating_add(step).min(pairs);
            self.store.request(&jobs(self.run, book, pairings, from..to)?)?;
            from = to;
        }
        Ok(())
    }

    /// Writes damaged settings anew and removes jobs whose rows are damaged, once for a driver; whether there were such jobs.
    fn forget_damaged_jobs(&self) -> Result<bool, RunError> {
        if self.checked.swap(true, Ordering::Relaxed) {
            return Ok(false);
        }
        if !self.store.has_settings(&self.run.id)? {
            self.store.begin(self.run, self.command, &machine())?;
        }
        let damage = self.store.damaged_jobs(&self.run.id)?;
        self.store.mend(&damage)?;
        Ok(!damage.is_empty())
    }

    /// Plays all that was requested of the first so many pairs of every pairing; the results, and whether all were played.
    pub fn play_requested(&self, pairs: u64) -> Result<(Results, bool), RunError> {
        self.play_part(pairs, 0)
    }

    /// The same, where so many jobs will be requested later.
    fn play_part(&self, pairs: u64, later: u64) -> Result<(Results, bool), RunError> {
        let part = self.begin_part(pairs, later)?;
        self.executor.execute(self, pairs, &part.cancel, &|event| part.observe(event))?;
        part.end()
    }

    /// Begins to play what was requested of the first so many pairs of every pairing, where so many jobs will be requested later. An
    /// executor that is not called by [`RunDriver::play`] plays it then.
    pub fn begin_part(&self, pairs: u64, later: u64) -> Result<RunPart<'_, 'a>, RunError> {
        let prefix = self.prefix(pairs);
        let requested = self.store.requested(prefix)?;
        let wanted = requested + later;
        let results = Results::read(self.store, self.run.experiment.seats, prefix)?;
        // What is damaged does not count, and is played again.
        self.store.mend_all(results.damage())?;
        let cancel = self.cancel.child();
        let part = RunPart { driver: self, prefix, requested, wanted, cancel, counted: Mutex::new(results) };
        {
            let results = lock(&part.counted);
            part.stop_if_enough(&results);
            self.tell(&RunEvent::RunStarted { results: &results, pairs, wanted });
        }
        Ok(part)
    }

    fn tell(&self, event: &RunEvent<'_>) {
        self.observer.observe(self.run, event);
    }
}

/// A part of a run that is being played: the first so many pairs of every pairing.
pub struct RunPart<'d, 'a> {
    driver: &'d RunDriver<'a>,
    prefix: RunPrefix<'a>,
    /// The jobs that are requested, and with those that will be.
    requested: u64,
    wanted: u64,
    /// Stops what plays it.
    pub cancel: CancelToken,
    counted: Mutex<Results>,
}

impl RunPart<'_, '_> {
    fn stop_if_enough(&self, results: &Results) {
        if (self.driver.enough)(results) {
            self.cancel.cancel();
        }
    }

    /// Counts what has happened, and tells it.
    pub fn observe(&self, event: &RunEvent<'_>) {
        self.driver.tell(event);
        let results = match event {
            RunEvent::JobFinished { games, .. } => {
                let mut results = lock(&self.counted);
                games.iter().for_each(|game| results.add(game));
                results
            }
            // What was taken back does not count. Where the store cannot be read, the end of the run says so.
            RunEvent::WorkerBanned { .. } => {
                let Ok(left) = self.read() else { return };
                let mut results = lock(&self.counted);
                *results = left;
                results
            }
            _ => return,
        };
        self.driver.tell(&RunEvent::Progress { results: &results, wanted: self.wanted });
        self.stop_if_enough(&results);
    }

    /// The results as the store has them.
    fn read(&self) -> Result<Results, RunError> {
        let RunDriver { store, run, .. } = *self.driver;
        Results::read(store, run.experiment.seats, self.prefix)
    }

    /// The results, and whether all were played.
    pub fn end(self) -> Result<(Results, bool), RunError> {
        let store = self.driver.store;
        // Another process may have played some of it.
        let results = self.read()?;
        store.check_place()?;
        // Played again and still damaged: the file is broken in a way that rows cannot mend.
        if let Some(damage) = results.damage().first() {
            return Err(store.damaged(damage.to_string()));
        }
        let complete = results.jobs() >= self.requested;
        // Jobs that cannot be found because an index is broken would be missing for good.
        if !complete
            && !self.cancel.is_cancelled()
            && let Some(fault) = store.structure()?.first()
        {
            return Err(store.damaged(fault.as_str()));
        }
        self.driver.tell(&RunEvent::RunEnded { results: &results, complete });
        Ok((results, complete))
    }
}

/// The number of jobs that so many pairs of each pairing are.
fn checked_number(pairings: &[[usize; 2]], pairs: u64, most: u64) -> Result<u64, InputError> {
    let meetings = pairings.len() as u64;
    pairs.checked_mul(meetings.max(1)).filter(|&jobs| jobs <= most).map(|_| meetings * pairs).ok_or_else(|| {
        let detail = format!("expected at most {} for {meetings} pairings", most / meetings.max(1));
        InputError::malformed("number of pairs", &pairs.to_string(), detail)
    })
}
