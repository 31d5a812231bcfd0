//! Faults: games that are lost without being lost on the board.

/// The reason why a player lost a game that it did not lose on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The player ended, or gave an error instead of a move.
    Crashed(String),
    /// The player gave a move that the rules do not allow.
    Cheated(String),
    /// The player answered too late.
    Overran(String),
    /// The player did not answer.
    Stalled(String),
}

impl Fault {
    /// One word for it, as it is kept and counted.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Crashed(_) => "crashed",
            Self::Cheated(_) => "cheated",
            Self::Overran(_) => "overran",
            Self::Stalled(_) => "stalled",
        }
    }

    /// The fault in words.
    pub fn detail(&self) -> &str {
        match self {
            Self::Crashed(detail) | Self::Cheated(detail) | Self::Overran(detail) | Self::Stalled(detail) => detail,
        }
    }
}
