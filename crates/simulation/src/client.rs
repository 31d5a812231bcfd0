//! The connection of a program to the simulated server: requests that take time, get lost, arrive twice or arrive changed.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, unfold};
use futures_util::{FutureExt as _, StreamExt as _};
use plyground_cluster::parts::{ANSWER, Acknowledgement, Answer, Archive, Delivery, Heard, Kept, MessageServer, Reading, Ticket};
use tokio::sync::mpsc::unbounded_channel;

use crate::server::{LEASE, ServerDisk, corrupted};
use crate::world::{ProgramId, World, WorldState};

/// The shortest and the longest way to the server and back, as a rule.
const WAY: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(40)];
/// The longest way when it is slow: a request may time out that is done later.
const SLOW: Duration = Duration::from_secs(9);

/// A program's connection to the server of its world.
#[derive(Clone)]
pub struct SimulatedClient {
    pub world: World,
    pub program: ProgramId,
}

fn timed_out<T>() -> Result<T, String> {
    Err("timed out".to_owned())
}

impl SimulatedClient {
    fn is_cut_off(&self, state: &WorldState) -> bool {
        state.server.is_down || state.programs[self.program].is_cut
    }

    /// The time for one way.
    fn way(&self) -> Duration {
        let mut state = self.world.state();
        let slow = state.server.noise.slow;
        if state.happens(slow) { state.time_between(WAY[1], SLOW) } else { state.time_between(WAY[0], WAY[1]) }
    }

    /// A request: it takes its way to the server, is carried out there, and the answer takes its way back.
    async fn request<T>(&self, act: impl FnOnce(&mut WorldState) -> T) -> Result<T, String> {
        let sent = self.world.state().now;
        let patience = |state: &WorldState| (sent + ANSWER).saturating_sub(state.now);
        self.world.sleep(self.way()).await;
        let (answer, left) = {
            let mut state = self.world.state();
            let noise = state.server.noise;
            let arrives = !self.is_cut_off(&state) && !state.happens(noise.lost_request);
            let answer = arrives.then(|| {
                let now = state.now;
                state.server.copy(now);
                act(&mut state)
            });
            (answer.filter(|_| !state.happens(noise.lost_answer)), patience(&state))
        };
        if let Some(answer) = answer {
            let way = self.way();
            if way <= left {
                self.world.sleep(way).await;
                let reached = !self.is_cut_off(&self.world.state());
                if reached {
                    return Ok(answer);
                }
            }
        }
        let left = patience(&self.world.state());
        self.world.sleep(left).await;
        timed_out()
    }

    /// A request that reads the disk of the server.
    async fn ask<T>(&self, act: impl FnOnce(&ServerDisk, Duration) -> T) -> Result<T, String> {
        self.request(|state| act(&state.server.disk, state.now)).await
    }

    /// The payload as it arrives.
    fn arriving(state: &mut WorldState, payload: &Bytes) -> Bytes {
        let probability = state.server.noise.corrupt;
        if state.happens(probability) { corrupted(payload, &mut state.rng) } else { payload.clone() }
    }

    /// Waits for a message of the queue.
    async fn next_message(&self, patience: Duration) -> Result<Option<Delivery>, String> {
        let until = self.world.state().now + patience;
        loop {
            let found = self.request(|state| {
                let now = state.now;
                let noise = state.server.noise;
                let any = state.happens(noise.reorder);
                let twice = state.happens(noise.duplicate);
                let WorldState { server, rng, .. } = state;
                let (sequence, message) = server.disk.deliver(now, any.then_some(rng))?;
                if twice {
                    server.disk.free(sequence);
                }
                let payload = Self::arriving(state, &message.payload);
                Some((sequence, message, payload))
            });
            if let Some((sequence, message, payload)) = found.await? {
                let restarts = self.world.state().server.restarts;
                let ticket = SimulatedTicket { client: self.clone(), sequence, restarts };
                let (subject, deliveries) = (message.subject, message.deliveries);
                return Ok(Some(Delivery { subject, sequence, deliveries, payload, ticket: Box::new(ticket) }));
            }
            let (now, changes, free) = {
                let state = self.world.state();
                (state.now, state.changes, state.server.disk.next_free())
            };
            if now >= until {
                return Ok(None);
            }
            let next = free.map_or(until, |free| free.min(until)).max(now + WAY[0]);
            self.world.change(changes, next.saturating_sub(now)).await;
        }
    }

    /// The next message of a subject of the archive; an error when the server was restarted, or has too little to say.
    async fn next_kept(&self, subject: &str, from: u64, restarts: u64) -> Result<Kept, String> {
        loop {
            let (changes, is_reached) = {
                let state = self.world.state();
                (state.changes, !self.is_cut_off(&state))
            };
            if is_reached {
                let found = self
                    .request(|state| {
                        if state.server.restarts != restarts {
                            return Err("the server was restarted".to_owned());
                        }
                        let of_subject = |(_, (found, _)): &(&u64, &(String, Bytes))| found == subject;
                        let results = state.server.disk.results.range(from..).filter(of_subject);
                        let pending = results.clone().count().saturating_sub(1) as u64;
                        let found = results.map(|(&sequence, (_, payload))| (sequence, payload.clone())).next();
                        Ok(found.map(|(sequence, payload)| (sequence, pending, Self::arriving(state, &payload))))
                    })
                    .await??;
                if let Some((sequence, pending, payload)) = found {
                    return Ok(Kept { subject: subject.to_owned(), sequence, pending, payload });
                }
            }
            let is_restarted = {
                let state = self.world.state();
                state.server.restarts != restarts && !self.is_cut_off(&state)
            };
            if is_restarted {
                return Err("the server was restarted".to_owned());
            }
            self.world.change(changes, Duration::from_hours(1)).await;
        }
    }
}

/// The way back from a delivered message.
struct SimulatedTicket {
    client: SimulatedClient,
    sequence: u64,
    restarts: u64,
}

impl Ticket for SimulatedTicket {
    fn acknowledge(&self, acknowledgement: Acknowledgement, confirmed: bool) -> Answer<'_, ()> {
        async move {
            let acknowledged = self.client.request(|state| {
                let now = state.now;
                state.server.disk.acknowledge(now, self.sequence, acknowledgement);
                state.changed();
            });
            let acknowledged = acknowledged.await;
            let word = if acknowledged.is_ok() { "" } else { ", which gets lost" };
            let again = if self.client.world.state().server.restarts == self.restarts { "" } else { " of another time" };
            self.client
                .world
                .log(self.client.program, || format!("acknowledges message {}{again}: {acknowledgement:?}{word}", self.sequence));
            if confirmed { acknowledged } else { Ok(()) }
        }
        .boxed()
    }
}

impl MessageServer for SimulatedClient {
    fn prepare(&self) -> Answer<'_, ()> {
        self.request(|_| ()).boxed()
    }

    fn version(&self) -> String {
        "simulated".to_owned()
    }

    fn demands_credentials(&self) -> bool {
        false
    }

    fn connections(&self) -> u64 {
        let state = self.world.state();
        state.programs[self.program].connections + state.server.restarts
    }

    fn flush(&self) -> Answer<'_, ()> {
        self.request(|_| ()).boxed()
    }

    fn publish(&self, subject: String, name: Option<String>, payload: Bytes) -> Answer<'_, bool> {
        async move {
            let length = payload.len();
            let kept = self.request(|state| {
                let now = state.now;
                let payload = Self::arriving(state, &payload);
                let twice = state.server.noise.duplicate;
                let new = state.server.disk.publish(now, &subject, name.as_deref(), payload.clone());
                if state.happens(twice) {
                    state.server.disk.append(&subject, payload);
                }
                state.changed();
                new
            });
            let kept = kept.await;
            self.world.log(self.program, || format!("publishes {length} bytes to {subject}: {kept:?}"));
            kept
        }
        .boxed()
    }

    fn next_jobs(&self, patience: Option<Duration>) -> Answer<'_, Option<Delivery>> {
        async move {
            let found = self.next_message(patience.unwrap_or_default()).await?;
            if let Some(found) = &found {
                self.world.log(self.program, || format!("gets message {}, delivery {}", found.sequence, found.deliveries));
            }
            Ok(found)
        }
        .boxed()
    }

    fn queued(&self, subject: Option<String>) -> Answer<'_, usize> {
        self.ask(move |disk, _| {
            disk.jobs.values().filter(|job| subject.as_ref().is_none_or(|wanted| *wanted == job.subject)).count()
        })
        .boxed()
    }

    fn purge(&self, subject: String) -> Answer<'_, u64> {
        async move {
            let purged = self.request(|state| state.server.disk.purge(&subject)).await;
            self.world.log(self.program, || format!("purges {subject}: {purged:?}"));
            purged
        }
        .boxed()
    }

    fn lease(&self) -> Duration {
        LEASE
    }

    fn learn_lease(&self) -> Answer<'_, ()> {
        self.request(|_| ()).boxed()
    }

    fn read(&self, _: Archive, subject: String, from: u64) -> Answer<'_, Reading> {
        async move {
            let opened = self.request(|state| {
                let of_subject = |(_, (found, _)): &(&u64, &(String, Bytes))| *found == subject;
                let disk = &state.server.disk;
                (state.server.restarts, disk.results.range(from..).filter(of_subject).count() as u64, disk.last_result)
            });
            let (restarts, pending, last) = opened.await?;
            self.world.log(self.program, || format!("reads results from {from} on, {pending} are there"));
            let client = self.clone();
            let messages = unfold(Some(from), move |next| {
                let (client, subject) = (client.clone(), subject.clone());
                async move {
                    let kept = client.next_kept(&subject, next?, restarts).await;
                    let next = kept.as_ref().ok().map(|kept| kept.sequence + 1);
                    Some((kept, next))
                }
            });
            Ok(Reading { pending, last, messages: messages.boxed() })
        }
        .boxed()
    }

    fn value(&self, key: String) -> Answer<'_, Option<(Bytes, u64)>> {
        async move {
            self.request(|state| {
                let (value, revision) = state.server.disk.value(state.now, &key)?;
                Some((Self::arriving(state, &value), revision))
            })
            .await
        }
        .boxed()
    }

    fn set(&self, key: String, value: Bytes, revision: Option<u64>) -> Answer<'_, Option<u64>> {
        async move {
            self.request(|state| {
                let now = state.now;
                let value = Self::arriving(state, &value);
                state.server.disk.set(now, &key, value, revision)
            })
            .await
        }
        .boxed()
    }

    fn forget(&self, key: String) -> Answer<'_, ()> {
        async move { self.request(|state| state.server.disk.forget(&key)).await }.boxed()
    }

    fn keys(&self, beginning: String) -> Answer<'_, Vec<String>> {
        async move { self.ask(|disk, now| disk.keys(now, &beginning)).await }.boxed()
    }

    fn tell(&self, subject: String, payload: Bytes) -> Answer<'_, ()> {
        // It is not said whether it has arrived.
        let mut state = self.world.state();
        let (lost, is_cut_off) = (state.server.noise.lost_request, self.is_cut_off(&state));
        if !is_cut_off && !state.happens(lost) {
            let payload = Self::arriving(&mut state, &payload);
            let WorldState { server, programs, .. } = &mut *state;
            server.tell(&subject, &payload, |program| !programs[program].is_cut);
        }
        async { Ok(()) }.boxed()
    }

    fn hear(&self, subject: String) -> Answer<'_, BoxStream<'static, Heard>> {
        async move {
            self.request(|state| {
                let (sender, receiver) = unbounded_channel();
                state.server.listen(self.program, subject, sender);
                let next = |mut receiver: tokio::sync::mpsc::UnboundedReceiver<Heard>| async {
                    let heard = receiver.recv().await?;
                    Some((heard, receiver))
                };
                unfold(receiver, next).boxed()
            })
            .await
        }
        .boxed()
    }

    fn object_size(&self, _: String) -> Answer<'_, Option<usize>> {
        self.request(|_| None).boxed()
    }

    fn put_object<'a>(&'a self, _: String, _: &'a [u8]) -> Answer<'a, ()> {
        self.request(|_| ()).boxed()
    }

    fn get_object(&self, _: String, _: usize) -> Answer<'_, Vec<u8>> {
        async { Err("a simulated server has no objects".to_owned()) }.boxed()
    }

    fn drop_object(&self, _: String) -> Answer<'_, ()> {
        self.request(|_| ()).boxed()
    }
}
