//! What coordinators and workers need of a message server and of the machine that they run on.
//!
//! In production these are NATS JetStream and the system (`nats`, `machine`); in `plyground-simulation` both come from one seed.
//! Nothing else of a run knows the time, starts a task or sends a byte.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

/// The timeout of a request.
pub const ANSWER: Duration = Duration::from_secs(5);

/// The subject of the jobs of a run.
pub fn jobs_of(run: &str) -> String {
    format!("ply.jobs.{run}")
}

/// The subject of the results of a run.
pub fn results_of(run: &str) -> String {
    format!("ply.results.{run}")
}

/// The answer to a request; the error of a server in its own words.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, String>>;

/// A stream that keeps its messages for some time, for everyone to read from any place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archive {
    /// The results of runs.
    Results,
    /// The games of trainings.
    SelfPlay,
}

/// A message of an archive.
pub struct Kept {
    pub subject: String,
    /// Its place in the stream.
    pub sequence: u64,
    /// The number of messages behind it.
    pub pending: u64,
    pub payload: Bytes,
}

/// The messages of an archive from a place on, as they come.
pub struct Reading {
    /// The number of messages that are there already.
    pub pending: u64,
    /// The place of the newest message of the whole stream.
    pub last: u64,
    pub messages: BoxStream<'static, Result<Kept, String>>,
}

/// A message that reached those who listened when it was sent.
pub struct Heard {
    pub subject: String,
    pub payload: Bytes,
}

/// The answer of a worker to a delivered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledgement {
    /// It is done and can be removed.
    Done,
    /// It is to be delivered again, after this time.
    Failed(Option<Duration>),
    /// It cannot be read and can be removed.
    Unreadable,
    /// The worker is still at it: the lease begins anew.
    Progress,
}

/// The way back to the server from a delivered message.
pub trait Ticket: Send + Sync {
    /// Sends an acknowledgement; a confirmed one waits until the server has it.
    fn acknowledge(&self, acknowledgement: Acknowledgement, confirmed: bool) -> Answer<'_, ()>;
}

/// A message of the queue of jobs, leased for some time.
pub struct Delivery {
    pub subject: String,
    /// Its place in the stream.
    pub sequence: u64,
    /// The number of times that it was delivered, this one included.
    pub deliveries: i64,
    pub payload: Bytes,
    pub ticket: Box<dyn Ticket>,
}

/// A message server as JetStream is one: a queue of jobs with leases, archives, keys that expire, announcements and objects.
pub trait MessageServer: Send + Sync {
    /// Creates what is missing of the streams.
    fn prepare(&self) -> Answer<'_, ()>;
    /// The version of the server.
    fn version(&self) -> String;
    /// Whether it lets in only clients with credentials.
    fn demands_credentials(&self) -> bool;
    /// The number of connections so far: after a new one, messages may have been missed.
    fn connections(&self) -> u64;
    /// Waits until everything is sent.
    fn flush(&self) -> Answer<'_, ()>;

    /// Publishes to the queue or an archive, and waits until it is kept; false if a message of this name was there already.
    fn publish(&self, subject: String, name: Option<String>, payload: Bytes) -> Answer<'_, bool>;
    /// The next message with jobs; `None` if there is none, now or within the time.
    fn next_jobs(&self, patience: Option<Duration>) -> Answer<'_, Option<Delivery>>;
    /// The number of messages of a subject of the queue, or of all, leased ones included.
    fn queued(&self, subject: Option<String>) -> Answer<'_, usize>;
    /// Removes the messages of a subject of the queue; their number.
    fn purge(&self, subject: String) -> Answer<'_, u64>;
    /// The length of leases, as last learnt.
    fn lease(&self) -> Duration;
    /// Asks the server for the length of leases.
    fn learn_lease(&self) -> Answer<'_, ()>;

    /// Reads the messages of a subject of an archive from a place on.
    fn read(&self, archive: Archive, subject: String, from: u64) -> Answer<'_, Reading>;

    /// The value of a key, with its revision.
    fn value(&self, key: String) -> Answer<'_, Option<(Bytes, u64)>>;
    /// Sets a key; if a revision is given, only if it is still the newest (0: if there is none). The new revision, or `None`.
    fn set(&self, key: String, value: Bytes, revision: Option<u64>) -> Answer<'_, Option<u64>>;
    /// Deletes a key.
    fn forget(&self, key: String) -> Answer<'_, ()>;
    /// The names of all keys with this prefix.
    fn keys(&self, beginning: String) -> Answer<'_, Vec<String>>;

    /// Sends a message to those who listen now.
    fn tell(&self, subject: String, payload: Bytes) -> Answer<'_, ()>;
    /// Listens to a subject, or to many by `*`.
    fn hear(&self, subject: String) -> Answer<'_, BoxStream<'static, Heard>>;

    /// The size of an object, if it is there.
    fn object_size(&self, name: String) -> Answer<'_, Option<usize>>;
    /// Stores an object.
    fn put_object<'a>(&'a self, name: String, contents: &'a [u8]) -> Answer<'a, ()>;
    /// Reads an object, and not more than so many bytes of it.
    fn get_object(&self, name: String, most: usize) -> Answer<'_, Vec<u8>>;
    /// Deletes an object.
    fn drop_object(&self, name: String) -> Answer<'_, ()>;
}
