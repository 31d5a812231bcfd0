//! Leaf evaluation: a random game, a better one, one that is cut short, or no game at all.
//! (What a network says of it is in `search`: asking one takes room of its own, which belongs to a thread.)

use plyground_core::{Evaluator, PlayableGame, Player, Rng, Scratch, Turn, WIN_SCORE};

use super::options::Options;
use super::shallow::Shallow;
use crate::futures::Futures;
use crate::net::NetEvaluator;

/// The evaluation of leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// A random game.
    Rollout,
    /// A game in which a player who can win at once does, and one of the most promising moves is played otherwise.
    HeuristicRollout,
    /// The same, where the most promising moves are those of the game's careful hints.
    CarefulRollout,
    /// A random game of this many moves at most, then the evaluator's opinion.
    CutRollout(u32),
    /// The evaluator's opinion.
    Eval,
    /// The value that a network expects.
    Net,
}

impl Leaf {
    /// Is it a game whose moves are chosen by the game's hints?
    pub fn is_heuristic(self) -> bool {
        matches!(self, Self::HeuristicRollout | Self::CarefulRollout)
    }
}

/// The moves of a game beyond the tree, with who made them.
pub(crate) type Played<M> = Vec<(Player, M)>;

/// An evaluator of leaves.
pub(crate) struct LeafEvaluator<'a, G: PlayableGame> {
    pub game: &'a G,
    pub evaluator: &'a G::Evaluator,
    /// The network that values leaves, where one does.
    pub net: Option<&'a NetEvaluator<G>>,
    pub leaf: Leaf,
    /// The depth of the minimax check of every move of a rollout; 0 for none.
    pub minimax: u32,
    /// What the moves of a rollout lead to.
    pub futures: Futures,
    /// Is the score itself the reward?
    pub backs_up_scores: bool,
}

#[expect(clippy::expl_impl_clone_on_copy, reason = "derived, it would want games to be Copy, of which it holds only a reference")]
impl<G: PlayableGame> Clone for LeafEvaluator<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: PlayableGame> Copy for LeafEvaluator<'_, G> {}

impl<'a, G: PlayableGame> LeafEvaluator<'a, G> {
    /// As the options say, without a network.
    pub fn new(game: &'a G, evaluator: &'a G::Evaluator, options: &Options) -> Self {
        let Options { leaf, backs_up_scores, .. } = *options;
        let minimax = options.minimax.rollout;
        Self { game, evaluator, net: None, leaf, minimax, futures: options.futures(), backs_up_scores }
    }

    /// The first player's expected result, from 0 to 1, for a score.
    #[inline]
    pub fn chance(&self, score: f32) -> f32 {
        if score >= WIN_SCORE / 2.0 {
            1.0
        } else if score <= -WIN_SCORE / 2.0 {
            0.0
        } else {
            self.evaluator.win_chance(score)
        }
    }

    /// The reward of a position as the evaluator judges it.
    pub fn judged(&self, state: &G::State) -> f32 {
        let score = self.evaluator.score(self.game, state);
        if self.backs_up_scores { score } else { self.chance(score) }
    }

    /// Are leaves valued by random games to the end, played by the rules?
    #[inline]
    fn plays_out(&self) -> bool {
        self.leaf == Leaf::Rollout && self.minimax == 0 && !self.backs_up_scores && !self.futures.are_without_chance()
    }

    /// The reward of a position in the first player's view.
    #[inline]
    pub fn reward(&self, state: &G::State, rng: &mut Rng, scratch: &mut Scratch<G::Move>) -> f32 {
        if self.plays_out() {
            self.game.playout(state, rng, scratch).reward(Player::First)
        } else {
            self.play(state, rng, scratch, |_, _| ())
        }
    }

    /// The same, move by move; `seen` is shown every move of a player.
    pub fn play(
        &self,
        state: &G::State,
        rng: &mut Rng,
        scratch: &mut Scratch<G::Move>,
        mut seen: impl FnMut(Player, G::Move),
    ) -> f32 {
        let mut left = match self.leaf {
            Leaf::Rollout | Leaf::HeuristicRollout | Leaf::CarefulRollout => u32::MAX,
            Leaf::CutRollout(moves) => moves,
            Leaf::Eval | Leaf::Net => 0,
        };
        let mut shallow = Shallow::new(self.game);
        let mut state = state.clone();
        loop {
            let mv = match self.game.turn(&state) {
                Turn::Over(_) if self.backs_up_scores => return self.judged(&state),
                Turn::Over(outcome) => return outcome.reward(Player::First),
                _ if left == 0 => return self.judged(&state),
                Turn::Chance => {
                    let outcome = self.game.random_outcome(&state, rng, scratch);
                    self.game.play(&mut state, outcome);
                    continue;
                }
                Turn::Player(player) => {
                    left -= 1;
                    let mv = if self.minimax > 0 {
                        shallow.informed_move(&state, self.minimax, rng, scratch)
                    } else if self.leaf.is_heuristic() {
                        self.promising_move(&state, player, rng, scratch)
                    } else {
                        self.game.random_move(&state, rng, scratch)
                    };
                    seen(player, mv);
                    mv
                }
            };
            self.futures.play(self.game, &mut state, mv);
        }
    }

    /// A move that wins at once, or one of those with the highest hint (the policy of the Tic-Tac-Toe report of 2024).
    fn promising_move(&self, state: &G::State, player: Player, rng: &mut Rng, scratch: &mut Scratch<G::Move>) -> G::Move {
        self.game.moves(state, &mut scratch.moves);
        let (mut highest, mut equals, mut chosen) = (i32::MIN, 0, scratch.moves[0]);
        for &mv in &scratch.moves {
            let mut after = state.clone();
            self.futures.play(self.game, &mut after, mv);
            if matches!(self.game.turn(&after), Turn::Over(outcome) if outcome.winner == Some(player)) {
                return mv;
            }
            let hint = if self.leaf == Leaf::CarefulRollout {
                self.game.careful_playout_score(state, mv)
            } else {
                self.game.playout_score(state, mv)
            };
            if hint > highest {
                (highest, equals, chosen) = (hint, 1, mv);
            } else if hint == highest {
                equals += 1;
                // Each of the equals with the same chance, without a list of them.
                if rng.below(equals) == 0 {
                    chosen = mv;
                }
            }
        }
        chosen
    }
}
