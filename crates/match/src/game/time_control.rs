//! The time that the players of a game have.

use std::time::Duration;

use plyground_core::{Limits, clock_share};

/// A time control: the time for moves and games, and what happens to a player that does not keep to it.
#[derive(Clone, Copy, Debug)]
pub struct TimeControl {
    /// The limits of every move; where nothing is limited, each agent keeps to its own limits.
    pub limits: Limits,
    /// The clock: the time for all moves of a player in a game.
    pub clock: Option<Duration>,
    /// The time for all moves of both players; when it is over, the points decide.
    pub game_time: Option<Duration>,
    /// The players that are not told the limits because they have their own. They must keep to the time all the same.
    pub own_limits: [bool; 2],
    /// The tolerance: how much later than its time an answer may come, since the machine has other work, too.
    pub grace: Duration,
    /// A player that has not answered after this time, and all the time that it had, has stalled.
    pub patience: Option<Duration>,
    /// The speed of the clocks: 2 on a computer that is twice as fast as the one that the times are meant for.
    pub clock_speed: f64,
}

impl Default for TimeControl {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            clock: None,
            game_time: None,
            own_limits: [false; 2],
            grace: Duration::from_millis(100),
            patience: None,
            clock_speed: 1.0,
        }
    }
}

/// The patience with agents that know how long they may think, and with those that keep to limits of their own.
const PATIENCE_AFTER_TIME: Duration = Duration::from_secs(10);
const PATIENCE_WITHOUT_TIME: Duration = Duration::from_mins(10);

/// The time for one move.
#[derive(Clone, Copy)]
pub(super) struct MoveTime {
    pub control: TimeControl,
    /// The time left on the player's clock.
    pub clock_left: Option<Duration>,
    /// The time left for the game.
    pub game_left: Option<Duration>,
}

impl MoveTime {
    /// The limits of the move: those of every move, a share of the clock, and what is left of the game.
    pub fn limits(&self) -> Limits {
        let mut limits = self.control.limits;
        for most in [self.clock_left.map(clock_share), self.game_left].into_iter().flatten() {
            limits.time = Some(limits.time.unwrap_or(Duration::MAX).min(most));
        }
        limits
    }

    /// The time after which the player has stalled.
    pub fn patience(&self) -> Duration {
        let time = self.limits().time;
        let usual = if time.is_some() { PATIENCE_AFTER_TIME } else { PATIENCE_WITHOUT_TIME };
        time.unwrap_or_default() + self.control.patience.unwrap_or(usual)
    }

    /// The limit that a move of this duration exceeded, in words; `used` is the time for all moves of the player with this one.
    pub fn exceeded_by(&self, took: Duration, used: Duration) -> Option<String> {
        let late = |allowed: Duration| took > allowed + self.control.grace;
        if let Some(allowed) = self.control.limits.time.filter(|&allowed| late(allowed)) {
            return Some(format!("{} for a move, {} were allowed", shown(took), shown(allowed)));
        }
        if let (Some(clock), Some(_)) = (self.control.clock, self.clock_left.filter(|&left| late(left))) {
            return Some(format!("{} for the game, {} were allowed", shown(used), shown(clock)));
        }
        self.game_left.is_some_and(late).then(|| "the time of the game is over".to_owned())
    }
}

/// A time in seconds, as messages have it.
pub(crate) fn shown(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}
