//! Runs and games, read with their checksums.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::checksum::{job_columns, run_columns};
use super::damage::Remedy;
use super::rows::{SELECT_GAMES, Shape, game_of, job_of};
use super::{Damage, RunRow};
use crate::{Experiment, GameRow, Run, RunError, RunPrefix, Store};

/// Every run with the numbers of its jobs and games, and with whether its checksum is right.
const SELECT_RUNS: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", (SELECT count(*) FROM jobs WHERE run = runs.id), (SELECT count(*) FROM jobs WHERE run = runs.id AND done = 1),
        (SELECT count(*) FROM games WHERE run = runs.id), checksum IS row_checksum('runs', ",
    run_columns!(),
    ") FROM runs ORDER BY begun DESC, id"
);

/// The names of runs that have jobs and no row of their own, one look at the index for each run.
const LOST_RUNS: &str = "WITH RECURSIVE names (name) AS (
        SELECT min(run) FROM jobs
        UNION ALL SELECT (SELECT min(run) FROM jobs WHERE run > name) FROM names WHERE name IS NOT NULL)
    SELECT name FROM names WHERE name IS NOT NULL AND name NOT IN (SELECT id FROM runs)";

/// The jobs of a run, each with whether its checksum is right.
const SELECT_JOBS: &str =
    concat!("SELECT rowid, id, checksum IS row_checksum('jobs', ", job_columns!(), ") FROM jobs WHERE run = ?1");

const NO_SETTINGS: &str = "its settings do not have their checksum; the command that asked for it writes them anew";

impl Store {
    /// All runs, the newest first. Damaged ones are left out, and noted.
    pub fn runs(&self) -> Result<Vec<RunRow>, RunError> {
        let (runs, damage) = self.read_runs()?;
        self.note(&damage);
        Ok(runs)
    }

    pub(super) fn read_runs(&self) -> Result<(Vec<RunRow>, Vec<Damage>), RunError> {
        let connection = self.connection();
        let (mut runs, mut damage) = (Vec::new(), Vec::new());
        let mut read_all = || {
            let snapshot = connection.unchecked_transaction()?;
            let mut statement = snapshot.prepare(SELECT_RUNS)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                match run_row(row)? {
                    Ok((run, found)) => {
                        runs.push(run);
                        damage.extend(found);
                    }
                    Err(found) => damage.push(found),
                }
            }
            let lost: Vec<String> =
                snapshot.prepare(LOST_RUNS)?.query_map([], |row| name_at(row, 0))?.collect::<rusqlite::Result<_>>()?;
            let told = "it has jobs, and its settings are not there; the command that asked for it writes them anew";
            damage.extend(lost.iter().map(|run| Damage::of_run(run, told, Remedy::None)));
            Ok(())
        };
        read_all().map_err(|error| self.wrap(error))?;
        Ok((runs, damage))
    }

    /// Calls `take` for every game of a prefix, in the order of the pairs. Games of damaged jobs are left out, and noted: such jobs
    /// count as not done.
    pub fn games(&self, prefix: RunPrefix<'_>, mut take: impl FnMut(GameRow)) -> Result<(), RunError> {
        self.read_games(prefix, &mut take).map(drop)
    }

    /// The same, and the damage.
    pub(crate) fn read_games(&self, prefix: RunPrefix<'_>, take: &mut dyn FnMut(GameRow)) -> Result<Vec<Damage>, RunError> {
        let damage = self.scan_games(prefix, take)?;
        self.note(&damage);
        Ok(damage)
    }

    /// The same without a note.
    pub(super) fn scan_games(&self, prefix: RunPrefix<'_>, take: &mut dyn FnMut(GameRow)) -> Result<Vec<Damage>, RunError> {
        let connection = self.connection();
        let shape = self.shape(&connection, prefix.run)?;
        let Some(shape) = shape else { return Ok(Vec::new()) };
        let mut damage = Vec::new();
        let mut read_all = || {
            // All statements see the same moment: other processes go on writing.
            let snapshot = connection.unchecked_transaction()?;
            let jobs = read_jobs(&snapshot, prefix, shape, &mut damage, take)?;
            let query = "SELECT count(*) FROM jobs WHERE run = ?1 AND pair < ?2 AND done = 1";
            let done: u64 = snapshot.query_row(query, params![prefix.run, prefix.pairs], |row| row.get(0))?;
            if jobs != done {
                let more = differences(&snapshot, prefix, [done, jobs], &damage)?;
                damage.extend(more);
            }
            Ok(())
        };
        read_all().map_err(|error| self.wrap(error))?;
        Ok(damage)
    }

    /// What the games of a run have to be; `None` if there is no such run and no game of it.
    fn shape(&self, connection: &Connection, run: &str) -> Result<Option<Shape>, RunError> {
        const SELECT: &str =
            concat!("SELECT settings, checksum IS row_checksum('runs', ", run_columns!(), ") FROM runs WHERE id = ?1");
        let read = |row: &Row<'_>| {
            let intact: bool = row.get(1)?;
            let settings: Option<String> = if intact { row.get(0)? } else { None };
            Ok(settings)
        };
        let wrap = |error: rusqlite::Error| self.wrap(error);
        let found: Option<Option<String>> = connection.query_row(SELECT, [run], read).optional().map_err(wrap)?;
        let Some(settings) = found else {
            let query = "SELECT 1 FROM games WHERE run = ?1 LIMIT 1";
            let game: Option<i64> = connection.query_row(query, [run], |row| row.get(0)).optional().map_err(wrap)?;
            let lost = || Err(self.damaged(format!("expected the settings of run {run}, which has games, found none")));
            return game.map_or(Ok(None), |_| lost());
        };
        let settings = settings.ok_or_else(|| self.damaged(format!("run {run}: {NO_SETTINGS}")))?;
        let experiment: Experiment = serde_json::from_str(&settings)
            .map_err(|error| self.damaged(format!("the settings of run {run} cannot be read: {error}")))?;
        Ok(Some(Shape::of(&experiment)))
    }

    /// The damaged rows among the jobs of a run. An error if there are not as many as were requested: then not even the table knows
    /// which of them is missing.
    pub(crate) fn damaged_jobs(&self, run: &str) -> Result<Vec<Damage>, RunError> {
        let found = self.read_job_rows(run)?;
        if let Some(damage) = found.iter().find(|damage| damage.remedy == Remedy::Recount) {
            return Err(self.damaged(damage.to_string()));
        }
        self.note(&found);
        Ok(found)
    }

    pub(super) fn read_job_rows(&self, run: &str) -> Result<Vec<Damage>, RunError> {
        let connection = self.connection();
        let read_all = || {
            let snapshot = connection.unchecked_transaction()?;
            let query = "SELECT requested FROM runs WHERE id = ?1";
            let requested: Option<u64> = snapshot.query_row(query, [run], |row| row.get(0)).optional()?;
            let (mut damage, mut jobs) = (Vec::new(), 0);
            let mut statement = snapshot.prepare(SELECT_JOBS)?;
            let mut rows = statement.query([run])?;
            while let Some(row) = rows.next()? {
                jobs += 1;
                if !row.get::<_, bool>(2)? {
                    let (number, id) = (row.get(0)?, name_at(row, 1)?);
                    let told = "it does not have its checksum, and is requested again";
                    damage.push(Damage::of_job(run, &id, told, Remedy::Forget(number)));
                }
            }
            if let Some(requested) = requested.filter(|&requested| requested != jobs) {
                damage.push(Damage::of_run(run, format!("expected {requested} jobs, found {jobs}"), Remedy::Recount));
            }
            Ok(damage)
        };
        read_all().map_err(|error| self.wrap(error))
    }
}

/// A name, also where it is damaged.
fn name_at(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let name = row.get_ref(column)?;
    Ok(name.as_bytes().map_or_else(|_| "?".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned()))
}

/// A run with what is wrong about its numbers, or why it cannot be read.
fn run_row(row: &Row<'_>) -> rusqlite::Result<Result<(RunRow, Option<Damage>), Damage>> {
    let id = name_at(row, 0)?;
    let intact: bool = row.get(9)?;
    if !intact {
        return Ok(Err(Damage::of_run(&id, NO_SETTINGS, Remedy::None)));
    }
    let settings: String = row.get(1)?;
    let experiment: Experiment = match serde_json::from_str(&settings) {
        Ok(experiment) => experiment,
        Err(error) => return Ok(Err(Damage::of_run(&id, format!("its settings cannot be read: {error}"), Remedy::None))),
    };
    let games_of_job = experiment.seats.games();
    let run = RunRow {
        run: Run { id, experiment },
        command: row.get(2)?,
        machine: row.get(3)?,
        begun: row.get(4)?,
        pairs: row.get(6)?,
        done: row.get(7)?,
        games: row.get(8)?,
    };
    let requested: u64 = row.get(5)?;
    let damage = if run.pairs != requested {
        Some(Damage::of_run(&run.run.id, format!("expected {requested} jobs, found {}", run.pairs), Remedy::Recount))
    } else if run.games != run.done * u64::from(games_of_job) {
        let told =
            format!("expected {games_of_job} games for each job that is done, found {} jobs and {} games", run.done, run.games);
        Some(Damage::of_run(&run.run.id, told, Remedy::None))
    } else {
        None
    };
    Ok(Ok((run, damage)))
}

/// Reads the games job by job; the number of jobs that have any.
fn read_jobs(
    connection: &Connection,
    prefix: RunPrefix<'_>,
    shape: Shape,
    damage: &mut Vec<Damage>,
    take: &mut dyn FnMut(GameRow),
) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(SELECT_GAMES)?;
    let mut rows = statement.query(params![prefix.run, prefix.pairs])?;
    let mut jobs = 0;
    let mut job: Option<(String, Vec<Result<GameRow, String>>)> = None;
    let mut finish = |job: Option<(String, Vec<Result<GameRow, String>>)>| {
        let Some((name, games)) = job else { return };
        jobs += 1;
        match shape.whole(games) {
            Ok(games) => games.into_iter().for_each(&mut *take),
            Err(detail) => damage.push(Damage::of_job(prefix.run, &name, detail, Remedy::Replay)),
        }
    };
    while let Some(row) = rows.next()? {
        let (name, game) = (job_of(row)?, game_of(row)?);
        match &mut job {
            Some((current, games)) if *current == name => games.push(game),
            _ => finish(job.replace((name, vec![game]))),
        }
    }
    finish(job);
    Ok(jobs)
}

/// The jobs that are done and have no games, and those that have games and are not done.
fn differences(
    connection: &Connection,
    prefix: RunPrefix<'_>,
    [done, found]: [u64; 2],
    known: &[Damage],
) -> rusqlite::Result<Vec<Damage>> {
    let names = |query: &str| -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(query)?;
        statement.query_map(params![prefix.run, prefix.pairs], |row| name_at(row, 0))?.collect()
    };
    let without = names(
        "SELECT id FROM jobs WHERE run = ?1 AND pair < ?2 AND done = 1
            AND NOT EXISTS (SELECT 1 FROM games WHERE games.job = jobs.id)",
    )?;
    let open = names(
        "SELECT DISTINCT job FROM games WHERE run = ?1 AND pair < ?2
            AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = games.job AND jobs.done = 1)",
    )?;
    let mut damage: Vec<Damage> = Vec::new();
    let missing = "expected its games, since it is done, found none";
    damage.extend(without.iter().map(|job| Damage::of_job(prefix.run, job, missing, Remedy::Replay)));
    let extra = "its games are there, and it is not noted as done";
    // What is played again is not done, and its games may be anything.
    let is_known = |job: &String| known.iter().any(|damage| damage.job.as_ref() == Some(job));
    let open = open.iter().filter(|job| !is_known(job));
    damage.extend(open.map(|job| Damage::of_job(prefix.run, job, extra, Remedy::Settle)));
    if damage.is_empty() && known.is_empty() {
        let told = format!("expected games of {done} jobs, found those of {found}");
        damage.push(Damage::of_run(prefix.run, told, Remedy::None));
    }
    Ok(damage)
}
