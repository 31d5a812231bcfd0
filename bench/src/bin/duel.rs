//! Two agents in pairs of games with swapped seats, each with its speed, its depth, and the share of moves that take back the one before.
//! Times in specs are processor times (on Linux), so that a busy machine takes nothing from either side.
//!
//! `cargo run --release -p plyground-bench --bin duel -- GAME SPEC SPEC PAIRS SEED`

use std::time::Duration;

use plyground_agents::AgentSpec;
use plyground_core::{
    Agent, Budget, Clock, InputError, MoveSquares, NoObserver, PlayableGame, Player, Resources, Scratch, SearchRequest, Seed,
    Turn, Visitor,
};
use plyground_session::build_agent;

type Failure = Box<dyn std::error::Error>;

/// Random plies at the beginning of a game.
const OPENING: u64 = 4;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [game, one, other, pairs, seed] = args.as_slice() else {
        return Err("expected GAME SPEC SPEC PAIRS SEED".into());
    };
    let duel = Duel { specs: [one, other], pairs: pairs.parse()?, seed: Seed(seed.parse()?) };
    plyground_games::open(game, None, duel)?
}

/// Files by their names.
struct Files;

impl Resources for Files {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        std::fs::read(name).map_err(|error| InputError::malformed("file", name, error.to_string()))
    }
}

/// The processor time of this thread since a moment.
struct ProcessorClock(u64);

impl ProcessorClock {
    fn start() -> Self {
        Self(Self::nanoseconds())
    }

    fn nanoseconds() -> u64 {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or_default()
    }
}

impl Clock for ProcessorClock {
    fn elapsed(&self) -> Duration {
        Duration::from_nanos(Self::nanoseconds().saturating_sub(self.0))
    }
}

/// What an agent did in all games.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    rewards: f64,
    nodes: u64,
    time: Duration,
    moves: u32,
    depths: u32,
    taken_back: u32,
}

struct Duel<'a> {
    specs: [&'a str; 2],
    pairs: u64,
    seed: Seed,
}

impl Visitor for Duel<'_> {
    type Output = Result<(), Failure>;

    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Self::Output {
        let mut accounts = [Account::default(); 2];
        for pair in 0..self.pairs {
            for first in [0, 1] {
                self.play(&game, &start, self.seed.numbered(pair), first, &mut accounts)?;
            }
        }
        for (spec, account) in self.specs.iter().zip(accounts) {
            let per_move = |sum: f64| sum / f64::from(account.moves.max(1));
            let seconds = account.time.as_secs_f64();
            println!(
                "{spec}\n    {} of {} points, {:.1} million positions a second, {:.1} ms a move, depth {:.1}, {:.0} % of the moves taken back",
                account.rewards,
                2 * self.pairs,
                account.nodes as f64 / seconds.max(1e-9) / 1e6,
                per_move(1e3 * seconds),
                per_move(f64::from(account.depths)),
                per_move(1e2 * f64::from(account.taken_back))
            );
        }
        Ok(())
    }
}

impl Duel<'_> {
    /// A game in which the agent with this number moves first.
    fn play<G: PlayableGame>(
        &self,
        game: &G,
        start: &G::State,
        seed: Seed,
        first: usize,
        accounts: &mut [Account; 2],
    ) -> Result<(), Failure> {
        let specs = [AgentSpec::parse(self.specs[0], game)?, AgentSpec::parse(self.specs[1], game)?];
        let mut agents = [build_agent(&specs[0], game, &Files)?, build_agent(&specs[1], game, &Files)?];
        let (mut state, mut rng, mut scratch) = (start.clone(), seed.rng(), Scratch::default());
        let (mut plies, mut last) = (0, [MoveSquares::default(); 2]);
        loop {
            let mv = match game.turn(&state) {
                Turn::Over(outcome) => {
                    for (number, account) in accounts.iter_mut().enumerate() {
                        account.rewards += f64::from(outcome.reward(Player::BOTH[number ^ first]));
                    }
                    return Ok(());
                }
                Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
                Turn::Player(_) if plies < OPENING => {
                    plies += 1;
                    game.random_move(&state, &mut rng, &mut scratch)
                }
                Turn::Player(player) => {
                    plies += 1;
                    let number = player.index() ^ first;
                    let clock = ProcessorClock::start();
                    let budget = Budget { limits: specs[number].limits()?, clock: &clock };
                    let mut own = seed.numbered(plies).rng();
                    let request = SearchRequest { game, state: &state, budget, rng: &mut own, observer: &mut NoObserver };
                    let choice = agents[number].choose(request)?;
                    let account = &mut accounts[number];
                    account.time += clock.elapsed();
                    account.nodes += choice.nodes;
                    account.moves += 1;
                    account.depths += choice.depth.unwrap_or_default();
                    let moved = game.move_squares(&state, choice.mv);
                    let is_back = moved.from.is_some() && (moved.from, moved.to) == (last[number].to, last[number].from);
                    account.taken_back += u32::from(is_back);
                    last[number] = moved;
                    choice.mv
                }
            };
            game.play(&mut state, mv);
        }
    }
}
