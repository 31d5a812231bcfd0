//! An evaluation of TUC-Chess whose weights were fitted to the results of games: the features of a position, and what each counts.
//!
//! Each feature is a number of White less the same number of Black with the board turned round, so that the score changes its sign when
//! the colours are swapped. A weight goes over from one value with all pieces on the board to another with none.

use plyground_core::{EvaluationTerm, Player};

use super::{AHEAD, ALONG, BOARD, Due, State, TucChess, UP, shifted};
use crate::bits::Bits;

mod weights;

use weights::WEIGHTS;

/// The score of a position in which the odds are e to 1.
pub const SCALE: f32 = 4.0;

/// The number of features.
pub const FEATURES: usize = 50;

// The first numbers of the features.
const POINTS: usize = 0;
const PAWNS: usize = 1;
const PASSED: usize = 7;
const ROOKS: usize = 13;
const ROOK_FILES: usize = 20;
const KING: usize = 22;
const KING_FILES: usize = 29;
const MOBILITY: usize = 31;
const EXPOSED: usize = 32;
const CHECK: usize = 33;
const BONUSES: usize = 35;
const ALONE: usize = 37;
const TO_MOVE: usize = 38;
const LOOSE_ROOKS: usize = 39;
const LOOSE_PAWNS: usize = 41;
const OPPOSITION: usize = 43;
const LATE_POINTS: usize = 45;
const EARLY_ROOKS: usize = 46;
const EARLY_ALONE: usize = 47;
const HUNT: usize = 48;
const FEW_POINTS: usize = 49;

/// What the features are, by their first numbers.
const NAMES: [(usize, &str); 21] = [
    (POINTS, "points"),
    (PAWNS, "pawns by rank"),
    (PASSED, "passed pawns by rank"),
    (ROOKS, "rooks by rank"),
    (ROOK_FILES, "rooks by file"),
    (KING, "the king's rank"),
    (KING_FILES, "the king's file"),
    (MOBILITY, "squares that rooks reach"),
    (EXPOSED, "attacked squares around the king"),
    (CHECK, "kings in check"),
    (BONUSES, "bonuses in reach"),
    (ALONE, "squares that only one side reaches"),
    (TO_MOVE, "the move"),
    (LOOSE_ROOKS, "rooks that hang"),
    (LOOSE_PAWNS, "pawns that hang"),
    (OPPOSITION, "kings two or three steps apart"),
    (LATE_POINTS, "points near the end"),
    (EARLY_ROOKS, "rooks far from the end"),
    (EARLY_ALONE, "squares of one side far from the end"),
    (HUNT, "rooks near the other king"),
    (FEW_POINTS, "points, eight at most"),
];

/// From so many plies before the limit on, the end comes near.
const NEAR: f32 = 80.0;
/// What squares count, so that weights are of one size.
const TENTH: f32 = 0.1;

/// The squares that a player's pieces attack, whatever is on them.
#[derive(Clone, Copy)]
struct Reach {
    pawns: u64,
    rooks: u64,
    king: u64,
}

impl Reach {
    #[inline]
    fn of(state: &State, player: Player) -> Self {
        let own = state.pieces[player.index()];
        let free = state.free();
        let (pawns, rooks, king) = (own & state.pawns, own & state.rooks, own & !(state.pawns | state.rooks));
        let ahead = AHEAD[player.index()];
        let (mut far, mut near) = (0, 0);
        for step in ALONG {
            let one = shifted(rooks, step);
            let two = shifted(one & free, step);
            far |= one | two | shifted(two & free, step);
            near |= shifted(king, step);
        }
        let pawns = (shifted(pawns, ahead - 1) | shifted(pawns, ahead + 1)) & BOARD;
        Self { pawns, rooks: far & BOARD, king: near & BOARD }
    }

    #[inline]
    fn all(self) -> u64 {
        self.pawns | self.rooks | self.king
    }
}

/// The place of a square: its rank in the view of a player, and how far its file is from the edge.
#[inline]
fn place(index: u32, player: Player) -> (usize, usize) {
    let (rank, file) = (index as usize / UP as usize, index as usize % UP as usize);
    let rank = if player == Player::First { rank } else { 6 - rank };
    (rank, file.min(4 - file))
}

/// The pawns of a player that no pawn of the other can stop or capture on their way.
#[inline]
fn passed(state: &State, player: Player) -> u64 {
    let back = AHEAD[player.other().index()];
    let other = state.pieces[player.other().index()] & state.pawns;
    let wide = (other | shifted(other, 1) | shifted(other, -1)) & BOARD;
    let mut stopped = 0;
    let mut front = wide;
    for _ in 0..6 {
        front = shifted(front, back) & BOARD;
        stopped |= front;
    }
    state.pieces[player.index()] & state.pawns & !stopped
}

/// How far a king is from a square, in steps along ranks and files.
#[inline]
fn steps(from: u32, to: u32) -> i32 {
    let stride = UP as u32;
    (from / stride).abs_diff(to / stride) as i32 + (from % stride).abs_diff(to % stride) as i32
}

/// The share of the pieces that are on the board: rooks count two, pawns one.
#[inline]
fn phase(state: &State) -> f32 {
    const ALL: f32 = 22.0;
    (state.pawns.count() + 2 * state.rooks.count()) as f32 / ALL
}

/// The features of a position, with the share of the pieces that are on the board: what `score` weighs.
pub fn features(game: &TucChess, state: &State) -> ([f32; FEATURES], f32) {
    let mut features = [0.0; FEATURES];
    visit(game, state, |feature, value| features[feature] += value);
    (features, phase(state))
}

/// The score in White's view, in units of which [`SCALE`] are a factor e in the odds.
#[inline]
pub(super) fn score(game: &TucChess, state: &State) -> f32 {
    let (mut always, mut full) = (0.0, 0.0);
    visit(game, state, |feature, value| {
        let [at_end, at_start] = WEIGHTS[feature];
        always += at_end * value;
        full += at_start * value;
    });
    always + full * phase(state)
}

/// The terms of the score.
pub(super) fn terms(game: &TucChess, state: &State) -> Vec<EvaluationTerm> {
    let (features, phase) = features(game, state);
    let ends = NAMES.iter().skip(1).map(|&(first, _)| first).chain([FEATURES]);
    let weighed = |feature: usize| features[feature] * (WEIGHTS[feature][0] + phase * WEIGHTS[feature][1]);
    NAMES.iter().zip(ends).map(|(&(first, name), end)| EvaluationTerm::new(name, (first..end).map(weighed).sum())).collect()
}

/// Calls `add` with the number of each feature that is not 0, and a part of its value.
#[inline]
fn visit(game: &TucChess, state: &State, mut add: impl FnMut(usize, f32)) {
    let mut margin = game.margin(state) as f32;
    if state.due == Due::Worth {
        margin += state.side.other().sign() * game.worth as f32;
    }
    let left = f32::from(game.limit.saturating_sub(state.plies));
    let early = (left / NEAR).min(1.0);
    add(POINTS, margin);
    add(LATE_POINTS, margin * (1.0 - early));
    add(FEW_POINTS, margin.clamp(-8.0, 8.0));
    let reach = Player::BOTH.map(|player| Reach::of(state, player));
    let all = reach.map(Reach::all);
    for player in Player::BOTH {
        visit_pieces(state, player, early, &mut add);
        let (own, sign) = (player.index(), player.sign());
        let other = 1 - own;
        add(EXPOSED, -sign * (reach[own].king & all[other]).count() as f32);
        add(MOBILITY, sign * TENTH * (reach[own].rooks & !state.pieces[own]).count() as f32);
        let alone = sign * TENTH * (state.free() & all[own] & !all[other]).count() as f32;
        add(ALONE, alone);
        add(EARLY_ALONE, alone * early);
    }
    visit_threats(state, reach, &mut add);
}

/// The features of one side's pieces and their places.
#[inline]
fn visit_pieces(state: &State, player: Player, early: f32, add: &mut impl FnMut(usize, f32)) {
    let (own, other, sign) = (state.pieces[player.index()], state.pieces[1 - player.index()], player.sign());
    let passed = passed(state, player);
    for index in (own & state.pawns).squares() {
        // No pawn stands on its last rank.
        let rank = place(index, player).0.min(5);
        add(PAWNS + rank, sign);
        if passed.has(index) {
            add(PASSED + rank, sign);
        }
    }
    let prey = other & state.kings();
    for index in (own & state.rooks).squares() {
        let (rank, edge) = place(index, player);
        add(ROOKS + rank, sign);
        if edge > 0 {
            add(ROOK_FILES + edge - 1, sign);
        }
        add(EARLY_ROOKS, sign * early);
        if prey != 0 {
            add(HUNT, sign * TENTH * (10 - steps(index, prey.lowest())) as f32);
        }
    }
    let king = own & state.kings();
    if king != 0 {
        let (rank, edge) = place(king.lowest(), player);
        add(KING + rank, sign);
        if edge > 0 {
            add(KING_FILES + edge - 1, sign);
        }
    }
}

/// The features that depend on who is to move: what can be taken, and the kings' distance.
#[inline]
fn visit_threats(state: &State, reach: [Reach; 2], add: &mut impl FnMut(usize, f32)) {
    let all = reach.map(Reach::all);
    let (own, other, turn) = (state.side.index(), state.side.other().index(), state.side.sign());
    let (mine, theirs, kings) = (state.pieces[own], state.pieces[other], state.kings());
    add(TO_MOVE, turn);
    add(CHECK, -turn * (mine & kings & all[other]).count() as f32);
    add(CHECK + 1, turn * (theirs & kings & all[own]).count() as f32);
    add(BONUSES, turn * (state.bonuses & all[own]).count().min(2) as f32);
    add(BONUSES + 1, -turn * (state.bonuses & all[other] & !all[own]).count().min(2) as f32);
    let hangs =
        |side: usize, set: u64| set & state.pieces[side] & all[1 - side] & (!all[side] | (reach[1 - side].pawns & state.rooks));
    add(LOOSE_ROOKS, -turn * hangs(own, state.rooks).count() as f32);
    add(LOOSE_ROOKS + 1, turn * hangs(other, state.rooks).count() as f32);
    add(LOOSE_PAWNS, -turn * hangs(own, state.pawns).count() as f32);
    add(LOOSE_PAWNS + 1, turn * hangs(other, state.pawns).count() as f32);
    if mine & kings != 0 && theirs & kings != 0 {
        match steps((mine & kings).lowest(), (theirs & kings).lowest()) {
            2 => add(OPPOSITION, -turn),
            3 => add(OPPOSITION + 1, turn),
            _ => {}
        }
    }
}
