//! The check of a whole store, and its repair.

use rusqlite::Connection;

use super::refusals;
use crate::store::damage::Remedy;
use crate::{Damage, RunError, RunPrefix, Store};

/// Makes the indexes anew. A damaged one may have let a job in twice: the row that it does not know is the older one.
const MAKE_INDEXES: &str = "
    DELETE FROM jobs WHERE rowid IN (SELECT max(rowid) FROM jobs NOT INDEXED GROUP BY id HAVING count(*) > 1);
    REINDEX";

/// The findings of a check of a whole store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreCheck {
    /// Runs that were read.
    pub runs: u64,
    /// Jobs that were read.
    pub jobs: u64,
    /// Games that are intact.
    pub games: u64,
    /// Damaged runs, jobs and games.
    pub damage: Vec<Damage>,
    /// Damage of the file itself, in the words of the database.
    pub structure: Vec<String>,
}

impl StoreCheck {
    /// Is nothing damaged?
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty() && self.structure.is_empty()
    }
}

impl Store {
    /// Reads everything, and says what is damaged.
    pub fn check(&self) -> Result<StoreCheck, RunError> {
        let structure = self.structure()?;
        let (runs, damage) = self.read_runs()?;
        let mut check = StoreCheck { structure, ..StoreCheck::default() };
        for row in runs {
            let run = &row.run.id;
            check.runs += 1;
            check.jobs += row.pairs;
            check.damage.extend(self.read_job_rows(run)?);
            let mut games = 0;
            check.damage.extend(self.scan_games(RunPrefix::all(run), &mut |_| games += 1)?);
            check.games += games;
        }
        // What the jobs of a run explain is not said again about the run.
        let explained = |damage: &Damage| check.damage.iter().any(|other| other.run == damage.run);
        let unexplained: Vec<Damage> = damage.into_iter().filter(|damage| !explained(damage)).collect();
        check.damage.extend(unexplained);
        Ok(check)
    }

    /// Makes the indexes anew and removes damaged rows, so that their jobs are played again, and notes that cannot be read; the findings
    /// after that.
    pub fn repair(&self) -> Result<StoreCheck, RunError> {
        {
            let connection = self.connection();
            let mend = || {
                refusals::mend(&connection)?;
                connection.execute_batch(MAKE_INDEXES)
            };
            mend().map_err(|error| self.wrap(error))?;
        }
        // A job whose row was removed leaves its games, which the next look finds without a job.
        for _ in 0..2 {
            let found = self.check()?;
            if found.damage.iter().all(|damage| damage.remedy == Remedy::None) {
                break;
            }
            self.mend(&found.damage)?;
        }
        self.check()
    }

    /// The damage of the file itself, in the words of the database.
    pub(crate) fn structure(&self) -> Result<Vec<String>, RunError> {
        let connection = self.connection();
        let lines: rusqlite::Result<Vec<String>> = connection
            .prepare("PRAGMA integrity_check")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect());
        let lines = lines.map_err(|error| self.wrap(error))?;
        let mut faults: Vec<String> = lines.into_iter().filter(|line| line != "ok").collect();
        let notes = refusals::fault(&connection).map_err(|error| self.wrap(error))?;
        let others = misdirected(&connection).map_err(|error| self.wrap(error))?;
        faults.extend(others.into_iter().filter(|(table, _)| notes.is_none() || table != refusals::NAME).map(|(_, fault)| fault));
        faults.extend(notes);
        Ok(faults)
    }
}

/// The tables that refer to something else than runs, with what is wrong: nothing can be written to them.
pub(super) fn misdirected(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    const SELECT: &str = "SELECT tables.name, reference.\"table\", reference.\"to\"
        FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS reference
        WHERE tables.type = 'table' AND (reference.\"table\", reference.\"to\") IS NOT ('runs', 'id') ORDER BY tables.name";
    let described = |row: &rusqlite::Row<'_>| {
        let (table, found, column): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let column = column.unwrap_or_default();
        let fault = format!("expected the table {table} to refer to runs (id), found {found} ({column})");
        Ok((table, fault))
    };
    connection.prepare(SELECT)?.query_map([], described)?.collect()
}
