//! Server-sent events of a run.
//!
//! `run` is its state and `boards` the shown games; then come `started`, `move` and `over` of these games, `run` again when the state has
//! changed, and `end` as the last.

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

use super::live_run::{LiveRun, PushEvent, RunEnd};
use super::{Lab, LabRefusal};

/// The interval at which a changed state is sent.
const TICK: Duration = Duration::from_millis(250);

pub async fn events(
    State(lab): State<Arc<Lab>>,
    Path(name): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, LabRefusal> {
    let Ok(permit) = Arc::clone(&lab.listeners).try_acquire_owned() else {
        return Err(LabRefusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many follow runs; try again in a minute"));
    };
    let source = match lab.playing(&name) {
        Some(live) => Source::follow(live),
        None => lab.read(move |lab| lab.show(&name)).await.map(|page| Source::Still(still(&page)))?,
    };
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener { source, ticks, stopping: lab.stopping.subscribe(), _permit: permit };
    let events = unfold(listener, |mut listener| async move {
        let PushEvent { event, data } = listener.next().await?;
        Some((Ok(Event::default().event(event).data(data)), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// The events of a run that is not being played: its state and its end.
fn still(page: &serde_json::Value) -> VecDeque<PushEvent> {
    let end = RunEnd { complete: page["state"] == "complete", trouble: page["trouble"].as_str().map(str::to_owned) };
    [PushEvent::new("run", page), end.told()].into()
}

/// Waits until a flag is set.
async fn is_set(flag: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which counts as set.
    let _ = flag.wait_for(|set| *set).await;
}

enum Source {
    Still(VecDeque<PushEvent>),
    LiveRun { live: Arc<LiveRun>, waiting: VecDeque<PushEvent>, told: Receiver<PushEvent>, seen: u64, over: bool },
}

impl Source {
    fn follow(live: Arc<LiveRun>) -> Self {
        let mut seen = 0;
        // A change between these two calls is sent twice.
        live.newer(&mut seen);
        let (now, told) = live.follow();
        Self::LiveRun { live, waiting: now.into(), told, seen, over: false }
    }
}

struct Listener {
    source: Source,
    ticks: Interval,
    stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
}

impl Listener {
    /// The next event; `None` after the end, or when the server stops.
    async fn next(&mut self) -> Option<PushEvent> {
        let (live, waiting, told, seen, over) = match &mut self.source {
            Source::Still(waiting) => return waiting.pop_front(),
            Source::LiveRun { live, waiting, told, seen, over } => (live, waiting, told, seen, over),
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
                        // The newest state is sent before the end.
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
                () = is_set(&mut self.stopping) => return None,
            }
        }
    }
}
