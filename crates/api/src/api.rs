//! The JSON API of the engine, independent of the transport (WebSocket or WebAssembly).
//!
//! It is stateless: a request holds the whole game so far. So taking back, stepping through a game, opening a shared one
//! and going on after a lost connection are the same request with other moves, and a request can go to any worker.

use std::ops::ControlFlow;
use std::time::Duration;

use plyground_core::{
    BoardView, Clock, Family, FamilyVisitor, GENERAL_PHRASES, GameInfo, GameRecord, GameValue, InputError, KeyInfo, Limits,
    MoveSquares, OutcomeText, Params, PlayedMove, Player, RecordFormat, RecordedPlayer, Resources, Seed, Sentence, Square,
    StopCheck, Turn, split_spec,
};
use plyground_games::for_each_family;
use plyground_session::{
    Advice, AdvisedMove, InterimAdvice, LegalMove, Opponent, ProgressObserver, SearchProgress, Session, SolveOrder, format_named,
    open, read_any, replay,
};
use qrcodegen::{QrCode, QrCodeEcc};
use serde::Serialize;
use serde_json::{Value, json};

use crate::request::{GameLine, PageRequest, Search, Task};

/// The limits of a caller, whatever a request asks for.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The longest search.
    pub time: Duration,
    /// Megabytes for a search.
    pub memory: u64,
    /// Threads for a search.
    pub threads: u64,
    /// The longest game, in moves and chance outcomes.
    pub plies: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { time: Duration::from_mins(1), memory: 512, threads: 1, plies: 2_000 }
    }
}

impl Allowance {
    /// Refuses agents that ask for more than is allowed.
    pub fn check(&self, agent: &str) -> Result<(), InputError> {
        let params = Params::parse(split_spec(agent).1)?;
        for (key, most) in [("memory", self.memory), ("tt", self.memory), ("threads", self.threads)] {
            params.number(key, 0..=most)?;
        }
        Ok(())
    }
}

/// A callback for progress messages; `Break` ends the search with its best move so far.
pub type Tell<'a> = dyn FnMut(&str) -> ControlFlow<()> + 'a;

/// The JSON API: answers requests.
pub struct Api<'a> {
    /// The files and engines that agents may use.
    pub resources: &'a dyn Resources,
    /// The limits of callers.
    pub allowance: Allowance,
}

/// How often a caller hears of a thought.
const TELL_EVERY: Duration = Duration::from_millis(100);

impl Api<'_> {
    /// The answer to a request as text: see [`Api::respond`]. A text that is no request is answered with `{"id":null,"error":…}`.
    pub fn handle(&self, request: &str, clock: &dyn Clock, tell: &mut Tell<'_>) -> String {
        match PageRequest::parse(request) {
            Ok(request) => self.respond(&request, clock, tell),
            Err(refusal) => refusal,
        }
    }

    /// The answer to a request: `{"id":…,"answer":…}`, or `{"id":…,"error":…}` in words. The clock begins with the request. On the way
    /// the caller is told of progress: `{"id":…,"progress":…}`.
    pub fn respond(&self, request: &PageRequest, clock: &dyn Clock, tell: &mut Tell<'_>) -> String {
        match self.answer(request, clock, tell) {
            Ok(answer) => format!(r#"{{"id":{},"answer":{answer}}}"#, request.id),
            Err(error) => refusal(request.id, &error).to_string(),
        }
    }

    /// The answer in JSON.
    fn answer(&self, request: &PageRequest, clock: &dyn Clock, tell: &mut Tell<'_>) -> Result<String, InputError> {
        let answer = match &request.task {
            Task::State(line) => {
                let session = self.session(line)?;
                let written = serde_json::to_string(&state(session.as_ref()));
                return written.map_err(|error| InputError::malformed("request", "state", error.to_string()));
            }
            Task::Games => games(),
            Task::Opponents { game } => opponents(open(game, None)?.as_ref(), self.resources),
            Task::Chance { line, seed } => {
                let mut session = self.session(line)?;
                let outcome = session.roll(&mut Seed(*seed).rng());
                let none = || InputError::malformed("request", "chance", "it is not the turn of chance");
                outcome.map(Value::from).ok_or_else(none)?
            }
            Task::Think(search) => self.think(request.id, search, clock, tell)?,
            Task::Solve { line, time } => self.solve(request.id, line, *time, clock, tell)?,
            Task::Import { text } => import(text)?,
            Task::Qr { text } => qr_code(text)?,
            Task::Export { line, format, players } => {
                let players = players.clone().map(|name| RecordedPlayer { name, seed: None });
                let record = self.session(line)?.record(players, None);
                (format_named(format)?.write)(&[record])?.into()
            }
        };
        Ok(answer.to_string())
    }

    /// The game of a request as far as it has come.
    fn session(&self, line: &GameLine) -> Result<Box<dyn Session>, InputError> {
        if line.moves.len() > self.allowance.plies {
            let found = line.moves.len().to_string();
            return Err(InputError::malformed("number of moves", &found, format!("expected at most {}", self.allowance.plies)));
        }
        let mut session = open(&line.game, line.start.as_deref())?;
        for text in &line.moves {
            session.play(text)?;
        }
        Ok(session)
    }

    fn think(&self, id: u64, search: &Search, clock: &dyn Clock, tell: &mut Tell<'_>) -> Result<Value, InputError> {
        self.allowance.check(&search.agent)?;
        let mut session = self.session(&search.line)?;
        let seat = session.seat(&search.agent, Seed(search.seed), self.resources)?;
        let limits = Limits { time: self.time(search.time), ..Limits::default() };
        // Lines are played on a game of their own, because the agent has the other one. Without a watcher there are none.
        let mut ahead = if search.watch { Some(self.session(&search.line)?) } else { None };
        let mut listener = Listener::new(id, clock, tell, self.allowance.time);
        listener.ahead = ahead.as_deref_mut();
        let advice = session.think(seat, limits, clock, &mut listener);
        advice
            .map(|advice| advised(&advice, session.as_mut()))
            .map_err(|error| InputError::malformed("request", "think", error.to_string()))
    }

    fn solve(
        &self,
        id: u64,
        line: &GameLine,
        time: Option<f64>,
        clock: &dyn Clock,
        tell: &mut Tell<'_>,
    ) -> Result<Value, InputError> {
        let order = SolveOrder {
            method: "auto".to_owned(),
            memory: self.allowance.memory as usize,
            tablebase: None,
            regions: None,
            keep: 0,
            strategy: false,
        };
        let end = self.time(time).unwrap_or(self.allowance.time);
        let mut session = self.session(line)?;
        let mut listener = Listener::new(id, clock, tell, end);
        let solved = session.solve(&order, self.resources, &mut listener)?;
        Ok(json!({
            "value": solved.value().map(GameValue::word),
            "best": solved.best,
            "line": followed(session.as_mut(), &solved.line),
            "plies": solved.plies,
            "plies_exact": solved.plies_exact,
            "nodes": solved.nodes,
            "seconds": clock.elapsed().as_secs_f64(),
        }))
    }

    /// The time that a caller asks for in milliseconds, as far as it is allowed.
    fn time(&self, asked: Option<f64>) -> Option<Duration> {
        let milliseconds = asked.filter(|time| time.is_finite() && *time >= 0.0)?;
        Some(Duration::from_secs_f64((milliseconds / 1e3).min(self.allowance.time.as_secs_f64())))
    }
}

/// Passes on what an agent or a solver says, and ends what takes too long.
struct Listener<'a, 'b> {
    /// The request.
    id: u64,
    /// The game of the request, to play lines on, if the caller wants to see what moves are being looked at.
    ahead: Option<&'a mut (dyn Session + 'static)>,
    clock: &'a dyn Clock,
    tell: &'a mut Tell<'b>,
    most: Duration,
    /// When the caller last heard something.
    told: Duration,
}

impl<'a, 'b> Listener<'a, 'b> {
    fn new(id: u64, clock: &'a dyn Clock, tell: &'a mut Tell<'b>, most: Duration) -> Self {
        Self { id, ahead: None, clock, tell, most, told: Duration::ZERO }
    }

    fn hear(&mut self, progress: impl FnOnce(Option<&mut dyn Session>) -> Value) -> ControlFlow<()> {
        let now = self.clock.elapsed();
        if now >= self.most {
            return ControlFlow::Break(());
        }
        if now < self.told + TELL_EVERY {
            return ControlFlow::Continue(());
        }
        self.told = now;
        let progress = progress(self.ahead.as_deref_mut().map(|ahead| ahead as &mut dyn Session));
        (self.tell)(&json!({"id": self.id, "progress": progress}).to_string())
    }
}

impl ProgressObserver for Listener<'_, '_> {
    fn progress(&mut self, progress: &SearchProgress<'_>) -> ControlFlow<()> {
        self.hear(|ahead| {
            let mut message = json!({"done": progress.done, "nodes": progress.nodes});
            if let Some(ahead) = ahead {
                let InterimAdvice { value, depth, line, candidates } = (progress.opinion)();
                message["value"] = json!(value);
                message["depth"] = json!(depth);
                message["line"] = followed(ahead, &line);
                message["candidates"] = candidates.iter().map(candidate).collect();
            }
            message
        })
    }
}

impl StopCheck for Listener<'_, '_> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        let done = self.clock.elapsed().as_secs_f64() / self.most.as_secs_f64().max(1e-9);
        self.hear(|_| json!({"done": done.min(1.0), "nodes": nodes}))
    }
}

/// An error in words; why a move is illegal also as a key with arguments.
fn refusal(id: u64, error: &InputError) -> Value {
    let mut message = json!({"id": id, "error": error.to_string()});
    if let InputError::Illegal { why, .. } = error {
        message["reason"] = json!(why);
    }
    message
}

/// Everything that is known about the games.
fn games() -> Value {
    struct Games(Vec<Value>);
    impl FamilyVisitor for Games {
        fn visit<F: Family>(&mut self) {
            self.0.push(game(F::INFO, F::record_formats()));
        }
    }
    let mut games = Games(Vec::new());
    for_each_family(&mut games);
    games.0.into()
}

fn game(info: &GameInfo, formats: &[RecordFormat]) -> Value {
    let key = |key: &KeyInfo| json!({"key": key.key, "value": key.value, "default": key.default, "meaning": key.meaning});
    json!({
        "name": info.name,
        "title": info.title,
        "aliases": info.aliases.iter().map(|alias| alias.name).collect::<Vec<_>>(),
        "players": info.players,
        "summary": info.summary,
        "rules": info.rules,
        "pieces": info.pieces,
        "notation": info.notation,
        "example": info.example,
        "samples": info.samples,
        "keys": info.keys.iter().map(key).collect::<Vec<_>>(),
        "phrases": info.phrases.iter().chain(GENERAL_PHRASES).collect::<Vec<_>>(),
        "formats": formats.iter().map(|format| format.name).collect::<Vec<_>>(),
        "presentation": info.presentation,
    })
}

fn opponents(session: &dyn Session, resources: &dyn Resources) -> Value {
    let opponent = |opponent: &Opponent| json!({"name": opponent.name, "summary": opponent.summary, "work": opponent.work, "spec": opponent.spec});
    let program = |name: String| {
        let name = format!("cmd:{name}");
        json!({"name": name, "summary": "another program", "work": null, "spec": name})
    };
    session.opponents().iter().map(opponent).chain(resources.engines().into_iter().map(program)).collect()
}

/// Everything that a page draws. It is asked for after every move, so it is written as it is and not put together from values first.
#[derive(Serialize)]
struct State<'a> {
    game: String,
    position: String,
    turn: &'static str,
    winner: Option<&'static str>,
    reason: Option<Sentence>,
    points: Option<[i32; 2]>,
    /// The squares that decided the game.
    won: Vec<Square>,
    view: BoardView,
    last: Squares,
    moves: Vec<Described>,
    outcomes: Vec<(String, f64)>,
    history: Vec<Played<'a>>,
}

#[derive(Serialize)]
struct Squares {
    from: Option<Square>,
    to: Option<Square>,
    piece: Option<&'static str>,
}

impl From<MoveSquares> for Squares {
    fn from(MoveSquares { from, to, piece }: MoveSquares) -> Self {
        Self { from, to, piece }
    }
}

/// A move with all that a page needs to show it.
#[derive(Serialize)]
struct Described {
    #[serde(rename = "move")]
    text: String,
    label: String,
    #[serde(flatten)]
    squares: Squares,
}

impl From<LegalMove> for Described {
    fn from(LegalMove { text, label, squares }: LegalMove) -> Self {
        Self { text, label, squares: squares.into() }
    }
}

#[derive(Serialize)]
struct Played<'a> {
    #[serde(rename = "move")]
    text: &'a str,
    /// As people like to read it, where that is not the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Where a player moved; none for a chance outcome.
    #[serde(flatten)]
    squares: Option<Squares>,
    /// `None` for a chance outcome.
    mover: Option<&'static str>,
    /// Was it all that chance could do?
    certain: bool,
    /// What chance has done, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<OutcomeText>,
}

/// The moves of a line that an agent expects, played on the game and taken back again. What chance does in it is left out.
fn followed(session: &mut dyn Session, line: &[String]) -> Value {
    let begin = session.history().len();
    let played = line.iter().take_while(|text| session.play(text).is_ok()).count();
    let by_players = (begin..begin + played).filter(|&number| session.mover(number).is_some());
    let moves: Vec<Described> = by_players.filter_map(|number| session.played(number)).map(Described::from).collect();
    for _ in 0..played {
        session.undo();
    }
    json!(moves)
}

fn state<'a>(session: &'a dyn Session) -> State<'a> {
    let (turn, winner) = match session.turn() {
        Turn::Player(player) => (player.word(), None),
        Turn::Chance => ("chance", None),
        Turn::Over(outcome) => ("over", Some(outcome.word())),
    };
    let played = |(number, played): (usize, &'a PlayedMove)| {
        let (described, mover) = (session.played(number), session.mover(number));
        Played {
            text: &played.text,
            squares: described.as_ref().filter(|_| mover.is_some()).map(|described| described.squares.into()),
            label: described.map(|described| described.label).filter(|label| *label != played.text),
            mover: mover.map(Player::word),
            certain: session.certain(number),
            outcome: session.outcome_text(number),
        }
    };
    State {
        game: session.spec(),
        position: session.position(),
        turn,
        winner,
        reason: session.reason(),
        points: session.points(),
        won: session.winning_squares(),
        view: session.view(),
        last: session.last_move().into(),
        moves: session.moves().into_iter().map(Described::from).collect(),
        outcomes: session.outcomes(),
        history: session.history().iter().enumerate().map(played).collect(),
    }
}

fn candidate(candidate: &AdvisedMove) -> Value {
    json!({"move": candidate.mv, "visits": candidate.visits, "value": candidate.value})
}

fn advised(advice: &Advice, session: &mut dyn Session) -> Value {
    json!({
        "move": advice.mv,
        "value": advice.value,
        "line": followed(session, &advice.line),
        "candidates": advice.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "nodes": advice.nodes,
        "simulations": advice.simulations,
        "depth": advice.depth,
        "seconds": advice.elapsed.as_secs_f64(),
        "notes": advice.notes,
    })
}

/// The longest text of a QR code, in bytes: more makes a picture that phones do not read from a screen.
const LONGEST_QR: usize = 600;

/// A text as a QR code: the number of squares of a side, and the dark ones as an SVG path.
fn qr_code(text: &str) -> Result<Value, InputError> {
    let refuse = |detail: String| InputError::malformed("text of a QR code", &text.chars().take(40).collect::<String>(), detail);
    if text.len() > LONGEST_QR {
        return Err(refuse(format!("expected at most {LONGEST_QR} bytes, found {}", text.len())));
    }
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).map_err(|error| refuse(error.to_string()))?;
    let squares = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let dark = squares.filter(|&(x, y)| code.get_module(x, y));
    let path = dark.fold(String::new(), |path, (x, y)| path + &format!("M{x} {y}h1v1h-1z"));
    Ok(json!({"size": code.size(), "path": path}))
}

/// The games of a text, each checked by playing it again.
fn import(text: &str) -> Result<Value, InputError> {
    let game = |record: &GameRecord| {
        replay(record)?;
        let moves: Vec<&str> = record.moves.iter().map(|played| played.text.as_str()).collect();
        let players = record.players.each_ref().map(|player| &player.name);
        Ok(json!({"game": record.game, "start": record.start, "moves": moves, "players": players, "result": record.result}))
    };
    read_any(text)?.iter().map(game).collect()
}
