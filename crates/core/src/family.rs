//! Families: games before their parameters are known.

use crate::{Encodable, Evaluated, GameInfo, InputError, Params, RecordFormat, Solvable};

/// A family of games that differ in their parameters. Each game file has one; it is the only place where a family is turned into
/// concrete types, so that a 3x3 board can be stored in one machine word and a 15x15 board in four.
pub trait Family: 'static {
    /// The description.
    const INFO: &'static GameInfo;

    /// Makes the game from its parameters (already checked to be known keys) and hands it to the visitor, together with the
    /// start or the given position. A position sets those parameters that are not given, and must not contradict those that are.
    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError>;

    /// Record formats of other programs that this game can read and write.
    fn record_formats() -> &'static [RecordFormat] {
        &[]
    }
}

/// A game with everything that agents, training and sessions ask for; implemented for every game that has the parts.
pub trait PlayableGame: Evaluated + Solvable + Encodable {}

impl<G: Evaluated + Solvable + Encodable> PlayableGame for G {}

/// An operation on a game, compiled for its concrete type.
pub trait Visitor {
    /// What comes out.
    type Output;
    /// Called once, with the game and the position to begin with.
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output;
}

/// Called once for each game that Plyground knows.
pub trait FamilyVisitor {
    /// Called with each family in turn.
    fn visit<F: Family>(&mut self);
}
