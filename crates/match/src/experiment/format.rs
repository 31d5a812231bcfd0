//! The forms of tournaments.

use serde::{Deserialize, Serialize};

/// The form of a tournament: who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every agent against every other one.
    RoundRobin,
    /// The first agent against all others.
    Gauntlet,
    /// Every agent against itself.
    SelfPlay,
    /// A Swiss tournament: in each round agents with about the same score meet. The pairings depend on the number of pairs, so it
    /// belongs to the format.
    Swiss {
        /// The number of rounds.
        rounds: u32,
        /// The pairs of games of each pairing.
        pairs: u64,
    },
    /// Single games with fixed seats, as in competitions: each is kept as soon as it is over.
    Games {
        /// The rounds of a Swiss system; without them every entrant meets every other one.
        rounds: Option<u32>,
        /// Does each pairing play a second game with the seats swapped?
        double: bool,
    },
}

impl Format {
    /// A Swiss tournament of so many agents. By default it has as many rounds as a knock-out would take, and two more: then the order of
    /// the best is hardly luck.
    pub fn swiss(agents: usize, rounds: Option<u32>, pairs: u64) -> Self {
        Self::Swiss { rounds: rounds.unwrap_or_else(|| agents.next_power_of_two().ilog2() + 2), pairs }
    }
}
