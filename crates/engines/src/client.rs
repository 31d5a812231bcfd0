//! The client of an external engine, in UGI or UCI.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plyground_session::{AgentError, Engine, EngineInfo, Limits, SearchQuery, Seed, quoted};

use crate::command::{Command, Protocol};
use crate::process::{ProcessOptions, Program, Received};
use crate::score::expectation;
use crate::uci::Variant;

/// The time after its limit at which an engine without an answer has stalled.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time that an engine has to answer `stop` with a move.
const STOPPING: Duration = Duration::from_secs(1);
/// The interval at which a waiting search asks its listener whether to stop.
const TICK: Duration = Duration::from_millis(20);
/// The most bytes that an engine may write before it answers.
const FLOOD: u64 = 16 * 1024 * 1024;
/// The part of its processor time after which a process gets no other game: it might reach its limit during it.
const WORN_OUT: u32 = 10;
/// The most options that an error message lists.
const LISTED: usize = 30;
/// The most options of an engine, and the longest name of one in bytes; others are passed over.
const MOST_OPTIONS: usize = 1000;
const LONGEST_OPTION: usize = 200;
/// The most moves of an expected line; the rest is cut off.
const LONGEST_PV: usize = 256;

/// The option of an engine that asks for the legal moves with every position. See docs/engines.md.
const LEGAL_MOVES: &str = "LegalMoves";

/// An engine process with the state of the protocol.
pub(crate) struct EngineClient {
    command: Command,
    process: Arc<ProcessOptions>,
    program: Option<Program>,
    /// The names of the options that it has.
    options: Vec<String>,
    /// The game that is played, and its seed.
    game: Option<(String, Seed)>,
    variant: Option<Variant>,
    /// The time that this process has searched.
    thinking_time: Duration,
}

impl EngineClient {
    pub fn new(command: Command, process: Arc<ProcessOptions>) -> Self {
        Self { command, process, program: None, options: Vec::new(), game: None, variant: None, thinking_time: Duration::ZERO }
    }

    /// Can it be asked for another game without being started again?
    pub fn is_fresh(&self) -> bool {
        self.program.is_some() && self.thinking_time < self.command.cpu / WORN_OUT
    }

    fn words(&self) -> [&'static str; 3] {
        match self.command.protocol {
            Protocol::Ugi => ["ugi", "ugiok", "uginewgame"],
            Protocol::Uci => ["uci", "uciok", "ucinewgame"],
        }
    }

    fn send(&self, line: &str) {
        if let Some(program) = &self.program {
            program.send(line);
        }
    }

    /// The next line, if there is one within this time.
    fn receive(&mut self, wait: Duration, since: u64) -> Result<Option<String>, AgentError> {
        let Some(program) = &mut self.program else {
            return Err(AgentError::Crashed("it does not run".to_owned()));
        };
        if program.written() - since > FLOOD {
            return Err(AgentError::Crashed(format!("it wrote more than {} MB instead of an answer", FLOOD >> 20)));
        }
        match program.receive(wait) {
            Received::Line(line) => Ok(Some(line)),
            Received::Silence => Ok(None),
            Received::Gone => Err(AgentError::Crashed(program.end())),
        }
    }

    /// Stops its processes while nothing is asked of it, or lets them go on, if it is to be frozen at all.
    fn set_frozen(&self, frozen: bool) {
        let Some(program) = self.program.as_ref().filter(|_| self.command.confined.as_ref().is_some_and(|own| own.freeze)) else {
            return;
        };
        if frozen { program.freeze() } else { program.thaw() }
    }

    fn written(&self) -> u64 {
        self.program.as_ref().map_or(0, Program::written)
    }

    /// Waits for a line that consists of this word.
    fn wait_for(&mut self, word: &str, longest: Duration, mut other: impl FnMut(&str)) -> Result<(), AgentError> {
        let (begin, since) = (Instant::now(), self.written());
        loop {
            let left = longest.saturating_sub(begin.elapsed());
            match self.receive(left.min(TICK), since)? {
                Some(line) if line == word => return Ok(()),
                Some(line) => other(&line),
                None if left.is_zero() => {
                    return Err(AgentError::Stalled(format!("expected {word} within {} s", longest.as_secs_f32())));
                }
                None => {}
            }
        }
    }

    /// Starts the program and reads its options.
    fn start(&mut self) -> Result<(), AgentError> {
        let program = Program::start(&self.command, &self.process);
        self.program = Some(program.map_err(|error| AgentError::Crashed(format!("it cannot be started: {error}")))?);
        self.thinking_time = Duration::ZERO;
        let [start, ready, _] = self.words();
        self.send(start);
        let mut options = Vec::new();
        self.wait_for(ready, self.command.start, |line| {
            if options.len() < MOST_OPTIONS {
                options.extend(option_name(line));
            }
        })?;
        self.options = options;
        Ok(())
    }

    fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.eq_ignore_ascii_case(name))
    }

    fn set_option(&self, name: &str, value: &str) {
        self.send(&format!("setoption name {name} value {value}"));
    }

    /// Sends the game and the options, and waits until the engine is ready.
    fn new_game(&mut self, game: &str, seed: Seed) -> Result<(), AgentError> {
        if self.program.is_none() {
            self.start()?;
        }
        self.set_frozen(false);
        if self.command.protocol == Protocol::Uci {
            self.choose_variant(game)?;
        }
        // 31 bits fit everywhere.
        let own = [("Game", game.to_owned()), ("Seed", (seed.0 >> 33).to_string()), (LEGAL_MOVES, "true".to_owned())];
        for (name, value) in own.iter().filter(|(name, _)| self.has_option(name)) {
            self.set_option(name, value);
        }
        for (name, value) in &self.command.options {
            if !self.has_option(name) {
                let mut known = self.options.clone();
                known.truncate(LISTED);
                let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
                return Err(AgentError::Refused(format!("it has no option {}; {}", quoted(name), quoted(&known))));
            }
            self.set_option(name, value);
        }
        self.send(self.words()[2]);
        self.ready(self.command.start)?;
        self.set_frozen(true);
        Ok(())
    }

    /// Sends the variant to a UCI engine, with a definition of its rules where it is not built in.
    fn choose_variant(&mut self, game: &str) -> Result<(), AgentError> {
        const DEFINITIONS: &str = "VariantPath";
        let variant = Variant::of(game, self.command.variant.as_deref()).map_err(AgentError::Refused)?;
        let folder = self.process.logs.clone().unwrap_or_else(std::env::temp_dir);
        let unwritten =
            |error| AgentError::Refused(format!("the rules of {game} cannot be written to {}: {error}", folder.display()));
        if let Some(file) = variant.define(&folder).map_err(unwritten)? {
            if !self.has_option(DEFINITIONS) {
                let unable = format!("it does not know {game}, and has no option {DEFINITIONS} to learn it");
                return Err(AgentError::Refused(unable));
            }
            self.set_option(DEFINITIONS, &file.display().to_string());
        }
        self.set_option("UCI_Variant", &variant.name);
        self.variant = Some(variant);
        Ok(())
    }

    fn ready(&mut self, longest: Duration) -> Result<(), AgentError> {
        self.send("isready");
        self.wait_for("readyok", longest, |_| {})
    }

    /// The `position` command.
    fn position(&self, query: &SearchQuery<'_>) -> Result<String, AgentError> {
        if let Some(variant) = &self.variant {
            let unknown = || AgentError::Refused(format!("{} cannot be said in UCI", quoted(query.position)));
            return Ok(format!("position fen {}", variant.fen(query.position).ok_or_else(unknown)?));
        }
        let mut line = query.start.map_or_else(|| "position startpos".to_owned(), |start| format!("position fen {start}"));
        if !query.moves.is_empty() {
            line += " moves ";
            line += &query.moves.join(" ");
        }
        Ok(line)
    }

    fn go(&self, query: &SearchQuery<'_>) -> String {
        let mut line = "go".to_owned();
        let Limits { time, nodes, depth, .. } = query.limits;
        if let Some(time) = time {
            let _ = write!(line, " movetime {}", time.as_millis().max(1));
        }
        if let Some(nodes) = nodes {
            let _ = write!(line, " nodes {nodes}");
        }
        if let Some(depth) = depth {
            let _ = write!(line, " depth {depth}");
        }
        if self.has_option(LEGAL_MOVES) {
            line += " searchmoves ";
            line += &query.legal.join(" ");
        }
        line
    }

    fn think(
        &mut self,
        query: &SearchQuery<'_>,
        listener: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError> {
        let (begin, since) = (Instant::now(), self.written());
        self.send(&self.position(query)?);
        // Lines before `readyok` belong to an earlier search.
        self.send("isready");
        let mut end = query.limits.time.map(|time| time + PATIENCE);
        let mut latest = EngineInfo::default();
        let (mut ready, mut told_to_stop) = (false, false);
        loop {
            let line = self.receive(TICK, since)?.unwrap_or_default();
            if line == "readyok" && !ready {
                ready = true;
                self.send(&self.go(query));
                if told_to_stop {
                    self.send("stop");
                }
            } else if let Some(answer) = line.strip_prefix("bestmove").filter(|_| ready) {
                return Ok((answer.split_whitespace().next().unwrap_or_default().to_owned(), latest));
            } else if let Some(info) = line.strip_prefix("info ").filter(|_| ready) {
                read_info(info, &mut latest);
            }
            let now = begin.elapsed();
            if end.is_some_and(|end| now >= end) {
                return Err(AgentError::Stalled(format!("no answer within {:.3} s", now.as_secs_f32())));
            }
            if !told_to_stop && listener(&latest).is_break() {
                told_to_stop = true;
                self.send("stop");
                end = Some(now + STOPPING);
            }
        }
    }
}

impl Engine for EngineClient {
    fn begin(&mut self, game: &str, seed: Seed) -> Result<(), AgentError> {
        let began = match self.new_game(game, seed) {
            // A process that has ended between two games is started again.
            Err(AgentError::Crashed(_)) if self.game.is_some() => {
                self.program = None;
                self.new_game(game, seed)
            }
            began => began,
        };
        self.game = Some((game.to_owned(), seed));
        if began.is_err() {
            self.program = None;
        }
        began
    }

    fn ask(
        &mut self,
        query: &SearchQuery<'_>,
        listener: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError> {
        if self.program.is_none() {
            let (game, seed) = self.game.clone().unwrap_or_else(|| (query.game.to_owned(), Seed(0)));
            self.begin(&game, seed)?;
        }
        let begin = Instant::now();
        self.set_frozen(false);
        let answer = self.think(query, listener);
        self.set_frozen(true);
        self.thinking_time += begin.elapsed();
        if answer.is_err() {
            self.program = None;
        }
        answer
    }

    fn limits(&self) -> Limits {
        self.command.limits
    }

    fn files(&self) -> Vec<(String, PathBuf)> {
        self.command.files()
    }
}

/// The name in `option name NAME type …`.
pub(crate) fn option_name(line: &str) -> Option<String> {
    let name = line.strip_prefix("option name ")?.split(" type ").next()?.trim();
    (1..=LONGEST_OPTION).contains(&name.len()).then(|| name.to_owned())
}

/// Reads an `info` line. Unknown words are skipped.
pub(crate) fn read_info(info: &str, latest: &mut EngineInfo) {
    let mut words = info.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" => latest.depth = words.next().and_then(|word| word.parse().ok()).or(latest.depth),
            "nodes" => latest.nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(latest.nodes),
            "score" => {
                let (kind, number) = (words.next(), words.next().and_then(|word| word.parse::<i64>().ok()));
                latest.value = match (kind, number) {
                    (Some("cp"), Some(points)) => Some(expectation(points as f32)),
                    // Being mated in 0 is having lost.
                    (Some("mate"), Some(plies)) => Some(if plies > 0 { 1.0 } else { -1.0 }),
                    _ => latest.value,
                };
            }
            "pv" => latest.line = words.by_ref().take(LONGEST_PV).map(str::to_owned).collect(),
            "string" => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infos_are_understood_as_far_as_they_make_sense() {
        let mut latest = EngineInfo::default();
        read_info("depth 3 seldepth 4 score cp 0 nodes 77 nps 9 time 1 pv a1a2 b1b2", &mut latest);
        let line = vec!["a1a2".to_owned(), "b1b2".to_owned()];
        assert_eq!(latest, EngineInfo { value: Some(0.0), depth: Some(3), nodes: 77, line: line.clone() });
        read_info("depth many score cp NaN nodes -1 string depth 9", &mut latest);
        assert_eq!(latest, EngineInfo { value: Some(0.0), depth: Some(3), nodes: 77, line });
        read_info("score mate -4", &mut latest);
        assert_eq!(latest.value, Some(-1.0));
        read_info("score", &mut latest);
        read_info("pv", &mut latest);
        assert!(latest.line.is_empty());
    }

    #[test]
    fn options_are_known_by_their_names() {
        assert_eq!(option_name("option name Skill Level type spin default 20").as_deref(), Some("Skill Level"));
        assert_eq!(option_name("option name"), None);
        assert_eq!(option_name("id name x"), None);
        assert_eq!(option_name(&format!("option name {} type string", "x".repeat(LONGEST_OPTION + 1))), None);
    }

    #[test]
    fn an_endless_line_of_moves_is_cut_off() {
        let mut latest = EngineInfo::default();
        read_info(&format!("pv {}", "a1 ".repeat(20_000)), &mut latest);
        assert_eq!(latest.line.len(), LONGEST_PV);
    }
}
