//! Errors in input from outside and of agents, in words that say what was expected.

use std::fmt;

use crate::Sentence;

/// An error in input from outside, in words for the user who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A word that is not one of the known ones.
    #[error("unknown {what} {}{}; expected {}", Quoted(found), DidYouMean(found, expected), expected_words(expected))]
    Unknown {
        /// What kind of word.
        what: String,
        /// The word.
        found: String,
        /// The known ones.
        expected: Vec<String>,
    },
    /// Text that does not have the right form, or says something impossible.
    #[error("malformed {what} {}: {detail}", Quoted(found))]
    Malformed {
        /// What it should have been.
        what: &'static str,
        /// The text.
        found: String,
        /// What is wrong and where, and what was expected.
        detail: String,
    },
    /// A move that has the right form but cannot be played here.
    #[error("illegal move {}: {why}", Quoted(found))]
    Illegal {
        /// The move.
        found: String,
        /// The reason.
        why: Sentence,
    },
    /// Chance has to decide before play goes on.
    #[error("a chance outcome is needed here{}; possible: {}", Instead(found.as_deref()), possible.join(" "))]
    ChanceNeeded {
        /// What was given in its place.
        found: Option<String>,
        /// The possible outcomes as text.
        possible: Vec<String>,
    },
    /// A program that was to play is not able to.
    #[error("{} cannot play: {error}", Quoted(found))]
    Engine {
        /// Its spec.
        found: String,
        /// What it did.
        error: AgentError,
    },
}

impl InputError {
    /// An [`InputError::Unknown`].
    pub fn unknown<S: Into<String>>(what: &str, found: &str, expected: impl IntoIterator<Item = S>) -> Self {
        Self::Unknown { what: what.to_owned(), found: found.to_owned(), expected: expected.into_iter().map(Into::into).collect() }
    }

    /// An [`InputError::Malformed`].
    pub fn malformed(what: &'static str, found: &str, detail: impl Into<String>) -> Self {
        Self::Malformed { what, found: found.to_owned(), detail: detail.into() }
    }

    /// An [`InputError::Illegal`].
    pub fn illegal(found: &str, why: impl Into<Sentence>) -> Self {
        Self::Illegal { found: found.to_owned(), why: why.into() }
    }
}

/// Foreign text in a message: in quotes, control characters escaped, cut when it is long.
pub fn quoted(text: &str) -> impl fmt::Display {
    Quoted(text)
}

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 100;
        let shown: String = self.0.chars().take(SHOWN).collect();
        let dots = if shown.len() < self.0.len() { "…" } else { "" };
        write!(f, "'{}{dots}'", shown.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\""))
    }
}

struct Instead<'a>(Option<&'a str>);

impl fmt::Display for Instead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |found| write!(f, ", found {}", Quoted(found)))
    }
}

struct DidYouMean<'a>(&'a str, &'a [String]);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match nearest(self.0, self.1.iter().map(String::as_str)) {
            Some(word) => write!(f, " (did you mean '{word}'?)"),
            None => Ok(()),
        }
    }
}

fn expected_words(words: &[String]) -> String {
    match words {
        [] => "none at all".to_owned(),
        [only] => only.clone(),
        _ => format!("one of {}", words.join(", ")),
    }
}

/// The known word that a mistyped one was most likely meant to be.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing is quadratic in the length, and a long text is no mistyped word.
    if found.len() > 64 {
        return None;
    }
    let found = found.to_lowercase();
    known
        .into_iter()
        .map(|word| {
            let distance = strsim::damerau_levenshtein(&found, word);
            let part = found.len() > 2 && (word.contains(&found) || found.contains(word));
            (if part { distance.min(1) } else { distance }, word)
        })
        // Something of the word must be left: every single letter is one step away from every other.
        .filter(|&(distance, word)| distance < word.len() && distance * 2 <= word.len().max(2))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, word)| word)
}

/// The reason why an agent gave no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// It was asked in a position in which no player is to move.
    #[error("no player is to move in this position")]
    NoPlayerToMove,
    /// It is a program of its own, and that has ended or broken the rules of the conversation.
    #[error("the engine crashed: {0}")]
    Crashed(String),
    /// It is a program of its own, and that did not answer.
    #[error("the engine stalled: {0}")]
    Stalled(String),
    /// It is a program of its own, and that gave a move that the rules do not allow.
    #[error("the engine cheated: {0}")]
    Cheated(String),
    /// It is a program of its own, and cannot be asked about this game, or not in this way.
    #[error("{0}")]
    Refused(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_nearest_word_and_what_was_expected() {
        let error = InputError::unknown("game", "clober", ["crosphere", "clobber", "pawn"]);
        assert_eq!(
            error.to_string(),
            "unknown game 'clober' (did you mean 'clobber'?); expected one of crosphere, clobber, pawn"
        );
        assert_eq!(nearest("zzzz", ["clobber", "pawn"]), None);
        assert_eq!((nearest("", ["q"]), nearest("x", ["q"]), nearest("mx", ["q", "mc"])), (None, None, Some("mc")));
    }

    #[test]
    fn hostile_text_is_shown_escaped_and_cut() {
        let error = InputError::malformed("position", &format!("a\u{1b}[2J{}", "x".repeat(5_000)), "no");
        let message = error.to_string();
        assert!(!message.contains('\u{1b}') && message.len() < 200, "{message}");
    }
}
