//! Heuristic evaluation: static evaluators of positions, and scores by which searches order moves.

use crate::{Game, InputError, KeyInfo, Params, Player, Turn};

/// The score of a won game; every score of an evaluator is smaller than this in magnitude. (A whole number of this size is exact in
/// `f32` with room to spare, so that searches can subtract plies from it to prefer short wins.)
pub const WIN_SCORE: f32 = 1_000_000.0;

/// A term of an evaluation: something that it looks at, and what that adds to the score.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationTerm {
    /// What is looked at.
    pub name: String,
    /// What it adds, in the view of the first player.
    pub score: f32,
}

impl EvaluationTerm {
    /// A term.
    pub fn new(name: impl Into<String>, score: f32) -> Self {
        Self { name: name.into(), score }
    }
}

/// A static evaluation function (heuristic evaluation) of positions.
pub trait Evaluator<G: Game>: Send + Sync {
    /// How good the position is for the FIRST player, in units of the evaluator's own choice, smaller than [`WIN_SCORE`] in
    /// magnitude. Asked for any position, those where chance is due included; for one that is over only by agents that are told to
    /// judge it like any other.
    fn score(&self, game: &G, state: &G::State) -> f32;

    /// The terms that the score is the sum of, for people who want to know where it comes from: one, unless this is overridden.
    fn terms(&self, game: &G, state: &G::State) -> Vec<EvaluationTerm> {
        vec![EvaluationTerm::new("in all", self.score(game, state))]
    }

    /// Is [`Evaluator::evaluate_children`] overridden, so that it takes less time than two or three children one by one? Searches then
    /// ask for all of them where they would look at one after the other. Only for games in which chance follows no move: a search
    /// averages over what chance does, and `evaluate_children` does not.
    fn judges_children_at_once(&self) -> bool {
        false
    }

    /// Tells an evaluation that sees its own side with other eyes than the opponent's which player it serves. Says whether that changes
    /// scores, so that what was remembered must be forgotten. By default both sides are seen alike.
    fn side_with(&mut self, player: Player) -> bool {
        let _ = player;
        false
    }

    /// Turns a score into the first player's expected result, from 0 to 1. Must be monotone.
    fn win_chance(&self, score: f32) -> f32 {
        logistic(score)
    }

    /// The place of a legal move in a list of which the first of equal moves is played, where a search does not shuffle them; moves of
    /// one place stay in the game's order. For evaluators of programs that list moves in another order.
    fn list_place(&self, game: &G, state: &G::State, mv: G::Move) -> u32 {
        let _ = (game, state, mv);
        0
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

/// The description of an evaluator for users.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatorInfo {
    /// The word after `eval=`.
    pub name: &'static str,
    /// What it looks at, in a line.
    pub summary: &'static str,
    /// Its own keys in an agent spec.
    pub keys: &'static [KeyInfo],
}

/// The evaluators of a game as one type, so that searches are compiled once for each game: what there is, and how each is made.
///
/// Every evaluator type with a [`Default`] value is a set of one, named `default`. A type with several evaluators, or with one that
/// depends on the game or has keys, implements this trait itself.
pub trait EvaluatorSet<G: Game>: Evaluator<G> + Sized {
    /// The descriptions of the evaluators; the first one is the default.
    const INFOS: &'static [EvaluatorInfo];

    /// The evaluator with this name (one of [`EvaluatorSet::INFOS`]) and these values of its keys.
    fn with_name(game: &G, name: &str, keys: &Params) -> Result<Self, InputError>;
}

impl<G: Game, E: Evaluator<G> + Default> EvaluatorSet<G> for E {
    const INFOS: &'static [EvaluatorInfo] =
        &[EvaluatorInfo { name: "default", summary: "the only evaluator of this game", keys: &[] }];

    fn with_name(_: &G, _: &str, _: &Params) -> Result<Self, InputError> {
        Ok(Self::default())
    }
}

/// A game with heuristics: evaluators of positions and scores for the ordering of moves. They are advice, not rules.
///
/// A game without heuristics names [`NoHeuristic`] and nothing else:
/// `impl Evaluated for MyGame { type Evaluator = NoHeuristic; }`.
pub trait Evaluated: Game {
    /// The evaluators of the game.
    type Evaluator: EvaluatorSet<Self>;

    /// The descriptions of the evaluators; the first one is the default.
    fn evaluators() -> &'static [EvaluatorInfo] {
        Self::Evaluator::INFOS
    }

    /// The evaluator with this name (one of [`Evaluated::evaluators`]) and these values of its keys.
    fn evaluator(&self, name: &str, keys: &Params) -> Result<Self::Evaluator, InputError> {
        Self::Evaluator::with_name(self, name, keys)
    }

    /// The move-ordering score of a legal move: searches try higher ones first. Cheap: computed for every move of every position.
    fn ordering_score(&self, state: &Self::State, mv: Self::Move) -> i32 {
        let _ = (state, mv);
        0
    }

    /// The score of a legal move in heuristic playouts, which choose among the highest where no move wins at once.
    fn playout_score(&self, state: &Self::State, mv: Self::Move) -> i32 {
        self.ordering_score(state, mv)
    }

    /// The same for careful playouts, which may look at more, such as at what the opponent threatens.
    fn careful_playout_score(&self, state: &Self::State, mv: Self::Move) -> i32 {
        self.playout_score(state, mv)
    }

    /// Whether a legal move is noisy (a capture, a promotion): quiescence search follows such moves beyond the depth limit before it
    /// evaluates a position. Where no move is noisy, quiescence search does nothing.
    fn is_noisy(&self, state: &Self::State, mv: Self::Move) -> bool {
        let _ = (state, mv);
        false
    }

    /// Replaces the contents of `moves` by the legal moves that gain something at once, in the order of [`Game::moves`]: what quiescence
    /// search follows with `follow=gains`. By default the noisy moves. Override it where more gains than captures, or where these moves
    /// can be listed without the others.
    fn gaining_moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
        self.moves(state, moves);
        moves.retain(|&mv| self.is_noisy(state, mv));
    }

    /// The position as if the player to move had made no move, for null-move pruning: only where having to move is hardly ever a
    /// disadvantage. By default there is none.
    fn passed(&self, state: &Self::State) -> Option<Self::State> {
        let _ = state;
        None
    }
}

/// The evaluator of games without heuristics: 0 for every position.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHeuristic;

impl<G: Game> Evaluator<G> for NoHeuristic {
    fn score(&self, _: &G, _: &G::State) -> f32 {
        0.0
    }
}
