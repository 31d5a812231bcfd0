//! The requests of a page, parsed once.

use serde::Deserialize;
use serde_json::json;

/// A message of a page.
#[derive(Clone, Debug)]
pub enum PageMessage {
    /// `{"stop": ID}`: ends a search with the best that it has.
    Stop(u64),
    /// What is to be answered.
    Request(PageRequest),
}

impl PageMessage {
    /// Reads a message; for a text that is none, the answer that says why.
    pub fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Stop {
            stop: u64,
        }
        PageRequest::parse(text)
            .map(Self::Request)
            .or_else(|refusal| serde_json::from_str(text).map(|Stop { stop }| Self::Stop(stop)).map_err(|_| refusal))
    }
}

/// A request of a page.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// A number of the caller's choice, which comes back with the answer.
    pub id: u64,
    pub(crate) task: Task,
}

impl PageRequest {
    /// Reads a request; for a text that is none, the answer that says why.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str::<Wire>(text)
            .map(Self::from)
            .map_err(|error| json!({"id": null, "error": format!("malformed request: {error}")}).to_string())
    }

    /// Is it a request to search, which takes as long as it is allowed to?
    pub fn is_search(&self) -> bool {
        matches!(self.task, Task::Think(_) | Task::Solve { .. })
    }
}

/// A game as far as it has come.
#[derive(Clone, Debug)]
pub(crate) struct GameLine {
    pub game: String,
    /// The position that it began with, if that was not the usual start.
    pub start: Option<String>,
    /// Moves and outcomes of chance.
    pub moves: Vec<String>,
}

/// An order to an agent.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub line: GameLine,
    pub agent: String,
    pub seed: u64,
    /// Milliseconds.
    pub time: Option<f64>,
    /// Does the caller want to see what moves are being looked at?
    pub watch: bool,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// All games.
    Games,
    /// The opponents of a game.
    Opponents { game: String },
    /// What the board looks like after the moves, and what can be played.
    State(GameLine),
    /// An outcome of chance, where it is due.
    Chance { line: GameLine, seed: u64 },
    /// What an agent would play.
    Think(Search),
    /// What the position is worth; the time is in milliseconds.
    Solve { line: GameLine, time: Option<f64> },
    /// The games of a text in any record format.
    Import { text: String },
    /// The game in a record format.
    Export { line: GameLine, format: String, players: [String; 2] },
    /// A text, such as a link, as a QR code.
    Qr { text: String },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Games,
    Opponents,
    State,
    Chance,
    Think,
    Solve,
    Import,
    Export,
    Qr,
}

/// A request as it is written: every task may have the fields of all tasks, and ignores those of the others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    id: u64,
    #[serde(rename = "do")]
    word: Word,
    #[serde(default)]
    game: String,
    #[serde(default)]
    start: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    time: Option<f64>,
    #[serde(default)]
    watch: bool,
    #[serde(default)]
    text: String,
    #[serde(default)]
    format: String,
    #[serde(default)]
    players: [String; 2],
}

impl From<Wire> for PageRequest {
    fn from(wire: Wire) -> Self {
        let Wire { id, word, game, start, moves, agent, seed, time, watch, text, format, players } = wire;
        let line = GameLine { game, start, moves };
        let task = match word {
            Word::Games => Task::Games,
            Word::Opponents => Task::Opponents { game: line.game },
            Word::State => Task::State(line),
            Word::Chance => Task::Chance { line, seed },
            Word::Think => Task::Think(Search { line, agent, seed, time, watch }),
            Word::Solve => Task::Solve { line, time },
            Word::Import => Task::Import { text },
            Word::Export => Task::Export { line, format, players },
            Word::Qr => Task::Qr { text },
        };
        Self { id, task }
    }
}
