//! Two agents, many games: pairs with swapped seats from random openings.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::Result;
use plyground_core::{Player, Seed, Turn};
use plyground_match::{AgentFactory, Contestant, Pace, Played, PlayerFactory, Table, play_game};
use plyground_session::{NoResources, open};
use plyground_statistics::{GameResult, Tally};

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
pub struct Score {
    /// The games of the first agent.
    pub tally: Tally,
    /// Its longest thought, in milliseconds.
    pub slowest: f64,
    /// All its thoughts together, in milliseconds.
    pub thinking: f64,
    /// How many those were.
    pub moves: u64,
}

impl Score {
    fn add(&mut self, seat: Player, game: &Played) {
        self.tally.add(GameResult::of(seat, game.outcome.winner));
        let own = game.moves.iter().zip(&game.movers).filter(|(_, mover)| **mover == Some(seat));
        for ms in own.filter_map(|(played, _)| played.ms) {
            self.slowest = self.slowest.max(ms);
            self.thinking += ms;
            self.moves += 1;
        }
    }
}

impl Duel<'_> {
    /// Plays all games.
    pub fn play(&self) -> Result<Score> {
        let (next, total) = (AtomicU64::new(0), Mutex::new(Score::default()));
        thread::scope(|scope| {
            let worker = || -> Result<()> {
                loop {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= self.pairs {
                        return Ok(());
                    }
                    for seat in Player::BOTH {
                        let game = self.game(seat, self.seed.numbered(pair))?;
                        total.lock().expect("no worker panics while counting").add(seat, &game);
                    }
                }
            };
            let workers: Vec<_> = (0..self.threads).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("games do not panic"))
        })?;
        Ok(total.into_inner().expect("no worker panics while counting"))
    }

    /// Some random moves, such that the game is not over yet.
    fn opening(&self, seed: Seed) -> Result<Vec<String>> {
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
                return Ok(session.history().iter().map(|played| played.text.clone()).collect());
            }
        }
        unreachable!("some opening does not end the game")
    }

    /// The first agent plays in this seat.
    fn game(&self, first_agent: Player, seed: Seed) -> Result<Played> {
        let roster = AgentFactory(&NoResources);
        let [mut one, mut other] = [roster.invite(self.specs[0])?, roster.invite(self.specs[1])?];
        let mut contestants: [&mut dyn Contestant; 2] = [one.as_mut(), other.as_mut()];
        let mut seeds = [0, 1].map(|agent| seed.numbered(agent));
        if first_agent == Player::Second {
            contestants.reverse();
            seeds.reverse();
        }
        let table = Table {
            session: open(self.game, None)?,
            contestants,
            seeds,
            luck: seed.named("luck").rng(),
            opening: &self.opening(seed)?,
            stop: &|| false,
            moved: &|_, _| {},
        };
        Ok(play_game(table, Pace::default())?.expect("nobody stops it"))
    }
}
