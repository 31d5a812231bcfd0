//! UCI: what chess programs that know other games call them, and how they write their positions.
//!
//! Elsewhere no game is named outside of its own file. Here it cannot be helped: these are the words of other programs.

use plyground_table::split_spec;

/// A game as a UCI program knows it.
pub(crate) struct Variant {
    /// The value of its option `UCI_Variant`.
    pub name: &'static str,
    /// The same game here.
    pub game: &'static str,
    /// Our letters on the board and beside it, and theirs.
    letters: &'static [(char, char)],
    sides: [(&'static str, &'static str); 2],
}

const CLOBBER: &[(char, char)] = &[('x', 'P'), ('o', 'p')];
const SIDES: [(&str, &str); 2] = [("x", "w"), ("o", "b")];

/// Squares are called the same in all of them, and so are moves.
const VARIANTS: &[Variant] = &[
    Variant { name: "clobber", game: "clobber:size=5x6", letters: CLOBBER, sides: SIDES },
    Variant { name: "clobber10", game: "clobber:size=10x10", letters: CLOBBER, sides: SIDES },
];

impl Variant {
    /// The variant of a game; a name, if one is given, must be that of the variant.
    pub fn of(game: &str, name: Option<&str>) -> Result<&'static Self, String> {
        let fits = |variant: &&Self| {
            // Stones that were placed at random are played with the same moves.
            let same = variant.game == game || game.starts_with(&format!("{},random=", variant.game));
            same && name.is_none_or(|name| name == variant.name)
        };
        VARIANTS.iter().find(fits).ok_or_else(|| {
            let known: Vec<String> = VARIANTS.iter().map(|variant| format!("{} is {}", variant.name, variant.game)).collect();
            let wanted = name.map_or_else(|| split_spec(game).0.to_owned(), |name| format!("variant={name}"));
            format!("it cannot be asked about {game} ({wanted}) in UCI; known variants: {}", known.join(", "))
        })
    }

    /// One of our positions in Forsyth-Edwards notation; `None` if it is not understood.
    pub fn fen(&self, position: &str) -> Option<String> {
        let mut fields = position.split(' ');
        let (board, side) = (fields.next()?, fields.next()?);
        let letter = |ours: char| self.letters.iter().find(|(letter, _)| *letter == ours).map_or(ours, |(_, theirs)| *theirs);
        let board: String = board.chars().map(letter).collect();
        let (_, side) = self.sides.iter().find(|(ours, _)| *ours == side)?;
        Some(format!("{board} {side} - - 0 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_written_as_they_know_them() {
        let variant = Variant::of("clobber:size=5x6", None).unwrap();
        assert_eq!(variant.fen("xo3/5/5/5/5/1x2o o").as_deref(), Some("Pp3/5/5/5/5/1P2p b - - 0 1"));
        assert_eq!(variant.fen("xo3"), None);
        assert_eq!(Variant::of("clobber:size=10x10,random=7", Some("clobber10")).map(|variant| variant.name), Ok("clobber10"));
    }

    #[test]
    fn games_that_they_do_not_know_are_refused() {
        for (game, name) in [("clobber:size=6x6", None), ("clobber:size=5x6,own", None), ("clobber:size=5x6", Some("clobber10"))]
        {
            let error = Variant::of(game, name).map(|variant| variant.name).unwrap_err();
            assert!(error.contains("known variants: clobber is clobber:size=5x6"), "{error}");
        }
    }
}
