//! The engine over a WebSocket: each message is a request of the JSON API; searches run on threads of their own.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use plyground_api::{Api, PageMessage, PageRequest};
use plyground_core::sync::lock;
use plyground_core::{CancelToken, WallClock};
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use crate::origin::same_site;
use crate::{EngineAllowList, ServerLimits};

/// The state shared by all engine connections.
pub struct Engines {
    limits: ServerLimits,
    allowed: EngineAllowList,
    connections: AtomicUsize,
    permits: Semaphore,
    cancel: CancelToken,
}

impl Engines {
    pub fn new(limits: ServerLimits, allowed: EngineAllowList) -> Self {
        let permits = Semaphore::new(limits.searches);
        Self { limits, allowed, connections: AtomicUsize::new(0), permits, cancel: CancelToken::new() }
    }

    /// The most threads of a search.
    pub fn threads(&self) -> u64 {
        self.limits.allowance.threads
    }

    /// Ends all searches.
    pub fn stop(&self) {
        self.cancel.cancel();
        self.permits.close();
    }
}

pub async fn connect(State(engines): State<Arc<Engines>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if !same_site(&headers) {
        return (StatusCode::FORBIDDEN, "The engine answers only pages of this server.\n").into_response();
    }
    if engines.connections.fetch_add(1, Ordering::Relaxed) >= engines.limits.engine_connections {
        engines.connections.fetch_sub(1, Ordering::Relaxed);
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many are playing; try again in a minute.\n").into_response();
    }
    let most = engines.limits.message;
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |socket| async move {
        Connection::new(Arc::clone(&engines)).serve(socket).await;
        engines.connections.fetch_sub(1, Ordering::Relaxed);
    })
}

/// The tokens of the searches of a connection, by the number of their request.
type Searches = Arc<Mutex<HashMap<u64, CancelToken>>>;

struct Connection {
    engines: Arc<Engines>,
    searches: Searches,
}

impl Connection {
    fn new(engines: Arc<Engines>) -> Self {
        Self { engines, searches: Searches::default() }
    }

    async fn serve(&self, mut socket: WebSocket) {
        // Bounded: answers that are not read block the searches that send them, and do not fill the memory of the server.
        let (answers, mut outgoing) = mpsc::channel::<String>(64);
        loop {
            tokio::select! {
                message = tokio::time::timeout(self.engines.limits.idle_timeout, socket.recv()) => match message {
                    Ok(Some(Ok(Message::Text(text)))) => {
                        if let Some(answer) = self.handle(text.as_str(), &answers)
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
        self.running().values().for_each(CancelToken::cancel);
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<u64, CancelToken>> {
        lock(&self.searches)
    }

    /// Answers a request at once, or starts a search for it.
    fn handle(&self, text: &str, answers: &mpsc::Sender<String>) -> Option<String> {
        let request = match PageMessage::parse(text) {
            Ok(PageMessage::Request(request)) => request,
            Ok(PageMessage::Stop(id)) => {
                if let Some(search) = self.running().get(&id) {
                    search.cancel();
                }
                return None;
            }
            Err(refusal) => return Some(refusal),
        };
        if !request.is_search() {
            return Some(api(&self.engines).respond(&request, &WallClock::start(), &mut |_| ControlFlow::Continue(())));
        }
        let id = request.id;
        let cancel = self.engines.cancel.child();
        let mut searches = self.running();
        if searches.len() >= self.engines.limits.searches_each || searches.contains_key(&id) {
            let error =
                format!("expected at most {} thoughts at a time, each with its own id", self.engines.limits.searches_each);
            return Some(json!({"id": id, "error": error}).to_string());
        }
        searches.insert(id, cancel.clone());
        drop(searches);
        let (engines, searches, answers) = (Arc::clone(&self.engines), Arc::clone(&self.searches), answers.clone());
        tokio::spawn(async move {
            let answer = search(&engines, request, cancel, answers.clone()).await;
            lock(&searches).remove(&id);
            // The connection may be closed.
            let _ =
                answers.send(answer.unwrap_or_else(|| json!({"id": id, "error": "the server is stopping"}).to_string())).await;
        });
        None
    }
}

fn api(engines: &Engines) -> Api<'_> {
    Api { resources: &engines.allowed, allowance: engines.limits.allowance }
}

/// Waits for a permit and searches; `None` when the server stops.
async fn search(
    engines: &Arc<Engines>,
    request: PageRequest,
    cancel: CancelToken,
    answers: mpsc::Sender<String>,
) -> Option<String> {
    let _permit = engines.permits.acquire().await.ok()?;
    let shared = Arc::clone(engines);
    let searched = tokio::task::spawn_blocking(move || {
        let mut tell = |message: &str| {
            // Progress that cannot be sent at once is dropped: it would be out of date.
            let _ = answers.try_send(message.to_owned());
            if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        api(&shared).respond(&request, &WallClock::start(), &mut tell)
    });
    searched.await.ok()
}
