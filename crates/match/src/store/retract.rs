//! Results that turned out to be wrong.

use rusqlite::{Connection, TransactionBehavior};

use super::damage::reopen;
use crate::{RunError, Store};

impl Store {
    /// Removes the games of these jobs and opens the jobs again: their sender was found to make results up.
    pub fn retract<'a>(&self, jobs: impl IntoIterator<Item = &'a str>) -> Result<(), RunError> {
        let mut connection = self.connection();
        let remove = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            jobs.into_iter().try_for_each(|job| reopen(&transaction, job))?;
            transaction.commit()
        };
        remove(&mut connection).map_err(|error| self.wrap(error))
    }
}
