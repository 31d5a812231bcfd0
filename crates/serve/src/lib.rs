//! The web server: the app, its engine over a WebSocket, the lab, and the live page of a competition.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod connections;
mod deadlines;
mod engine;
mod engine_allow_list;
mod fair_queue;
mod files;
mod friend;
#[doc(hidden)]
pub mod fuzzing;
mod lab;
mod limits;
mod listener;
mod live_page;
mod origin;

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get};
use axum::{Extension, Json, Router};
use plyground_match::RunError;
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub use engine_allow_list::EngineAllowList;
pub use limits::{FriendLimits, ServerLimits};
pub use live_page::{LivePage, StandingsTable};

use engine::Engines;
use friend::FriendTables;
use lab::Lab;
use origin::{RequestSource, TrustedWays};

/// The error that kept the server from starting or running.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address could not be bound.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The store of runs could not be opened.
    #[error(transparent)]
    Lab(#[from] RunError),
    /// Another error of the system.
    #[error("the server stopped: {0}")]
    System(#[from] std::io::Error),
}

/// A web server that is bound to its address.
pub struct Server {
    listener: TcpListener,
    limits: ServerLimits,
    allowed: EngineAllowList,
    ways: TrustedWays,
    lab: Option<Arc<Lab>>,
    live_page: Option<Arc<live_page::LivePageService>>,
    site: Option<Router>,
}

impl Server {
    /// Binds an address; port 0 is any that is free.
    pub async fn bind(address: SocketAddr, limits: ServerLimits) -> Result<Self, ServeError> {
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Address { address, source })?;
        let (allowed, ways) = (EngineAllowList::default(), TrustedWays::default());
        Ok(Self { listener, limits, allowed, ways, lab: None, live_page: None, site: None })
    }

    /// Names the reverse proxies in front of this server, whose word on the address of a client is believed, and the names in the DNS
    /// under which pages reach it, if that is not by an address.
    pub fn trust(&mut self, proxies: &[IpAddr], names: &[String]) {
        self.ways = TrustedWays::new(proxies, names);
    }

    /// Sets the engines that pages may use. Call it before the lab is opened.
    pub fn allow_engines(&mut self, allowed: EngineAllowList) {
        self.allowed = allowed;
    }

    /// Opens the lab on a store of runs. It answers only on the computer that it runs on.
    pub fn open_lab(&mut self, runs: &Path) -> Result<(), ServeError> {
        self.lab = Some(Arc::new(Lab::open(runs, self.limits, self.allowed.clone())?));
        Ok(())
    }

    /// Shows the workers at a queue on the network in the lab; `source` is called for every request.
    pub fn show_fleet(&self, source: impl Fn() -> Result<Value, String> + Send + Sync + 'static) {
        if let Some(lab) = &self.lab {
            lab.show_fleet(Box::new(source));
        }
    }

    /// Serves a live page to every visitor, and nothing else: no engine searches for visitors during a competition.
    pub fn show_live_page(&mut self, page: Arc<LivePage>) {
        self.live_page = Some(Arc::new(live_page::LivePageService::new(page, &self.limits)));
    }

    /// Serves these routes beside a live page, which is then at `/projector`. They have the limits, the deadlines and the security headers of
    /// all others.
    pub fn show_site(&mut self, site: Router, page: Arc<LivePage>) {
        self.show_live_page(page);
        self.site = Some(site);
    }

    /// Its address.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Answers until `stop` is over. Then running searches answer at once, and runs stop with all finished games stored.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        if let Some(page) = self.live_page {
            let path = if self.site.is_some() { "/projector" } else { "/" };
            let routes = live_page::routes(Arc::clone(&page), path).merge(self.site.unwrap_or_default());
            let router = guarded_router(routes, self.ways);
            return listener::serve(self.listener, router, &self.limits, stop, || page.stop()).await;
        }
        let engines = Engines::new(self.limits, self.allowed, self.ways.clone());
        let friends = FriendTables::new(self.limits.friends);
        let reach = network_address(self.listener.local_addr().ok());
        let state = AppState { engines: Arc::new(engines), friends, reach, lab: self.lab };
        let closing = || {
            state.engines.stop();
            state.lab.iter().for_each(|lab| lab.stop());
        };
        listener::serve(self.listener, router(state.clone(), self.ways), &self.limits, stop, closing).await;
        if let Some(lab) = state.lab {
            lab.finished().await;
        }
    }
}

/// The shared state of the routes.
#[derive(Clone)]
struct AppState {
    engines: Arc<Engines>,
    friends: Arc<FriendTables>,
    /// The address of this server for others on the network, where they can reach it.
    reach: Option<SocketAddr>,
    lab: Option<Arc<Lab>>,
}

fn router(state: AppState, ways: TrustedWays) -> Router {
    let lab = state.lab.clone().map_or_else(Router::new, lab::routes);
    let routes = Router::new()
        .route("/engine", any(engine::connect))
        .route("/friend", any(friend::connect))
        .layer(Extension(Arc::clone(&state.friends)))
        .with_state(Arc::clone(&state.engines))
        .route("/server.json", get(about))
        .with_state(state)
        .merge(lab);
    guarded_router(routes, ways)
}

/// Routes with the files of the app as a fallback, with the security headers, with deadlines, and with the source of each request.
fn guarded_router(routes: Router, ways: TrustedWays) -> Router {
    routes
        .fallback(get(files::file))
        .layer(middleware::map_response(guarded))
        .layer(middleware::from_fn_with_state(Arc::new(ways), name_source))
        .layer(middleware::from_fn(listener::track))
}

/// Finds out where a request comes from, once for all routes.
async fn name_source(
    State(ways): State<Arc<TrustedWays>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let source = ways.source(peer, request.headers());
    request.extensions_mut().insert(source);
    next.run(request).await
}

/// The answer to the first request of a page: is there an engine behind this address, and a lab?
async fn about(State(state): State<AppState>, Extension(source): Extension<RequestSource>, headers: HeaderMap) -> Json<Value> {
    let lab = state.lab.is_some() && source.is_local(&headers);
    let threads = state.engines.threads();
    // For links that work on other devices; who has come from one of them has an address already.
    let reach = state.reach.filter(|_| source.is_local(&headers)).map(|address| format!("http://{address}/"));
    Json(json!({"engine": "websocket", "version": env!("CARGO_PKG_VERSION"), "threads": threads, "lab": lab, "reach": reach}))
}

/// The address by which other devices on the network reach a server that is bound to this address: its own, or if it is bound to all of
/// this computer, the one from which this computer would send to others. None for a server that only this computer reaches.
fn network_address(bound: Option<SocketAddr>) -> Option<SocketAddr> {
    let bound = bound?;
    if !bound.ip().is_unspecified() {
        return Some(bound).filter(|bound| !bound.ip().is_loopback());
    }
    // Nothing is sent: connecting a UDP socket only chooses a route. The address is one of those for documentation (RFC 5737).
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then(|| SocketAddr::new(own, bound.port()))
}

/// The security headers: what our pages need, and nothing else: no other site's scripts, no frames, no guessing of types.
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

/// Adds the security headers that a response does not have.
async fn guarded(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
