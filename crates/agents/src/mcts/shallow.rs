//! Shallow minimax that knows no evaluation, only ends of games: what Baier and Winands (2013) put into Monte Carlo tree search.

use plyground_core::{Game, Player, Rng, Scratch, Turn};

use super::arena::Proof;

/// Positions that one simulation may look at, so that it ends in time on wide boards. Beyond that, nothing is known.
const POSITIONS: u32 = 20_000;

/// A shallow minimax search for certain wins, draws and losses.
pub(crate) struct Shallow<'a, G: Game> {
    game: &'a G,
    left: u32,
    /// A list of moves per level.
    lists: Vec<Vec<G::Move>>,
}

/// What a position is worth to the player to move, as far as it is known: at least the first number, at most the second (1 win,
/// 0 draw, -1 loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range(i8, i8);

impl Range {
    const UNKNOWN: Self = Self(-1, 1);
}

impl<'a, G: Game> Shallow<'a, G> {
    pub fn new(game: &'a G) -> Self {
        Self { game, left: POSITIONS, lists: Vec::new() }
    }

    /// What minimax to a depth (in moves of the players) can prove about a position.
    pub fn prove(&mut self, state: &G::State, depth: u32) -> Proof {
        match self.range(state, Player::First, depth) {
            Range(1, _) => Proof::Win(Player::First),
            Range(_, -1) => Proof::Win(Player::Second),
            Range(0, 0) => Proof::Draw,
            Range(..) => Proof::Unknown,
        }
    }

    /// A winning move if one is found, otherwise any that is not found to lose.
    pub fn informed_move(&mut self, state: &G::State, depth: u32, rng: &mut Rng, scratch: &mut Scratch<G::Move>) -> G::Move {
        let Turn::Player(player) = self.game.turn(state) else { unreachable!("a player is to move") };
        if self.left == 0 {
            return self.game.random_move(state, rng, scratch);
        }
        self.game.moves(state, &mut scratch.moves);
        rng.shuffle(&mut scratch.moves);
        let (mut kept, mut lost) = (None, None);
        for &mv in &scratch.moves {
            let mut after = state.clone();
            self.game.play(&mut after, mv);
            match self.range(&after, player, depth - 1) {
                Range(1, _) => return mv,
                Range(_, -1) => lost = lost.or(Some(mv)),
                Range(..) => kept = kept.or(Some(mv)),
            }
        }
        kept.or(lost).expect("a player to move has a move")
    }

    /// The range of a position in the view of `player`.
    fn range(&mut self, state: &G::State, player: Player, depth: u32) -> Range {
        self.left = self.left.saturating_sub(1);
        match self.game.turn(state) {
            Turn::Over(outcome) => {
                let worth = outcome.winner.map_or(0, |winner| if winner == player { 1 } else { -1 });
                Range(worth, worth)
            }
            _ if self.left == 0 => Range::UNKNOWN,
            Turn::Chance => self.over_outcomes(state, player, depth),
            Turn::Player(_) if depth == 0 => Range::UNKNOWN,
            Turn::Player(mover) if mover == player => self.over_moves(state, mover, depth),
            Turn::Player(mover) => {
                let Range(least, most) = self.over_moves(state, mover, depth);
                Range(-most, -least)
            }
        }
    }

    /// The best of the moves in the view of the mover.
    fn over_moves(&mut self, state: &G::State, mover: Player, depth: u32) -> Range {
        let mut moves = self.lists.pop().unwrap_or_default();
        self.game.moves(state, &mut moves);
        let mut best = Range(-1, -1);
        for &mv in &moves {
            let mut after = state.clone();
            self.game.play(&mut after, mv);
            let Range(least, most) = self.range(&after, mover, depth - 1);
            best = Range(best.0.max(least), best.1.max(most));
            if best.0 == 1 {
                break;
            }
        }
        self.lists.push(moves);
        best
    }

    /// Whatever chance does: only what holds for every outcome is certain.
    fn over_outcomes(&mut self, state: &G::State, player: Player, depth: u32) -> Range {
        let mut outcomes = Vec::new();
        self.game.chance(state, &mut outcomes);
        let mut all: Option<Range> = None;
        for (outcome, _) in outcomes {
            let mut after = state.clone();
            self.game.play(&mut after, outcome);
            let Range(least, most) = self.range(&after, player, depth);
            let Range(lower, upper) = all.unwrap_or(Range(least, most));
            let joined = Range(lower.min(least), upper.max(most));
            if joined == Range::UNKNOWN {
                return joined;
            }
            all = Some(joined);
        }
        all.unwrap_or(Range::UNKNOWN)
    }
}
