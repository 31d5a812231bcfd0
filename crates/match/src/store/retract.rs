//! Results that turned out to be wrong.

use rusqlite::{Connection, TransactionBehavior};

use crate::{RunError, Store};

impl Store {
    /// Removes the games of these jobs and opens the jobs again: their sender was found to make results up.
    pub fn retract<'a>(&self, jobs: impl IntoIterator<Item = &'a str>) -> Result<(), RunError> {
        let mut connection = self.connection();
        let remove = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for job in jobs {
                transaction.prepare_cached("DELETE FROM games WHERE job = ?1")?.execute([job])?;
                let open = "UPDATE jobs SET done = 0, worker = NULL, until = 0 WHERE id = ?1";
                transaction.prepare_cached(open)?.execute([job])?;
            }
            transaction.commit()
        };
        remove(&mut connection).map_err(|error| self.wrap(error))
    }
}
