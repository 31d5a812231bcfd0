//! Errors as Python exceptions, with our sentences.

use plyground_core::{AgentError, InputError};
use plyground_match::RunError;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    plyground,
    BadInput,
    PyValueError,
    "A text, a number or an object that cannot be used; the message says what was expected."
);
create_exception!(plyground, AgentFailure, PyRuntimeError, "An agent that gave no move.");
create_exception!(plyground, RunFailure, PyRuntimeError, "A match that could not be played to its end.");

pub(crate) fn input(error: InputError) -> PyErr {
    BadInput::new_err(error.to_string())
}

pub(crate) fn agent(error: AgentError) -> PyErr {
    AgentFailure::new_err(error.to_string())
}

pub(crate) fn run(error: RunError) -> PyErr {
    match error {
        RunError::Input(error) => input(error),
        other => RunFailure::new_err(other.to_string()),
    }
}

/// Input that is wrong in a way for which no other words exist.
pub(crate) fn bad(text: impl Into<String>) -> PyErr {
    BadInput::new_err(text.into())
}
