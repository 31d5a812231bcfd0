//! The quantities of a study: shares of games, plies, points.

use plyground_statistics::{Interval, per_cent};

/// A quantity that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyMeasure {
    /// The share of the points.
    Score,
    /// The share of the games won.
    Won,
    /// The share of the games drawn.
    Drawn,
    /// The share of the games lost.
    Lost,
    /// The plies of a game.
    Plies,
    /// The points on the board at the end of a game.
    Points,
    /// The same of the opponent.
    OpponentPoints,
}

impl StudyMeasure {
    /// The name in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
            Self::Plies => "plies",
            Self::Points => "points",
            Self::OpponentPoints => "opponent's points",
        }
    }

    /// The unit of numbers of this quantity.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Score | Self::Won | Self::Drawn | Self::Lost => "per cent",
            Self::Plies => "plies",
            Self::Points | Self::OpponentPoints => "points",
        }
    }

    fn is_share(self) -> bool {
        self.unit() == "per cent"
    }

    /// A share in per cent, plies and points as they are.
    pub(crate) fn number(self, value: f64) -> String {
        if self.is_share() { per_cent(value) } else { format!("{value:.1}") }
    }

    pub(crate) fn range(self, interval: Interval) -> String {
        if self.is_share() { interval.to_string() } else { format!("[{:.1}, {:.1}]", interval.low, interval.high) }
    }

    /// The factor of a number where it is shown.
    pub fn scale(self) -> f64 {
        if self.is_share() { 100.0 } else { 1.0 }
    }

    /// The distance from zero within which a difference does not matter: 10 percentage points, and a tenth of published plies or points.
    pub(crate) fn margin(self, published: f64) -> f64 {
        if self.is_share() { 0.1 } else { 0.1 * published }
    }

    /// Published figures were rounded: shares to a tenth of a per cent, plies to a tenth.
    pub(crate) fn rounding(self) -> f64 {
        if self.is_share() { 0.0005 } else { 0.05 }
    }
}
