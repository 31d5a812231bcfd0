//! The clock of a game between people.

use plyground_core::Player;

use super::request::ClockOrder;

/// Two clocks of which one runs. All times are milliseconds; `now` is whatever the caller counts from.
#[derive(Clone, Copy, Debug)]
pub struct FriendClock {
    order: ClockOrder,
    /// What each player had left when the running clock was started.
    left: [u64; 2],
    /// Whose clock runs, and since when.
    running: Option<(Player, u64)>,
}

impl FriendClock {
    pub fn new(order: ClockOrder) -> Self {
        Self { order, left: [u64::from(order.seconds) * 1000; 2], running: None }
    }

    /// The same clock before a game.
    pub fn again(self) -> Self {
        Self::new(self.order)
    }

    /// What a player has left.
    pub fn left(&self, player: Player, now: u64) -> u64 {
        let left = self.left[player.index()];
        match self.running {
            Some((running, since)) if running == player => left.saturating_sub(now.saturating_sub(since)),
            _ => left,
        }
    }

    /// The player whose clock runs.
    pub fn running(&self) -> Option<Player> {
        self.running.map(|(player, _)| player)
    }

    /// A move was made: its player gets the increment, and the clock of `next` runs.
    pub fn press(&mut self, mover: Player, next: Option<Player>, now: u64) {
        let ran = self.running() == Some(mover);
        self.left[mover.index()] = self.left(mover, now) + if ran { u64::from(self.order.increment) * 1000 } else { 0 };
        self.running = next.map(|player| (player, now));
    }

    /// The game is over.
    pub fn stop(&mut self, now: u64) {
        for player in [Player::First, Player::Second] {
            self.left[player.index()] = self.left(player, now);
        }
        self.running = None;
    }

    /// The player who has no time left.
    pub fn fallen(&self, now: u64) -> Option<Player> {
        self.running().filter(|&player| self.left(player, now) == 0)
    }

    /// When the running clock falls.
    pub fn deadline(&self) -> Option<u64> {
        self.running.map(|(player, since)| since + self.left[player.index()])
    }
}
