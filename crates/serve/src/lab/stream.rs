//! Following a run: server-sent events.
//!
//! `run` is everything that is known of it, `boards` the games that are being shown; then `started`, `move` and `over` tell how they go
//! on, `run` comes again when there is more to know, and `end` is the last.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::live_run::{End, Live, Told};
use super::{Lab, Refusal};

/// How often the table is told, if it has changed.
const TICK: Duration = Duration::from_millis(250);

pub async fn events(
    State(lab): State<Arc<Lab>>,
    Path(name): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let Ok(permit) = Arc::clone(&lab.listeners).try_acquire_owned() else {
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many follow runs; try again in a minute"));
    };
    let source = match lab.playing(&name) {
        Some(live) => Source::follow(live),
        None => lab.look(move |lab| lab.show(&name)).await.map(|page| Source::Still(still(&page)))?,
    };
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener { source, ticks, stopping: lab.stopping.subscribe(), _permit: permit };
    let events = unfold(listener, |mut listener| async move {
        let Told { event, data } = listener.next().await?;
        Some((Ok(Event::default().event(event).data(data)), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// A run that nobody plays has been followed when it has been shown.
fn still(page: &serde_json::Value) -> VecDeque<Told> {
    let end = End { complete: page["state"] == "complete", trouble: page["trouble"].as_str().map(str::to_owned) };
    [Told::new("run", page), end.told()].into()
}

/// Waits until somebody says so.
async fn said(so: &mut watch::Receiver<bool>) {
    // An error would mean that nobody can say it any more.
    let _ = so.wait_for(|said| *said).await;
}

enum Source {
    Still(VecDeque<Told>),
    Live { live: Arc<Live>, waiting: VecDeque<Told>, told: Receiver<Told>, seen: u64, over: bool },
}

impl Source {
    fn follow(live: Arc<Live>) -> Self {
        let mut seen = 0;
        // What changes between these two is told once more.
        live.newer(&mut seen);
        let (now, told) = live.follow();
        Self::Live { live, waiting: now.into(), told, seen, over: false }
    }
}

struct Listener {
    source: Source,
    ticks: Interval,
    stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
}

impl Listener {
    /// The next thing to tell; nothing after the end, or when the server stops.
    async fn next(&mut self) -> Option<Told> {
        let (live, waiting, told, seen, over) = match &mut self.source {
            Source::Still(waiting) => return waiting.pop_front(),
            Source::Live { live, waiting, told, seen, over } => (live, waiting, told, seen, over),
        };
        loop {
            if let Some(told) = waiting.pop_front() {
                *over |= told.event == "end";
                return Some(told);
            }
            if *over {
                return None;
            }
            tokio::select! {
                message = told.recv() => match message {
                    Ok(message) => {
                        // The end is told after everything that led to it.
                        waiting.extend((message.event == "end").then(|| live.newer(seen)).flatten());
                        waiting.push_back(message);
                    }
                    Err(RecvError::Lagged(_)) => {
                        let (now, newer) = live.follow();
                        (*waiting, *told) = (now.into(), newer);
                    }
                    Err(RecvError::Closed) => return None,
                },
                _ = self.ticks.tick() => waiting.extend(live.newer(seen)),
                () = said(&mut self.stopping) => return None,
            }
        }
    }
}
