//! The run pipeline: a driver asks for jobs, an executor has them played, workers play them.

pub(crate) mod driver;
pub(crate) mod executor;
pub(crate) mod worker;
