//! Agents that are programs of their own: `cmd:PROGRAM ARGUMENTS`. They come from the shelf, are asked in text, and nothing that they
//! say is believed.

use plyground_agents::AgentInfo;
use plyground_core::{
    AgentError, Budget, Engine, EngineInfo, InputError, KeyInfo, Limits, PlayedMove, Resources, SearchQuery, Seed,
};

use crate::advice::{Advice, Opinion, Progress, Watcher};

/// Describes them for people. The keys are the first word behind the colon, and may be left out.
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

/// What stands behind `cmd:`, if a spec begins like that.
pub(crate) fn command(spec: &str) -> Option<&str> {
    spec.trim().strip_prefix("cmd:").map(str::trim)
}

/// Moves that were played one after the other, and why no more of them were.
pub(crate) type Followed = (Vec<String>, Option<InputError>);

/// A position and how it came about, as text.
pub(crate) struct Place<'a> {
    pub game: &'a str,
    pub start: Option<&'a str>,
    pub history: &'a [PlayedMove],
    pub position: &'a str,
    pub legal: Vec<String>,
    /// The moves at the beginning of a line that can be played, and why it ends there.
    pub follow: &'a dyn Fn(&[String]) -> Followed,
}

/// A program that has a seat.
pub(crate) struct Guest(Box<dyn Engine>);

impl Guest {
    /// Asks for the program of a command and makes it ready for a game.
    pub fn invite(command: &str, game: &str, seed: Seed, shelf: &dyn Resources) -> Result<Self, InputError> {
        let mut engine = shelf.engine(command)?;
        let refused = |error| InputError::Engine { found: format!("cmd:{command}"), error };
        engine.begin(game, seed).map_err(refused)?;
        Ok(Self(engine))
    }

    pub fn limits(&self) -> Limits {
        self.0.limits()
    }

    pub fn think(&mut self, place: Place<'_>, budget: Budget<'_>, watcher: &mut dyn Watcher) -> Result<Advice, AgentError> {
        if place.legal.is_empty() {
            return Err(AgentError::NoPlayerToMove);
        }
        let mut legal = place.legal;
        legal.sort();
        let moves: Vec<String> = place.history.iter().map(|played| played.text.clone()).collect();
        let question = SearchQuery {
            game: place.game,
            start: place.start,
            moves: &moves,
            position: place.position,
            legal: &legal,
            limits: budget.limits,
        };
        let mut listener = |remark: &EngineInfo| {
            let done = budget.time_used().unwrap_or(0.0);
            let opinion = || Opinion {
                value: remark.value,
                depth: remark.depth,
                line: (place.follow)(&remark.line).0,
                candidates: Vec::new(),
            };
            watcher.progress(&Progress { done, nodes: remark.nodes, opinion: &opinion })
        };
        let (answer, remark) = self.0.ask(&question, &mut listener)?;
        let (mut played, why) = (place.follow)(&[answer]);
        if let Some(why) = why {
            return Err(AgentError::Cheated(why.to_string()));
        }
        let mv = played.remove(0);
        // A line that begins with another move belongs to an earlier opinion.
        let line = Some((place.follow)(&remark.line).0).filter(|line| line.first() == Some(&mv)).unwrap_or_default();
        Ok(Advice {
            mv,
            value: remark.value,
            line,
            candidates: Vec::new(),
            nodes: remark.nodes,
            simulations: 0,
            depth: remark.depth,
            elapsed: budget.clock.elapsed(),
            facts: Vec::new(),
            notes: Vec::new(),
        })
    }
}
