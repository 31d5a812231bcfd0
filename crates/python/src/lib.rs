//! Plyground for Python: what `import plyground` is made of.
//!
//! Games and positions come without their types, with numbers for moves (`rules`); agents, matches and the solver go through sessions,
//! as in the command. Long work is done without Python's lock, and Ctrl-C ends it (`interrupt`). The Python side is in
//! `python/plyground`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "Python hands over what it is asked for, and errors are turned into exceptions"
)]

mod agent;
mod batch;
mod errors;
mod experiments;
mod game;
mod interrupt;
mod own_game;
mod records;
mod resources;
mod rules;
mod search;
mod svg;
mod typed;
mod vector;

use pyo3::prelude::*;

/// The module `plyground._core`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(module)
}

/// The same by the name of the file that is built for newer processors.
#[pymodule]
fn _core_v3(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(module)
}

fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("InputError", py.get_type::<errors::BadInput>())?;
    module.add("AgentError", py.get_type::<errors::AgentFailure>())?;
    module.add("RunError", py.get_type::<errors::RunFailure>())?;
    module.add_class::<game::PyGame>()?;
    module.add_class::<game::State>()?;
    module.add_function(wrap_pyfunction!(game::open_game, module)?)?;
    module.add_function(wrap_pyfunction!(game::registered_names, module)?)?;
    module.add_function(wrap_pyfunction!(own_game::own_game, module)?)?;
    module.add_class::<agent::PyAgent>()?;
    module.add_class::<agent::Choice>()?;
    module.add_class::<agent::Candidate>()?;
    module.add_class::<agent::Solution>()?;
    module.add_function(wrap_pyfunction!(agent::solve_state, module)?)?;
    module.add_function(wrap_pyfunction!(agent::perft, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::play_experiment, module)?)?;
    module.add_class::<vector::PyBatch>()?;
    module.add_function(wrap_pyfunction!(records::records_of, module)?)?;
    module.add_function(wrap_pyfunction!(records::record_of, module)?)?;
    module.add_class::<search::PySearch>()?;
    module.add_function(wrap_pyfunction!(resources::prepare_programs, module)?)?;
    module.add_function(wrap_pyfunction!(resources::dismiss_programs, module)?)?;
    module.add_function(wrap_pyfunction!(resources::data_folder, module)?)?;
    Ok(())
}
