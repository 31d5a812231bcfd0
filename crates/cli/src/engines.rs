//! Programs that play, for all commands: they are started with limits by `ply run-engine`, and wait for their next game until the end.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use plyground_engines::{EnginePool, ProcessOptions};
use plyground_session::{Engine, InputError, Resources};

use crate::published;
use crate::store::data_dir;
use plyground_args::Global;

static PROGRAMS: OnceLock<Arc<EnginePool>> = OnceLock::new();

/// What this command knows of programs: called once, before anything is started.
pub fn prepare(global: &Global) {
    PROGRAMS.get_or_init(|| {
        let guard = std::env::current_exe().ok().filter(|_| cfg!(unix));
        let logs = data_dir(global).ok().map(|data| data.join("engines"));
        EnginePool::new(ProcessOptions { guard, logs })
    });
}

/// Ends the programs that are still running.
pub fn dismiss() {
    if let Some(programs) = PROGRAMS.get() {
        programs.clear();
    }
}

/// What agent specs of the command line name: files, networks, and programs.
pub struct CommandResources;

impl Resources for CommandResources {
    /// What is in a file, also in one of the folder of studies, which comes with the program.
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let published = || published::file(name).filter(|_| !Path::new(name).exists());
        published().map_or_else(|| plyground_match::FileResources.read(name), |contents| Ok(contents.to_vec()))
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        PROGRAMS.get_or_init(|| EnginePool::new(ProcessOptions::default())).engine(command)
    }
}

/// The same without starting any program: the command must be right, and the program must be there.
pub struct UnstartedPrograms;

impl Resources for UnstartedPrograms {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        CommandResources.read(name)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        EnginePool::unstarted(command)
    }
}
