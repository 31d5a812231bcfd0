//! Sentences for players that can be translated: a key, arguments, and the English text.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// A sentence template: a key for translations, and the English text with a `{name}` for every argument.
///
/// A game lists its phrases in [`GameInfo::phrases`](crate::GameInfo::phrases), so that a test can find out which of them a language
/// lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Phrase {
    /// The key, unique among the phrases of a game.
    pub key: &'static str,
    /// The text in English: no capital letter at the beginning, no full stop at the end.
    pub english: &'static str,
}

impl Phrase {
    /// A phrase.
    pub const fn new(key: &'static str, english: &'static str) -> Self {
        Self { key, english }
    }

    /// The sentence with the arguments filled in.
    pub fn with<const N: usize>(self, args: [(&'static str, &dyn fmt::Display); N]) -> Sentence {
        let args: BTreeMap<&'static str, String> = args.into_iter().map(|(name, value)| (name, value.to_string())).collect();
        let fill = |text: String, (name, value): (&&str, &String)| text.replace(&format!("{{{name}}}"), value);
        let english = args.iter().fold(self.english.to_owned(), fill);
        Sentence { key: self.key, args, english }
    }

    /// The sentence of a phrase without arguments.
    pub fn plain(self) -> Sentence {
        self.with([])
    }
}

/// The phrases that do not belong to a game.
pub const GENERAL_PHRASES: &[Phrase] = &[NOT_LEGAL, OVER];

pub(crate) const NOT_LEGAL: Phrase = Phrase::new("general.not-legal", "it is not among the legal moves");
pub(crate) const OVER: Phrase = Phrase::new("general.over", "the game is over ({result})");

/// A sentence for a player: in English, and as a key with arguments from which other languages make theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// The key of the phrase; empty for a sentence that exists in English only.
    pub key: &'static str,
    /// The arguments by name. A translation need not use all of them.
    pub args: BTreeMap<&'static str, String>,
    /// The sentence in English.
    pub english: String,
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl From<String> for Sentence {
    fn from(english: String) -> Self {
        Self { key: "", args: BTreeMap::new(), english }
    }
}

impl From<&str> for Sentence {
    fn from(english: &str) -> Self {
        english.to_owned().into()
    }
}

/// An outcome of chance for players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeText {
    /// What happened, in words.
    #[serde(flatten)]
    pub sentence: Sentence,
    /// A few characters for a list of moves.
    pub sign: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_filled_in_and_kept_for_other_languages() {
        let taken = Phrase::new("taken", "{square} is taken by {player}").with([("square", &"b2"), ("player", &"Red")]);
        assert_eq!(taken.to_string(), "b2 is taken by Red");
        assert_eq!((taken.key, taken.args["square"].as_str()), ("taken", "b2"));
        assert_eq!(Phrase::new("full", "the board is full").plain().to_string(), "the board is full");
        assert_eq!(Sentence::from("a text").key, "");
    }
}
