//! Judging positions without searching.

use crate::{
    Encoder, EncoderInfo, ExactSolver, Game, GameInfo, InputError, KeyInfo, MoverEncoder, Params, Swap, Turn, Worth, hash_state,
};

/// The score of a won game; every score of an evaluator is smaller than this in magnitude. (A whole number of this size is exact in
/// `f32` with room to spare, so that searches can subtract plies from it to prefer short wins.)
pub const WIN_SCORE: f32 = 1_000_000.0;

/// Judges positions.
pub trait Evaluator<G: Game>: Send + Sync {
    /// How good the position is for the FIRST player, in units of the evaluator's own choice, smaller than [`WIN_SCORE`] in
    /// magnitude. Asked for any position that is not over, those where chance is due included.
    fn score(&self, game: &G, state: &G::State) -> f32;

    /// Is [`Evaluator::evaluate_children`] overridden, so that it takes less time than two or three children one by one? Searches then
    /// ask for all of them where they would look at one after the other. Only for games in which chance follows no move: a search
    /// averages over what chance does, and `evaluate_children` does not.
    fn judges_children_at_once(&self) -> bool {
        false
    }

    /// Turns a score into the first player's expected result, from 0 to 1. Must be monotone.
    fn win_chance(&self, score: f32) -> f32 {
        logistic(score)
    }

    /// The scores of all positions that `moves` lead to, in their order, still in the first player's view; a move that ends the
    /// game scores plus or minus [`WIN_SCORE`], or 0 for a draw. Override it where the children can be judged from the parent.
    fn evaluate_children(&self, game: &G, state: &G::State, moves: &[G::Move], scores: &mut Vec<f32>) {
        scores.clear();
        scores.extend(moves.iter().map(|&mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            match game.turn(&child) {
                Turn::Over(outcome) => outcome.value() * WIN_SCORE,
                Turn::Player(_) | Turn::Chance => self.score(game, &child),
            }
        }));
    }
}

/// The logistic function 1 / (1 + e^-x).
#[inline]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Describes an evaluator for people.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatorInfo {
    /// The word after `eval=`.
    pub name: &'static str,
    /// What it looks at, in a line.
    pub summary: &'static str,
    /// Its own keys in an agent spec.
    pub keys: &'static [KeyInfo],
}

/// The advice that comes with a game: not rules, and no agent has to take it.
pub trait Heuristics: Game {
    /// The evaluators of the game, as one type, so that searches can be compiled for it.
    type Evaluator: Evaluator<Self>;

    /// The description of the game.
    fn info() -> &'static GameInfo;

    /// What there is; the first one is the default.
    fn evaluators() -> &'static [EvaluatorInfo];

    /// Makes the evaluator that `name` (one of [`Heuristics::evaluators`]) and its keys describe.
    fn evaluator(&self, name: &str, keys: &Params) -> Result<Self::Evaluator, InputError>;

    /// How promising a legal move looks before anything is searched: higher is tried first. Cheap: asked for every move of every
    /// position.
    fn hint(&self, state: &Self::State, mv: Self::Move) -> i32 {
        let _ = (state, mv);
        0
    }

    /// The same for heuristic playouts, which choose among the highest where no move wins at once.
    fn playout_hint(&self, state: &Self::State, mv: Self::Move) -> i32 {
        self.hint(state, mv)
    }

    /// Does a legal move change the balance at one stroke (a capture, a promotion), so that a position should not be judged before
    /// it has been answered? Where no move is, there is nothing to search beyond the depth.
    fn noisy(&self, state: &Self::State, mv: Self::Move) -> bool {
        let _ = (state, mv);
        false
    }

    /// What a position (not over, a player to move) is surely worth, by a rule that is proved beside it: exact searches need not look
    /// further. Cheap: asked for every child of every position. `None` where no rule applies.
    fn foregone(&self, state: &Self::State) -> Option<Worth> {
        let _ = state;
        None
    }

    /// A key of what the position is worth to the player to move: positions that share it have the same worth and the same distance
    /// to the end. By default the position itself; a game in which the players can swap sides may give both views one key.
    #[inline]
    fn worth_key(&self, state: &Self::State) -> u128 {
        u128::from(hash_state(state)) << 64 | u128::from(hash_state(&(0x517c_c1b7_2722_0a95_u64, state)))
    }

    /// Replaces the contents of `moves` by those moves that an exact search has to try: all legal ones (there is at least one) but
    /// those that are proved to be worth no more than one of these.
    #[inline]
    fn contenders(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
        self.moves(state, moves);
    }

    /// How likely a move, which leads from `state` to `child`, is to be the one that decides an exact search: higher is tried first.
    #[inline]
    fn promise(&self, state: &Self::State, mv: Self::Move, child: &Self::State) -> i32 {
        let _ = child;
        self.hint(state, mv)
    }

    /// A solver made for this game, where there is one, that uses about `memory` bytes at most. `knowledge` is what an earlier run
    /// has computed once and for all and saved.
    fn exact_solver(&self, memory: usize, knowledge: Option<&[u8]>) -> Result<Option<Box<dyn ExactSolver<Self>>>, InputError> {
        let _ = (memory, knowledge);
        Ok(None)
    }

    /// Computes once and for all what [`Heuristics::exact_solver`] can be given to begin with, where the game knows of such a thing:
    /// the values of all regions of at most so many stones, for instance. `report` hears how much of how much is done.
    fn knowledge(&self, stones: u32, report: &mut dyn FnMut(u64, u64)) -> Result<Option<Vec<u8>>, InputError> {
        let _ = (stones, report);
        Ok(None)
    }

    /// The agent specs of the levels 1 to 8, each measured to be beaten by the next.
    fn levels(&self) -> [&'static str; 8] {
        DEFAULT_LEVELS
    }

    /// The spec of the strongest agent known for this game at this size.
    fn best(&self) -> &'static str {
        self.levels()[7]
    }

    /// How the game looks from the other side of the board: where it looks the same, networks learn both sides at once.
    fn swap(&self) -> Swap {
        Swap::Never
    }

    /// The encoder that networks of this game learn with when nobody says otherwise.
    fn usual_encoder(&self) -> &'static str {
        MoverEncoder::INFO.name
    }

    /// The network that comes with the program for this game at this size, where there is one.
    fn network(&self) -> Option<&'static str> {
        None
    }

    /// Encoders that show a network more of this game than the general one ([`crate::GeneralEncoder`]) does.
    fn encoders() -> &'static [EncoderInfo] {
        &[]
    }

    /// Makes one of them; `None` for any other name.
    fn encoder(&self, name: &str) -> Option<Box<dyn Encoder<Self>>> {
        let _ = name;
        None
    }

    /// Other ready-made opponents.
    fn presets(&self) -> &'static [Preset] {
        &[]
    }
}

/// A ready-made opponent of a game.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The word that names it wherever an agent spec is expected.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The agent spec that it stands for.
    pub spec: &'static str,
}

/// The levels of a game that has none of its own.
pub const DEFAULT_LEVELS: [&str; 8] = [
    "random",
    "mcts:sims=10",
    "mcts:sims=30",
    "mcts:sims=100",
    "mcts:sims=300",
    "mcts:sims=1000",
    "mcts:sims=3000",
    "mcts:sims=10000",
];

/// For games without any advice: every position is level.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHeuristic;

impl NoHeuristic {
    /// How it is listed.
    pub const INFO: &'static [EvaluatorInfo] =
        &[EvaluatorInfo { name: "none", summary: "calls every unfinished position level", keys: &[] }];
}

impl<G: Game> Evaluator<G> for NoHeuristic {
    fn score(&self, _: &G, _: &G::State) -> f32 {
        0.0
    }
}
