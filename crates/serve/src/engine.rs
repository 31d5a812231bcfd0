//! The engine behind a WebSocket: each message is a request to the API, and searches run on threads of their own.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use plyground_api::{Api, PageMessage, PageRequest};
use plyground_session::Clock;
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use crate::origin::same_site;
use crate::{EngineAllowList, Limits};

/// All engines of the server together.
pub struct Engines {
    limits: Limits,
    offer: EngineAllowList,
    connections: AtomicUsize,
    thinkers: Semaphore,
    stopped: AtomicBool,
}

impl Engines {
    pub fn new(limits: Limits, offer: EngineAllowList) -> Self {
        let thinkers = Semaphore::new(limits.thinkers);
        Self { limits, offer, connections: AtomicUsize::new(0), thinkers, stopped: AtomicBool::new(false) }
    }

    /// How many threads a thought may have.
    pub fn threads(&self) -> u64 {
        self.limits.allowance.threads
    }

    /// No more thinking.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.thinkers.close();
    }
}

pub async fn connect(State(engines): State<Arc<Engines>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if !same_site(&headers) {
        return (StatusCode::FORBIDDEN, "The engine answers only pages of this server.\n").into_response();
    }
    if engines.connections.fetch_add(1, Ordering::Relaxed) >= engines.limits.connections {
        engines.connections.fetch_sub(1, Ordering::Relaxed);
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many are playing; try again in a minute.\n").into_response();
    }
    let most = engines.limits.message;
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |socket| async move {
        Connection::new(Arc::clone(&engines)).serve(socket).await;
        engines.connections.fetch_sub(1, Ordering::Relaxed);
    })
}

struct Wall(Instant);

impl Clock for Wall {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The thoughts of a connection by the number of their request, each with a switch that ends it.
type Thoughts = Arc<Mutex<HashMap<u64, Arc<AtomicBool>>>>;

struct Connection {
    engines: Arc<Engines>,
    thoughts: Thoughts,
}

impl Connection {
    fn new(engines: Arc<Engines>) -> Self {
        Self { engines, thoughts: Thoughts::default() }
    }

    async fn serve(&self, mut socket: WebSocket) {
        // Answers that nobody fetches hold up the thoughts that send them, not the memory of the server.
        let (answers, mut outgoing) = mpsc::channel::<String>(64);
        loop {
            tokio::select! {
                message = tokio::time::timeout(self.engines.limits.silence, socket.recv()) => match message {
                    Ok(Some(Ok(Message::Text(text)))) => {
                        if let Some(answer) = self.take(text.as_str(), &answers)
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
        for stop in self.locked().values() {
            stop.store(true, Ordering::Relaxed);
        }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<AtomicBool>>> {
        self.thoughts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers at once what needs no search, and starts the searches.
    fn take(&self, text: &str, answers: &mpsc::Sender<String>) -> Option<String> {
        let request = match PageMessage::parse(text) {
            Ok(PageMessage::Request(request)) => request,
            Ok(PageMessage::Stop(id)) => {
                if let Some(stop) = self.locked().get(&id) {
                    stop.store(true, Ordering::Relaxed);
                }
                return None;
            }
            Err(refusal) => return Some(refusal),
        };
        if !request.is_search() {
            return Some(api(&self.engines).respond(&request, &Wall(Instant::now()), &mut |_| ControlFlow::Continue(())));
        }
        let id = request.id;
        let stop = Arc::new(AtomicBool::new(false));
        let mut thoughts = self.locked();
        if thoughts.len() >= self.engines.limits.thoughts_each || thoughts.contains_key(&id) {
            let error =
                format!("expected at most {} thoughts at a time, each with its own id", self.engines.limits.thoughts_each);
            return Some(json!({"id": id, "error": error}).to_string());
        }
        thoughts.insert(id, Arc::clone(&stop));
        drop(thoughts);
        let (engines, thoughts, answers) = (Arc::clone(&self.engines), Arc::clone(&self.thoughts), answers.clone());
        tokio::spawn(async move {
            let answer = think(&engines, request, Arc::clone(&stop), answers.clone()).await;
            thoughts.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            // A client that has gone needs no answer.
            let _ =
                answers.send(answer.unwrap_or_else(|| json!({"id": id, "error": "the server is stopping"}).to_string())).await;
        });
        None
    }
}

fn api(engines: &Engines) -> Api<'_> {
    Api { shelf: &engines.offer, allowance: engines.limits.allowance }
}

/// Waits for its turn and thinks; `None` when the server stops.
async fn think(
    engines: &Arc<Engines>,
    request: PageRequest,
    stop: Arc<AtomicBool>,
    answers: mpsc::Sender<String>,
) -> Option<String> {
    let _turn = engines.thinkers.acquire().await.ok()?;
    let shared = Arc::clone(engines);
    let thought = tokio::task::spawn_blocking(move || {
        let mut tell = |message: &str| {
            // Progress that cannot be sent at once is out of date by the time it could be.
            let _ = answers.try_send(message.to_owned());
            let over = stop.load(Ordering::Relaxed) || shared.stopped.load(Ordering::Relaxed);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        api(&shared).respond(&request, &Wall(Instant::now()), &mut tell)
    });
    thought.await.ok()
}
