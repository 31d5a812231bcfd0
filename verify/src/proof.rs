//! Proofs: for every position in which the winner is to move, a reply, or the statement that a small search decides it.

use std::collections::HashSet;

use crate::decoder::Decoder;
use crate::rules::{End, Game, Move, Position};

/// The largest number of legal moves that a reply can be chosen from, as a power of two.
const REPLY_BITS: u32 = 8;
/// Contexts of the decoder: for "a small search decides" the number of legal moves, then a tree of bits for each width of a reply.
const SEARCH_CONTEXTS: usize = 32;
pub const CONTEXTS: usize = SEARCH_CONTEXTS + ((REPLY_BITS as usize + 1) << REPLY_BITS);

/// A claim: this player wins, or has at least a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    pub player: u8,
    pub wins: bool,
}

impl Claim {
    /// Does an end of the game satisfy the claim?
    pub fn is_met(self, end: End) -> bool {
        end == End::Won(self.player) || (!self.wins && end == End::Drawn)
    }
}

/// The counts of a verification.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    /// Positions with the winner to move.
    pub positions: u64,
    /// Of these, those that a small search decided.
    pub searches: u64,
    /// Moves that small searches made.
    pub nodes: u64,
}

/// The checker of one section: it follows the proof from one position to all ends of the game.
pub struct Checker<'a> {
    pub game: Game,
    pub claim: Claim,
    /// The most moves that a small search may make.
    pub limit: u64,
    pub proof: Decoder<'a>,
    pub effort: Effort,
    pub seen: HashSet<Position>,
    /// Positions of the winner in which this section ends: after so many of the winner's moves, where sections follow.
    pub depth: Option<u32>,
    pub ends: Vec<Position>,
}

impl Checker<'_> {
    /// Follows the proof from a position that is not over, after so many moves of the winner.
    pub fn check(&mut self, position: &Position, depth: u32) -> Result<(), String> {
        let (mut moves, mut scratch) = (Vec::new(), Vec::new());
        if position.side != self.claim.player {
            self.game.moves(position, &mut moves);
            return moves.into_iter().try_for_each(|mv| self.follow(position, mv, depth, &mut scratch));
        }
        if !self.seen.insert(*position) {
            return Ok(());
        }
        if self.depth == Some(depth) {
            self.ends.push(*position);
            return Ok(());
        }
        self.effort.positions += 1;
        self.game.moves(position, &mut moves);
        if self.proof.bit(moves.len().min(SEARCH_CONTEXTS - 1))? {
            self.effort.searches += 1;
            let mut left = self.limit;
            let decided = search(self.game, self.claim, position, &mut left);
            self.effort.nodes += self.limit - left;
            let fault = || format!("a search of {} moves does not prove the claim in {position:?}", self.limit);
            return if decided == Some(true) { Ok(()) } else { Err(fault()) };
        }
        let reply = self.reply(moves.len())?;
        let mv = *moves.get(reply).ok_or_else(|| format!("there is no move number {reply} in {position:?}"))?;
        self.follow(position, mv, depth + 1, &mut scratch)
    }

    fn follow(&mut self, position: &Position, mv: Move, depth: u32, scratch: &mut Vec<Move>) -> Result<(), String> {
        match self.game.play(position, mv, scratch) {
            (child, None) => self.check(&child, depth),
            (_, Some(end)) if self.claim.is_met(end) => Ok(()),
            (_, Some(end)) => Err(format!("after {mv:?} in {position:?} the game ends with {end:?}")),
        }
    }

    /// The number of the reply, of so many legal moves: a number of as many bits as the greatest has, the highest first.
    fn reply(&mut self, moves: usize) -> Result<usize, String> {
        let bits = usize::BITS - (moves - 1).leading_zeros();
        if bits > REPLY_BITS {
            return Err(format!("a position has {moves} moves, which is more than a proof can number"));
        }
        let tree = SEARCH_CONTEXTS + ((bits as usize) << REPLY_BITS);
        let mut node = 1;
        for _ in 0..bits {
            node = node << 1 | usize::from(self.proof.bit(tree + node)?);
        }
        Ok(node - (1 << bits))
    }
}

/// The small search: does the player of the claim reach it from this position? Depth first, the moves in their order, those that end
/// the game before the others. It may make `left` moves; `None` if they do not suffice.
pub fn search(game: Game, claim: Claim, position: &Position, left: &mut u64) -> Option<bool> {
    let (mut moves, mut scratch) = (Vec::new(), Vec::new());
    game.moves(position, &mut moves);
    // The player of the claim needs one move that is good enough, the opponent one that is not.
    let wanted = position.side == claim.player;
    let mut live = Vec::new();
    for mv in moves {
        *left = left.checked_sub(1)?;
        match game.play(position, mv, &mut scratch) {
            (child, None) => live.push(child),
            (_, Some(end)) if claim.is_met(end) == wanted => return Some(wanted),
            _ => {}
        }
    }
    for child in live {
        if search(game, claim, &child, left)? == wanted {
            return Some(wanted);
        }
    }
    Some(!wanted)
}
