//! The doors: the app, its engine and the lab behind a web server.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod engine;
mod engine_allow_list;
mod files;
mod lab;
mod limits;
mod listener;
mod live_page;
mod origin;

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::{any, get};
use axum::{Json, Router};
use plyground_match::RunError;
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub use engine_allow_list::EngineAllowList;
pub use limits::Limits;
pub use live_page::{LivePage, Table};

use engine::Engines;
use lab::Lab;

/// Why the server could not be started or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address could not be had.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// Which.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The runs could not be had.
    #[error(transparent)]
    Lab(#[from] RunError),
    /// Something else that the system does not allow.
    #[error("the server stopped: {0}")]
    System(#[from] std::io::Error),
}

/// A server that has its address, and answers as soon as it runs.
pub struct Server {
    listener: TcpListener,
    limits: Limits,
    offer: EngineAllowList,
    lab: Option<Arc<Lab>>,
    hall: Option<Arc<live_page::Open>>,
}

impl Server {
    /// Takes an address; port 0 is any that is free.
    pub async fn bind(address: SocketAddr, limits: Limits) -> Result<Self, ServeError> {
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Address { address, source })?;
        Ok(Self { listener, limits, offer: EngineAllowList::default(), lab: None, hall: None })
    }

    /// Lets pages ask for programs. The lab knows those that were offered before it was opened.
    pub fn offer(&mut self, offer: EngineAllowList) {
        self.offer = offer;
    }

    /// Opens the lab, whose runs are kept in this file. It answers only on the computer that it runs on.
    pub fn open_lab(&mut self, runs: &Path) -> Result<(), ServeError> {
        self.lab = Some(Arc::new(Lab::open(runs, self.limits, self.offer.clone())?));
        Ok(())
    }

    /// Shows in the lab who works at a queue on the network: `look` is asked for that again and again.
    pub fn show_fleet(&self, look: impl Fn() -> Result<Value, String> + Send + Sync + 'static) {
        if let Some(lab) = &self.lab {
            lab.show_fleet(Box::new(look));
        }
    }

    /// Shows a hall to everybody who comes, and nothing else: no engine thinks for visitors while others play.
    pub fn open_hall(&mut self, hall: Arc<LivePage>) {
        self.hall = Some(Arc::new(live_page::Open::new(hall, &self.limits)));
    }

    /// Where it is.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Answers until `stop` is over; whoever is thinking then is told to answer at once, and runs stop with everything kept.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        if let Some(hall) = self.hall {
            let router = guarded_router(live_page::routes(Arc::clone(&hall)));
            return listener::open(self.listener, router, &self.limits, stop, || hall.stop()).await;
        }
        let doors = Doors { engines: Arc::new(Engines::new(self.limits, self.offer)), lab: self.lab };
        let closing = || {
            doors.engines.stop();
            doors.lab.iter().for_each(|lab| lab.stop());
        };
        listener::open(self.listener, router(doors.clone()), &self.limits, stop, closing).await;
        if let Some(lab) = doors.lab {
            lab.finished().await;
        }
    }
}

/// What is behind the address.
#[derive(Clone)]
struct Doors {
    engines: Arc<Engines>,
    lab: Option<Arc<Lab>>,
}

fn router(doors: Doors) -> Router {
    let lab = doors.lab.clone().map_or_else(Router::new, lab::routes);
    let rooms = Router::new()
        .route("/engine", any(engine::connect))
        .with_state(Arc::clone(&doors.engines))
        .route("/server.json", get(about))
        .with_state(doors)
        .merge(lab);
    guarded_router(rooms)
}

/// What belongs to every answer: the files of the app where nothing else is, and the headers that guard it.
fn guarded_router(rooms: Router) -> Router {
    rooms.fallback(get(files::file)).layer(middleware::map_response(guarded))
}

/// What a page asks first: is there an engine behind this address, and a lab?
async fn about(State(doors): State<Doors>, ConnectInfo(peer): ConnectInfo<SocketAddr>, headers: HeaderMap) -> Json<Value> {
    let lab = doors.lab.is_some() && origin::from_here(peer, &headers);
    let threads = doors.engines.threads();
    Json(json!({"engine": "websocket", "version": env!("CARGO_PKG_VERSION"), "threads": threads, "lab": lab}))
}

/// Everything that a page of ours needs, and nothing else: no other site's scripts, no frames, no guessing of types.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
        worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// A page that is no part of the app may have brought a policy of its own.
async fn guarded(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
