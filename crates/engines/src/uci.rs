//! UCI variants: the names and position formats of other games in chess programs.
//!
//! Elsewhere no game is named outside of its own file. Here it cannot be helped: these are the words of other programs.

use std::io;
use std::path::{Path, PathBuf};

use plyground_session::{InputError, Params, split_spec};

/// The largest boards that Fairy-Stockfish can be told of.
const MOST_FILES: u8 = 12;
const MOST_RANKS: u8 = 10;

/// A game as a UCI program knows it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// The value of its option `UCI_Variant`.
    pub name: String,
    /// The definition of its rules in the language of Fairy-Stockfish, where it is not built in (a file for the option `VariantPath`).
    pub definition: Option<String>,
    family: &'static Family,
}

/// How the positions of a game are written. Squares are called the same in all of them, and so are moves.
#[derive(Debug)]
struct Family {
    game: &'static str,
    /// Our letters on the board, and theirs.
    letters: &'static [(char, char)],
    /// Our letters for the side to move.
    sides: [&'static str; 2],
    /// Sizes that they know, with the names.
    known: &'static [((u8, u8), &'static str)],
    /// The rules, where they do not know a size: what it is derived from, and all that is different.
    rules: fn(files: u8, ranks: u8) -> String,
}

static FAMILIES: &[Family] = &[
    Family {
        game: "clobber",
        letters: &[('x', 'P'), ('o', 'p')],
        sides: ["x", "o"],
        known: &[((5, 6), "clobber"), ((10, 10), "clobber10")],
        rules: clobber,
    },
    Family { game: "pawn", letters: &[], sides: ["w", "b"], known: &[], rules: pawn },
];

fn clobber(files: u8, ranks: u8) -> String {
    let rank = |number: u8| (0..files).map(|file| if (number + file).is_multiple_of(2) { 'P' } else { 'p' }).collect::<String>();
    let board: Vec<String> = (0..ranks).map(rank).collect();
    format!(":clobber]\nmaxFile = {files}\nmaxRank = {ranks}\nstartFen = {} w 0 1\n", board.join("/"))
}

/// Versions of Fairy-Stockfish differ in the names of some settings; what one does not know it passes over.
fn pawn(files: u8, ranks: u8) -> String {
    let empty = vec![files.to_string(); usize::from(ranks) - 2].join("/");
    let (black, white) = ("p".repeat(files.into()), "P".repeat(files.into()));
    format!(
        ":chess]\nmaxFile = {files}\nmaxRank = {ranks}\nstartFen = {black}/{empty}/{white} w - - 0 1\n\
         king = -\nqueen = -\nrook = -\nbishop = -\nknight = -\ncastling = false\ndoubleStep = false\n\
         promotionPieceTypes = -\nmandatoryPawnPromotion = false\npromotionRank = {ranks}\n\
         flagPiece = p\nwhiteFlag = *{ranks}\nblackFlag = *1\nflagRegionWhite = *{ranks}\nflagRegionBlack = *1\n\
         stalemateValue = loss\nextinctionValue = loss\nextinctionPieceTypes = p\nextinctionPieceCount = 0\n"
    )
}

impl Variant {
    /// The variant of a game; a name, if one is given, must be what it is called.
    pub fn of(game: &str, name: Option<&str>) -> Result<Self, String> {
        let cannot = |why: &str| format!("it cannot be asked about {game} in UCI: {why}");
        let (word, keys) = split_spec(game);
        let family = FAMILIES.iter().find(|family| family.game == word);
        let family = family.ok_or_else(|| cannot("expected clobber or pawn, without variants"))?;
        let size = board(keys).map_err(|error| cannot(&error.to_string()))?;
        let (files, ranks) = size.ok_or_else(|| cannot("expected clobber or pawn, without variants"))?;
        let known = family.known.iter().find(|(size, _)| *size == (files, ranks)).map(|(_, name)| (*name).to_owned());
        let (called, definition) = match known {
            Some(known) => (known, None),
            None if files > MOST_FILES || ranks > MOST_RANKS => {
                return Err(cannot(&format!("expected a board of at most {MOST_FILES}x{MOST_RANKS}")));
            }
            None => {
                let called = format!("ply{word}{files}x{ranks}");
                let rules = (family.rules)(files, ranks);
                let definition = format!("[{called}{rules}");
                (called, Some(definition))
            }
        };
        match name.filter(|name| *name != called) {
            Some(name) => Err(cannot(&format!("there it is called {called}, not {name}"))),
            None => Ok(Self { name: called, definition, family }),
        }
    }

    /// Writes what the program has to be told to a file of its own; none if it knows the game.
    pub fn define(&self, folder: &Path) -> io::Result<Option<PathBuf>> {
        let Some(definition) = &self.definition else { return Ok(None) };
        let file = folder.join(format!("{}.ini", self.name));
        if std::fs::read_to_string(&file).is_ok_and(|written| written == *definition) {
            return Ok(Some(file));
        }
        // Another process may read or write it at this moment.
        std::fs::create_dir_all(folder)?;
        let part = folder.join(format!("{}.{}.part", self.name, std::process::id()));
        std::fs::write(&part, definition)?;
        std::fs::rename(&part, &file)?;
        Ok(Some(file))
    }

    /// One of our positions in Forsyth-Edwards notation; `None` if it is not understood.
    pub fn fen(&self, position: &str) -> Option<String> {
        let mut fields = position.split(' ');
        let (board, side) = (fields.next()?, fields.next()?);
        let letters = self.family.letters;
        let letter = |ours: char| letters.iter().find(|(letter, _)| *letter == ours).map_or(ours, |(_, theirs)| *theirs);
        let board: String = board.chars().map(letter).collect();
        let mover = self.family.sides.iter().position(|ours| *ours == side)?;
        Some(format!("{board} {} - - 0 1", ["w", "b"][mover]))
    }
}

/// The size of a board; none where the game has keys that change its rules.
fn board(keys: &str) -> Result<Option<(u8, u8)>, InputError> {
    let params = Params::parse(keys)?;
    // Stones that were placed at random are played with the same moves.
    let plain = params.keys().all(|key| ["size", "random"].contains(&key));
    Ok(params.size()?.filter(|_| plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_written_as_they_know_them() {
        let variant = Variant::of("clobber:size=5x6", None).unwrap();
        assert_eq!((variant.name.as_str(), &variant.definition), ("clobber", &None));
        assert_eq!(variant.fen("xo3/5/5/5/5/1x2o o").as_deref(), Some("Pp3/5/5/5/5/1P2p b - - 0 1"));
        assert_eq!((variant.fen("xo3"), variant.fen("xo3 w")), (None, None));
        assert_eq!(Variant::of("clobber:size=10x10,random=7", Some("clobber10")).unwrap().name, "clobber10");
        assert_eq!(Variant::of("pawn:size=4x4", None).unwrap().fen("p3/4/4/3P b").as_deref(), Some("p3/4/4/3P b - - 0 1"));
    }

    #[test]
    fn other_sizes_are_defined() {
        let clobber = Variant::of("clobber:size=3x2", None).unwrap();
        let expected = "[plyclobber3x2:clobber]\nmaxFile = 3\nmaxRank = 2\nstartFen = PpP/pPp w 0 1\n";
        assert_eq!(clobber.definition.as_deref(), Some(expected));
        let pawn = Variant::of("pawn:size=3x4", None).unwrap().definition.unwrap();
        assert!(pawn.starts_with("[plypawn3x4:chess]\n") && pawn.contains("startFen = ppp/3/3/PPP w - - 0 1\n"), "{pawn}");
    }

    #[test]
    fn games_that_they_do_not_know_are_refused() {
        for (game, name, words) in [
            ("tuc-chess", None, "expected clobber or pawn"),
            ("clobber:size=5x6,own", None, "without variants"),
            ("pawn:size=6x6,double", None, "without variants"),
            ("clobber:size=26x3", None, "at most 12x10"),
            ("clobber:size=5x6", Some("clobber10"), "there it is called clobber, not clobber10"),
        ] {
            let error = Variant::of(game, name).unwrap_err();
            assert!(error.starts_with("it cannot be asked about ") && error.contains(words), "{error}");
        }
    }
}
