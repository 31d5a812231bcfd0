//! The settings of a game that are compared: every combination of the values of some of its parameters.

use plyground_core::{InputError, KeyInfo, parse_size, split_spec};
use plyground_session::{info, open, with_size_key};

/// More settings than this are a mistake.
const MOST_SETTINGS: usize = 1_000;

/// A parameter of a game, and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub key: String,
    /// The values, in the order in which they were given. Those of a flag are `on` and `off`.
    pub values: Vec<String>,
}

/// A game with one value of every axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The game with its parameters.
    pub game: String,
    /// The parameters that vary, in few letters.
    pub label: String,
    /// The number of its value on each axis.
    pub values: Vec<usize>,
}

/// All settings that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The parameters that vary, in the order in which the game lists them.
    pub axes: Vec<Axis>,
    /// The combinations of their values, the last axis changing fastest.
    pub settings: Vec<Setting>,
    /// Combinations that the game does not know though it knows each of their values, and why.
    pub left_out: Vec<(String, InputError)>,
}

impl Sweep {
    /// A game with some parameters fixed, as it was typed, and some varied: a key and its values each, as [`Axis`] reads them.
    pub fn new(game: &str, varied: &[(String, String)]) -> Result<Self, InputError> {
        let game = &with_size_key(game)?;
        let (name, fixed) = split_spec(game);
        let known = info(name)?.keys;
        for (index, (key, _)) in varied.iter().enumerate() {
            if !known.iter().any(|info| info.key == key) {
                return Err(InputError::unknown(&format!("parameter of {name}"), key, known.iter().map(|info| info.key)));
            }
            if varied[..index].iter().any(|(other, _)| other == key) {
                return Err(InputError::malformed("parameter", key, "it is given twice"));
            }
        }
        let mut axes = Vec::new();
        for info in known {
            if let Some((_, values)) = varied.iter().find(|(key, _)| key == info.key) {
                axes.push(Axis::parse(info, values)?);
            }
        }
        let count = axes.iter().map(|axis| axis.values.len()).try_fold(1_usize, usize::checked_mul);
        if count.is_none_or(|count| count > MOST_SETTINGS) {
            let detail = format!("expected at most {MOST_SETTINGS} settings, found more");
            return Err(InputError::malformed("parameters", &typed(varied), detail));
        }
        let (mut settings, mut left_out) = (Vec::new(), Vec::new());
        for values in combinations(&axes) {
            let spec = spec(name, fixed, &axes, &values);
            match open(&spec, None) {
                Ok(session) => {
                    let label = if axes.is_empty() { session.spec() } else { label(&axes, &values) };
                    settings.push(Setting { game: session.spec(), label, values });
                }
                Err(error) => left_out.push((spec, error, values)),
            }
        }
        // A value that no setting has is a mistake, not a gap.
        let is_used = |axis: usize, value: usize| settings.iter().any(|setting: &Setting| setting.values[axis] == value);
        let unused = |values: &[usize]| values.iter().enumerate().any(|(axis, &value)| !is_used(axis, value));
        if let Some(place) = left_out.iter().position(|(_, _, values)| settings.is_empty() || unused(values)) {
            return Err(left_out.swap_remove(place).1);
        }
        Ok(Self { axes, settings, left_out: left_out.into_iter().map(|(spec, error, _)| (spec, error)).collect() })
    }
}

fn typed(varied: &[(String, String)]) -> String {
    varied.iter().map(|(key, values)| format!("{key}={values}")).collect::<Vec<_>>().join(" ")
}

/// All combinations, the last axis changing fastest; one of nothing where there is no axis.
fn combinations(axes: &[Axis]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for axis in axes {
        all = all
            .iter()
            .flat_map(|begin: &Vec<usize>| (0..axis.values.len()).map(|value| [&begin[..], &[value]].concat()))
            .collect();
    }
    all
}

fn spec(name: &str, fixed: &str, axes: &[Axis], values: &[usize]) -> String {
    let key = |(axis, &value): (&Axis, &usize)| match axis.values[value].as_str() {
        "on" => Some(axis.key.clone()),
        "off" => None,
        value => Some(format!("{}={value}", axis.key)),
    };
    let fixed = (!fixed.is_empty()).then(|| fixed.to_owned());
    let keys: Vec<String> = fixed.into_iter().chain(axes.iter().zip(values).filter_map(key)).collect();
    if keys.is_empty() { name.to_owned() } else { format!("{name}:{}", keys.join(",")) }
}

fn label(axes: &[Axis], values: &[usize]) -> String {
    let words: Vec<String> = axes.iter().zip(values).map(|(axis, &value)| axis.label(value)).collect();
    words.join(", ")
}

impl Axis {
    /// Reads the values of a parameter, behind commas: whole numbers or sizes from one to another (`2..5`, `5x5..8x8`: both sides
    /// grow together), or anything that the parameter takes; `on` and `off` for a flag.
    fn parse(info: &KeyInfo, text: &str) -> Result<Self, InputError> {
        let mut values: Vec<String> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let more = match part.split_once("..") {
                Some((from, to)) => range(from.trim(), to.trim()).ok_or_else(|| {
                    let detail = format!(
                        "expected two whole numbers or two sizes, the smaller one first, as in {}=2..5 or {}=5x5..8x8",
                        info.key, info.key
                    );
                    InputError::malformed("range", part, detail)
                })?,
                None => vec![part.to_owned()],
            };
            for value in more {
                let wrong = |detail: &str| Err(InputError::malformed("values", &format!("{}={text}", info.key), detail));
                if value.is_empty() {
                    return wrong("expected values between the commas");
                }
                if info.value.is_empty() && value != "on" && value != "off" {
                    return wrong("expected on, off, or off,on: it is a flag");
                }
                if values.contains(&value) {
                    return wrong(&format!("{value} is there twice"));
                }
                values.push(value);
            }
        }
        Ok(Self { key: info.key.to_owned(), values })
    }

    /// A value with the name of the parameter, where it does not speak for itself.
    pub fn label(&self, value: usize) -> String {
        let value = &self.values[value];
        if self.key == "size" { value.clone() } else { format!("{}={value}", self.key) }
    }
}

/// All whole numbers from one to the other, or all sizes, both sides growing together.
fn range(from: &str, to: &str) -> Option<Vec<String>> {
    if let (Ok(from), Ok(to)) = (parse_size(from), parse_size(to)) {
        let steps = to.0.checked_sub(from.0).filter(|&steps| to.1.checked_sub(from.1) == Some(steps))?;
        return Some((0..=steps).map(|step| format!("{}x{}", from.0 + step, from.1 + step)).collect());
    }
    let (from, to) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok()?);
    (from <= to && to - from < MOST_SETTINGS as u32).then(|| (from..=to).map(|number| number.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(game: &str, varied: &[(&str, &str)]) -> Result<Sweep, InputError> {
        let varied: Vec<(String, String)> = varied.iter().map(|&(key, values)| (key.to_owned(), values.to_owned())).collect();
        Sweep::new(game, &varied)
    }

    fn games(game: &str, varied: &[(&str, &str)]) -> Vec<String> {
        sweep(game, varied).unwrap().settings.into_iter().map(|setting| setting.game).collect()
    }

    #[test]
    fn every_combination_is_there_once() {
        let found = games("crosphere", &[("strong", "1,3..4"), ("size", "4x5..5x6,8x8")]);
        let expected: Vec<String> = ["4x5", "5x6", "8x8"]
            .iter()
            .flat_map(|size| [1, 3, 4].map(|strong| format!("crosphere:size={size},strong={strong}")))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_not_varied_stays() {
        assert_eq!(games("crosphere:strong=2", &[("size", "4x4")]), ["crosphere:size=4x4,strong=2"]);
        assert_eq!(games("tictactoe", &[]), ["mnk:size=3x3,k=3"]);
        assert_eq!(games("pawn:size=5x5", &[("double", "off,on")]), ["pawn:size=5x5", "pawn:size=5x5,double"]);
    }

    #[test]
    fn labels_say_what_varies() {
        let labels = |game, varied: &[_]| {
            sweep(game, varied).unwrap().settings.into_iter().map(|setting| setting.label).collect::<Vec<_>>()
        };
        assert_eq!(labels("crosphere", &[("size", "4x4"), ("strong", "1..2")]), ["4x4, strong=1", "4x4, strong=2"]);
        assert_eq!(labels("clobber", &[]), ["clobber:size=5x6"]);
    }

    #[test]
    fn a_combination_that_cannot_be_is_left_out_and_a_value_that_cannot_be_is_refused() {
        let found = sweep("mnk", &[("size", "3x3..5x5"), ("k", "3,5")]).unwrap();
        let left_out: Vec<&str> = found.left_out.iter().map(|(spec, _)| spec.as_str()).collect();
        assert_eq!(found.settings.len() + left_out.len(), 6);
        assert!(sweep("crosphere", &[("size", "7x7..9x9")]).unwrap_err().to_string().contains("9x9"));
        assert!(sweep("crosphere", &[("strong", "20..21")]).unwrap_err().to_string().contains("strong from 0 to 20"));
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        let refused = |game: &str, varied: &[_]| sweep(game, varied).unwrap_err().to_string();
        for (values, words) in [
            ("5..2", "the smaller one first"),
            ("1.5..3", "two whole numbers or two sizes"),
            ("1..", "two whole numbers or two sizes"),
            ("2,,3", "expected values between the commas"),
            ("2..4,3", "3 is there twice"),
        ] {
            assert!(
                refused("crosphere", &[("strong", values)]).contains(words),
                "{values}: {}",
                refused("crosphere", &[("strong", values)])
            );
        }
        assert!(refused("crosphere", &[("size", "4x4..5x6")]).contains("two whole numbers or two sizes"));
        assert!(refused("crosphere", &[("sise", "4x4")]).contains("did you mean 'size'"));
        assert!(refused("crosphere", &[("size", "4x4"), ("size", "5x5")]).contains("given twice"));
        assert!(refused("crosphere:size=4x4", &[("size", "5x5")]).contains("given twice"));
        assert!(refused("pawn", &[("double", "1")]).contains("it is a flag"));
        assert!(refused("mnk", &[("size", "1x1..15x15"), ("k", "1..99")]).contains("at most 1000 settings"));
    }
}
