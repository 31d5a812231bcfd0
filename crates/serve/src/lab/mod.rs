//! The lab: routes to list, start, stop, resume, follow and report on the runs of the command line, and to show its trainings.

mod fleet;
mod live_run;
mod page;
mod run_request;
mod stream;
mod training;

use std::collections::HashMap;
use std::path::{Path as File, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::UNIX_EPOCH;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use plyground_core::CancelToken;
use plyground_core::sync::lock;
use plyground_match::{AgentFactory, Results, RunDriver, RunError, RunPrefix, RunRow, Store, Threads, is_complete, machine};
use plyground_session::InputError;
use plyground_studies::report::Report;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

use crate::engine_allow_list::AllowedEnginesAndFiles;
use crate::origin::{RequestSource, same_site};
use crate::{EngineAllowList, ServerLimits};
pub use live_run::Quota;
use live_run::{LiveRun, RunEnd};
pub use run_request::RunRequest;

/// The most runs in a list.
const LINES: usize = 30;
/// The most games of a run whose score is in the list: reading more takes too long.
const READ_AT_ONCE: u64 = 20_000;
/// The most requests that read games at the same time; the others wait.
const READERS: usize = 2;

const MISTAKE: &str = "the lab failed; that is a mistake of the program";

/// The content security policy of reports: their own text, styles and pictures.
const REPORT_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The state of the lab: a store of runs, and the runs that are being played by this server.
pub struct Lab {
    file: PathBuf,
    limits: ServerLimits,
    allowed: EngineAllowList,
    /// A connection to the store for reading, which does not block running games.
    store: Store,
    readers: Semaphore,
    /// Permits for runs, and for event streams.
    run_permits: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
    live: Mutex<HashMap<String, Arc<LiveRun>>>,
    /// Cached lines of the list, by run, with the numbers of games and pairs that they had then.
    known: Mutex<HashMap<String, ([u64; 2], Value)>>,
    /// The error of the last run that failed.
    trouble: Mutex<Option<(String, String)>>,
    /// The source of reports on workers, if there is a queue.
    fleet: OnceLock<fleet::FleetSource>,
    stopping: watch::Sender<bool>,
    cancel: CancelToken,
}

pub fn routes(lab: Arc<Lab>) -> Router {
    let longest = lab.limits.message;
    Router::new()
        .route("/lab/runs", get(list).post(start))
        .route("/lab/runs/{run}", get(show))
        .route("/lab/runs/{run}/stop", post(stop))
        .route("/lab/runs/{run}/resume", post(resume))
        .route("/lab/runs/{run}/report", get(report))
        .route("/lab/runs/{run}/events", get(stream::events))
        .route("/lab/fleet", get(fleet::show))
        .route("/lab/trainings", get(training::list))
        .route("/lab/trainings/{training}", get(training::show))
        .layer(DefaultBodyLimit::max(longest))
        .layer(from_fn(guard))
        .with_state(lab)
}

/// Refuses requests from other computers and other sites: runs use the whole computer, and name its files.
async fn guard(Extension(source): Extension<RequestSource>, request: Request, next: Next) -> Response {
    if !source.is_local(request.headers()) {
        return LabRefusal::new(StatusCode::FORBIDDEN, "the lab answers only on the computer that it runs on").into_response();
    }
    if !same_site(request.headers()) {
        return LabRefusal::new(StatusCode::FORBIDDEN, "the lab answers only pages of this server").into_response();
    }
    let mut response = next.run(request).await;
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(header::HeaderValue::from_static("no-store"));
    response
}

/// The refusal of a request, with a sentence for the user.
pub struct LabRefusal {
    status: StatusCode,
    error: String,
}

impl LabRefusal {
    fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into() }
    }

    fn mistake() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, MISTAKE)
    }

    fn stopping() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
    }
}

impl IntoResponse for LabRefusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"error": self.error}))).into_response()
    }
}

impl From<InputError> for LabRefusal {
    fn from(error: InputError) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error.to_string())
    }
}

impl From<RunError> for LabRefusal {
    fn from(error: RunError) -> Self {
        let status = match error {
            RunError::Input(_) => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}

/// The number of entries that the client knows already: `skip=N`, or 0.
fn skip(query: Option<&str>) -> Result<usize, LabRefusal> {
    match query {
        None | Some("") => Ok(0),
        Some(query) => query
            .strip_prefix("skip=")
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| LabRefusal::new(StatusCode::BAD_REQUEST, format!("expected skip=N, found '{query}'"))),
    }
}

async fn list(State(lab): State<Arc<Lab>>, RawQuery(query): RawQuery) -> Result<Json<Value>, LabRefusal> {
    let skip = skip(query.as_deref())?;
    lab.read(move |lab| lab.list(skip)).await.map(Json)
}

async fn show(State(lab): State<Arc<Lab>>, Path(name): Path<String>) -> Result<Json<Value>, LabRefusal> {
    lab.read(move |lab| lab.show(&name)).await.map(Json)
}

async fn report(State(lab): State<Arc<Lab>>, Path(name): Path<String>) -> Result<Response, LabRefusal> {
    let page = lab.read(move |lab| Ok(Report::on_run(&lab.store, &lab.find(&name)?, None)?.html())).await?;
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((headers, page).into_response())
}

async fn start(State(lab): State<Arc<Lab>>, body: Bytes) -> Result<Response, LabRefusal> {
    let request: RunRequest = serde_json::from_slice(&body)
        .map_err(|error| LabRefusal::new(StatusCode::BAD_REQUEST, format!("malformed request: {error}")))?;
    let pairs = request.pairs;
    // Blocking: agents are built, and an external engine may take its time to start.
    let (run, command) =
        lab.read(move |lab| Ok((request.run(&lab.limits, &lab.allowed)?, request.command(&lab.allowed)))).await?;
    let id = run.id.clone();
    let begin = UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs() as i64);
    let row = RunRow { run, command, machine: machine(), begun: begin, pairs: 0, done: 0, games: 0 };
    lab.begin(row, RunTask::Play { pairs }).await?;
    Ok((StatusCode::CREATED, Json(json!({"run": id}))).into_response())
}

async fn resume(State(lab): State<Arc<Lab>>, Path(name): Path<String>) -> Result<Json<Value>, LabRefusal> {
    let row = lab.read(move |lab| lab.find(&name)).await?;
    let id = row.run.id.clone();
    lab.begin(row, RunTask::Resume).await?;
    Ok(Json(json!({"run": id})))
}

/// Stops a run, and answers when it has stopped, so that it can be resumed at once.
async fn stop(State(lab): State<Arc<Lab>>, Path(name): Path<String>) -> Result<Json<Value>, LabRefusal> {
    let Some(live) = lab.playing(&name) else {
        let row = lab.read(move |lab| lab.find(&name)).await?;
        return Err(LabRefusal::new(StatusCode::CONFLICT, format!("run {} is not being played here", row.run.id)));
    };
    live.stop();
    live.over().await;
    Ok(Json(live.page()))
}

/// The task of a run.
enum RunTask {
    /// Play so many pairs of every pairing.
    Play { pairs: u64 },
    /// Play all that was asked for.
    Resume,
}

impl Lab {
    pub fn open(file: &File, limits: ServerLimits, allowed: EngineAllowList) -> Result<Self, RunError> {
        Ok(Self {
            file: file.to_owned(),
            limits,
            allowed,
            store: Store::open(file)?,
            readers: Semaphore::new(READERS),
            run_permits: Arc::new(Semaphore::new(limits.runs)),
            listeners: Arc::new(Semaphore::new(limits.listeners)),
            live: Mutex::default(),
            known: Mutex::default(),
            trouble: Mutex::default(),
            fleet: OnceLock::new(),
            stopping: watch::Sender::new(false),
            cancel: CancelToken::new(),
        })
    }

    /// Sets the source of reports on workers; only the first one counts.
    pub fn show_fleet(&self, source: fleet::FleetSource) {
        let _ = self.fleet.set(source);
    }

    /// Stops all runs, and refuses new ones.
    pub fn stop(&self) {
        self.cancel.cancel();
        self.stopping.send_replace(true);
    }

    /// Waits until all runs have stopped and their games are stored.
    pub async fn finished(&self) {
        // It is never closed.
        let _ = self.run_permits.acquire_many(self.limits.runs as u32).await;
    }

    /// Runs a blocking closure on the store.
    async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Self) -> Result<T, LabRefusal> + Send + 'static,
    ) -> Result<T, LabRefusal> {
        let _permit = self.readers.acquire().await.map_err(|_| LabRefusal::stopping())?;
        let lab = Arc::clone(self);
        tokio::task::spawn_blocking(move || act(&lab)).await.unwrap_or_else(|_| Err(LabRefusal::mistake()))
    }

    /// The running run with this name, or with a name that begins like it.
    fn playing(&self, name: &str) -> Option<Arc<LiveRun>> {
        lock(&self.live).iter().find(|(id, _)| id.starts_with(name)).map(|(_, live)| Arc::clone(live))
    }

    fn find(&self, name: &str) -> Result<RunRow, LabRefusal> {
        self.store.find(name).map_err(|error| match error {
            RunError::Input(error) => LabRefusal::new(StatusCode::NOT_FOUND, error.to_string()),
            error => error.into(),
        })
    }

    fn list(&self, skip: usize) -> Result<Value, LabRefusal> {
        let runs = self.store.runs()?;
        let lines = runs.iter().skip(skip).take(LINES).map(|row| self.line(row)).collect::<Result<Vec<Value>, LabRefusal>>()?;
        let mut page = json!({"runs": lines, "of": runs.len(), "at_once": self.limits.runs});
        // A run whose settings are damaged is not among them.
        let damage = self.store.damage();
        if !damage.is_empty() {
            page["damage"] = damage.iter().take(LINES).map(ToString::to_string).collect();
        }
        Ok(page)
    }

    fn line(&self, row: &RunRow) -> Result<Value, LabRefusal> {
        if let Some(live) = lock(&self.live).get(&row.run.id) {
            return Ok(live.line());
        }
        let seen = [row.games, row.pairs];
        if let Some((found, line)) = lock(&self.known).get(&row.run.id)
            && *found == seen
        {
            return Ok(line.clone());
        }
        let results = if row.games <= READ_AT_ONCE { Some(self.results(row)?) } else { None };
        let complete = results.as_ref().map_or(row.done >= row.pairs, |results| is_complete(row, results));
        let line = page::line(row, results.as_ref(), if complete { "complete" } else { "unfinished" });
        lock(&self.known).insert(row.run.id.clone(), (seen, line.clone()));
        Ok(line)
    }

    fn results(&self, row: &RunRow) -> Result<Results, RunError> {
        Results::read(&self.store, row.run.experiment.seats, RunPrefix::all(&row.run.id))
    }

    fn show(&self, name: &str) -> Result<Value, LabRefusal> {
        let row = self.find(name)?;
        if let Some(live) = self.playing(&row.run.id) {
            return Ok(live.page());
        }
        let results = self.results(&row)?;
        let mut page = page::page(&row, &results, if is_complete(&row, &results) { "complete" } else { "unfinished" });
        let trouble = lock(&self.trouble).clone().filter(|(run, _)| *run == row.run.id);
        page["trouble"] = trouble.map(|(_, words)| words).into();
        Ok(page)
    }

    /// Starts a run. Returns as soon as its jobs are stored.
    async fn begin(self: &Arc<Self>, row: RunRow, task: RunTask) -> Result<(), LabRefusal> {
        if self.cancel.is_cancelled() {
            return Err(LabRefusal::stopping());
        }
        let id = row.run.id.clone();
        let live = Arc::new(LiveRun::new(row, self.cancel.child()));
        let permit = self.permit(&id, &live)?;
        let slot = RunSlot { lab: Arc::clone(self), live, permit: Some(permit), end: None };
        let (ready, written) = oneshot::channel();
        tokio::task::spawn_blocking(move || slot.play(&task, ready));
        written.await.unwrap_or_else(|_| Err(LabRefusal::mistake()))
    }

    /// A permit to play a run, if there is a free one and it is not being played.
    fn permit(&self, id: &str, live: &Arc<LiveRun>) -> Result<OwnedSemaphorePermit, LabRefusal> {
        let mut playing = lock(&self.live);
        let conflict = |error: String| LabRefusal::new(StatusCode::CONFLICT, error);
        if playing.contains_key(id) {
            return Err(conflict(format!("run {id} is being played already")));
        }
        let permit = Arc::clone(&self.run_permits).try_acquire_owned().map_err(|_| {
            let (busy, most) = (playing.keys().cloned().collect::<Vec<_>>().join(", "), self.limits.runs);
            conflict(format!("run {busy} is being played, and at most {most} at a time: wait for it, or stop it"))
        })?;
        playing.insert(id.to_owned(), Arc::clone(live));
        Ok(permit)
    }
}

/// The slot of a running run. It is freed on drop, also after a panic.
struct RunSlot {
    lab: Arc<Lab>,
    live: Arc<LiveRun>,
    permit: Option<OwnedSemaphorePermit>,
    end: Option<RunEnd>,
}

impl RunSlot {
    fn play(mut self, task: &RunTask, ready: oneshot::Sender<Result<(), LabRefusal>>) {
        let end = self.drive(task, ready);
        self.end = Some(end.unwrap_or_else(|trouble| RunEnd { complete: false, trouble: Some(trouble) }));
    }

    fn drive(&self, task: &RunTask, ready: oneshot::Sender<Result<(), LabRefusal>>) -> Result<RunEnd, String> {
        let (lab, live) = (&self.lab, &self.live);
        let RunRow { run, command, .. } = live.row();
        let words = |error: RunError| error.to_string();
        let store = Store::open(&lab.file).map_err(words)?;
        let (executor, resources) = (Threads(lab.limits.run_threads), AllowedEnginesAndFiles(&lab.allowed));
        let players = AgentFactory::of_run(&resources, run);
        let driver = RunDriver::new(&store, run, &executor, &players);
        let driver = driver.for_command(command).cancelled_by(live.cancel()).observed_by(live.as_ref());
        let requested = match task {
            RunTask::Play { pairs } => driver.request_format(*pairs),
            RunTask::Resume => Ok(()),
        };
        let trouble = requested.as_ref().err().map(ToString::to_string);
        // The client that asked may have gone; the run goes on.
        let _ = ready.send(requested.map_err(LabRefusal::from));
        trouble.map_or(Ok(()), Err)?;
        let played = match task {
            RunTask::Play { pairs } => driver.play_format(*pairs),
            RunTask::Resume => driver.resume(),
        };
        played.map(|(_, complete)| RunEnd { complete, trouble: None }).map_err(words)
    }
}

impl Drop for RunSlot {
    fn drop(&mut self) {
        let end = self.end.take().unwrap_or_else(|| RunEnd { complete: false, trouble: Some(MISTAKE.to_owned()) });
        let id = &self.live.row().run.id;
        if let Some(trouble) = &end.trouble {
            *lock(&self.lab.trouble) = Some((id.clone(), trouble.clone()));
        }
        // The slot is freed before the end is sent: a client may start the next run as soon as it is told.
        lock(&self.lab.live).remove(id);
        drop(self.permit.take());
        self.live.end(end);
    }
}
