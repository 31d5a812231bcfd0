//! The messages of people who play each other.

use plyground_core::{InputError, Player};
use serde::Deserialize;

/// A message of a page. The first of a connection opens or joins a game; the others belong to that game.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FriendRequest {
    /// A new game, with a seat for the one who asks.
    Open(FriendOrder),
    /// A seat in a game, or a place to watch.
    Join {
        /// The name of the game, from its link.
        table: String,
        /// The key of a seat that was taken before.
        #[serde(default)]
        key: Option<String>,
    },
    /// A move, by the number of moves before it: a page that does not know whether its move has arrived sends it again.
    Play {
        /// Its text.
        #[serde(rename = "move")]
        text: String,
        /// The moves and outcomes of chance before it.
        ply: usize,
    },
    /// Gives the game up.
    Resign,
    /// Asks for the next game, with the sides swapped, or agrees to it.
    Rematch,
}

impl FriendRequest {
    /// Reads a message.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        serde_json::from_str(text).map_err(|error| {
            let found: String = text.chars().take(100).collect();
            InputError::malformed("message", &found, error.to_string())
        })
    }
}

/// The game that is to be played.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FriendOrder {
    /// Its spec.
    pub game: String,
    /// The position that it begins with, if that is not the usual start.
    #[serde(default)]
    pub start: Option<String>,
    /// The side of the one who asks.
    #[serde(default)]
    pub side: Side,
    /// The clock; without one, there is as much time as people like.
    #[serde(default)]
    pub clock: Option<ClockOrder>,
}

/// A side, or whichever it comes to.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The first player.
    First,
    /// The second player.
    Second,
    /// Drawn by lot.
    #[default]
    Random,
}

impl Side {
    /// The player; `lot` decides where that is left open.
    pub fn player(self, lot: bool) -> Player {
        match self {
            Self::First => Player::First,
            Self::Random if lot => Player::First,
            Self::Second | Self::Random => Player::Second,
        }
    }
}

/// Time for a game, and what each move adds to it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockOrder {
    /// Seconds for all moves of a player.
    pub seconds: u32,
    /// Seconds added by each move.
    #[serde(default)]
    pub increment: u32,
}

/// The longest time of a clock, and the longest increment, in seconds.
const LONGEST: u32 = 3 * 60 * 60;
const LONGEST_INCREMENT: u32 = 3 * 60;

impl ClockOrder {
    /// Refuses times with which no game can be played.
    pub fn check(self) -> Result<(), InputError> {
        let fits = (1..=LONGEST).contains(&self.seconds) && self.increment <= LONGEST_INCREMENT;
        let found = format!("{} s + {} s", self.seconds, self.increment);
        let expected = format!("expected 1 to {LONGEST} s, and an increment of at most {LONGEST_INCREMENT} s");
        if fits { Ok(()) } else { Err(InputError::malformed("clock", &found, expected)) }
    }
}
