//! Specs from outside: names, keys and values.

use std::{fmt, ops::RangeInclusive, str::FromStr, time::Duration};

use crate::{InputError, quoted};

/// The description of a key of a game or agent spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// The word before the `=`.
    pub key: &'static str,
    /// What comes after it, e.g. `COLUMNSxROWS`; empty for a flag that stands alone.
    pub value: &'static str,
    /// What holds when it is not given.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// Splits `NAME` or `NAME:keys` into the name and the text of the keys.
pub fn split_spec(spec: &str) -> (&str, &str) {
    spec.split_once(':').unwrap_or((spec, ""))
}

/// The keys of a spec: `key=value` or `flag`, separated by commas, each at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(Vec<(String, Option<String>)>);

impl Params {
    /// Reads the part of a spec after the colon.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let mut params = Self::default();
        if text.is_empty() {
            return Ok(params);
        }
        for part in text.split(',') {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (part.trim(), None),
            };
            if key.is_empty() || value == Some("") {
                let detail = format!("expected key=value or a flag between the commas, found {}", quoted(part));
                return Err(InputError::malformed("list of keys", text, detail));
            }
            if params.has(key) {
                return Err(InputError::malformed("list of keys", text, format!("'{key}' is given twice")));
            }
            params.0.push((key.to_owned(), value.map(str::to_owned)));
        }
        Ok(params)
    }

    /// Makes sure that only known keys are there, with a value where one belongs. `owner` is what the keys belong to.
    pub fn check(&self, owner: &str, known: &[KeyInfo]) -> Result<(), InputError> {
        for (key, value) in &self.0 {
            let Some(info) = known.iter().find(|info| info.key == key) else {
                let keys = known.iter().map(|info| info.key);
                return Err(InputError::unknown(&format!("key of {owner}"), key, keys));
            };
            match (value, info.value) {
                (Some(value), "") => {
                    let detail = format!("'{key}' stands alone, without a value");
                    return Err(InputError::malformed("key", &format!("{key}={value}"), detail));
                }
                (None, wanted) if !wanted.is_empty() => {
                    return Err(InputError::malformed("key", key, format!("expected {key}={wanted}")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The keys that are there, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Is the key there?
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.as_deref())
    }

    /// These keys and those of `more`; the same key in both is an error.
    pub fn joined(mut self, more: Self) -> Result<Self, InputError> {
        for (key, value) in more.0 {
            if self.has(&key) {
                return Err(InputError::malformed("key", &key, "it is already fixed by the name before the colon"));
            }
            self.0.push((key, value));
        }
        Ok(self)
    }

    /// The number behind a key, if the key is there; an error when it is not a number in the range.
    pub fn number<N>(&self, key: &str, range: RangeInclusive<N>) -> Result<Option<N>, InputError>
    where
        N: FromStr + PartialOrd + fmt::Display,
    {
        let Some(text) = self.get(key) else { return Ok(None) };
        match text.parse::<N>() {
            Ok(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let detail = format!("expected {key} from {} to {}", range.start(), range.end());
                Err(InputError::malformed("value", &format!("{key}={text}"), detail))
            }
        }
    }

    /// The board size behind the key `size`, if it is there: `COLUMNSxROWS`.
    pub fn size(&self) -> Result<Option<(u8, u8)>, InputError> {
        self.get("size").map(parse_size).transpose()
    }

    /// The number of the word behind a key among the words that are allowed there; 0 when the key is not given.
    pub fn choice(&self, key: &str, words: &[&str]) -> Result<usize, InputError> {
        let Some(text) = self.get(key) else { return Ok(0) };
        let unknown = || InputError::unknown(&format!("value of '{key}'"), text, words.iter().copied());
        words.iter().position(|&word| word == text).ok_or_else(unknown)
    }

    /// The duration behind a key, if it is there.
    pub fn duration(&self, key: &str) -> Result<Option<Duration>, InputError> {
        self.get(key).map(parse_duration).transpose()
    }
}

/// Reads `COLUMNSxROWS`.
pub fn parse_size(text: &str) -> Result<(u8, u8), InputError> {
    let malformed = || InputError::malformed("size", text, "expected COLUMNSxROWS, like 5x6");
    let (columns, rows) = text.split_once('x').ok_or_else(malformed)?;
    let number = |digits: &str| match digits.parse::<u8>() {
        Ok(number @ 1..=99) if !digits.starts_with(['0', '+']) => Ok(number),
        _ => Err(malformed()),
    };
    Ok((number(columns)?, number(rows)?))
}

/// Reads a duration with its unit: `100ms`, `1.5s`, `12min`.
pub fn parse_duration(text: &str) -> Result<Duration, InputError> {
    let malformed = || InputError::malformed("duration", text, "expected a number and ms, s or min, like 100ms or 1.5s");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "ms" => 0.001,
        "s" => 1.0,
        "min" => 60.0,
        _ => return Err(malformed()),
    };
    let number: f64 = digits.parse().map_err(|_| malformed())?;
    // A day is more than any thought needs, and keeps the arithmetic of deadlines away from overflow.
    if !(0.0..=86_400.0).contains(&(number * seconds)) {
        return Err(malformed());
    }
    Ok(Duration::from_secs_f64(number * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_checked() {
        const KEYS: &[KeyInfo] = &[
            KeyInfo { key: "size", value: "COLUMNSxROWS", default: "5x6", meaning: "board" },
            KeyInfo { key: "own", value: "", default: "off", meaning: "own captures" },
        ];
        let params = Params::parse("size=5x4,own").unwrap();
        params.check("clobber", KEYS).unwrap();
        assert_eq!(params.size().unwrap(), Some((5, 4)));
        assert!(params.has("own"));
        for bad in ["size", "own=1", "sise=5x4", "size=0x4,own", "size=5x4,size=5x4", ",", "=3", "size=300x2", "size=+5x4"] {
            let refused = Params::parse(bad).and_then(|params| {
                params.check("clobber", KEYS)?;
                params.size()
            });
            assert!(refused.is_err(), "{bad}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("100ms").unwrap(), Duration::from_millis(100));
        assert_eq!(parse_duration("1.5s").unwrap(), Duration::from_millis(1_500));
        assert_eq!(parse_duration("12min").unwrap(), Duration::from_mins(12));
        for bad in ["", "5", "s", "-1s", "nans", "infs", "1e300s", "5 parsecs", "é"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
