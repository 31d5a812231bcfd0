//! Two agents, many games: pairs with swapped seats from random openings.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use plyground_core::{Outcome, Player, Seed, Turn};
use plyground_table::{EmptyShelf, Limits, Session, Unwatched, open};

use crate::WallClock;

/// What is played.
pub struct Duel<'a> {
    /// The game.
    pub game: &'a str,
    /// The two agents; results are those of the first one.
    pub specs: [&'a str; 2],
    /// How many pairs of games.
    pub pairs: u64,
    /// Random plies at the beginning of each pair, the same for both of its games.
    pub opening_plies: u32,
    /// Everything random follows from it.
    pub seed: Seed,
    /// Games at the same time.
    pub threads: u64,
}

/// How it ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Games won, drawn and lost by the first agent.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Lost games.
    pub losses: u64,
    /// The longest thought of the first agent.
    pub slowest: Duration,
    /// The time of all thoughts of the first agent.
    pub thinking: Duration,
    /// How many those were.
    pub moves: u64,
}

impl Tally {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, a draw being half a point.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games().max(1) as f64
    }

    /// The 95 % interval of the score (Wilson 1927, with draws as half points).
    pub fn interval(&self) -> (f64, f64) {
        let (n, p, z) = (self.games().max(1) as f64, self.score(), 1.96_f64);
        let middle = p + z * z / (2.0 * n);
        let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((middle - half) / (1.0 + z * z / n), (middle + half) / (1.0 + z * z / n))
    }

    fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.slowest = self.slowest.max(other.slowest);
        self.thinking += other.thinking;
        self.moves += other.moves;
    }
}

impl Duel<'_> {
    /// Plays all games.
    pub fn play(&self) -> Result<Tally> {
        let (next, total) = (AtomicU64::new(0), Mutex::new(Tally::default()));
        thread::scope(|scope| {
            let worker = || -> Result<()> {
                loop {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= self.pairs {
                        return Ok(());
                    }
                    let tally = self.pair(self.seed.numbered(pair))?;
                    total.lock().expect("no worker panics while counting").add(&tally);
                }
            };
            let workers: Vec<_> = (0..self.threads).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("games do not panic"))
        })?;
        Ok(total.into_inner().expect("no worker panics while counting"))
    }

    fn pair(&self, seed: Seed) -> Result<Tally> {
        let mut tally = Tally::default();
        for seat in Player::BOTH {
            let mut session = self.opening(seed)?;
            let outcome = self.game(session.as_mut(), seat, seed, &mut tally)?;
            match outcome.winner {
                None => tally.draws += 1,
                Some(winner) if winner == seat => tally.wins += 1,
                Some(_) => tally.losses += 1,
            }
        }
        Ok(tally)
    }

    /// Some random moves, such that the game is not over yet.
    fn opening(&self, seed: Seed) -> Result<Box<dyn Session>> {
        for attempt in 0.. {
            let mut session = open(self.game, None)?;
            let mut rng = seed.named("opening").numbered(attempt).rng();
            let mut plies = 0;
            while plies < self.opening_plies {
                if session.roll(&mut rng).is_some() {
                    continue;
                }
                let moves = session.moves();
                if moves.is_empty() {
                    break;
                }
                session.play(&moves[rng.below(moves.len() as u32) as usize].text)?;
                plies += 1;
            }
            if !matches!(session.turn(), Turn::Over(_)) {
                return Ok(session);
            }
        }
        unreachable!("some opening does not end the game")
    }

    fn game(&self, session: &mut dyn Session, first_agent: Player, seed: Seed, tally: &mut Tally) -> Result<Outcome> {
        let mut luck = seed.named("luck").rng();
        let agents = [0, 1].map(|agent| session.seat(self.specs[agent], seed.numbered(agent as u64), &EmptyShelf));
        let [one, other] = agents;
        let agents = [one?, other?];
        loop {
            match session.turn() {
                Turn::Over(outcome) => return Ok(outcome),
                Turn::Chance => {
                    session.roll(&mut luck);
                }
                Turn::Player(player) => {
                    let agent = usize::from(player != first_agent);
                    let advice = session.think(agents[agent], Limits::default(), &WallClock::start(), &mut Unwatched)?;
                    if agent == 0 {
                        tally.slowest = tally.slowest.max(advice.elapsed);
                        tally.thinking += advice.elapsed;
                        tally.moves += 1;
                    }
                    session.play(&advice.mv)?;
                }
            }
        }
    }
}
