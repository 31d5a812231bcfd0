//! What the agents of the minimax family promise: whatever they leave out, value and move are those of plain minimax; and what changes
//! the value changes it as its definition says.

use plyground_agents::{Minimax, Searcher};
use plyground_core::{
    Agent, Budget, Choice, Evaluator, Game, Heuristics, Limits, NoClock, Params, Rng, Scratch, Seed, Thought, Turn, Unwatched,
    Visitor, WIN_SCORE,
};
use plyground_games::{infos, open};

/// Judges positions without anything about the game that might help a search to be right by luck, or as the game itself does.
enum Judge<E> {
    /// Pseudo-random.
    Hashed,
    /// A rough one, so that many moves are equal.
    Coarse,
    /// The game's first evaluator.
    Own(E),
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Judge<E> {
    fn score(&self, game: &G, state: &G::State) -> f32 {
        match self {
            Self::Hashed => (game.hash(state) % 2_001) as f32 - 1_000.0,
            Self::Coarse => (game.hash(state) % 3) as f32 - 1.0,
            Self::Own(own) => own.score(game, state),
        }
    }
    fn win_chance(&self, score: f32) -> f32 {
        match self {
            Self::Hashed | Self::Coarse => 0.5 + score / 4_000.0,
            Self::Own(own) => own.win_chance(score),
        }
    }
    fn judges_children_at_once(&self) -> bool {
        matches!(self, Self::Own(own) if own.judges_children_at_once())
    }
    fn evaluate_children(&self, game: &G, state: &G::State, moves: &[G::Move], scores: &mut Vec<f32>) {
        match self {
            Self::Own(own) => own.evaluate_children(game, state, moves, scores),
            Self::Hashed | Self::Coarse => {
                scores.clear();
                scores.extend(moves.iter().map(|&mv| {
                    let child = after(game, state, mv);
                    match game.turn(&child) {
                        Turn::Over(outcome) => outcome.value() * WIN_SCORE,
                        Turn::Player(_) | Turn::Chance => self.score(game, &child),
                    }
                }));
            }
        }
    }
}

/// One of three judges by number.
fn judge<G: Heuristics>(game: &G, number: usize) -> Judge<G::Evaluator> {
    match number % 3 {
        0 => Judge::Hashed,
        1 => Judge::Coarse,
        _ => Judge::Own(game.evaluator(G::evaluators()[0].name, &Params::default()).unwrap()),
    }
}

fn after<G: Game>(game: &G, state: &G::State, mv: G::Move) -> G::State {
    let mut child = state.clone();
    game.play(&mut child, mv);
    child
}

fn legal<G: Game>(game: &G, state: &G::State) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    moves
}

fn think<G: Game>(agent: &mut impl Agent<G>, game: &G, state: &G::State, depth: u32, seed: Seed) -> Choice<G> {
    let budget = Budget { limits: Limits { depth: Some(depth), ..Limits::default() }, clock: &NoClock };
    agent.choose(Thought { game, state, budget, rng: &mut seed.rng(), watcher: &mut Unwatched }).unwrap()
}

fn fact<G: Game>(choice: &Choice<G>, name: &str) -> Option<f64> {
    choice.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
}

/// The score of the chosen move in the mover's view and in the units of the evaluator.
fn score<G: Game>(choice: &Choice<G>) -> f32 {
    fact(choice, "score").expect("a search that was not stopped has a score") as f32
}

fn searcher<E>(spec: &str, evaluator: E) -> Searcher<E> {
    let (name, keys) = spec.split_once(':').unwrap_or((spec, ""));
    Searcher::new(name, &Params::parse(keys).unwrap(), evaluator).unwrap()
}

/// The positions of a random game in which a player is to move.
fn random_game<G: Game>(game: &G, start: &G::State, rng: &mut Rng) -> Vec<G::State> {
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    let mut state = start.clone();
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(_) => return found,
            Turn::Chance => game.random_outcome(&state, rng, &mut scratch),
            Turn::Player(_) => {
                found.push(state.clone());
                game.random_move(&state, rng, &mut scratch)
            }
        };
        game.play(&mut state, mv);
    }
}

/// A tree to a fixed depth.
#[derive(Clone, Copy)]
struct Tree {
    /// All positions but the root.
    nodes: u64,
    /// Is there a line as long as the depth?
    is_deep: bool,
}

/// The tree below a position, if it has at most so many nodes.
fn tree<G: Game>(game: &G, state: &G::State, depth: u32, most: u64) -> Option<Tree> {
    fn grow<G: Game>(game: &G, state: &G::State, depth: u32, most: u64, tree: &mut Tree) -> Option<()> {
        let (mut children, mut left) = (Vec::new(), depth);
        match game.turn(state) {
            Turn::Over(_) => {}
            Turn::Player(_) if depth == 0 => tree.is_deep = true,
            Turn::Player(_) => {
                children = legal(game, state);
                left -= 1;
            }
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.chance(state, &mut outcomes);
                children.extend(outcomes.iter().map(|&(outcome, _)| outcome));
            }
        }
        for mv in children {
            tree.nodes += 1;
            if tree.nodes > most {
                return None;
            }
            grow(game, &after(game, state, mv), left, most, tree)?;
        }
        Some(())
    }
    let mut found = Tree { nodes: 0, is_deep: false };
    grow(game, state, depth, most, &mut found)?;
    Some(found)
}

/// Positions of random games with trees of that depth that have at most so many nodes and are nowhere near the end of all lines: at most
/// three of a game, at most `count`.
fn positions<G: Game>(game: &G, start: &G::State, depth: u32, most: u64, count: usize, rng: &mut Rng) -> Vec<(G::State, Tree)> {
    let mut found = Vec::new();
    let mut games = 0;
    // A board that has hardly any such positions is given up.
    while found.len() < count && games < 60 + 8 * found.len() {
        games += 1;
        // From the end of the game on backwards, trees grow, though not with every move.
        let mut played = random_game(game, start, rng);
        played.reverse();
        let mut too_large = 0;
        let trees = played.into_iter().map_while(|state| {
            let tree = tree(game, &state, depth, most);
            too_large += u32::from(tree.is_none());
            (too_large < 2).then_some((state, tree))
        });
        let mut deep: Vec<_> =
            trees.filter_map(|(state, tree)| tree.filter(|tree| tree.is_deep).map(|tree| (state, tree))).collect();
        rng.shuffle(&mut deep);
        found.extend(deep.into_iter().take(3));
    }
    found.truncate(count);
    found
}

/// Every agent, and every switch that keeps the value, in turn and together.
const EXACT: &[&str] = &[
    "alphabeta:tt=2",
    "alphabeta:tt=0,order=none,iterative=off",
    "alphabeta:tt=0",
    "alphabeta:tt=1,order=none",
    "alphabeta:tt=1,replace=always,iterative=off",
    "alphabeta:tt=1,replace=depth,order=hints",
    "alphabeta:tt=1,order=history+killers,aspiration=0",
    "alphabeta:tt=2,aspiration=30,order=killers",
    "pvs:tt=2",
    "pvs:tt=0,order=none,iterative=off",
    "pvs:tt=0,order=hints+killers",
    "pvs:tt=1,replace=depth,aspiration=2",
    "pvs:tt=1,replace=always,order=hash",
    "negascout:tt=1,iterative=off,order=history",
    "mtdf:tt=2",
    "mtdf:tt=0,order=none",
    "mtdf:iterative=off,tt=1,replace=always",
    "sss:tt=2",
    "sss:iterative=off,tt=1,replace=depth",
    "sss:tt=8,form=list",
    "sss:tt=8,form=list,iterative=off,order=none",
    "sss:form=list,tt=0",
    "expectimax:tt=2",
    "expectimax:star=1,tt=1,order=none",
    "expectimax:star=off,tt=0,iterative=off",
    "expectimax:star=2,tt=0,order=hints",
];

/// Boards beside the samples on which plain minimax gets far.
const MORE: &[&str] = &["crosphere:size=4x4,strong=1", "crosphere:size=5x3,strong=2", "tuc-chess:appear=0,worth=0.5"];

/// Positions of each game and depth.
const POSITIONS: usize = 500;
/// Plain minimax may visit so many positions.
const AFFORDABLE: u64 = 10_000;

struct Agreement {
    sample: &'static str,
    depth: u32,
    count: usize,
    /// Other positions each time.
    pass: u64,
}

impl Visitor for Agreement {
    type Output = usize;

    /// How many positions were compared.
    fn visit<G: Heuristics>(self, game: G, start: G::State) -> usize {
        let Self { sample, depth, count, pass } = self;
        let mut rng = Seed(6).named(sample).numbered(u64::from(depth)).numbered(pass).rng();
        let found = positions(&game, &start, depth, AFFORDABLE, count, &mut rng);
        // The searchers keep their tables from position to position.
        let mut searchers: Vec<Vec<_>> =
            (0..3).map(|number| EXACT.iter().map(|spec| searcher(spec, judge(&game, number))).collect()).collect();
        for (number, (state, tree)) in found.iter().enumerate() {
            let here = || format!("{sample} depth {depth}: {}", game.position_text(state));
            let seed = Seed(7).numbered(number as u64);
            let plain = think(&mut Minimax { evaluator: judge(&game, number) }, &game, state, depth, seed);
            assert_eq!(plain.nodes, tree.nodes, "minimax: {}", here());
            // All methods in turn, so that each of them meets all games.
            for (spec, kept) in EXACT.iter().zip(&mut searchers[number % 3]).skip(number % 7).step_by(7) {
                let choice = think(kept, &game, state, depth, seed);
                assert_eq!(score(&choice), score(&plain), "{spec}: {}", here());
                assert_eq!(choice.mv, plain.mv, "{spec}: {}", here());
                // (Star2 looks at some positions twice.)
                if spec.starts_with("expectimax:star=off,tt=0,iterative=off") {
                    assert!(choice.nodes <= tree.nodes, "{spec}: {} of {} nodes, {}", choice.nodes, tree.nodes, here());
                }
            }
        }
        found.len()
    }
}

#[test]
fn every_search_has_the_value_and_the_move_of_plain_minimax() {
    for info in infos() {
        let mut compared = [0; 6];
        for (depth, compared) in (1..).zip(&mut compared) {
            // Boards on which trees of this depth are too large even late in the game leave their share to the others.
            let more = MORE.iter().filter(|spec| spec.starts_with(info.name));
            let mut samples: Vec<&str> = info.samples.iter().chain(more).copied().collect();
            for pass in 0..12 {
                samples.retain(|&sample| {
                    let count = (POSITIONS - *compared).min(POSITIONS.div_ceil(info.samples.len()));
                    let found = open(sample, None, Agreement { sample, depth, count, pass }).unwrap();
                    *compared += found;
                    found > 0
                });
            }
        }
        println!("{}: {compared:?}", info.name);
        assert_eq!(compared, [POSITIONS; 6], "{}", info.name);
    }
}
