//! How strong a network is by now: games against opponents that never change.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use plyground_core::{InputError, Player, Resources, Seed};
use plyground_match::{AgentFactory, Book, Experiment, Openings, Pace, PlayerFactory, Table, opening_plies, play_game};
use plyground_session::open;
use plyground_statistics::{EloEstimate, GameResult, MatchResult, elo_of_score, logistic_elo, score_of_elo};
use serde::{Deserialize, Serialize};

/// The opponents that every network is measured by, weakest first.
pub const ANCHORS: [&str; 5] = ["random", "mc:playouts=10", "mcts:sims=100", "mcts:sims=1000", "alphabeta:depth=4"];

/// The name under which the network in training stands on the shelf.
const CURRENT: &str = "current";

/// What a network has achieved against an opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Who played: with a search, or alone.
    pub player: String,
    /// The opponent.
    pub anchor: String,
    /// Games.
    pub games: u64,
    /// The share of the points.
    pub score: f64,
    /// The ends of the 95 % interval of the difference in Elo.
    pub elo: [f64; 2],
}

impl Measured {
    /// The difference in Elo; where everything was won or lost, the end of it that is known.
    pub fn elo_value(&self) -> f64 {
        match self.score {
            score if score >= 1.0 => self.elo[0],
            score if score <= 0.0 => self.elo[1],
            score => elo_of_score(score),
        }
    }

    /// The ends of the 95 % interval of the score.
    pub fn score_ends(&self) -> [f64; 2] {
        self.elo.map(score_of_elo)
    }
}

/// What is to be played.
pub struct Trial<'a> {
    /// The game with its parameters.
    pub game: &'a str,
    /// From which all randomness comes.
    pub seed: u64,
    /// The opponents, weakest first.
    pub anchors: &'a [String],
    /// Pairs of games against each of them.
    pub pairs: usize,
    /// Simulations of the network's search.
    pub sims: u32,
}

/// The file of a network, and all others from the shelf behind.
struct Candidate<'a> {
    file: &'a [u8],
    others: &'a (dyn Resources + Sync),
}

impl Resources for Candidate<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        if name == CURRENT { Ok(self.file.to_vec()) } else { self.others.read(name) }
    }
}

/// Plays the games. `told` hears how many of how many pairs have been played. `None` if it was told to stop.
pub fn measure(
    trial: &Trial<'_>,
    file: &[u8],
    others: &(dyn Resources + Sync),
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Option<Vec<Measured>>, InputError> {
    let shelf = Candidate { file, others };
    let players = [("search", format!("az:net={CURRENT},sims={}", trial.sims)), ("alone", format!("net:net={CURRENT}"))];
    let mut meetings = Vec::new();
    for (name, spec) in &players {
        // Without a search it is measured by one opponent only: its own line, not a table.
        let anchors = if *name == "alone" { &trial.anchors[..trial.anchors.len().min(2)] } else { trial.anchors };
        meetings.extend(anchors.iter().map(|anchor| (*name, spec.clone(), anchor.clone())));
    }
    let pairs = trial.pairs;
    let experiment = Experiment {
        openings: Openings::Random { plies: opening_plies(trial.game)? },
        seed: trial.seed,
        ..Experiment::new(trial.game, &["random".to_owned()], others)?
    };
    let mut book = Book::new(&experiment)?;
    let openings: Vec<Vec<String>> =
        (0..pairs).map(|number| book.opening(number).map(<[String]>::to_vec)).collect::<Result<_, _>>()?;
    let jobs: Vec<(usize, usize)> = (0..meetings.len()).flat_map(|meeting| (0..pairs).map(move |pair| (meeting, pair))).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(Ok(vec![MatchResult::default(); meetings.len()]));
    let work = || {
        while let Some(&(meeting, pair)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (_, player, anchor) = &meetings[meeting];
            let seed = Seed(trial.seed).named(player).named(anchor).numbered(pair as u64);
            let played = play_pair(trial.game, [player, anchor], &openings[pair], seed, &shelf, stop);
            let mut results = results.lock().expect("no thread has panicked");
            match (played, &mut *results) {
                (Ok(Some(pair)), Ok(results)) => results[meeting].add_pair(pair),
                (Err(error), results) => {
                    *results = Err(error);
                    return;
                }
                (Ok(_), _) => return,
            }
            told(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().expect("no thread has panicked")?;
    if stop() {
        return Ok(None);
    }
    let measured = meetings.into_iter().zip(results).map(|((player, _, anchor), result)| {
        let sample = result.sample();
        let elo = match logistic_elo(&sample) {
            EloEstimate::Unknown => [-4_800.0, 4_800.0],
            EloEstimate::AtLeast(low) => [low, 4_800.0],
            EloEstimate::AtMost(high) => [-4_800.0, high],
            EloEstimate::About { low, high, .. } => [low, high],
        };
        Measured { player: player.to_owned(), anchor, games: sample.games as u64, score: sample.mean, elo }
    });
    Ok(Some(measured.collect()))
}

/// One opening, both ways round; the results are the first one's.
fn play_pair(
    game: &str,
    specs: [&str; 2],
    opening: &[String],
    seed: Seed,
    shelf: &Candidate<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<[GameResult; 2]>, InputError> {
    let roster = AgentFactory(shelf);
    let mut results = [GameResult::Draw; 2];
    for (number, result) in results.iter_mut().enumerate() {
        let seat = Player::BOTH[number];
        let order = if number == 0 { specs } else { [specs[1], specs[0]] };
        let mut contestants = [roster.invite(order[0])?, roster.invite(order[1])?];
        let [first, second] = &mut contestants;
        let game_seed = seed.numbered(number as u64);
        let table = Table {
            session: open(game, None)?,
            contestants: [first.as_mut(), second.as_mut()],
            seeds: [game_seed.named("first"), game_seed.named("second")],
            luck: seed.named("luck").rng(),
            opening,
            stop,
            moved: &|_, _| (),
        };
        let Some(played) = play_game(table, Pace::default())? else { return Ok(None) };
        *result = GameResult::of(seat, played.outcome.winner);
    }
    Ok(Some(results))
}
