//! External engines as agents of a session: `cmd:PROGRAM ARGUMENTS`. All their answers are checked.

use plyground_agents::AgentInfo;
use plyground_core::{
    AgentError, Budget, Engine, EngineInfo, InputError, KeyInfo, Limits, PlayedMove, Resources, SearchQuery, Seed,
};

use crate::advice::{Advice, InterimAdvice, ProgressObserver, SearchProgress};

/// The description of external engines as agents. The keys are the first word behind the colon, and may be left out.
pub const EXTERNAL: AgentInfo = AgentInfo {
    name: "cmd",
    summary: "Another program that plays, in any language: cmd:PROGRAM ARGUMENTS, or with keys cmd:KEY=VALUE,KEY=VALUE PROGRAM ARGUMENTS. \
              It is spoken to in UGI or UCI (docs/engines.md); every move is checked, and who ends, stalls or cheats loses the game and is \
              started again.",
    keys: &[
        key("protocol", "ugi|uci", "ugi", "the language that it speaks"),
        key("variant", "NAME", "by the game", "what it calls the game (uci)"),
        key("time", "T", "1s", "the time for a move where nothing else is said: 100ms, 1.5s"),
        key("nodes", "N", "", "stop after N positions"),
        key("depth", "PLIES", "", "look no further ahead"),
        key("start", "T", "10s", "it must be ready to play after this time"),
        key("memory", "MB", "4096", "the most memory that it gets"),
        key("cpu", "T", "60min", "the most processor time of one process; a fresh one is started in time"),
        key("option.NAME", "VALUE", "", "sets an option of the program, e.g. option.Hash=64"),
    ],
    evaluates: false,
};

const fn key(key: &'static str, value: &'static str, default: &'static str, meaning: &'static str) -> KeyInfo {
    KeyInfo { key, value, default, meaning }
}

/// The command of a spec `cmd:COMMAND`.
pub(crate) fn command(spec: &str) -> Option<&str> {
    spec.trim().strip_prefix("cmd:").map(str::trim)
}

/// Moves that were played one after the other, and why no more of them were.
pub(crate) type Followed = (Vec<String>, Option<InputError>);

/// A position and how it came about, as text.
pub(crate) struct ExternalPosition<'a> {
    pub game: &'a str,
    pub start: Option<&'a str>,
    pub history: &'a [PlayedMove],
    pub position: &'a str,
    pub legal: Vec<String>,
    /// The moves at the beginning of a line that can be played, and why it ends there.
    pub follow: &'a dyn Fn(&[String]) -> Followed,
}

/// An external engine with a seat in a session.
pub(crate) struct ExternalAgent(Box<dyn Engine>);

impl ExternalAgent {
    /// Starts the engine of a command for a game.
    pub fn start(command: &str, game: &str, seed: Seed, resources: &dyn Resources) -> Result<Self, InputError> {
        let mut engine = resources.engine(command)?;
        let refused = |error| InputError::Engine { found: format!("cmd:{command}"), error };
        engine.begin(game, seed).map_err(refused)?;
        Ok(Self(engine))
    }

    pub fn limits(&self) -> Limits {
        self.0.limits()
    }

    pub fn think(
        &mut self,
        position: ExternalPosition<'_>,
        budget: Budget<'_>,
        observer: &mut dyn ProgressObserver,
    ) -> Result<Advice, AgentError> {
        if position.legal.is_empty() {
            return Err(AgentError::NoPlayerToMove);
        }
        let mut legal = position.legal;
        legal.sort();
        let moves: Vec<String> = position.history.iter().map(|played| played.text.clone()).collect();
        let query = SearchQuery {
            game: position.game,
            start: position.start,
            moves: &moves,
            position: position.position,
            legal: &legal,
            limits: budget.limits,
        };
        let mut listener = |info: &EngineInfo| {
            let done = budget.time_used().unwrap_or(0.0);
            let opinion = || InterimAdvice {
                value: info.value,
                depth: info.depth,
                line: (position.follow)(&info.line).0,
                candidates: Vec::new(),
            };
            observer.progress(&SearchProgress { done, nodes: info.nodes, opinion: &opinion })
        };
        let (answer, info) = self.0.ask(&query, &mut listener)?;
        let (mut played, why) = (position.follow)(&[answer]);
        if let Some(why) = why {
            return Err(AgentError::Cheated(why.to_string()));
        }
        let mv = played.remove(0);
        // A line that begins with another move belongs to an earlier opinion.
        let line = Some((position.follow)(&info.line).0).filter(|line| line.first() == Some(&mv)).unwrap_or_default();
        Ok(Advice {
            mv,
            value: info.value,
            line,
            candidates: Vec::new(),
            nodes: info.nodes,
            simulations: 0,
            depth: info.depth,
            elapsed: budget.clock.elapsed(),
            facts: Vec::new(),
            notes: Vec::new(),
        })
    }
}
