//! What agent specs name: files, networks, and other programs.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use plyground_core::{Engine, InputError, Resources};
use plyground_engines::{EnginePool, ProcessOptions};
use plyground_match::FileResources;
use pyo3::pyfunction;

static PROGRAMS: OnceLock<Arc<EnginePool>> = OnceLock::new();

/// Says which `ply` starts other programs with limits, and where they write what they say. Called once, when the module is imported.
#[pyfunction]
pub(crate) fn prepare_programs(guard: Option<PathBuf>, logs: Option<PathBuf>) {
    PROGRAMS.get_or_init(|| EnginePool::new(ProcessOptions { guard, logs }));
}

/// Ends the programs that are still running.
#[pyfunction]
pub(crate) fn dismiss_programs() {
    if let Some(programs) = PROGRAMS.get() {
        programs.clear();
    }
}

/// The folder in which the command keeps its runs, where there is one.
#[pyfunction]
pub(crate) fn data_folder() -> Option<PathBuf> {
    dirs::data_dir().map(|folder| folder.join("plyground"))
}

/// The resources of programs in Python, which may do what the one who started them may do.
pub(crate) struct LocalResources;

impl Resources for LocalResources {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        FileResources.read(name)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        PROGRAMS.get_or_init(|| EnginePool::new(ProcessOptions::default())).engine(command)
    }
}
