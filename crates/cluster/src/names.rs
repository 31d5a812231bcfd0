//! Names and hashes that arrive over the network: types that hold nothing but what they say.
//!
//! What a message names becomes a file of the cache, a key or a subject of the server. So no message carries a text for it: a name
//! that is none of these types does not get past the parser.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that is refused, with what was expected.
fn refused(expected: &str, found: &str) -> String {
    format!("expected {expected}, found {:?}", found.chars().take(80).collect::<String>())
}

/// A validated text: parsed from text, deserialised from a string, and refused if it does not keep to its pattern.
macro_rules! validated {
    ($(#[$doc:meta])* $name:ident, $expected:expr, $fits:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> Result<Self, String> {
                let fits: fn(&str) -> bool = $fits;
                if fits(&text) { Ok(Self(text)) } else { Err(refused($expected, &text)) }
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                text.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

validated! {
    /// The hash of a file's contents: 64 lowercase hexadecimal digits, and so also the name of that file in a cache.
    ContentHash, "a hash of 64 lowercase hexadecimal digits",
    |text| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

validated! {
    /// The name of a run or of a training: one token of a subject, without dots and wildcards.
    SubjectName, "a name of 1 to 64 letters, digits, - and _",
    |text| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

validated! {
    #[derive(Default)]
    /// The name of a worker, as people type it and reports print it: no control characters. Empty where no worker signs a message.
    WorkerName, "the name of a worker, at most 128 characters without control characters",
    |text| text.len() <= 512 && text.chars().count() <= 128 && !text.chars().any(char::is_control)
}

impl ContentHash {
    /// The hash of these contents.
    pub fn of(contents: &[u8]) -> Self {
        Self(plyground_match::hash(contents))
    }
}

impl WorkerName {
    /// A text as the name of a worker: what cannot be in a name is left out.
    pub fn of(text: &str) -> Self {
        Self(text.chars().filter(|character| !character.is_control()).take(128).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_64_hexadecimal_digits_and_nothing_else() {
        let good = ContentHash::of(b"contents");
        assert_eq!(good.as_str().parse::<ContentHash>().unwrap(), good);
        let upper = good.as_str().to_uppercase();
        let long = format!("{good}0");
        let dots = "../".repeat(21) + "a";
        for bad in ["", "/home/me/precious.txt", "../../etc/passwd", &good.as_str()[1..], &upper, &long, &dots] {
            let error = bad.parse::<ContentHash>().unwrap_err();
            assert!(error.contains("expected a hash of 64 lowercase hexadecimal digits, found"), "{error}");
            assert!(serde_json::from_value::<ContentHash>(bad.into()).is_err());
        }
    }

    #[test]
    fn names_are_tokens_of_subjects_and_workers_have_names_that_can_be_printed() {
        for good in ["r", "0123456789ab", "77-18f3a2b", "a_B-9"] {
            assert_eq!(good.parse::<SubjectName>().unwrap().as_str(), good);
        }
        for bad in ["", "a.b", "*", ">", "a b", "../x", "ü", &"x".repeat(65)] {
            assert!(bad.parse::<SubjectName>().is_err(), "{bad}");
        }
        assert!("Anna's laptop".parse::<WorkerName>().is_ok() && "".parse::<WorkerName>().is_ok());
        assert!("\u{1b}[2J".parse::<WorkerName>().is_err() && "x".repeat(129).parse::<WorkerName>().is_err());
        assert_eq!(WorkerName::of("\u{1b}[2Jme").as_str(), "[2Jme");
    }
}
