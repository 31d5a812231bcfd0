//! Files and engines that agent specs name.

use crate::{Engine, InputError};

/// A loader of what agent specs name: tablebases, learnt tables, networks, and external engines. Handed in from outside, because
/// programs have a file system and browsers have none.
pub trait Resources {
    /// The contents of a file.
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError>;

    /// The program that a spec `cmd:COMMAND` names. By default there are none, because a
    /// caller who may name a command may do everything on this computer.
    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        Err(InputError::malformed("agent", &format!("cmd:{command}"), "other programs cannot be started from here"))
    }

    /// The names of programs that everybody here may play against, as `cmd:NAME`.
    fn engines(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Resources without any file or engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResources;

impl Resources for NoResources {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        Err(InputError::malformed("file", name, "there are no files here"))
    }
}
