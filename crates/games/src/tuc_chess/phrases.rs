//! The phrases of TUC-Chess.

use plyground_core::Phrase;

/// All of them.
pub(super) const ALL: [Phrase; 18] = [
    NO_CHANCE,
    NOT_YOURS,
    EMPTY,
    OWN_PIECE,
    BLOCKED,
    NO_CAPTURE,
    PAWN,
    IN_THE_WAY,
    ROOK,
    KING,
    KING_CAPTURED,
    KINGS_LEFT,
    STUCK,
    LIMIT,
    WORTH_A_POINT,
    WORTH_NOTHING,
    APPEARS,
    NO_BONUS,
];

// Why a move is illegal.
pub(super) const NO_CHANCE: Phrase = Phrase::new("no-chance", "chance has nothing to decide here; {player} is to move");
pub(super) const NOT_YOURS: Phrase = Phrase::new("not-yours", "the {piece} on {square} is not {player}'s");
pub(super) const EMPTY: Phrase = Phrase::new("empty", "there is no piece on {square}");
pub(super) const OWN_PIECE: Phrase = Phrase::new("own-piece", "{player}'s own {piece} stands on {square}");
pub(super) const BLOCKED: Phrase = Phrase::new("blocked", "a pawn cannot capture straight ahead, and {square} is occupied");
pub(super) const NO_CAPTURE: Phrase =
    Phrase::new("no-capture", "a pawn moves diagonally only to capture; no piece is on {square}");
pub(super) const PAWN: Phrase = Phrase::new("pawn", "a pawn moves one square ahead");
pub(super) const IN_THE_WAY: Phrase =
    Phrase::new("in-the-way", "a piece or a bonus is in the way of the rook between {from} and {to}");
pub(super) const ROOK: Phrase = Phrase::new("rook", "a rook moves one to three squares along a rank or file");
pub(super) const KING: Phrase = Phrase::new("king", "a king moves one square along a rank or file");

// Why a game is over.
pub(super) const KING_CAPTURED: Phrase =
    Phrase::new("king-captured", "{player} has captured the king; White {white}, Black {black}");
pub(super) const KINGS_LEFT: Phrase = Phrase::new("kings-left", "only the kings are left; White {white}, Black {black}");
pub(super) const STUCK: Phrase = Phrase::new("stuck", "{player} has no legal move; White {white}, Black {black}");
pub(super) const LIMIT: Phrase = Phrase::new("limit", "the limit of {plies} plies is reached; White {white}, Black {black}");

// What chance has done.
pub(super) const WORTH_A_POINT: Phrase = Phrase::new("worth-a-point", "the bonus was worth a point");
pub(super) const WORTH_NOTHING: Phrase = Phrase::new("worth-nothing", "the bonus was worth nothing");
pub(super) const APPEARS: Phrase = Phrase::new("appears", "a bonus appears on {square}");
pub(super) const NO_BONUS: Phrase = Phrase::new("no-bonus", "no new bonus");
