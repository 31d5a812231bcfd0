//! The addresses that get no seat for a while, because they sent noise from one.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The time for which an address gets no seat.
const TERM: Duration = Duration::from_mins(1);
/// The most addresses that are remembered.
const MOST: usize = 4096;

/// The addresses, with ports, that get no seat for a while. A host behind the same address with another port is not among them.
#[derive(Debug, Default)]
pub(super) struct Expelled(HashMap<SocketAddr, Instant>);

impl Expelled {
    /// Adds an address.
    pub fn add(&mut self, address: SocketAddr) {
        if self.0.len() >= MOST {
            self.0.retain(|_, since| since.elapsed() < TERM);
        }
        if self.0.len() < MOST {
            self.0.insert(address, Instant::now());
        }
    }

    /// Is this address one of them?
    pub fn contains(&self, address: SocketAddr) -> bool {
        self.0.get(&address).is_some_and(|since| since.elapsed() < TERM)
    }
}
