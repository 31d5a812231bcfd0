//! The engine over a WebSocket: each message is a request of the JSON API. All of them are answered on threads of their own, in turns.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use plyground_api::{Api, PageMessage, PageRequest};
use plyground_core::sync::lock;
use plyground_core::{CancelToken, WallClock};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::connections::{ActiveRequest, ConnectionTable};
use crate::fair_queue::{FairQueue, QueueLimits, QueuePermit, QueueRefusal, SearchOwner};
use crate::origin::{RequestSource, TrustedWays, same_site};
use crate::{EngineAllowList, ServerLimits};

/// The most requests without a search that are answered at the same time, and the most of them for one client.
const PLAIN_REQUESTS: usize = 8;
const PLAIN_REQUESTS_EACH: usize = 4;

/// The state shared by all engine connections.
pub struct Engines {
    limits: ServerLimits,
    allowed: EngineAllowList,
    ways: TrustedWays,
    table: Arc<ConnectionTable>,
    connections: AtomicU64,
    /// The queue of searches, and that of requests that take no search but some time (a long game, or a file with many).
    searches: Arc<FairQueue>,
    plain: Arc<FairQueue>,
    cancel: CancelToken,
}

impl Engines {
    pub fn new(limits: ServerLimits, allowed: EngineAllowList, ways: TrustedWays) -> Self {
        let waiting_bytes = limits.waiting_bytes;
        let searches =
            QueueLimits { total: limits.searches, each: limits.searches_of_client, turn: limits.search_turn, waiting_bytes };
        // They are not interrupted, and a connection sends the next one after the answer.
        let plain =
            QueueLimits { total: PLAIN_REQUESTS, each: PLAIN_REQUESTS_EACH, turn: Duration::MAX, waiting_bytes: usize::MAX };
        Self {
            limits,
            allowed,
            ways,
            table: ConnectionTable::new(limits.engine_connections),
            connections: AtomicU64::new(0),
            searches: FairQueue::new(searches),
            plain: FairQueue::new(plain),
            cancel: CancelToken::new(),
        }
    }

    /// The most threads of a search.
    pub fn threads(&self) -> u64 {
        self.limits.allowance.threads
    }

    /// Ends all searches.
    pub fn stop(&self) {
        self.cancel.cancel();
        self.searches.close();
    }

    /// The slot of a WebSocket of a page, or the refusal: pages of other sites get none, and when all are taken, there is no room.
    pub fn admit(&self, source: &RequestSource, headers: &HeaderMap) -> Result<ActiveRequest, Box<Response>> {
        let refused = |status: StatusCode, words: &'static str| Err(Box::new((status, words).into_response()));
        if !same_site(headers) {
            return refused(StatusCode::FORBIDDEN, "The engine answers only pages of this server.\n");
        }
        if !source.by_named_proxy && !self.ways.is_own_name(headers) {
            let words = "The engine answers only under an address or a name of this server (ply serve --name NAME).\n";
            return refused(StatusCode::FORBIDDEN, words);
        }
        // A player who thinks sends nothing: such a connection is not idle in the sense of the table.
        match self.table.admit(source.client) {
            Some(slot) => Ok(Arc::new(slot).busy()),
            None => refused(StatusCode::SERVICE_UNAVAILABLE, "Too many are playing; try again in a minute.\n"),
        }
    }

    /// The idle timeout of a WebSocket.
    pub fn idle_timeout(&self) -> Duration {
        self.limits.idle_timeout
    }

    fn api(&self) -> Api<'_> {
        Api { resources: &self.allowed, allowance: self.limits.allowance }
    }
}

pub async fn connect(
    State(engines): State<Arc<Engines>>,
    Extension(source): Extension<RequestSource>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let slot = match engines.admit(&source, &headers) {
        Ok(slot) => slot,
        Err(refusal) => return *refusal,
    };
    let most = engines.limits.message;
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |socket| async move {
        let number = engines.connections.fetch_add(1, Ordering::Relaxed);
        let owner = SearchOwner { client: source.client, connection: number };
        Connection { engines, owner, searches: Searches::default() }.serve(socket, slot).await;
    })
}

/// The tokens of the searches of a connection, by the number of their request.
type Searches = Arc<Mutex<HashMap<u64, CancelToken>>>;

struct Connection {
    engines: Arc<Engines>,
    owner: SearchOwner,
    searches: Searches,
}

impl Connection {
    async fn serve(&self, socket: WebSocket, slot: ActiveRequest) {
        tokio::select! {
            () = self.talk(socket) => {}
            () = slot.slot().displaced() => {}
        }
    }

    async fn talk(&self, mut socket: WebSocket) {
        // Bounded: answers that are not read block the searches that send them, and do not fill the memory of the server.
        let (answers, mut outgoing) = mpsc::channel::<String>(64);
        // With the connection, everything ends that waits for a turn.
        let mut tasks = JoinSet::new();
        loop {
            tokio::select! {
                message = tokio::time::timeout(self.engines.limits.idle_timeout, socket.recv()) => match message {
                    Ok(Some(Ok(Message::Text(text)))) => {
                        if let Some(answer) = self.handle(text.as_str(), &answers, &mut tasks).await
                            && socket.send(Message::text(answer)).await.is_err()
                        {
                            break;
                        }
                    }
                    Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                    _ => break,
                },
                Some(text) = outgoing.recv() => {
                    if socket.send(Message::text(text)).await.is_err() {
                        break;
                    }
                }
            }
        }
    }

    /// Answers a request, or starts a search for it.
    async fn handle(&self, text: &str, answers: &mpsc::Sender<String>, tasks: &mut JoinSet<()>) -> Option<String> {
        let request = match PageMessage::parse(text) {
            Ok(PageMessage::Request(request)) => request,
            Ok(PageMessage::Stop(id)) => {
                if let Some(search) = lock(&self.searches).get(&id) {
                    search.cancel();
                }
                return None;
            }
            Err(refusal) => return Some(refusal),
        };
        if !request.is_search() {
            return Some(self.answer_plain(request, text.len()).await);
        }
        let id = request.id;
        let cancel = match self.begin(id) {
            Ok(cancel) => cancel,
            Err(words) => return Some(error(id, &words)),
        };
        let (engines, owner, bytes) = (Arc::clone(&self.engines), self.owner, text.len());
        let (searches, answers) = (Arc::clone(&self.searches), answers.clone());
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let answer = match engines.searches.permit(owner, bytes).await {
                Ok(permit) => search(&engines, request, permit, cancel, answers.clone()).await,
                Err(refusal) => error(id, refused(refusal)),
            };
            lock(&searches).remove(&id);
            // The connection may be closed.
            let _ = answers.send(answer).await;
        });
        None
    }

    /// The token of a new search, if this connection may have another one.
    fn begin(&self, id: u64) -> Result<CancelToken, String> {
        let mut searches = lock(&self.searches);
        let most = self.engines.limits.searches_each;
        if searches.len() >= most || searches.contains_key(&id) {
            return Err(format!("expected at most {most} thoughts at a time, each with its own id"));
        }
        let cancel = self.engines.cancel.child();
        searches.insert(id, cancel.clone());
        Ok(cancel)
    }

    /// The answer to a request without a search.
    async fn answer_plain(&self, request: PageRequest, bytes: usize) -> String {
        let (id, engines) = (request.id, Arc::clone(&self.engines));
        let permit = match engines.plain.permit(self.owner, bytes).await {
            Ok(permit) => permit,
            Err(refusal) => return error(id, refused(refusal)),
        };
        let answered = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            engines.api().respond(&request, &WallClock::start(), &mut |_| ControlFlow::Continue(()))
        });
        answered.await.unwrap_or_else(|_| error(id, MISTAKE))
    }
}

impl Drop for Connection {
    /// Ends its searches, however the connection has ended.
    fn drop(&mut self) {
        lock(&self.searches).values().for_each(CancelToken::cancel);
    }
}

const MISTAKE: &str = "the request failed; that is a mistake of the program";

fn error(id: u64, words: &str) -> String {
    json!({"id": id, "error": words}).to_string()
}

fn refused(refusal: QueueRefusal) -> &'static str {
    match refusal {
        QueueRefusal::Full => "too many requests of this client are waiting; expected shorter ones, or fewer",
        QueueRefusal::Closed => "the server is stopping",
    }
}

/// Searches on a thread of its own, which has the permit until the search has ended, also if its answer is not waited for any more.
async fn search(
    engines: &Arc<Engines>,
    request: PageRequest,
    permit: QueuePermit,
    cancel: CancelToken,
    answers: mpsc::Sender<String>,
) -> String {
    let (id, engines) = (request.id, Arc::clone(engines));
    let searched = tokio::task::spawn_blocking(move || {
        let mut tell = |message: &str| {
            // Progress that cannot be sent at once is dropped: it would be out of date.
            let _ = answers.try_send(message.to_owned());
            if cancel.is_cancelled() || permit.turn_is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        engines.api().respond(&request, &WallClock::start(), &mut tell)
    });
    searched.await.unwrap_or_else(|_| error(id, MISTAKE))
}
