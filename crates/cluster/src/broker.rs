//! A connection to a message server, as coordinators and workers use it.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use plyground_match::RunError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::{Handle, Runtime};

use crate::access::Access;
use crate::machine::{Machine, RealMachine, Task};
pub use crate::message_server::{ANSWER, jobs_of, results_of};
use crate::message_server::{Archive, Delivery, Heard, MessageServer, Reading};
use crate::nats::NatsServer;
use crate::role::Subjects;

/// The interval at which a leader sets its keys again.
pub(super) const KEY_REFRESH: Duration = Duration::from_secs(10);
/// A connection to a message server. It has a runtime of its own; its public methods block.
pub struct Broker {
    // Fields are dropped in their order: the runtime last.
    server: Box<dyn MessageServer>,
    machine: Box<dyn Machine>,
    access: Access,
    subjects: Subjects,
    /// `None` where it runs on the runtime of the caller.
    runtime: Option<Runtime>,
}

impl Broker {
    /// Connects, and creates the streams that are missing.
    pub fn connect(access: &Access) -> Result<Self, RunError> {
        let unprepared = "the queue is not prepared: the first command of a coordinator at this server does that";
        Self::try_connect(access)?.ok_or_else(|| access.refused(unprepared.to_owned()))
    }

    /// The same; `None` if there are no streams yet and the role of this client is not to create them.
    pub fn try_connect(access: &Access) -> Result<Option<Self>, RunError> {
        let runtime = access.runtime(1)?;
        let Some(mut broker) = runtime.block_on(Self::try_connect_here(access))? else {
            runtime.shutdown_background();
            return Ok(None);
        };
        broker.runtime = Some(runtime);
        Ok(Some(broker))
    }

    /// The same on the runtime of the caller; the blocking methods cannot be used then.
    pub(super) async fn try_connect_here(access: &Access) -> Result<Option<Self>, RunError> {
        let Some(server) = NatsServer::connect(access).await? else { return Ok(None) };
        Ok(Some(Self::new(Box::new(server), Box::new(RealMachine::new(Handle::current())), access.clone())))
    }

    /// A connection to any server from any machine. It has no runtime of its own, so its blocking methods cannot be used.
    pub fn new(server: Box<dyn MessageServer>, machine: Box<dyn Machine>, access: Access) -> Self {
        let subjects = Subjects::of(access.role.as_ref());
        Self { server, machine, access, subjects, runtime: None }
    }

    /// The subjects of this client, by its role.
    pub(super) fn subjects(&self) -> &Subjects {
        &self.subjects
    }

    /// A warning about a server on the network that demands no credentials, or gets them unencrypted.
    pub fn warning(&self) -> Option<String> {
        self.access.warning(self.server.demands_credentials())
    }

    /// The machine that this program runs on.
    pub fn machine(&self) -> &dyn Machine {
        self.machine.as_ref()
    }

    /// The time on the clock of this machine.
    pub fn now(&self) -> Duration {
        self.machine.now()
    }

    /// Waits.
    pub async fn sleep(&self, time: Duration) {
        self.machine.sleep(time).await;
    }

    /// The time since a moment on the clock of this machine.
    pub(super) fn since(&self, then: Duration) -> Duration {
        self.now().saturating_sub(then)
    }

    /// The value of a future; `None` if it takes longer.
    pub(super) async fn within<T>(&self, time: Duration, future: impl Future<Output = T>) -> Option<T> {
        self.machine().within(time, future).await
    }

    /// The length of leases. It is one for all clients of the queue, so workers extend by this.
    pub fn lease(&self) -> Duration {
        self.server.lease()
    }

    /// Reads the length of leases from the server: a coordinator may have changed it.
    pub(super) async fn learn_lease(&self) {
        // A server that is gone is asked again after the next connection.
        let _ = self.within(ANSWER, self.server.learn_lease()).await;
    }

    /// The number of connections so far: after a new one, messages may have been missed.
    pub(super) fn connections(&self) -> u64 {
        self.server.connections()
    }

    /// Blocks on a future.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let runtime = self.runtime.as_ref();
        let runtime = runtime.expect("only a broker with a runtime of its own is used with blocking calls, until it is dropped");
        runtime.block_on(future)
    }

    /// Starts a task.
    pub(super) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Task {
        self.machine().spawn(future)
    }

    /// The address and credentials of the server.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The version of the server.
    pub fn server_version(&self) -> String {
        self.server.version()
    }

    pub(super) fn refused(&self, detail: impl std::fmt::Display) -> RunError {
        self.access.refused(detail.to_string())
    }

    /// The answer of the server, or its error with its address.
    async fn answer<T>(&self, request: impl Future<Output = Result<T, String>>) -> Result<T, RunError> {
        request.await.map_err(|error| self.refused(error))
    }

    /// Repeats a request until it succeeds, or fails when `give_up` is true: servers are restarted, and cables pulled.
    pub(super) async fn retry<T, E: std::fmt::Display, F: Future<Output = Result<T, E>>>(
        &self,
        give_up: &(dyn Fn() -> bool + Sync),
        mut act: impl FnMut() -> F,
    ) -> Result<T, RunError> {
        const PAUSE: Duration = Duration::from_millis(300);
        loop {
            match act().await {
                Ok(value) => return Ok(value),
                Err(error) if give_up() => return Err(self.refused(error)),
                Err(_) => self.sleep(PAUSE).await,
            }
        }
    }

    /// A condition for giving up: the time for retries that begin now is over.
    pub(super) fn patience(&self) -> impl Fn() -> bool + Sync {
        let begun = self.now();
        move || self.since(begun) > 2 * ANSWER
    }

    /// Creates again what a server may have lost.
    pub(super) async fn repair(&self) -> Result<(), RunError> {
        self.answer(self.server.prepare()).await
    }

    /// Publishes to a stream and waits for the acknowledgement; false if a message of this name was there already.
    pub async fn publish(&self, subject: &str, name: Option<&str>, payload: Bytes) -> Result<bool, RunError> {
        self.answer(self.server.publish(subject.to_owned(), name.map(str::to_owned), payload)).await
    }

    /// The next message with jobs; `None` if there is none, now or within the time.
    pub(super) async fn next_jobs(&self, patience: Option<Duration>) -> Result<Option<Delivery>, RunError> {
        self.answer(self.server.next_jobs(patience)).await
    }

    /// Reads the messages of a subject of an archive from a place on.
    pub(super) async fn read(&self, archive: Archive, subject: &str, from: u64) -> Result<Reading, RunError> {
        self.answer(self.server.read(archive, subject.to_owned(), from)).await
    }

    /// The number of messages in the stream of jobs, of one run or of all, leased ones included.
    pub(super) async fn queued(&self, run: Option<&str>) -> Result<usize, RunError> {
        self.answer(self.server.queued(run.map(jobs_of))).await
    }

    /// Purges the messages of a subject; their number.
    pub(super) async fn purge(&self, subject: &str) -> Result<u64, RunError> {
        self.answer(self.server.purge(subject.to_owned())).await
    }

    /// The value of a key, with its revision; a value that cannot be understood is a reason in words.
    pub(super) async fn value<T: DeserializeOwned>(&self, key: &str) -> Result<Option<(Result<T, String>, u64)>, RunError> {
        let Some((payload, revision)) = self.answer(self.server.value(key.to_owned())).await? else { return Ok(None) };
        let value = serde_json::from_slice(&payload);
        Ok(Some((value.map_err(|error| format!("it cannot be understood: {error}")), revision)))
    }

    /// Sets a key; if a revision is given, only if it is still the newest (0: if there is none). The new revision; `None` if it was
    /// not.
    pub(super) async fn set<T: Serialize>(&self, key: &str, value: &T, revision: Option<u64>) -> Result<Option<u64>, RunError> {
        let payload = serde_json::to_vec(value).expect("values are plain data");
        self.answer(self.server.set(key.to_owned(), payload.into(), revision)).await
    }

    /// Deletes a key.
    pub(super) async fn forget(&self, key: &str) -> Result<(), RunError> {
        self.answer(self.server.forget(key.to_owned())).await
    }

    /// The keys with this prefix that are there now: `run.` for the announced runs, `train.` for trainings.
    pub fn announced(&self, beginning: &str) -> Result<Vec<String>, RunError> {
        self.wait(self.keys(beginning))
    }

    /// The names of all keys with this prefix.
    pub(super) async fn keys(&self, beginning: &str) -> Result<Vec<String>, RunError> {
        self.answer(self.server.keys(beginning.to_owned())).await
    }

    /// Sends a message to those who listen now.
    pub(super) async fn tell(&self, subject: &str, payload: Bytes) -> Result<(), RunError> {
        self.answer(self.server.tell(subject.to_owned(), payload)).await
    }

    /// Listens to a subject.
    pub(super) async fn hear(&self, subject: &str) -> Result<BoxStream<'static, Heard>, RunError> {
        self.answer(self.server.hear(subject.to_owned())).await
    }

    /// The objects of the server.
    pub(super) fn objects(&self) -> &dyn MessageServer {
        self.server.as_ref()
    }

    /// Waits until everything is sent, with a timeout.
    pub fn flush(&self) {
        self.wait(self.flushed());
    }

    /// The same without blocking.
    pub(super) async fn flushed(&self) {
        let _ = self.within(ANSWER, self.server.flush()).await;
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // Blocking on its threads is not allowed everywhere.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
