//! Games: one file per game, with its rules, notation, heuristics and drawing, and the list of them.
//!
//! Adding a game is one new file here and one word in the list; CONTRIBUTING.md goes through it step by step.
#![warn(missing_docs)]

use plyground_core::{Family, FamilyVisitor, GameInfo, InputError, Params, RecordFormat, Visitor, split_spec};

pub mod bits;
pub mod board;

/// Declares the modules of the games, and the one function through which everybody else gets to know them.
macro_rules! games {
    ($($game:ident),+ $(,)?) => {
        $(pub mod $game;)+

        /// Shows every game to a visitor, in the order of the list.
        pub fn for_each_family(visitor: &mut impl FamilyVisitor) {
            $(visitor.visit::<$game::Rules>();)+
        }
    };
}

games!(crosphere, mnk, clobber, pawn, tuc_chess, connect_four, breakthrough);

/// The descriptions of all games, in the order of the list.
pub fn infos() -> Vec<&'static GameInfo> {
    struct Infos(Vec<&'static GameInfo>);
    impl FamilyVisitor for Infos {
        fn visit<F: Family>(&mut self) {
            self.0.push(F::INFO);
        }
    }
    let mut infos = Infos(Vec::new());
    for_each_family(&mut infos);
    infos.0
}

/// The description of the game with this name or alias.
pub fn info(name: &str) -> Result<&'static GameInfo, InputError> {
    let known = infos();
    let named = |info: &&&GameInfo| info.name == name || info.aliases.iter().any(|alias| alias.name == name);
    let names = || known.iter().flat_map(|info| info.aliases.iter().map(|alias| alias.name).chain([info.name]));
    known.iter().find(named).copied().ok_or_else(|| InputError::unknown("game", name, names()))
}

/// The record formats of other programs that some game can read and write.
pub fn record_formats() -> Vec<&'static RecordFormat> {
    struct Formats(Vec<&'static RecordFormat>);
    impl FamilyVisitor for Formats {
        fn visit<F: Family>(&mut self) {
            self.0.extend(F::record_formats());
        }
    }
    let mut formats = Formats(Vec::new());
    for_each_family(&mut formats);
    formats.0
}

/// Opens every sample of every game and hands it to a visitor made for it: how tests and benchmarks reach all games.
pub fn for_each_sample<V: Visitor<Output = ()>>(make: impl Fn(&'static str) -> V) {
    for sample in infos().into_iter().flat_map(|info| info.samples) {
        open(sample, None, make(sample)).unwrap_or_else(|error| panic!("{sample}: {error}"));
    }
}

/// A game spec with its size as a key, as it is kept: `pawn:5x4` is `pawn:size=5x4`.
pub fn with_size_key(spec: &str) -> Result<String, InputError> {
    let (name, keys) = split_spec(spec);
    let first = keys.split(',').next().unwrap_or_default().trim();
    let is_size = first.split_once('x').is_some_and(|(columns, rows)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(columns) && is_number(rows)
    });
    let has_size = info(name)?.keys.iter().any(|key| key.key == "size");
    Ok(if is_size && has_size { format!("{name}:size={}", keys.trim_start()) } else { spec.to_owned() })
}

/// Opens the game that a spec describes, at its start or at a position, and hands it to the visitor.
pub fn open<V: Visitor>(spec: &str, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
    struct Opener<'a, V: Visitor> {
        name: &'static str,
        params: Params,
        position: Option<&'a str>,
        visitor: Option<V>,
        opened: Option<Result<V::Output, InputError>>,
    }
    impl<V: Visitor> FamilyVisitor for Opener<'_, V> {
        fn visit<F: Family>(&mut self) {
            if F::INFO.name == self.name
                && let Some(visitor) = self.visitor.take()
            {
                self.opened = Some(F::open(&self.params, self.position, visitor));
            }
        }
    }
    let (name, params) = parse(spec)?;
    let mut opener = Opener { name, params, position, visitor: Some(visitor), opened: None };
    for_each_family(&mut opener);
    opener.opened.expect("a game that has a description is in the list")
}

/// Like [`open`], for a spec of one family: the visitor is compiled for its games only.
pub fn open_one<F: Family, V: Visitor>(spec: &str, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
    let (name, params) = parse(spec)?;
    if name != F::INFO.name {
        return Err(InputError::malformed("game", spec, format!("expected {}", F::INFO.name)));
    }
    F::open(&params, position, visitor)
}

/// The name of the game that a spec describes, and its parameters.
fn parse(spec: &str) -> Result<(&'static str, Params), InputError> {
    let (name, _) = split_spec(spec);
    let info = info(name)?;
    let usual = with_size_key(spec)?;
    let mut params = Params::parse(split_spec(&usual).1)?;
    if let Some(alias) = info.aliases.iter().find(|alias| alias.name == name) {
        params = Params::parse(alias.params)?.joined(params)?;
    }
    params.check(info.name, info.keys)?;
    Ok((info.name, params))
}
