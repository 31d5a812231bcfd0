//! The run pipeline: a driver requests jobs, an executor has them played, workers play them, and observers are told what happens.

pub(crate) mod driver;
pub(crate) mod event;
pub(crate) mod executor;
pub(crate) mod rounds;
pub(crate) mod worker;
