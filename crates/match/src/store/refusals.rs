//! Refused results in a store: the report of a run says who sent what does not count, and a ban outlives its coordinator.

use rusqlite::{Connection, TransactionBehavior, params};

use super::check::misdirected;
use super::checksum::refusal_columns;
use crate::{RefusedResults, RunError, Store};

// Not among the tables of every store: most never need it.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS refusals (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        worker TEXT NOT NULL,
        results INTEGER NOT NULL,
        reason TEXT NOT NULL,
        banned INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (run, worker)
    ) WITHOUT ROWID";

const IS_BANNED: &str = concat!(
    "SELECT 1 FROM refusals WHERE run = ?1 AND worker = ?2 AND banned AND checksum IS row_checksum('refusals', ",
    refusal_columns!(),
    ")"
);

const INSERT: &str = "INSERT OR REPLACE INTO refusals (run, worker, results, reason, banned, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, row_checksum('refusals', ?1, ?2, ?3, ?4, ?5))";

/// The refused results of a run, the most first. A damaged row is still told, without what it says.
const SELECT: &str = concat!(
    "SELECT worker, results, reason, banned, checksum IS row_checksum('refusals', ",
    refusal_columns!(),
    ") FROM refusals WHERE run = ?1 ORDER BY results DESC, worker"
);

/// The name of the table.
pub(super) const NAME: &str = "refusals";

/// Why the table cannot be read or written, where what describes it is damaged. Not asked when a store is opened: runs can be read
/// without it.
pub(super) fn fault(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let is_there = connection.table_exists(None, NAME)?;
    let unread = is_there.then(|| connection.prepare(SELECT).err()).flatten().map(|error| error.to_string());
    let misdirected =
        || misdirected(connection).map(|all| all.into_iter().find(|(table, _)| table == NAME).map(|(_, fault)| fault));
    let fault = if unread.is_some() { unread } else { misdirected()? };
    Ok(fault.map(|fault| format!("the notes of refused results cannot be read: {fault}")))
}

/// Removes the tables of notes that cannot be read or written: they are made again when there is something to note.
pub(super) fn mend(connection: &Connection) -> rusqlite::Result<()> {
    if fault(connection)?.is_some() {
        connection.execute_batch("DROP TABLE refusals")?;
    }
    if misdirected(connection)?.iter().any(|(table, _)| table == "failures") {
        connection.execute_batch("DROP TABLE failures")?;
    }
    Ok(())
}

impl Store {
    /// Notes the refused results of a run by sender, in place of what was noted of these senders before. A ban stays: another
    /// coordinator with the same store may have noted it.
    pub fn note_refused(&self, run: &str, refused: &[RefusedResults]) -> Result<(), RunError> {
        if refused.is_empty() {
            return Ok(());
        }
        let mut connection = self.connection();
        // A ban may be among them, so they are not replaced unasked.
        if let Some(fault) = fault(&connection).map_err(|error| self.wrap(error))? {
            return Err(self.damaged(fault));
        }
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(TABLE)?;
            {
                let (mut is_banned, mut statement) =
                    (transaction.prepare_cached(IS_BANNED)?, transaction.prepare_cached(INSERT)?);
                for sender in refused {
                    // More than a database counts to are not refused in the life of a run.
                    let results = i64::try_from(sender.results).unwrap_or(i64::MAX);
                    let banned = sender.banned || is_banned.exists(params![run, sender.worker])?;
                    statement.execute(params![run, sender.worker, results, sender.reason, banned])?;
                }
            }
            transaction.commit()
        };
        write(&mut connection).map_err(|error| self.wrap(error))
    }

    /// The refused results of a run by sender, the most first. Notes that cannot be read are told as one without a sender.
    pub fn refused(&self, run: &str) -> Result<Vec<RefusedResults>, RunError> {
        let connection = self.connection();
        let read = || {
            if !connection.table_exists(None, "refusals")? {
                return Ok(Vec::new());
            }
            if let Some(reason) = fault(&connection)? {
                return Ok(vec![RefusedResults { results: 1, reason, ..Default::default() }]);
            }
            let mut statement = connection.prepare(SELECT)?;
            let rows = statement.query_map([run], |row| {
                let intact: bool = row.get(4)?;
                if !intact {
                    return Ok(RefusedResults {
                        results: 1,
                        reason: "the note of it is damaged".to_owned(),
                        ..Default::default()
                    });
                }
                Ok(RefusedResults { worker: row.get(0)?, results: row.get(1)?, reason: row.get(2)?, banned: row.get(3)? })
            })?;
            rows.collect()
        };
        read().map_err(|error| self.wrap(error))
    }
}
