//! The catalogue of agents for each game and size: levels, the strongest agent, the built-in network, and presets.
//!
//! Entries are looked up by the text of the game ([`Game::spec`](plyground_core::Game::spec)), so that rules name no agent and this
//! crate depends on no game. A game without an entry has [`Entry::DEFAULT`].

use plyground_core::{InputError, Params, split_spec};

mod breakthrough;
mod clobber;
mod connect_four;
mod crosphere;
mod mnk;
mod pawn;
mod tuc_chess;

/// The titles of the levels 1 to 8.
pub const LEVEL_TITLES: [&str; 8] =
    ["first day", "beginner", "casual", "club player", "strong club player", "expert", "master", "as strong as we can"];

/// The levels of a game without an entry.
const DEFAULT_LEVELS: [&str; 8] = [
    "random",
    "mcts:sims=10",
    "mcts:sims=30",
    "mcts:sims=100",
    "mcts:sims=300",
    "mcts:sims=1000",
    "mcts:sims=3000",
    "mcts:sims=10000",
];

/// The agents that the catalogue has for a game of some size.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The agent specs of the levels 1 to 8, each measured to be beaten by the next.
    pub levels: [&'static str; 8],
    /// The spec of the strongest agent known.
    pub best: &'static str,
    /// The name of the built-in network, where there is one.
    pub network: Option<&'static str>,
    /// The agents of the published work on the game, by name.
    pub presets: &'static [Preset],
}

impl Entry {
    /// The entry of a game that has none of its own.
    pub const DEFAULT: Self = Self { levels: DEFAULT_LEVELS, best: DEFAULT_LEVELS[7], network: None, presets: &[] };

    /// The agent spec that a name in this entry stands for (`level=1` to `level=8`, `best`, a preset); `None` for any other text.
    pub fn spec_of(&self, name: &str) -> Result<Option<&'static str>, InputError> {
        if name == "best" {
            return Ok(Some(self.best));
        }
        if name.starts_with("level") {
            let mut levels = self.levels.into_iter().zip(1..);
            let level = levels.find(|(_, number)| name == format!("level={number}")).map(|(spec, _)| spec);
            return level.map(Some).ok_or_else(|| InputError::malformed("level", name, "expected level=1 to level=8"));
        }
        Ok(self.presets.iter().find(|preset| preset.name == name).map(|preset| preset.spec))
    }
}

/// An agent of a published work, as a spec with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The word that names it wherever an agent spec is expected: it begins with the kind of the [`work`], `thesis-`, `report-` or
    /// `study-`.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The agent spec that it stands for.
    pub spec: &'static str,
}

/// A player's name as the program of a published work would write it, in the record format with this name. Formats that know nothing
/// of agents leave it as it is.
pub fn player_in(format: &str, name: &str) -> String {
    match format {
        "crosphere-thesis" => crosphere::thesis_player(name),
        _ => name.to_owned(),
    }
}

/// The catalogue's entry for a game: `game` is its text with all parameters, as [`Game::spec`](plyground_core::Game::spec) gives it.
pub fn entry(game: &str) -> Entry {
    let (name, params) = split_spec(game);
    let Ok(params) = Params::parse(params) else { return Entry::DEFAULT };
    match name {
        "breakthrough" => breakthrough::ENTRY,
        "clobber" => clobber::entry(&params),
        "connect-four" => connect_four::ENTRY,
        "crosphere" => crosphere::entry(&params),
        "mnk" => mnk::entry(&params),
        "pawn" => pawn::entry(&params),
        "tuc-chess" => tuc_chess::ENTRY,
        _ => Entry::DEFAULT,
    }
}

/// The published work on a game, from which its presets come; the app translates it.
pub fn work(game: &str) -> Option<&'static str> {
    match split_spec(game).0 {
        "clobber" => Some("the thesis on Clobber, 2017"),
        "crosphere" => Some("the thesis on Crosphere, 2024"),
        "mnk" => Some("the course report on Tic-Tac-Toe, 2024"),
        "pawn" => Some("the study of the Pawn Game, 2020"),
        "tuc-chess" => Some("the course report on TUC-Chess, 2022"),
        _ => None,
    }
}

/// Files and ranks of the board.
fn size(params: &Params) -> Option<[u8; 2]> {
    params.size().ok().flatten().map(<[u8; 2]>::from)
}

/// The number of squares of the board.
fn squares(params: &Params) -> Option<u32> {
    size(params).map(|[files, ranks]| u32::from(files) * u32::from(ranks))
}
