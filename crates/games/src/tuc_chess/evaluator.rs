//! Judging TUC-Chess positions: the evaluation of the course report of 2022, and the points alone.

use plyground_core::{
    Encodable, Evaluated, Evaluator, EvaluatorInfo, EvaluatorSet, InputError, Params, Player, Solvable, Swap, logistic,
};

use super::{AHEAD, ALONG, CAPTURE, Due, LAST_RANK, Move, State, TucChess, shifted};
use crate::bits::Bits;

/// Judges positions by what is on the board and what has been earned.
#[derive(Clone, Copy, Debug)]
pub enum TucEvaluator {
    /// The evaluation of the course report of 2022.
    Report,
    /// Points alone.
    Points,
}

impl TucEvaluator {
    const ROOK: f32 = 10.0;
    const PAWN: f32 = 1.0;
    /// The report does not print its penalty for a king in check: half of what the king's capture earns.
    const CHECK: f32 = 4.0;
    const CAPTURED_KING_BUT_BEHIND: f32 = 20.0;

    /// What a player has on the board.
    #[inline]
    fn standing(state: &State, player: Player) -> f32 {
        let own = state.pieces[player.index()];
        let [pawns, rooks] = [state.pawns, state.rooks].map(|kind| (own & kind).count() as f32);
        let check = if in_check(state, player) { Self::CHECK } else { 0.0 };
        Self::ROOK * rooks + Self::PAWN * pawns - check
    }
}

impl Evaluator<TucChess> for TucEvaluator {
    fn score(&self, game: &TucChess, state: &State) -> f32 {
        let last = state.side.other();
        let mut margin = f32::from(state.points[0]) - f32::from(state.points[1]);
        if state.due == Due::Worth {
            margin += last.sign() * game.worth as f32;
        }
        if matches!(self, Self::Points) {
            return margin;
        }
        let score = margin + Self::standing(state, Player::First) - Self::standing(state, Player::Second);
        // A captured king ends the game, so the report's last term only matters while the worth of a bonus is still to be drawn.
        let behind = state.kings().count() < 2 && margin * last.sign() < 0.0;
        if behind { score - last.sign() * Self::CAPTURED_KING_BUT_BEHIND } else { score }
    }

    /// The scales fit games of `mcts:sims=300` against itself (docs/performance.md, scales).
    fn win_chance(&self, score: f32) -> f32 {
        match self {
            Self::Report => logistic(score / 8.0),
            Self::Points => logistic(score / 4.0),
        }
    }
}

/// Could the opponent capture the king if it were the opponent's turn?
fn in_check(state: &State, player: Player) -> bool {
    let own = state.pieces[player.index()];
    let other = state.pieces[1 - player.index()];
    let king = own & state.kings();
    let ahead = AHEAD[player.index()];
    let pawns = (shifted(king, ahead - 1) | shifted(king, ahead + 1)) & other & state.pawns;
    let free = state.free();
    let straight = ALONG.into_iter().fold(0, |attackers, step| {
        let one = shifted(king, step);
        let two = shifted(one & free, step);
        let three = shifted(two & free, step);
        attackers | (one & other & state.kings()) | ((one | two | three) & other & state.rooks)
    });
    pawns | straight != 0
}

impl EvaluatorSet<TucChess> for TucEvaluator {
    const INFOS: &'static [EvaluatorInfo] = &[
        EvaluatorInfo {
            name: "report",
            summary: "that of the course report of 2022: points, rook 10, pawn 1, king in check -4",
            keys: &[],
        },
        EvaluatorInfo { name: "points", summary: "the difference of the points", keys: &[] },
    ];

    fn with_name(_: &TucChess, name: &str, _: &Params) -> Result<Self, InputError> {
        match name {
            "report" => Ok(Self::Report),
            "points" => Ok(Self::Points),
            _ => Err(InputError::unknown("evaluator", name, Self::INFOS.iter().map(|info| info.name))),
        }
    }
}

impl Evaluated for TucChess {
    type Evaluator = TucEvaluator;

    /// Captures, the most valuable piece first and taken by the cheapest; then what else earns a point: a bonus, a pawn on its last rank.
    #[inline]
    fn ordering_score(&self, state: &State, mv: Move) -> i32 {
        let Move::Step { from, to } = mv else { return 0 };
        let [piece, target] = [from, to].map(|index| state.kind(u32::from(index)));
        let takes = state.pieces[state.side.other().index()].has(u32::from(to));
        let arrives = piece == 0 && LAST_RANK[state.side.index()].has(u32::from(to));
        let earned = i32::from(arrives) + i32::from(state.bonuses.has(u32::from(to)));
        let prey = if takes { 16 * i32::from(CAPTURE[target]) - piece as i32 } else { 0 };
        prey + 4 * earned
    }

    /// Captures of pieces.
    #[inline]
    fn is_noisy(&self, state: &State, mv: Move) -> bool {
        matches!(mv, Move::Step { to, .. } if state.pieces[state.side.other().index()].has(u32::from(to)))
    }
}

impl Solvable for TucChess {}

impl Encodable for TucChess {
    fn swap(&self) -> Swap {
        Swap::UpsideDown
    }
}
