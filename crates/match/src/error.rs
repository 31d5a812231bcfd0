//! The errors of experiments and runs.

use std::path::PathBuf;

use plyground_core::{AgentError, InputError};

/// The reason why an experiment could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Something typed was not understood.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file is no store of ours, or one that this program cannot read; it was not touched.
    #[error("{}: {detail}", .file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// The expected and the found value.
        detail: String,
    },
    /// A part of the store is damaged, and nothing can be said without it.
    #[error("{}: the store is damaged: {detail}; `ply runs check` says what can be repaired", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The expected and the found value.
        detail: String,
    },
    /// The file of the store was taken away while it was open.
    #[error("{}: the store is gone: it was deleted, moved or replaced since it was opened, and what is played now would be lost", .file.display())]
    FileGone {
        /// The file.
        file: PathBuf,
    },
    /// The database refused.
    #[error("{}: {error}", .file.display())]
    Database {
        /// The file.
        file: PathBuf,
        /// Its message.
        error: rusqlite::Error,
    },
    /// The file or its directory could not be made.
    #[error("cannot write {}: {error}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A network could not be made, read or taught.
    #[error(transparent)]
    Network(#[from] plyground_nets::NetError),
    /// An agent gave no move.
    #[error(transparent)]
    Agent(AgentError),
    /// Not one game came to an end.
    #[error("not one game of {game} had something to learn from")]
    NothingToLearn {
        /// The game.
        game: String,
    },
    /// The run was removed while it was worked on.
    #[error("run {run} was removed while it was played")]
    Gone {
        /// Its name.
        run: String,
    },
    /// A queue on the network did not do what it should.
    #[error("{queue}: {detail}")]
    Queue {
        /// Its address.
        queue: String,
        /// Its message.
        detail: String,
    },
    /// This program is not the one that the coordinator of a run has.
    #[error("this worker is refused: expected {expected}, as the coordinator has; found {found}. Both need the same program")]
    Refused {
        /// The version of the coordinator.
        expected: String,
        /// The version of this program.
        found: String,
    },
}
