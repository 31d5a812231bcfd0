//! What the agents of the minimax family promise: whatever they leave out, value and move are those of plain minimax.

use plyground_agents::{Minimax, Searcher};
use plyground_core::{
    Agent, Budget, Choice, Evaluator, Game, Heuristics, Limits, NoClock, Params, Rng, Scratch, Seed, Thought, Turn, Unwatched,
    Visitor,
};
use plyground_games::{infos, open};

/// A pseudo-random evaluator: nothing about the game helps a search to be right by luck.
struct Hashed;

impl<G: Game> Evaluator<G> for Hashed {
    fn score(&self, game: &G, state: &G::State) -> f32 {
        (game.hash(state) % 2_001) as f32 - 1_000.0
    }
    fn win_chance(&self, score: f32) -> f32 {
        0.5 + score / 4_000.0
    }
}

/// A rough one, so that many moves are equal.
struct Coarse;

impl<G: Game> Evaluator<G> for Coarse {
    fn score(&self, game: &G, state: &G::State) -> f32 {
        (game.hash(state) % 3) as f32 - 1.0
    }
}

fn think<G: Game>(agent: &mut impl Agent<G>, game: &G, state: &G::State, depth: u32, seed: Seed) -> Choice<G> {
    let budget = Budget { limits: Limits { depth: Some(depth), ..Limits::default() }, clock: &NoClock };
    agent.choose(Thought { game, state, budget, rng: &mut seed.rng(), watcher: &mut Unwatched }).unwrap()
}

/// The score of the chosen move in the mover's view and in the units of the evaluator.
fn score<G: Game>(choice: &Choice<G>) -> f64 {
    choice.facts.iter().find(|fact| fact.name == "score").expect("a search that was not stopped has a score").value
}

fn searcher<E>(spec: &str, evaluator: E) -> Searcher<E> {
    let (name, keys) = spec.split_once(':').unwrap_or((spec, ""));
    Searcher::new(name, &Params::parse(keys).unwrap(), evaluator).unwrap()
}

/// `count` positions with a player to move, from random games.
fn positions<G: Game>(game: &G, start: &G::State, count: usize, rng: &mut Rng) -> Vec<G::State> {
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    let mut state = start.clone();
    while found.len() < count {
        match game.turn(&state) {
            Turn::Over(_) => state = start.clone(),
            Turn::Chance => {
                let mv = game.random_outcome(&state, rng, &mut scratch);
                game.play(&mut state, mv);
            }
            Turn::Player(_) => {
                found.push(state.clone());
                let mv = game.random_move(&state, rng, &mut scratch);
                game.play(&mut state, mv);
            }
        }
    }
    found
}

/// Every agent, and every switch that keeps the value, in turn and together.
const EXACT: &[&str] = &[
    "alphabeta",
    "alphabeta:tt=0,order=none,iterative=off",
    "alphabeta:tt=0",
    "alphabeta:order=none",
    "alphabeta:tt=1,replace=always,iterative=off",
    "alphabeta:tt=1,replace=depth,order=hints",
    "alphabeta:tt=1,order=history+killers,aspiration=0",
    "alphabeta:aspiration=30,order=killers",
    "pvs",
    "pvs:tt=0,order=none,iterative=off",
    "pvs:tt=0,order=hints+killers",
    "pvs:tt=1,replace=depth,aspiration=2",
    "pvs:tt=1,replace=always,order=hash",
    "negascout:iterative=off,order=history",
    "mtdf",
    "mtdf:tt=0,order=none",
    "mtdf:iterative=off,tt=1,replace=always",
    "sss",
    "sss:iterative=off,tt=1,replace=depth",
    "sss:form=list",
    "sss:form=list,iterative=off,order=none",
    "sss:form=list,tt=0",
    "expectimax",
    "expectimax:star=1,tt=1,order=none",
    "expectimax:star=off,tt=0,iterative=off",
    "expectimax:star=2,tt=0,order=hints",
];

/// Plain minimax may visit so many positions.
const AFFORDABLE: u64 = 4_000;

struct Agreement {
    sample: &'static str,
    count: usize,
}

impl Visitor for Agreement {
    type Output = [usize; 6];

    /// How often each depth was compared.
    fn visit<G: Heuristics>(self, game: G, start: G::State) -> [usize; 6] {
        let mut rng = Seed(6).named(self.sample).rng();
        let mut compared = [0; 6];
        for (number, state) in positions(&game, &start, self.count, &mut rng).into_iter().enumerate() {
            let seed = Seed(7).numbered(number as u64);
            let mut branching = 1;
            for depth in 1..=6 {
                let here = || format!("{} depth {depth}: {}", self.sample, game.position_text(&state));
                let coarse = number % 4 == 3;
                let plain = if coarse {
                    think(&mut Minimax { evaluator: Coarse }, &game, &state, depth, seed)
                } else {
                    think(&mut Minimax { evaluator: Hashed }, &game, &state, depth, seed)
                };
                // All methods in turn, so that each of them meets all games.
                for spec in EXACT.iter().skip(number % 5).step_by(5) {
                    let choice = if coarse {
                        think(&mut searcher(spec, Coarse), &game, &state, depth, seed)
                    } else {
                        think(&mut searcher(spec, Hashed), &game, &state, depth, seed)
                    };
                    assert_eq!(score(&choice), score(&plain), "{spec}: {}", here());
                    assert_eq!(choice.mv, plain.mv, "{spec}: {}", here());
                }
                compared[depth as usize - 1] += 1;
                branching = plain.nodes / branching.max(1);
                if plain.nodes * branching.max(2) > AFFORDABLE {
                    break;
                }
                branching = plain.nodes;
            }
        }
        compared
    }
}

#[test]
fn every_search_has_the_value_and_the_move_of_plain_minimax() {
    for info in infos() {
        let mut compared = [0; 6];
        for &sample in info.samples {
            let count = 500_usize.div_ceil(info.samples.len());
            let done = open(sample, None, Agreement { sample, count }).unwrap();
            compared.iter_mut().zip(done).for_each(|(all, here)| *all += here);
        }
        println!("{}: {compared:?}", info.name);
        assert!(compared[0] >= 500, "{}: {compared:?}", info.name);
    }
}
