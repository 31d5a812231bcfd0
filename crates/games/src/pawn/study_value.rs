//! The evaluations of the study of 2020, as its text describes them and as its program computes them.

use plyground_core::{EvaluationTerm, Evaluator, EvaluatorInfo, EvaluatorSet, InputError, KeyInfo, Params, Player, logistic};

use super::python_set::{ListedPawn, listed};
use super::{Pawn, State, Step};
use crate::bits::Bits;

/// The two evaluations of the study.
///
/// There a program values positions for the player whose move it is choosing, and neither formula merely changes sign when the
/// players swap places: a pawn more is worth 2, a pawn less 0, and the distance term is the same number for both. So a score here
/// is the study's value for the player `view`, negated for the second player because scores are in the first player's view.
///
/// The program in the study's appendix departs from the text in two places, and each is a switch: it negates the value when the
/// opponent is to move (`sign=`), and it measures other distances (`gaps=`).
#[derive(Clone, Copy, Debug)]
pub struct StudyValue {
    formula: Formula,
    view: Player,
    /// Is `view` the player who chooses a move?
    of_mover: bool,
    sign: Sign,
    gaps: Gaps,
    /// Are equal moves listed as the study's program listed them?
    listed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Formula {
    Advanced,
    Simple,
}

/// The sign of a value.
#[derive(Clone, Copy, Debug)]
enum Sign {
    /// Good for the view is positive.
    View,
    /// Good for the view is positive where the view is to move, and negative where the opponent is.
    Turn,
}

/// The squares that the distance term counts.
#[derive(Clone, Copy, Debug)]
enum Gaps {
    /// The empty ones between facing pawns.
    Facing,
    /// Going up a file in the direction of the view, from the first pawn of the player to move on: for each pawn of the opponent, all
    /// squares passed that are not the opponent's. (Those pawns face each other only where the view is to move.)
    Onward,
}

impl StudyValue {
    /// For n pawns more than the opponent, (n + 1) |n|.
    fn simple<B: Bits>(self, state: &State<B>) -> i32 {
        let [own, other] = [self.view, self.view.other()].map(|player| state.pawns[player.index()].count() as i32);
        (own - other + 1) * (own - other).abs()
    }

    /// The squares that the opponent's pawns still have to go to the far rank, minus those of the own pawns.
    fn promotion<B: Bits>(self, game: &Pawn<B>, state: &State<B>) -> i32 {
        // A pawn counts once for every rank that it has below itself.
        let [white, black] = state.pawns.map(|pawns| {
            let ranks = (1..u32::from(game.grid.ranks)).map(|rank| pawns >> (rank * game.travel[2]));
            ranks.map(Bits::count).sum::<u32>() as i32
        });
        let white = state.pawns[0].count() as i32 * i32::from(game.grid.ranks - 1) - white;
        if self.view == Player::First { black - white } else { white - black }
    }

    /// With v squares counted over all files, (-1)^(v + 1) v: good when odd.
    fn distance<B: Bits>(self, game: &Pawn<B>, state: &State<B>) -> i32 {
        let squares = match self.gaps {
            Gaps::Facing => Self::facing(game, state),
            Gaps::Onward => self.onward(game, state),
        };
        if squares % 2 == 1 { squares } else { -squares }
    }

    fn facing<B: Bits>(game: &Pawn<B>, state: &State<B>) -> i32 {
        let [mut up, mut down] = state.pawns;
        let empty = game.all & !(up | down);
        let (mut free_up, mut free_down) = (empty, empty);
        // Both sides look ahead through the empty squares, twice as far each time (Kogge and Stone 1973).
        let mut by = game.travel[2];
        while by < game.grid.bits() {
            up = up | (up << by) & free_up;
            down = down | (down >> by) & free_down;
            free_up = free_up & free_up << by;
            free_down = free_down & free_down >> by;
            by *= 2;
        }
        (up & down & empty).count() as i32
    }

    fn onward<B: Bits>(self, game: &Pawn<B>, state: &State<B>) -> i32 {
        let [mover, other] = [state.side, state.side.other()].map(|player| state.pawns[player.index()]);
        let ranks = u32::from(game.grid.ranks);
        let on_file = |file: u32| {
            let (mut passed, mut sum) = (None, 0);
            for rank in 0..ranks {
                let rank = if self.view == Player::First { rank } else { ranks - 1 - rank };
                let square = rank * game.travel[2] + file;
                passed = match passed {
                    None => mover.has(square).then_some(0),
                    Some(squares) if other.has(square) => {
                        sum += squares;
                        Some(squares)
                    }
                    Some(squares) => Some(squares + 1),
                };
            }
            sum
        };
        (0..game.travel[2]).map(on_file).sum()
    }

    /// A position's pawns as the study's program stores them for the player who chooses a move: that player's go to higher rows.
    fn rows<B: Bits>(game: &Pawn<B>, state: &State<B>) -> Vec<ListedPawn> {
        let pawn = |square: u32, sign: i64| {
            let at = game.grid.square(square);
            let row = if state.side == Player::First { at.rank } else { game.grid.ranks - 1 - at.rank };
            ListedPawn { sign, row: i64::from(row), column: i64::from(at.file), square }
        };
        let [own, other] = [state.side, state.side.other()].map(|player| state.pawns[player.index()]);
        let mut pawns: Vec<ListedPawn> = own.squares().map(|square| pawn(square, 1)).collect();
        pawns.extend(other.squares().map(|square| pawn(square, -1)));
        pawns.sort_by_key(|pawn| (pawn.column, pawn.row));
        pawns
    }
}

impl<B: Bits> Evaluator<Pawn<B>> for StudyValue {
    #[inline]
    fn score(&self, game: &Pawn<B>, state: &State<B>) -> f32 {
        let value = match self.formula {
            Formula::Simple => self.simple(state),
            Formula::Advanced => self.promotion(game, state) + 2 * self.simple(state) + self.distance(game, state),
        };
        let turned = matches!(self.sign, Sign::Turn) && state.side != self.view;
        self.view.sign() * if turned { -value } else { value } as f32
    }

    /// The unit of the simple value is fitted to the solved boards 4x4 to 5x4. The advanced value fitted them at no scale; its unit
    /// only keeps the usual scores away from certainty.
    fn win_chance(&self, score: f32) -> f32 {
        match self.formula {
            Formula::Simple => logistic(score / 2.0),
            Formula::Advanced => logistic(score / 8.0),
        }
    }

    fn terms(&self, game: &Pawn<B>, state: &State<B>) -> Vec<EvaluationTerm> {
        let turned = matches!(self.sign, Sign::Turn) && state.side != self.view;
        let sign = if turned { -self.view.sign() } else { self.view.sign() };
        let term = |name: &str, value: i32| EvaluationTerm::new(name, sign * value as f32);
        let gaps = match self.gaps {
            Gaps::Facing => "the gaps between facing pawns: good when odd",
            Gaps::Onward => "the squares passed on from the mover's pawns: good when odd",
        };
        match self.formula {
            Formula::Simple => vec![term("pawns more or fewer", self.simple(state))],
            Formula::Advanced => vec![
                term("squares to go to the far rank", self.promotion(game, state)),
                term("twice the simple value: pawns more or fewer", 2 * self.simple(state)),
                term(gaps, self.distance(game, state)),
            ],
        }
    }

    fn side_with(&mut self, player: Player) -> bool {
        self.of_mover && std::mem::replace(&mut self.view, player) != player
    }

    /// Steps come first, then captures, each in the order of the pawns (and captures of one pawn in that of the pawns taken).
    fn list_place(&self, game: &Pawn<B>, state: &State<B>, mv: Step) -> u32 {
        if !self.listed {
            return 0;
        }
        let order = listed(&Self::rows(game, state));
        let place = |square: u8| order.iter().position(|&listed| listed == u32::from(square)).map_or(0, |place| place as u32 + 1);
        let count = order.len() as u32 + 1;
        let taken = place(mv.to);
        u32::from(taken > 0) * count * count + place(mv.from) * count + taken
    }
}

const VIEW: KeyInfo = KeyInfo {
    key: "view",
    value: "first|second|mover",
    default: "first (mover with as=code)",
    meaning: "the player for whom the formula is computed: the study's was the one who chooses a move",
};
const AS: KeyInfo = KeyInfo {
    key: "as",
    value: "text|code",
    default: "text",
    meaning: "the study's text, or its program: as=code stands for sign=turn,gaps=onward,view=mover and its list of moves, of which \
              the first of equals is played with shuffle=off",
};
const SIGN: KeyInfo = KeyInfo {
    key: "sign",
    value: "view|turn",
    default: "view (turn with as=code)",
    meaning: "negate the value when the opponent of the view is to move (turn), or not",
};
const GAPS: KeyInfo = KeyInfo {
    key: "gaps",
    value: "facing|onward",
    default: "facing (onward with as=code)",
    meaning: "what the distance counts: empty squares between facing pawns, or all squares but the opponent's from the first pawn of \
              the player to move on, up each file in the view's direction",
};

impl<B: Bits> EvaluatorSet<Pawn<B>> for StudyValue {
    const INFOS: &'static [EvaluatorInfo] = &[
        EvaluatorInfo {
            name: "advanced",
            summary: "squares to go, twice the simple value, and whether the gaps between facing pawns are odd",
            keys: &[VIEW, AS, SIGN, GAPS],
        },
        EvaluatorInfo { name: "simple", summary: "pawns more or fewer than the opponent", keys: &[VIEW, AS, SIGN] },
    ];

    fn with_name(_: &Pawn<B>, name: &str, keys: &Params) -> Result<Self, InputError> {
        let formula = if name == "simple" { Formula::Simple } else { Formula::Advanced };
        let as_code = keys.choice("as", &["text", "code"])? == 1;
        let view = keys.choice("view", &["first", "second", "mover"])?;
        let of_mover = view == 2 || as_code && !keys.has("view");
        let sign = keys.choice("sign", &["view", "turn"])? == 1 || as_code && !keys.has("sign");
        let gaps = keys.choice("gaps", &["facing", "onward"])? == 1 || as_code && !keys.has("gaps");
        Ok(Self {
            formula,
            view: if of_mover { Player::First } else { Player::BOTH[view] },
            of_mover,
            sign: if sign { Sign::Turn } else { Sign::View },
            gaps: if gaps { Gaps::Onward } else { Gaps::Facing },
            listed: as_code,
        })
    }
}
