//! Checksums of rows: written with a row, and compared when it is read.
//!
//! A checksum is computed inside of the database, by a function of ours that statements call with the name of the table and the
//! columns of the row. A row without a checksum counts as damaged.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

/// The columns of a run that its checksum covers.
macro_rules! run_columns {
    () => {
        "id, settings, command, machine, begun, requested"
    };
}

/// The columns of a job that its checksum covers. Leases are not among them: they change with every heartbeat, and a wrong one costs
/// at most a job that is done twice.
macro_rules! job_columns {
    () => {
        "id, run, first, second, pair, opening, done, sender"
    };
}

/// The columns of a game that its checksum covers: all.
macro_rules! game_columns {
    () => {
        "job, game, run, pair, first, second, result, margin, reason, fault, points, opening, moves, movers, times, expectations, ended"
    };
}

/// The columns of a failure that its checksum covers: all.
macro_rules! failure_columns {
    () => {
        "job, run, pair, error"
    };
}

/// The columns of a note of refused results that its checksum covers: all.
macro_rules! refusal_columns {
    () => {
        "run, worker, results, reason, banned"
    };
}

pub(super) use {failure_columns, game_columns, job_columns, refusal_columns, run_columns};

/// The statement that writes the checksum of a run.
pub(super) const SEAL_RUN: &str = concat!("UPDATE runs SET checksum = row_checksum('runs', ", run_columns!(), ") WHERE id = ?1");

/// The statements that give every row of a store of version 1 its checksum, and every run the number of its jobs. Whatever such a
/// store holds is taken as it is.
pub(super) const UPGRADE: &str = concat!(
    "ALTER TABLE runs ADD COLUMN requested INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN checksum INTEGER;
    ALTER TABLE games ADD COLUMN checksum INTEGER;
    ALTER TABLE jobs ADD COLUMN sender TEXT;
    ALTER TABLE jobs ADD COLUMN checksum INTEGER;
    UPDATE jobs SET done = 1, worker = NULL WHERE done = 0 AND EXISTS (SELECT 1 FROM games WHERE games.job = jobs.id);
    UPDATE runs SET requested = (SELECT count(*) FROM jobs WHERE jobs.run = runs.id);
    UPDATE runs SET checksum = row_checksum('runs', ",
    run_columns!(),
    ");
    UPDATE jobs SET checksum = row_checksum('jobs', ",
    job_columns!(),
    ");
    UPDATE games SET checksum = row_checksum('games', ",
    game_columns!(),
    ");"
);

/// The same for the table of failures, which most stores do not have.
pub(super) const UPGRADE_FAILURES: &str = concat!(
    "ALTER TABLE failures ADD COLUMN checksum INTEGER;
    UPDATE failures SET checksum = row_checksum('failures', ",
    failure_columns!(),
    ");"
);

/// Makes the function known to a connection.
pub(super) fn define(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("row_checksum", -1, flags, |context| {
        Ok(checksum((0..context.len()).map(|index| context.get_raw(index))))
    })
}

/// The checksum of some values: 64 bits of a hash (BLAKE3) of their types, lengths and bytes.
fn checksum<'a>(values: impl Iterator<Item = ValueRef<'a>>) -> i64 {
    let mut written = Vec::with_capacity(1024);
    for value in values {
        match value {
            ValueRef::Null => add(&mut written, 0, &[]),
            ValueRef::Integer(number) => add(&mut written, 1, &number.to_le_bytes()),
            ValueRef::Real(number) => add(&mut written, 2, &number.to_le_bytes()),
            ValueRef::Text(text) => add(&mut written, 3, text),
            ValueRef::Blob(bytes) => add(&mut written, 4, bytes),
        }
    }
    let hash = blake3::hash(&written);
    i64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}

fn add(written: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    written.push(kind);
    written.extend((bytes.len() as u64).to_le_bytes());
    written.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_has_another_checksum_and_the_checksum_never_changes() {
        let of = |values: &[ValueRef<'_>]| checksum(values.iter().copied());
        let ab_c = of(&[ValueRef::Text(b"ab"), ValueRef::Text(b"c")]);
        assert_ne!(ab_c, of(&[ValueRef::Text(b"a"), ValueRef::Text(b"bc")]));
        assert_ne!(of(&[ValueRef::Null]), of(&[ValueRef::Integer(0)]));
        assert_ne!(of(&[ValueRef::Integer(1)]), of(&[ValueRef::Real(1.0)]));
        assert_ne!(of(&[ValueRef::Text(b"x")]), of(&[ValueRef::Blob(b"x")]));
        // Stores are full of it.
        assert_eq!(of(&[ValueRef::Text(b"games"), ValueRef::Integer(7), ValueRef::Null]), -1_543_457_819_936_337_360);
    }
}
