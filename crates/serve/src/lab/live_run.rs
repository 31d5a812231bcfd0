//! A running run: its progress, and the games that are shown.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use plyground_core::CancelToken;
use plyground_core::sync::lock;
use plyground_match::{Results, Run, RunEvent, RunObserver, RunRow};
use plyground_session::Player;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::page::{line, page};

/// The most events that a slow subscriber may be behind; after that it gets the present state again.
const BEHIND: usize = 1_024;

/// The most games that are shown at the same time, and new ones a second: fast agents play thousands a second.
const BOARDS: usize = 8;
const BOARDS_A_SECOND: f64 = 4.0;

/// A server-sent event about a run.
#[derive(Clone)]
pub struct PushEvent {
    pub event: &'static str,
    pub data: Arc<str>,
}

impl PushEvent {
    pub fn new(event: &'static str, data: &Value) -> Self {
        Self { event, data: data.to_string().into() }
    }
}

/// The end of a run.
#[derive(Clone, Debug)]
pub struct RunEnd {
    pub complete: bool,
    /// The error that ended it.
    pub trouble: Option<String>,
}

impl RunEnd {
    /// The last event.
    pub fn told(&self) -> PushEvent {
        PushEvent::new("end", &json!({"complete": self.complete, "trouble": self.trouble}))
    }
}

/// A run that is being played by this server.
pub struct LiveRun {
    row: RunRow,
    cancel: CancelToken,
    state: Mutex<State>,
    tell: broadcast::Sender<PushEvent>,
}

struct State {
    results: Results,
    wanted: u64,
    /// The jobs that were done when it began, and the time of that.
    before: u64,
    begun: Instant,
    /// The number of changes so far, so that no state is sent twice.
    version: u64,
    /// The page of a version.
    written: Option<(u64, PushEvent)>,
    boards: Vec<Board>,
    quota: Quota,
    end: Option<RunEnd>,
}

/// A game that is shown.
struct Board {
    job: String,
    game: u8,
    agents: [String; 2],
    opening: usize,
    moves: Vec<String>,
}

/// A rate limit on new games that are shown.
pub struct Quota {
    left: f64,
    last: Instant,
}

impl Quota {
    pub fn full() -> Self {
        Self { left: BOARDS as f64, last: Instant::now() }
    }

    /// May another one be shown?
    pub fn take(&mut self) -> bool {
        let now = Instant::now();
        self.left = (self.left + BOARDS_A_SECOND * (now - self.last).as_secs_f64()).min(BOARDS as f64);
        self.last = now;
        let enough = self.left >= 1.0;
        self.left -= f64::from(u8::from(enough));
        enough
    }
}

impl RunObserver for LiveRun {
    /// Updates the state by an event, and sends it to subscribers. The state is locked meanwhile, so events are sent in order.
    fn observe(&self, _: &Run, event: &RunEvent<'_>) {
        let mut state = self.state();
        match event {
            RunEvent::RunStarted { results, wanted, .. } => {
                (state.results, state.wanted, state.before) = ((*results).clone(), *wanted, results.jobs());
                state.begun = Instant::now();
                state.version += 1;
            }
            RunEvent::GameStarted { job, game, agents } => {
                if state.boards.len() < BOARDS && state.quota.take() {
                    let (job, opening, moves) = (job.id.clone(), job.opening.len(), job.opening.clone());
                    let board = Board { job, game: *game, agents: (*agents).clone(), opening, moves };
                    self.tell("started", || board.json());
                    state.boards.push(board);
                }
            }
            RunEvent::MoveMade { job, game, player, played } => {
                if let Some(board) = state.boards.iter_mut().find(|board| board.is(&job.id, *game)) {
                    board.moves.push(played.text.clone());
                    let (name, mover) = (board.name(), player.map(Player::word));
                    let data =
                        || json!({"game": name, "move": played.text, "mover": mover, "value": played.value, "ms": played.ms});
                    self.tell("move", data);
                }
            }
            RunEvent::GameEnded { job, game, played } => {
                if let Some(place) = state.boards.iter().position(|board| board.is(&job.id, *game)) {
                    let (name, result) = (state.boards.swap_remove(place).name(), played.outcome.word());
                    self.tell("over", || json!({"game": name, "result": result, "reason": played.reason}));
                }
            }
            RunEvent::JobFinished { games, .. } => {
                games.iter().for_each(|game| state.results.add(game));
                state.version += 1;
            }
            // The lab plays on this computer alone.
            RunEvent::Progress { .. } | RunEvent::ResultsRefused { .. } | RunEvent::WorkerBanned { .. } => {}
            RunEvent::RunEnded { results, .. } => {
                state.results = (*results).clone();
                state.version += 1;
            }
        }
    }
}

impl LiveRun {
    pub fn new(row: RunRow, cancel: CancelToken) -> Self {
        let now = Instant::now();
        let state = State {
            results: Results::new(row.run.experiment.seats),
            wanted: row.pairs,
            before: 0,
            begun: now,
            version: 0,
            written: None,
            boards: Vec::new(),
            quota: Quota::full(),
            end: None,
        };
        Self { row, cancel, state: Mutex::new(state), tell: broadcast::channel(BEHIND).0 }
    }

    pub fn row(&self) -> &RunRow {
        &self.row
    }

    pub fn stop(&self) {
        self.cancel.cancel();
        self.state().version += 1;
    }

    pub fn stopping(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn tell(&self, event: &'static str, data: impl FnOnce() -> Value) {
        if self.tell.receiver_count() > 0 {
            // The last subscriber may have gone.
            let _ = self.tell.send(PushEvent::new(event, &data()));
        }
    }

    /// Sets the end, and sends it.
    pub fn end(&self, end: RunEnd) {
        let mut state = self.state();
        state.version += 1;
        state.boards.clear();
        let told = end.told();
        state.end = Some(end);
        let _ = self.tell.send(told);
    }

    /// The present state as events, and a channel of all later events.
    pub fn follow(&self) -> (Vec<PushEvent>, broadcast::Receiver<PushEvent>) {
        let mut state = self.state();
        let mut now = vec![self.written(&mut state)];
        let boards: Vec<Value> = state.boards.iter().map(Board::json).collect();
        now.push(PushEvent::new("boards", &boards.into()));
        now.extend(state.end.as_ref().map(RunEnd::told));
        (now, self.tell.subscribe())
    }

    /// Waits until it is over.
    pub async fn over(&self) {
        let (now, mut told) = self.follow();
        let mut last = now.last().map(|told| told.event);
        while last != Some("end") {
            last = match told.recv().await {
                Ok(told) => Some(told.event),
                // The last message is the newest, and never among those that were missed.
                Err(broadcast::error::RecvError::Lagged(_)) => None,
                Err(broadcast::error::RecvError::Closed) => return,
            };
        }
    }

    /// The state of the run, if it is newer than this version.
    pub fn newer(&self, seen: &mut u64) -> Option<PushEvent> {
        let mut state = self.state();
        let newer = state.version > *seen;
        *seen = state.version;
        newer.then(|| self.written(&mut state))
    }

    fn written(&self, state: &mut State) -> PushEvent {
        match &state.written {
            Some((version, told)) if *version == state.version => told.clone(),
            _ => {
                let told = PushEvent::new("run", &self.page_of(state));
                state.written = Some((state.version, told.clone()));
                told
            }
        }
    }

    /// The state of the run as JSON.
    pub fn page(&self) -> Value {
        self.page_of(&self.state())
    }

    /// The run as a line of the list.
    pub fn line(&self) -> Value {
        let state = self.state();
        line(&self.now(&state), Some(&state.results), self.word(&state))
    }

    /// The row of the run with its present numbers.
    fn now(&self, state: &State) -> RunRow {
        let (pairs, done, games) = (state.wanted, state.results.jobs(), state.results.games());
        RunRow { pairs, done, games, ..self.row.clone() }
    }

    fn word(&self, state: &State) -> &'static str {
        match &state.end {
            Some(RunEnd { complete: true, .. }) => "complete",
            Some(_) => "unfinished",
            None if self.stopping() => "stopping",
            None => "running",
        }
    }

    fn page_of(&self, state: &State) -> Value {
        let mut page = page(&self.now(state), &state.results, self.word(state));
        // Not a rate: that changes with the time, also while nothing else does.
        page["played"] = state.results.jobs().saturating_sub(state.before).into();
        page["seconds"] = state.begun.elapsed().as_secs_f64().into();
        page["trouble"] = state.end.as_ref().and_then(|end| end.trouble.clone()).into();
        page
    }
}

impl Board {
    fn is(&self, job: &str, game: u8) -> bool {
        self.game == game && self.job == job
    }

    /// The name of the game, unique among all runs.
    fn name(&self) -> String {
        format!("{}/{}", self.job, self.game)
    }

    fn json(&self) -> Value {
        json!({"game": self.name(), "agents": self.agents, "opening": self.opening, "moves": self.moves})
    }
}
