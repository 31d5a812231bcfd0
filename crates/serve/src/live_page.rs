//! The live page of a competition: its table, the running games, and the messages of remote players. It is read-only.
//!
//! A browser that follows it gets the whole page again whenever something has changed, at most four times a second, so that a slow or
//! closed page misses nothing that is still to be seen.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, UNIX_EPOCH};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use futures_util::Stream;
use futures_util::stream::unfold;
use plyground_core::sync::lock;
use plyground_match::{GameRow, REMOTE, Run, RunEvent, RunObserver};
use plyground_session::{Player, Session, Turn, open};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::connections::ConnectionTable;
use crate::lab::Quota;
use crate::origin::RequestSource;
use crate::{ServerLimits, files};

/// The interval at which a changed page is sent.
const TICK: Duration = Duration::from_millis(250);
/// The most games that are shown at the same time; finished ones are replaced.
const BOARDS: usize = 12;
/// The most finished games in the list, and the most messages.
const GAMES: usize = 40;
const MESSAGES: usize = 24;

/// A table of standings: the names of its columns, and its rows.
pub type StandingsTable = (Vec<String>, Vec<Vec<String>>);

/// The contents of a live page.
pub struct LivePage {
    title: String,
    /// The names of players, by their specs.
    names: Mutex<HashMap<String, String>>,
    state: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    /// The number of changes so far.
    version: u64,
    written: Option<(u64, Arc<str>)>,
    boards: Vec<Board>,
    quota: Option<Quota>,
    table: Option<StandingsTable>,
    tallies: HashMap<String, Tally>,
    games: VecDeque<Value>,
    finished: u64,
    messages: VecDeque<Message>,
    waiting: Vec<String>,
    dropped: Vec<(&'static str, u64)>,
    /// The number of games in all, if that is known.
    wanted: Option<u64>,
    over: bool,
}

/// The results of a player so far.
#[derive(Clone, Copy, Default)]
struct Tally {
    won: u32,
    drawn: u32,
    lost: u32,
}

struct Message {
    who: String,
    /// From a player?
    heard: bool,
    text: String,
}

/// A game that is shown.
struct Board {
    name: String,
    players: [String; 2],
    session: Box<dyn Session>,
    begun: i64,
    /// When the player to move began to think.
    since: i64,
    /// Milliseconds of both until then.
    used: [i64; 2],
    move_time: Option<Duration>,
    game_time: Option<Duration>,
    end: Option<(String, String)>,
}

/// Milliseconds since 1970: pages know when that was, and count on from there.
fn now() -> i64 {
    UNIX_EPOCH.elapsed().map_or(0, |time| time.as_millis() as i64)
}

impl RunObserver for LivePage {
    /// Updates the page by an event of a run.
    fn observe(&self, run: &Run, event: &RunEvent<'_>) {
        match event {
            RunEvent::GameStarted { job, game, agents } => {
                let board = self.board(run, &format!("{}/{game}", job.id), agents, &job.opening);
                self.changed().begin(board);
            }
            RunEvent::MoveMade { job, game, player, played } => {
                let name = format!("{}/{game}", job.id);
                let mut state = self.state();
                let Some(board) = state.boards.iter_mut().find(|board| board.name == name) else { return };
                board.advance(*player, &played.text);
                state.version += 1;
            }
            RunEvent::GameEnded { job, game, played } => {
                let name = format!("{}/{game}", job.id);
                let mut state = self.changed();
                if let Some(board) = state.boards.iter_mut().find(|board| board.name == name) {
                    board.end = Some((played.outcome.word().to_owned(), played.reason.clone()));
                }
            }
            RunEvent::JobFinished { games, .. } => {
                let mut state = self.changed();
                for game in *games {
                    let players = game.agents.map(|agent| self.name(&run.experiment.agents[agent]));
                    state.finish(&players, game);
                }
            }
            RunEvent::RunStarted { .. }
            | RunEvent::ResultsRefused { .. }
            | RunEvent::WorkerBanned { .. }
            | RunEvent::Progress { .. }
            | RunEvent::RunEnded { .. } => {}
        }
    }
}

impl LivePage {
    /// A page with a title. `names` are pairs of a spec and a name; players without a name are shown by their specs.
    pub fn new(title: &str, names: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { title: title.to_owned(), names: Mutex::new(names.into_iter().collect()), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, Shown> {
        lock(&self.state)
    }

    fn changed(&self) -> MutexGuard<'_, Shown> {
        let mut state = self.state();
        state.version += 1;
        state
    }

    /// The name of the player with this spec.
    pub fn name(&self, spec: &str) -> String {
        let known = lock(&self.names).get(spec).cloned();
        known.unwrap_or_else(|| spec.strip_prefix(REMOTE).unwrap_or(spec).to_owned())
    }

    /// Gives the player with this spec a name, from the next game on.
    pub fn call(&self, spec: &str, name: &str) {
        lock(&self.names).insert(spec.to_owned(), name.to_owned());
    }

    fn board(&self, run: &Run, name: &str, agents: &[String; 2], opening: &[String]) -> Option<Board> {
        let mut session = open(&run.experiment.game, None).ok()?;
        opening.iter().try_for_each(|text| session.play(text).map(drop)).ok()?;
        Some(Board {
            name: name.to_owned(),
            players: agents.each_ref().map(|spec| self.name(spec)),
            session,
            begun: now(),
            since: now(),
            used: [0; 2],
            move_time: run.experiment.limits.time,
            game_time: run.experiment.game_time.or(run.experiment.clock),
            end: None,
        })
    }

    /// Sets the number of games in all.
    pub fn expect(&self, games: u64) {
        self.changed().wanted = Some(games);
    }

    /// Adds a game that was played before.
    pub fn remember(&self, run: &Run, game: &GameRow) {
        let players = game.agents.map(|agent| self.name(&run.experiment.agents[agent]));
        self.changed().finish(&players, game);
    }

    /// Adds a message between the host and a remote player.
    pub fn message(&self, player: &str, received: bool, text: &str) {
        let mut state = self.changed();
        state.messages.push_back(Message { who: player.to_owned(), heard: received, text: text.to_owned() });
        if state.messages.len() > MESSAGES {
            state.messages.pop_front();
        }
    }

    /// Sets the waiting players, and the numbers of dropped datagrams by reason.
    pub fn lobby(&self, waiting: Vec<String>, dropped: Vec<(&'static str, u64)>) {
        let mut state = self.state();
        if state.waiting != waiting || state.dropped != dropped {
            (state.waiting, state.dropped) = (waiting, dropped);
            state.version += 1;
        }
    }

    /// Sets the table of standings; without one, the page counts points.
    pub fn show_table(&self, table: StandingsTable) {
        self.changed().table = Some(table);
    }

    /// Marks the competition as over.
    pub fn close(&self) {
        self.changed().over = true;
    }

    /// The version of the page and its JSON.
    pub fn page(&self) -> (u64, Arc<str>) {
        let mut state = self.state();
        if let Some((version, page)) = state.written.clone()
            && version == state.version
        {
            return (version, page);
        }
        let page: Arc<str> = state.json(&self.title).to_string().into();
        let written = (state.version, page);
        state.written = Some(written.clone());
        written
    }
}

impl Shown {
    /// Shows a new game if there is a free board and the quota allows it: fast agents play thousands a second.
    fn begin(&mut self, board: Option<Board>) {
        let Some(board) = board else { return };
        let quota = self.quota.get_or_insert_with(Quota::full);
        let live = self.boards.iter().filter(|board| board.end.is_none()).count();
        if live >= BOARDS || !quota.take() {
            return;
        }
        if self.boards.len() >= BOARDS
            && let Some(place) = self.boards.iter().position(|board| board.end.is_some())
        {
            self.boards.remove(place);
        }
        // Finished games of these players are replaced.
        self.boards.retain(|old| old.end.is_none() || !old.players.iter().any(|player| board.players.contains(player)));
        self.boards.push(board);
    }

    fn finish(&mut self, players: &[String; 2], game: &GameRow) {
        for (player, name) in Player::BOTH.into_iter().zip(players) {
            let tally = self.tallies.entry(name.clone()).or_default();
            match game.outcome.winner {
                Some(winner) if winner == player => tally.won += 1,
                Some(_) => tally.lost += 1,
                None => tally.drawn += 1,
            }
        }
        let line = json!({"players": players, "result": game.outcome.word(), "points": game.points, "reason": game.reason, "plies": game.plies()});
        self.games.push_front(line);
        self.games.truncate(GAMES);
        self.finished += 1;
    }

    fn json(&self, title: &str) -> Value {
        let (columns, rows) = self.table.clone().unwrap_or_else(|| self.count());
        let messages: Vec<Value> = self
            .messages
            .iter()
            .map(|message| json!({"who": message.who, "heard": message.heard, "text": message.text}))
            .collect();
        json!({
            "title": title,
            "over": self.over,
            "columns": columns,
            "rows": rows,
            "boards": self.boards.iter().map(Board::json).collect::<Vec<Value>>(),
            "games": self.games,
            "finished": self.finished,
            "wanted": self.wanted,
            "messages": messages,
            "waiting": self.waiting,
            "dropped": self.dropped.iter().copied().collect::<HashMap<_, _>>(),
        })
    }

    /// The players by their points: 1 for a game that was won, a half for one that was drawn.
    fn count(&self) -> StandingsTable {
        let mut all: Vec<(&String, &Tally)> = self.tallies.iter().collect();
        let halves = |tally: &Tally| 2 * tally.won + tally.drawn;
        all.sort_by(|a, b| halves(b.1).cmp(&halves(a.1)).then_with(|| a.0.cmp(b.0)));
        let row = |(name, tally): (&String, &Tally)| {
            let points = f64::from(halves(tally)) / 2.0;
            vec![name.clone(), points.to_string(), tally.won.to_string(), tally.drawn.to_string(), tally.lost.to_string()]
        };
        (["name", "points", "won", "drawn", "lost"].map(str::to_owned).to_vec(), all.into_iter().map(row).collect())
    }
}

impl Board {
    fn advance(&mut self, player: Option<Player>, text: &str) {
        // On an error the board stays as it is; the game itself is played elsewhere.
        let _ = self.session.play(text);
        if let Some(player) = player {
            self.used[player.index()] += now() - self.since;
            self.since = now();
        }
    }

    fn json(&self) -> Value {
        let (session, last) = (self.session.as_ref(), self.session.last_move());
        let info = session.info();
        let turn = match session.turn() {
            Turn::Player(player) if self.end.is_none() => Some(player.word()),
            _ => None,
        };
        let history = session.history();
        let moves: Vec<String> = (0..history.len()).filter_map(|number| Some(session.played(number)?.label)).collect();
        let movers: Vec<Option<&str>> = (0..history.len()).map(|number| session.mover(number).map(Player::word)).collect();
        json!({
            "id": self.name,
            "game": session.spec(),
            "about": {"name": info.name, "players": info.players, "presentation": info.presentation},
            "players": self.players,
            "view": session.view(),
            "last": {"from": last.from, "to": last.to},
            "moves": moves,
            "movers": movers,
            "points": session.points(),
            "turn": turn,
            "begun": self.begun,
            "since": self.since,
            "used": self.used,
            "move_ms": self.move_time.map(|time| time.as_millis() as u64),
            "game_ms": self.game_time.map(|time| time.as_millis() as u64),
            "result": self.end.as_ref().map(|(result, _)| result),
            "reason": self.end.as_ref().map(|(_, reason)| reason),
        })
    }
}

/// The live page as a service: its event streams are limited, with room for every client, and end when the server stops.
pub(crate) struct LivePageService {
    pub page: Arc<LivePage>,
    listeners: Arc<ConnectionTable>,
    stopping: watch::Sender<bool>,
}

impl LivePageService {
    pub fn new(page: Arc<LivePage>, limits: &ServerLimits) -> Self {
        Self { page, listeners: ConnectionTable::new(limits.listeners), stopping: watch::Sender::new(false) }
    }

    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }
}

/// The routes of the page, which is at this path.
pub(crate) fn routes(service: Arc<LivePageService>, path: &str) -> Router {
    Router::new()
        .route(path, get(|headers: HeaderMap| async move { files::named("live.html", &headers) }))
        .route("/live.json", get(page))
        .route("/live/events", get(events))
        .with_state(service)
}

async fn page(State(service): State<Arc<LivePageService>>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, service.page.page().1.to_string()).into_response()
}

async fn events(
    State(service): State<Arc<LivePageService>>,
    Extension(source): Extension<RequestSource>,
) -> Result<Sse<impl Stream<Item = Result<Sent, Infallible>>>, Response> {
    let Some(slot) = service.listeners.admit(source.client).map(|slot| Arc::new(slot).busy()) else {
        let words = json!({"error": "too many look on; try again in a minute"});
        return Err((StatusCode::SERVICE_UNAVAILABLE, Json(words)).into_response());
    };
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = (service.page.clone(), service.stopping.subscribe(), ticks, None, slot);
    let events = unfold(listener, |(page, mut stopping, mut ticks, mut seen, slot)| async move {
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = stopping.wait_for(|stopping| *stopping) => return None,
                () = slot.slot().displaced() => return None,
            }
            let sent = match seen {
                // The clocks of two computers differ: pages count from this one.
                None => {
                    seen = Some(u64::MAX);
                    Sent::default().event("clock").data(now().to_string())
                }
                Some(version) => {
                    let (newer, text) = page.page();
                    if newer == version {
                        continue;
                    }
                    seen = Some(newer);
                    Sent::default().event("live").data(text.as_ref())
                }
            };
            return Some((Ok(sent), (page, stopping, ticks, seen, slot)));
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
