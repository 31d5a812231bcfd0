//! The JSON protocol of the app's page: one for the WebSocket of a server and for the engine in the browser.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod api;
mod request;

pub use api::{Allowance, Api, Tell};
pub use request::{PageMessage, PageRequest};
