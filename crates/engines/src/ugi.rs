//! An agent as a UGI engine, which reads commands also during a search.

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read as _, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use plyground_session::{
    AGENTS, Advice, Clock, InputError, KeyInfo, Limits, Player, ProgressObserver, Resources, SearchProgress, Seat, Seed, Session,
    Turn, WallClock, clock_share, open, split_spec, usual_words,
};

use crate::score::centipoints;

/// The interval of `info` lines during a search.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// The longest command, in bytes: positions come with all moves of a game.
const LONGEST: u64 = 1024 * 1024;
/// The most lines that are read before the first of them is taken, and the most commands that wait for the end of a search.
const WAITING: usize = 256;
const MOST_QUEUED: usize = 1000;
/// The time limit of `go infinite`.
const INFINITE: Duration = Duration::from_hours(24);

/// The initial options of a UGI engine; all but the resources can be changed by `setoption`.
pub struct UgiOptions<'a> {
    /// The game with its parameters.
    pub game: &'a str,
    /// The spec of the agent.
    pub agent: &'a str,
    /// The random seed of the agent.
    pub seed: u64,
    /// The files that the agent may read.
    pub resources: &'a dyn Resources,
}

/// The error that ended a UGI session.
#[derive(Debug)]
pub enum UgiError {
    /// The game or the agent is not known.
    Input(InputError),
    /// The output cannot be written.
    Output(io::Error),
}

/// Answers UGI commands until `quit` or the end of the input.
pub fn serve_ugi(first: &UgiOptions<'_>, input: impl BufRead + Send + 'static, output: &mut dyn Write) -> Result<(), UgiError> {
    let (sender, events) = mpsc::sync_channel(WAITING);
    let lines = sender.clone();
    thread::spawn(move || read_lines(input, &lines));
    let session = open(first.game, None).map_err(UgiError::Input)?;
    let mut ugi = UgiSession {
        resources: first.resources,
        output,
        game: session.spec(),
        agent: first.agent.to_owned(),
        seed: first.seed,
        seated: Some(SeatedGame { session, seat: None }),
        start: None,
        trouble: None,
        sender,
        search: None,
        queue: VecDeque::new(),
    };
    // A mistake on the command line is told at once.
    ugi.seat().map_err(UgiError::Input)?;
    ugi.run(&events).map_err(UgiError::Output)
}

/// A line, or why it is not taken.
type Received = Result<String, String>;

/// An event of a UGI session.
enum Event {
    Line(Received),
    /// The input has ended.
    End,
    /// A line to print during a search.
    Info(String),
    Done(Option<SeatedGame>, Result<Advice, String>),
}

/// A game and the seat of its agent.
struct SeatedGame {
    session: Box<dyn Session>,
    seat: Option<Seat>,
}

/// A running search.
struct Search {
    stop: Arc<AtomicBool>,
    /// True if the answer waits for `stop`.
    infinite: bool,
    /// The answer that waits.
    answer: Option<String>,
}

/// The state of a UGI engine.
struct UgiSession<'a> {
    resources: &'a dyn Resources,
    output: &'a mut dyn Write,
    game: String,
    agent: String,
    seed: u64,
    /// `None` during a search.
    seated: Option<SeatedGame>,
    start: Option<String>,
    /// The error of the last `position` command.
    trouble: Option<String>,
    sender: SyncSender<Event>,
    search: Option<Search>,
    /// Commands that came during a search.
    queue: VecDeque<Received>,
}

/// Reads lines until the end of the input. A line that is too long is not kept, and told as such.
fn read_lines(mut input: impl BufRead, lines: &SyncSender<Event>) {
    let mut line = Vec::new();
    let mut is_too_long = false;
    while input.by_ref().take(LONGEST).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let ends = line.ends_with(b"\n") || (line.len() as u64) < LONGEST;
        let received = match (is_too_long, ends) {
            (false, true) => Some(Ok(String::from_utf8_lossy(&line).trim().to_owned())),
            (false, false) => Some(Err(format!("a command may have {LONGEST} bytes, and this one was longer"))),
            (true, _) => None,
        };
        is_too_long = !ends;
        line.clear();
        if received.is_some_and(|received| lines.send(Event::Line(received)).is_err()) {
            return;
        }
    }
    let _ = lines.send(Event::End);
}

impl UgiSession<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut ended = false;
        loop {
            while self.search.is_none() {
                match self.queue.pop_front() {
                    None => break,
                    Some(Err(why)) => self.refuse_line(why)?,
                    Some(Ok(line)) => {
                        if self.execute(&line)?.is_break() {
                            return Ok(());
                        }
                    }
                }
            }
            self.hear_queued(ended)?;
            if self.search.is_none() && !self.queue.is_empty() {
                continue;
            }
            if ended && self.search.is_none() {
                return Ok(());
            }
            // There is a sender of our own, so something will come.
            match events.recv() {
                Ok(Event::Line(line)) => self.receive(line)?,
                Ok(Event::Info(line)) => self.send(&line)?,
                Ok(Event::Done(seated, advice)) => self.finish(seated, &advice)?,
                Ok(Event::End) | Err(_) => ended = true,
            }
        }
    }

    /// Hears what came before a search began and concerns it: commands that waited for an earlier search, and the end of the input.
    /// Nothing else would end a search without a limit.
    fn hear_queued(&mut self, ended: bool) -> io::Result<()> {
        if self.queue.iter().any(|line| line.as_deref() == Ok("quit")) {
            self.stop()?;
        }
        while let Some(search) = &self.search {
            let infinite = search.infinite;
            match self.queue.front().map(|line| line.as_deref().unwrap_or_default()) {
                Some("isready") => {
                    self.queue.pop_front();
                    self.send("readyok")?;
                }
                Some("stop") => {
                    self.queue.pop_front();
                    self.stop()?;
                }
                Some(_) if infinite => self.stop()?,
                None if infinite && ended => self.stop()?,
                _ => break,
            }
        }
        Ok(())
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }

    fn send_error(&mut self, error: &dyn std::fmt::Display) -> io::Result<()> {
        self.send(&format!("info string error: {error}"))
    }

    /// Refuses a line that was not read. It may have been a position, so no search begins before there is another one.
    fn refuse_line(&mut self, why: String) -> io::Result<()> {
        self.send_error(&why)?;
        self.trouble = Some(why);
        Ok(())
    }

    /// Takes a command: `isready` and `stop` are answered at once, the others after a running search.
    fn receive(&mut self, line: Received) -> io::Result<()> {
        match (line.as_deref().unwrap_or_default(), &self.search) {
            ("isready", Some(_)) => self.send("readyok"),
            ("stop", _) => {
                // Meant for the last search that was asked for, which may wait for this one to end.
                let is_search = |line: &Received| line.as_deref().is_ok_and(|line| line.split(' ').next() == Some("go"));
                if self.queue.iter().any(is_search) && self.queue.len() < MOST_QUEUED {
                    self.queue.push_back(line);
                }
                self.stop()
            }
            (command, Some(search)) => {
                // Any other command ends an infinite search, and `quit` ends all.
                if search.infinite || command == "quit" {
                    self.stop()?;
                }
                if self.queue.len() < MOST_QUEUED || command == "quit" {
                    self.queue.push_back(line);
                } else if self.queue.back().is_some_and(Result::is_ok) {
                    // The first of those that are not taken; the others are passed over with it.
                    self.queue.push_back(Err(format!("more than {MOST_QUEUED} commands came during a search")));
                }
                Ok(())
            }
            (_, None) => {
                self.queue.push_back(line);
                Ok(())
            }
        }
    }

    /// Ends a search, or prints the answer that waits.
    fn stop(&mut self) -> io::Result<()> {
        let Some(search) = &mut self.search else { return Ok(()) };
        search.stop.store(true, Ordering::Relaxed);
        search.infinite = false;
        if let Some(answer) = search.answer.take() {
            self.search = None;
            self.send(&answer)?;
        }
        Ok(())
    }

    fn execute(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "quit" => return Ok(ControlFlow::Break(())),
            "ugi" => self.introduce()?,
            "isready" => {
                if let Err(error) = self.seat() {
                    self.send_error(&error)?;
                }
                self.send("readyok")?;
            }
            "setoption" => {
                if let Err(error) = self.set_option(rest) {
                    self.send_error(&error)?;
                }
            }
            "uginewgame" => self.set_up(None, &[])?,
            "position" => self.position(rest)?,
            "go" => self.go(rest)?,
            "query" => self.query(rest)?,
            "" | "stop" => {}
            other => {
                let known = ["ugi", "setoption", "isready", "uginewgame", "position", "go", "stop", "query", "quit"];
                self.send_error(&InputError::unknown("command", other, known))?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn introduce(&mut self) -> io::Result<()> {
        let mut lines = vec![
            format!("id name Plyground {}", env!("CARGO_PKG_VERSION")),
            "id author the Plyground maintainers".to_owned(),
            format!("option name Game type string default {}", self.game),
            format!("option name Agent type string default {}", self.agent),
            format!("option name Seed type spin default {} min 0 max {}", self.seed, u64::MAX),
        ];
        let keys = self.seated.as_ref().map_or(&[][..], |seated| seated.session.info().keys);
        lines.extend(keys.iter().map(|key| key_option(key, &self.game)));
        lines.push("ugiok".to_owned());
        self.send(&lines.join("\n"))
    }

    /// `name NAME value VALUE`.
    fn set_option(&mut self, rest: &str) -> Result<(), InputError> {
        let expected = || InputError::malformed("option", rest, "expected setoption name NAME value VALUE");
        let (name, value) = rest.strip_prefix("name ").and_then(|rest| rest.split_once(" value ")).ok_or_else(expected)?;
        let (name, value) = (name.trim(), value.trim());
        if name.eq_ignore_ascii_case("game") {
            return self.change_game(value);
        }
        if name.eq_ignore_ascii_case("agent") {
            let before = std::mem::replace(&mut self.agent, value.to_owned());
            self.unseat();
            return self.seat().inspect_err(|_| self.agent = before);
        }
        if name.eq_ignore_ascii_case("seed") {
            self.seed = value.parse().map_err(|_| InputError::malformed("seed", value, "expected a whole number from 0"))?;
            self.unseat();
            return Ok(());
        }
        let keys = self.seated.as_ref().map_or(&[][..], |seated| seated.session.info().keys);
        let Some(key) = keys.iter().find(|key| key.key.eq_ignore_ascii_case(name)) else {
            let known = ["Game", "Agent", "Seed"].into_iter().chain(keys.iter().map(|key| key.key));
            return Err(InputError::unknown("option", name, known));
        };
        self.change_game(&with_key(&self.game, key, value)?)
    }

    fn change_game(&mut self, spec: &str) -> Result<(), InputError> {
        let session = open(spec, None)?;
        self.game = session.spec();
        (self.seated, self.start, self.trouble) = (Some(SeatedGame { session, seat: None }), None, None);
        Ok(())
    }

    fn unseat(&mut self) {
        if let Some(seated) = &mut self.seated {
            seated.seat = None;
        }
    }

    /// Builds the agent, if that was not done.
    fn seat(&mut self) -> Result<(), InputError> {
        if let Some(seated) = self.seated.as_mut().filter(|seated| seated.seat.is_none()) {
            seated.seat = Some(seated.session.seat(&self.agent, Seed(self.seed), self.resources)?);
        }
        Ok(())
    }

    /// `startpos [moves …]` or `fen POSITION [moves …]`.
    fn position(&mut self, rest: &str) -> io::Result<()> {
        let (place, moves) = match rest.split_once(" moves") {
            Some((place, moves)) => (place.trim(), moves.split_whitespace().map(str::to_owned).collect()),
            None => (rest, Vec::new()),
        };
        let start = match place.split_once(' ') {
            None if place == "startpos" => None,
            Some(("fen", fen)) => Some(fen.trim().to_owned()),
            _ => {
                let expected = "expected startpos or fen POSITION, and moves behind them";
                self.trouble = Some(InputError::malformed("position", rest, expected).to_string());
                return self.send_error(&self.trouble.clone().unwrap_or_default());
            }
        };
        self.set_up(start, &moves)
    }

    /// Sets up a position. Where it continues the last one, the agent keeps its search tree.
    fn set_up(&mut self, start: Option<String>, moves: &[String]) -> io::Result<()> {
        self.trouble = self.follow(start, moves).err().map(|error| error.to_string());
        match self.trouble.clone() {
            Some(trouble) => self.send_error(&trouble),
            None => Ok(()),
        }
    }

    fn follow(&mut self, start: Option<String>, moves: &[String]) -> Result<(), InputError> {
        if self.seated.is_none() || self.start != start || moves.is_empty() {
            let session = open(&self.game, start.as_deref())?;
            (self.seated, self.start) = (Some(SeatedGame { session, seat: None }), start);
        }
        let Some(SeatedGame { session, .. }) = &mut self.seated else { return Ok(()) };
        let same = session.history().iter().zip(moves).take_while(|(played, mv)| played.text == **mv).count();
        while session.history().len() > same {
            session.undo();
        }
        moves[same..].iter().try_for_each(|mv| session.play(mv).map(drop))
    }

    fn query(&mut self, what: &str) -> io::Result<()> {
        let Some(SeatedGame { session, .. }) = &self.seated else { return Ok(()) };
        let turn = session.turn();
        let answer = match what {
            "p1turn" => (turn == Turn::Player(Player::First)).to_string(),
            "gameover" => matches!(turn, Turn::Over(_)).to_string(),
            "result" => result(turn).to_owned(),
            "chance" => (turn == Turn::Chance).to_string(),
            "fen" => session.position(),
            "moves" => {
                let moves = session.moves().into_iter().map(|mv| mv.text);
                let possible: Vec<String> = moves.chain(session.outcomes().into_iter().map(|(text, _)| text)).collect();
                if possible.is_empty() { "none".to_owned() } else { possible.join(" ") }
            }
            other => {
                let known = ["p1turn", "gameover", "result", "chance", "fen", "moves"];
                return self.send_error(&InputError::unknown("query", other, known));
            }
        };
        self.send(&format!("response {answer}"))
    }

    fn go(&mut self, rest: &str) -> io::Result<()> {
        let begun = match &self.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => self.begin_search(rest).map_err(|error| error.to_string()),
        };
        if let Err(trouble) = begun {
            self.send_error(&trouble)?;
            self.send("bestmove none")?;
        }
        Ok(())
    }

    fn begin_search(&mut self, rest: &str) -> Result<(), InputError> {
        self.seat()?;
        let Some(seated) = &self.seated else { return Ok(()) };
        let mover = match seated.session.turn() {
            Turn::Player(mover) => mover,
            Turn::Chance => {
                let possible = seated.session.outcomes().into_iter().map(|(text, _)| text).collect();
                return Err(InputError::ChanceNeeded { found: None, possible });
            }
            Turn::Over(_) => return Err(InputError::malformed("command", "go", "the game is over")),
        };
        let go = GoCommand::parse(rest, mover)?;
        let limits = go.limits(&self.agent, seated.session.as_ref());
        let mut ahead = open(&self.game, self.start.as_deref())?;
        seated.session.history().iter().try_for_each(|played| ahead.play(&played.text).map(drop))?;
        let stop = Arc::<AtomicBool>::default();
        let reporter = Reporter {
            clock: WallClock::start(),
            told: Duration::ZERO,
            ahead,
            mover,
            stop: Arc::clone(&stop),
            sender: self.sender.clone(),
        };
        self.search = Some(Search { stop, infinite: go.infinite, answer: None });
        if let Some(seated) = self.seated.take() {
            thread::spawn(move || search(seated, limits, reporter, &go.among));
        }
        Ok(())
    }

    fn finish(&mut self, seated: Option<SeatedGame>, advice: &Result<Advice, String>) -> io::Result<()> {
        if seated.is_some() {
            self.seated = seated;
        } else if let Ok(session) = open(&self.game, None) {
            // It was lost with a panic. The next `position` command sets up the game.
            (self.seated, self.start) = (Some(SeatedGame { session, seat: None }), None);
        }
        let answer = match advice {
            Ok(advice) => format!("bestmove {}", advice.mv),
            Err(trouble) => {
                self.send_error(trouble)?;
                "bestmove none".to_owned()
            }
        };
        match &mut self.search {
            Some(search) if search.infinite => {
                search.answer = Some(answer);
                Ok(())
            }
            _ => {
                self.search = None;
                self.send(&answer)
            }
        }
    }
}

fn result(turn: Turn) -> &'static str {
    match turn {
        Turn::Over(outcome) => match outcome.winner {
            Some(Player::First) => "p1win",
            Some(Player::Second) => "p2win",
            None => "draw",
        },
        Turn::Player(_) | Turn::Chance => "none",
    }
}

/// The `option` line of a key of the game.
fn key_option(key: &KeyInfo, game: &str) -> String {
    let given = split_spec(game).1.split(',').find_map(|part| match part.split_once('=') {
        Some((name, value)) if name == key.key => Some(value),
        None if part == key.key => Some("true"),
        _ => None,
    });
    if key.value.is_empty() {
        return format!("option name {} type check default {}", key.key, given.unwrap_or("false"));
    }
    let default = given.or(Some(key.default)).filter(|default| !default.is_empty()).unwrap_or("<empty>");
    format!("option name {} type string default {default}", key.key)
}

/// The spec of a game with another value for one of its keys.
fn with_key(game: &str, key: &KeyInfo, value: &str) -> Result<String, InputError> {
    let (name, keys) = split_spec(game);
    let other = |part: &&str| !part.is_empty() && part.split('=').next() != Some(key.key);
    let mut parts: Vec<String> = keys.split(',').filter(other).map(str::to_owned).collect();
    match (key.value.is_empty(), value) {
        (true, "true") => parts.push(key.key.to_owned()),
        (true, "false") | (false, "<empty>") => {}
        // What holds when it is not given need not be a value that can be given.
        (false, value) if value == key.default => {}
        (true, other) => return Err(InputError::unknown(&format!("value of '{}'", key.key), other, ["true", "false"])),
        (false, value) => parts.push(format!("{}={value}", key.key)),
    }
    Ok(if parts.is_empty() { name.to_owned() } else { format!("{name}:{}", parts.join(",")) })
}

/// The arguments of `go`.
#[derive(Debug, Default, PartialEq)]
struct GoCommand {
    time: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    infinite: bool,
    /// The moves to choose among, where not all are wanted.
    among: Vec<String>,
}

impl GoCommand {
    fn parse(text: &str, mover: Player) -> Result<Self, InputError> {
        let mut go = Self::default();
        let (mut left, mut more) = (None, Duration::ZERO);
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || {
                let found = words.next().unwrap_or_default();
                let expected = || InputError::malformed("number", found, format!("expected a whole number behind {word}"));
                found.parse::<u64>().map_err(|_| expected())
            };
            match word {
                "infinite" => go.infinite = true,
                "movetime" => go.time = Some(Duration::from_millis(number()?)),
                "depth" => go.depth = Some(number()?.clamp(1, 10_000) as u32),
                "nodes" => go.nodes = Some(number()?.max(1)),
                "p1time" | "p2time" | "p1inc" | "p2inc" => {
                    let time = Duration::from_millis(number()?);
                    match (word.starts_with("p1") == (mover == Player::First), word.ends_with("time")) {
                        (true, true) => left = Some(time),
                        (true, false) => more = time,
                        (false, _) => {}
                    }
                }
                "searchmoves" => go.among = words.by_ref().map(str::to_owned).collect(),
                other => {
                    let known = ["movetime", "p1time", "p2time", "p1inc", "p2inc", "depth", "nodes", "infinite", "searchmoves"];
                    return Err(InputError::unknown("word behind go", other, known));
                }
            }
        }
        if let Some(left) = left {
            // The increment can be used up, but never all that is left.
            let part = (clock_share(left) + more).min(left * 4 / 5);
            go.time = Some(go.time.map_or(part, |time| time.min(part)));
        }
        Ok(go)
    }

    /// The limits for an agent; `nodes` are simulations for an agent that counts those.
    fn limits(&self, agent: &str, session: &dyn Session) -> Limits {
        let ready_made = session.opponents().into_iter().find(|opponent| opponent.name == agent);
        let spec = ready_made.map_or_else(|| usual_words(agent), |opponent| opponent.spec);
        let info = AGENTS.iter().find(|info| info.name == split_spec(&spec).0);
        let counts = |key: &str| info.is_some_and(|info| info.keys.iter().any(|known| known.key == key));
        let by_games = counts("sims") && !counts("nodes");
        Limits {
            time: if self.infinite { Some(INFINITE) } else { self.time },
            depth: self.depth,
            nodes: self.nodes.filter(|_| !by_games),
            simulations: self.nodes.filter(|_| by_games),
        }
    }
}

/// The observer of a search that prints `info` lines.
struct Reporter {
    clock: WallClock,
    told: Duration,
    /// A copy of the game, to play lines on.
    ahead: Box<dyn Session>,
    mover: Player,
    stop: Arc<AtomicBool>,
    sender: SyncSender<Event>,
}

/// The contents of an `info` line.
struct Report<'a> {
    value: Option<f32>,
    depth: Option<u32>,
    nodes: u64,
    line: &'a [String],
}

impl Reporter {
    fn tell(&mut self, report: &Report<'_>) {
        let time = self.clock.elapsed();
        let mut words = vec!["info".to_owned()];
        words.extend(report.depth.map(|depth| format!("depth {depth}")));
        if let Some(value) = report.value {
            words.push(self.score(value, report.line));
        }
        let rate = report.nodes as f64 / time.as_secs_f64().max(1e-3);
        words.push(format!("nodes {} nps {rate:.0} time {}", report.nodes, time.as_millis()));
        if !report.line.is_empty() {
            words.push(format!("pv {}", report.line.join(" ")));
        }
        let _ = self.sender.send(Event::Info(words.join(" ")));
    }

    /// The score: `mate` with the distance in plies if a certain result's line leads to the end of the game, otherwise `cp`.
    fn score(&mut self, value: f32, line: &[String]) -> String {
        let begin = self.ahead.history().len();
        let played = line.iter().take_while(|text| self.ahead.play(text).is_ok()).count();
        let winner = match self.ahead.turn() {
            Turn::Over(outcome) => outcome.winner,
            Turn::Player(_) | Turn::Chance => None,
        };
        let plies = (begin..begin + played).filter(|&number| self.ahead.mover(number).is_some()).count();
        for _ in 0..played {
            self.ahead.undo();
        }
        match winner {
            Some(winner) if winner == self.mover && value >= 1.0 => format!("score mate {plies}"),
            Some(winner) if winner != self.mover && value <= -1.0 => format!("score mate -{plies}"),
            _ => format!("score cp {}", centipoints(value)),
        }
    }
}

impl ProgressObserver for Reporter {
    fn progress(&mut self, progress: &SearchProgress<'_>) -> ControlFlow<()> {
        let now = self.clock.elapsed();
        if now >= self.told + TELL_EVERY {
            self.told = now;
            let opinion = (progress.opinion)();
            let (value, depth) = (opinion.value, opinion.depth);
            self.tell(&Report { value, depth, nodes: progress.nodes, line: &opinion.line });
        }
        if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Searches, and sends the result and the game back to the session.
fn search(mut seated: SeatedGame, limits: Limits, mut reporter: Reporter, among: &[String]) {
    let sender = reporter.sender.clone();
    let thought = catch_unwind(AssertUnwindSafe(|| {
        let Some(seat) = seated.seat else { return (seated, Err("the agent has no seat".to_owned())) };
        let clock = reporter.clock;
        let mut advice = seated.session.think(seat, limits, &clock, &mut reporter).map_err(|error| error.to_string());
        if let Ok(advice) = &mut advice {
            restrict(advice, among);
            let Advice { value, depth, nodes, simulations, ref line, .. } = *advice;
            for note in &advice.notes {
                let _ = reporter.sender.send(Event::Info(format!("info string {note}")));
            }
            reporter.tell(&Report { value, depth, nodes: nodes.max(simulations), line });
        }
        (seated, advice)
    }));
    let done = match thought {
        Ok((seated, advice)) => Event::Done(Some(seated), advice),
        Err(panic) => Event::Done(None, Err(last_words(panic.as_ref()))),
    };
    let _ = sender.send(done);
}

/// Restricts the choice to some moves: the best of them that was searched, or else the first.
fn restrict(advice: &mut Advice, among: &[String]) {
    if among.is_empty() || among.contains(&advice.mv) {
        return;
    }
    let best = advice.candidates.iter().find(|candidate| among.contains(&candidate.mv));
    (advice.mv, advice.value) = best.map_or_else(|| (among[0].clone(), None), |best| (best.mv.clone(), best.value));
    advice.line = vec![advice.mv.clone()];
}

/// The message of a panic.
fn last_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the agent gave no reason".to_owned())
}

#[cfg(test)]
mod tests {
    use plyground_session::NoResources;

    use super::*;

    fn key(key: &'static str, value: &'static str) -> KeyInfo {
        KeyInfo { key, value, default: "", meaning: "" }
    }

    #[test]
    fn keys_of_a_game_are_options() {
        let size = key("size", "COLUMNSxROWS");
        assert_eq!(key_option(&size, "clobber:size=5x6,own"), "option name size type string default 5x6");
        assert_eq!(key_option(&key("own", ""), "clobber:size=5x6,own"), "option name own type check default true");
        assert_eq!(key_option(&key("random", "SEED"), "clobber:size=5x6"), "option name random type string default <empty>");
        assert_eq!(with_key("clobber:size=5x6,own", &size, "8x8").unwrap(), "clobber:own,size=8x8");
        assert_eq!(with_key("clobber:size=5x6,own", &key("own", ""), "false").unwrap(), "clobber:size=5x6");
        assert!(with_key("clobber", &key("own", ""), "8").is_err());
        assert_eq!(with_key("tuc-chess", &key("year", "Y"), "<empty>").unwrap(), "tuc-chess");
        let random = KeyInfo { default: "off", ..key("random", "SEED") };
        assert_eq!(with_key("clobber:size=5x6,random=7", &random, "off").unwrap(), "clobber:size=5x6");
    }

    #[test]
    fn limits_are_read_for_the_player_to_move() {
        let parse = |text: &str, mover| GoCommand::parse(text, mover).unwrap();
        let clocks = "p1time 50000 p2time 100000 p1inc 0 p2inc 1000";
        assert_eq!(parse(clocks, Player::First).time, Some(Duration::from_secs(2)));
        assert_eq!(parse(clocks, Player::Second).time, Some(Duration::from_secs(5)));
        assert_eq!(parse("p1time 10 p1inc 5000", Player::First).time, Some(Duration::from_millis(8)));
        let go = parse("movetime 20 depth 3 nodes 4 searchmoves a b", Player::First);
        assert_eq!((go.time, go.depth, go.nodes), (Some(Duration::from_millis(20)), Some(3), Some(4)));
        assert_eq!(go.among, ["a", "b"]);
        assert!(parse("infinite", Player::First).infinite);
        for wrong in ["movetime", "movetime soon", "depth -1", "fast"] {
            assert!(GoCommand::parse(wrong, Player::First).is_err(), "{wrong}");
        }
    }

    #[test]
    fn searches_that_waited_for_another_one_end_as_well() {
        for rest in ["go infinite\nstop\n", "go infinite\n", "go infinite\nisready\nquery fen\n", "go movetime 600000\nquit\n"] {
            let (sender, ended) = mpsc::channel();
            thread::spawn(move || {
                let options = UgiOptions { game: "tictactoe", agent: "mcts", seed: 1, resources: &NoResources };
                let mut output = Vec::new();
                let served = serve_ugi(&options, io::Cursor::new(format!("go movetime 100\n{rest}")), &mut output);
                let _ = sender.send((served.is_ok(), String::from_utf8(output).unwrap()));
            });
            let (served, said) = ended.recv_timeout(Duration::from_mins(1)).unwrap_or_else(|_| panic!("it goes on: {rest}"));
            assert!(served && said.matches("bestmove").count() == 2, "{rest}: {said}");
        }
    }
}
