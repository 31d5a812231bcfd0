//! Judging TUC-Chess positions: the evaluation of the course report of 2022, and the points alone.

use plyground_core::{
    Encodable, Evaluated, EvaluationTerm, Evaluator, EvaluatorInfo, EvaluatorSet, InputError, KeyInfo, Params, Player, Solvable,
    Swap, logistic,
};

use super::{AHEAD, ALONG, CAPTURE, Due, LAST_RANK, Move, State, TucChess, fitted, shifted};
use crate::bits::Bits;

/// Judges positions by what is on the board and what has been earned.
#[derive(Clone, Copy, Debug)]
pub enum TucEvaluator {
    /// The evaluation of the course report of 2022 with both sides seen alike.
    Report,
    /// The same as the report describes it: only the own king is looked at.
    OneSided {
        /// What the own king in check costs.
        check: f32,
        /// Whose own king.
        player: Player,
    },
    /// What the report had before: a constant for being ahead or behind.
    WonOrLost,
    /// Points alone.
    Points,
    /// Terms whose weights were fitted to the results of games.
    Fitted,
}

impl TucEvaluator {
    const ROOK: f32 = 10.0;
    const PAWN: f32 = 1.0;
    /// The report does not print its penalty for a king in check: half of what the king's capture earns.
    const CHECK: f32 = 4.0;
    const CAPTURED_KING_BUT_BEHIND: f32 = 20.0;
    const WON: f32 = 10.0;

    /// What a player has on the board.
    #[inline]
    fn standing(state: &State, player: Player) -> f32 {
        let own = state.pieces[player.index()];
        let [pawns, rooks] = [state.pawns, state.rooks].map(|kind| (own & kind).count() as f32);
        Self::ROOK * rooks + Self::PAWN * pawns
    }

    /// What a check costs a player.
    #[inline]
    fn check(state: &State, player: Player, cost: f32) -> f32 {
        if in_check(state, player) { cost } else { 0.0 }
    }
}

impl Evaluator<TucChess> for TucEvaluator {
    fn score(&self, game: &TucChess, state: &State) -> f32 {
        if matches!(self, Self::Fitted) {
            return fitted::score(game, state);
        }
        let last = state.side.other();
        let mut margin = f32::from(state.points[0]) - f32::from(state.points[1]);
        if state.undrawn != 0 {
            margin += game.worth as f32 * f32::from(state.undrawn);
        }
        if state.due == Due::Worth {
            margin += last.sign() * game.worth as f32;
        }
        // A captured king ends the game: the report's last term matters while the worth of a bonus is still to be drawn, and to agents
        // that judge finished games as well.
        let behind = state.kings().count() < 2 && margin * last.sign() < 0.0;
        let standing = || Self::standing(state, Player::First) - Self::standing(state, Player::Second);
        match *self {
            Self::Points | Self::Fitted => margin,
            Self::WonOrLost if margin == 0.0 => 0.0,
            Self::WonOrLost => Self::WON.copysign(margin),
            Self::Report => {
                let [white, black] = Player::BOTH.map(|player| Self::check(state, player, Self::CHECK));
                let score = margin + standing() - white + black;
                if behind { score - last.sign() * Self::CAPTURED_KING_BUT_BEHIND } else { score }
            }
            Self::OneSided { check, player } => {
                let mut fears = Self::check(state, player, check);
                if behind && player == last {
                    fears += Self::CAPTURED_KING_BUT_BEHIND;
                }
                margin + standing() - player.sign() * fears
            }
        }
    }

    fn side_with(&mut self, own: Player) -> bool {
        match self {
            Self::OneSided { player, .. } => std::mem::replace(player, own) != own,
            _ => false,
        }
    }

    fn terms(&self, game: &TucChess, state: &State) -> Vec<EvaluationTerm> {
        let points = EvaluationTerm::new("points", Self::Points.score(game, state));
        let cost_of = |player: Player, cost: f32| -player.sign() * Self::check(state, player, cost);
        let check = match *self {
            Self::Points => return vec![points],
            Self::Fitted => return fitted::terms(game, state),
            Self::WonOrLost => return vec![EvaluationTerm::new("more or fewer points", self.score(game, state))],
            Self::Report => {
                let both = Player::BOTH.map(|player| cost_of(player, Self::CHECK));
                EvaluationTerm::new(format!("a king in check, -{}", Self::CHECK), both.iter().sum())
            }
            Self::OneSided { check, player } => {
                EvaluationTerm::new(format!("the own king in check, -{check}"), cost_of(player, check))
            }
        };
        let more = |kind: u64| {
            let [white, black] = state.pieces.map(|own| (own & kind).count() as f32);
            white - black
        };
        let mut terms = vec![
            points,
            EvaluationTerm::new(format!("rooks, {} each", Self::ROOK), Self::ROOK * more(state.rooks)),
            EvaluationTerm::new(format!("pawns, {} each", Self::PAWN), Self::PAWN * more(state.pawns)),
            check,
        ];
        let rest = self.score(game, state) - terms.iter().map(|term| term.score).sum::<f32>();
        terms.push(EvaluationTerm::new("the king taken with fewer points", rest));
        terms
    }

    /// The scales fit games of `mcts:sims=300` against itself (docs/performance.md, scales).
    fn win_chance(&self, score: f32) -> f32 {
        match self {
            Self::Report | Self::OneSided { .. } | Self::WonOrLost => logistic(score / 8.0),
            Self::Points => logistic(score / 4.0),
            Self::Fitted => logistic(score / fitted::SCALE),
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
        EvaluatorInfo {
            name: "report-own-king",
            summary: "that of the report to the letter: only the own king in check costs, and only the own capture of a king behind in \
                      points",
            keys: &[KeyInfo {
                key: "check",
                value: "N",
                default: "4",
                meaning: "what the own king in check costs; the report prints no number",
            }],
        },
        EvaluatorInfo {
            name: "report-constant",
            summary: "what the report had before: 10 for being ahead in points, -10 for being behind",
            keys: &[],
        },
        EvaluatorInfo {
            name: "fitted",
            summary: "points, pieces and their places, passed pawns, reach, threats and plies left, weighted to fit the results of games",
            keys: &[],
        },
    ];

    fn with_name(_: &TucChess, name: &str, keys: &Params) -> Result<Self, InputError> {
        match name {
            "report" => Ok(Self::Report),
            "points" => Ok(Self::Points),
            "report-own-king" => {
                Ok(Self::OneSided { check: keys.number("check", 0.0..=1_000.0)?.unwrap_or(Self::CHECK), player: Player::First })
            }
            "report-constant" => Ok(Self::WonOrLost),
            "fitted" => Ok(Self::Fitted),
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

    /// All moves that may earn a point: captures, bonuses, and pawns that reach the last rank.
    #[inline]
    fn gaining_moves(&self, state: &State, moves: &mut Vec<Move>) {
        moves.clear();
        if state.due != Due::Move {
            return;
        }
        let prey = state.pieces[state.side.other().index()] | state.bonuses;
        let targets = state.targets();
        let arrivals = prey | LAST_RANK[state.side.index()];
        for (number, (difference, targets)) in targets.into_iter().enumerate() {
            // The first group are the steps of pawns.
            let gains = targets & if number == 0 { arrivals } else { prey };
            moves.extend(gains.squares().map(|to| Move::Step { from: (to as i32 - difference) as u8, to: to as u8 }));
        }
    }

    /// With a rook there is always a move that changes little; with kings and pawns alone, having to move decides games.
    #[inline]
    fn passed(&self, state: &State) -> Option<State> {
        let own = state.pieces[state.side.index()];
        let passed = State { side: state.side.other(), ..*state };
        (state.due == Due::Move && own & state.rooks != 0 && passed.is_mobile()).then_some(passed)
    }
}

impl Solvable for TucChess {}

impl Encodable for TucChess {
    fn swap(&self) -> Swap {
        Swap::UpsideDown
    }
}
