//! The connection to a NATS server, with the streams, the key-value bucket and the object store of Plyground.

use std::future::Future;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{self, PullConsumer};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, ConnectOptions, HeaderMap};
use bytes::Bytes;
use plyground_match::RunError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;

use crate::role::{RoleCredentials, Subjects};

pub(super) const JOBS: &str = "PLY_JOBS";
pub(super) const RESULTS: &str = "PLY_RESULTS";
pub(super) const SELF_PLAY: &str = "PLY_LESSONS";
/// A key-value bucket is a stream with such a name. Made as one: the client's own call wants to know more about the account than NATS
/// 2.9 says.
pub(super) const VALUES: &str = "KV_plyground";
pub(super) const FILES: &str = "plyground";
pub(super) const WORKERS: &str = "workers";
/// The default length of a lease.
const LEASE: Duration = Duration::from_secs(30);

/// The time for which results are kept in the stream.
const KEPT: Duration = Duration::from_hours(7 * 24);
/// The time for which a key is kept that is not set again: it expires with its leader, so that a program that was killed locks no other
/// one out.
const KEY_KEPT: Duration = Duration::from_mins(1);
/// The interval at which a leader sets its keys again.
pub(super) const KEY_REFRESH: Duration = Duration::from_secs(10);
/// The time for which self-play games are kept: later ones are of an old network.
const SELF_PLAY_KEPT: Duration = Duration::from_hours(1);
/// The most requests for jobs that wait: each worker has as many as cores.
const WAITING: i64 = 200_000;
/// The timeout of a request.
pub(super) const ANSWER: Duration = Duration::from_secs(5);
/// The ping interval: a connection without an answer is found dead after two of these.
const PING: Duration = Duration::from_secs(5);

/// The address of a NATS server, with credentials and certificates.
#[derive(Clone, Debug)]
pub struct Access {
    /// `nats://HOST:PORT`, `tls://HOST:PORT`, with `USER:PASSWORD@` where the server wants that; several behind commas.
    pub url: String,
    /// A file of NATS credentials.
    pub credentials: Option<PathBuf>,
    /// The certificates of the authority that signed the server's, beside those of the system.
    pub authority: Option<PathBuf>,
    /// A client certificate, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The length of leases, after which a job without an extension goes to another worker; `None` leaves it as the queue has it.
    pub lease: Option<Duration>,
    /// The file of a client of a server with roles, which has all of the above.
    pub role: Option<RoleCredentials>,
}

impl Access {
    /// An address without credentials.
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), credentials: None, authority: None, certificate: None, lease: None, role: None }
    }

    /// The servers that the file of a client names, in its role.
    pub fn of_role(credentials: RoleCredentials) -> Self {
        let url = credentials.url();
        Self { role: Some(credentials), ..Self::new(&url) }
    }

    /// The address without a password.
    pub fn shown(&self) -> String {
        self.parts().map(|(_, address)| address).collect::<Vec<_>>().join(",")
    }

    /// The login and the address without it, of every server.
    fn parts(&self) -> impl Iterator<Item = (Option<&str>, String)> {
        self.url.split(',').map(|url| {
            let (scheme, rest) = url.split_once("://").unwrap_or(("nats", url));
            let (login, host) = rest.rsplit_once('@').map_or((None, rest), |(login, host)| (Some(login), host));
            (login, format!("{scheme}://{host}"))
        })
    }

    /// Are all of its servers on this computer?
    pub(super) fn is_local(&self) -> bool {
        self.parts().all(|(_, address)| {
            let authority = address.split_once("://").map_or("", |(_, authority)| authority);
            let end = authority.rfind(':').filter(|&colon| !authority[colon..].contains(']')).unwrap_or(authority.len());
            let host = authority[..end].trim_matches(['[', ']']);
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        })
    }

    /// A warning about a server on the network that demands no credentials, or gets them unencrypted.
    pub fn warning(&self, demands_credentials: bool) -> Option<String> {
        let secret = self.role.is_some() || self.credentials.is_some() || self.certificate.is_some() || self.url.contains('@');
        let encrypted =
            self.role.is_some() || self.authority.is_some() || self.certificate.is_some() || self.url.contains("tls://");
        let said = match (demands_credentials || self.certificate.is_some(), secret && !encrypted) {
            _ if self.is_local() => return None,
            (false, _) => {
                "the server demands no credentials: everyone who reaches it can do what a coordinator can; \
                 `ply queue init` sets up a server with roles"
            }
            (true, true) => "the connection is not encrypted: others on the network can read it, and the password",
            (true, false) => return None,
        };
        Some(format!("{}: {said}", self.shown()))
    }

    fn options(&self) -> Result<ConnectOptions, RunError> {
        let mut options = ConnectOptions::new()
            .name("plyground")
            .ping_interval(PING)
            .request_timeout(Some(ANSWER))
            .connection_timeout(ANSWER)
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| Duration::from_millis((100 << attempts.min(5)) as u64));
        // The client does not take them from the address.
        if let Some(login) = self.parts().find_map(|(login, _)| login) {
            options = match login.split_once(':') {
                Some((user, password)) => options.user_and_password(user.to_owned(), password.to_owned()),
                None => options.token(login.to_owned()),
            };
        }
        if let Some(file) = &self.credentials {
            let refused = |error: std::io::Error| self.refused(format!("the credentials in {}: {error}", file.display()));
            let text = std::fs::read_to_string(file).map_err(refused)?;
            options = options.credentials(&text).map_err(refused)?;
        }
        if let Some(file) = &self.authority {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        if let Some(role) = &self.role {
            options = role.apply(options).map_err(|detail| self.refused(detail))?;
        }
        Ok(options)
    }

    /// A runtime for connections.
    pub(super) fn runtime(&self, threads: usize) -> Result<Runtime, RunError> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads).thread_name("nats").enable_all().build();
        runtime.map_err(|error| self.refused(error.to_string()))
    }

    fn refused(&self, detail: String) -> RunError {
        RunError::Queue { queue: self.shown(), detail }
    }
}

/// The subject of the jobs of a run.
pub(super) fn jobs_of(run: &str) -> String {
    format!("ply.jobs.{run}")
}

/// The subject of the results of a run.
pub(super) fn results_of(run: &str) -> String {
    format!("ply.results.{run}")
}

/// A connection to a NATS server with the streams of Plyground. It has a runtime of its own; its methods block.
pub struct Broker {
    // Fields are dropped in their order: the runtime last.
    pub(super) client: Client,
    pub(super) jetstream: Context,
    pub(super) jobs: Stream,
    pub(super) results: Stream,
    pub(super) self_play: Stream,
    values: Stream,
    workers: PullConsumer,
    /// The length of leases in milliseconds, as last read from the server.
    lease: AtomicU64,
    files: OnceLock<ObjectStore>,
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
        let urls: Vec<String> = access.url.split(',').map(str::to_owned).collect();
        let client = access.options()?.connect(urls).await.map_err(|error| access.refused(plain(&error)))?;
        let subjects = Subjects::of(access.role.as_ref());
        let builder = jetstream::ContextBuilder::new().api_prefix(subjects.api());
        let jetstream = builder.timeout(ANSWER).ack_timeout(ANSWER).build(client.clone());
        let Parts { jobs, results, self_play, values, workers } = match prepare(&jetstream, access.lease, &subjects).await {
            Err(error) if is_missing(&*error) && !subjects.coordinates() => return Ok(None),
            Err(error) => return Err(access.refused(format!("{error} (is JetStream on? nats-server --jetstream)"))),
            Ok(parts) => parts,
        };
        let (files, access, runtime) = (OnceLock::new(), access.clone(), None);
        let lease = AtomicU64::new(millis(workers.cached_info().config.ack_wait));
        Ok(Some(Self { client, jetstream, jobs, results, self_play, values, workers, lease, files, access, subjects, runtime }))
    }

    /// The subjects of this client, by its role.
    pub(super) fn subjects(&self) -> &Subjects {
        &self.subjects
    }

    /// A warning about a server on the network that demands no credentials, or gets them unencrypted.
    pub fn warning(&self) -> Option<String> {
        self.access.warning(self.client.server_info().auth_required)
    }

    /// The length of leases. It is one for all clients of the queue, so workers extend by this.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease.load(Ordering::Relaxed))
    }

    /// Reads the length of leases from the server: a coordinator may have changed it.
    pub(super) fn learn_lease(&self) {
        // A server that is gone is asked again after the next connection.
        if let Ok(Ok(found)) = self.wait(async { tokio::time::timeout(ANSWER, self.workers.get_info()).await }) {
            self.lease.store(millis(found.config.ack_wait), Ordering::Relaxed);
        }
    }

    /// The number of connections so far: after a new one, messages may have been missed.
    pub(super) fn connections(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    fn runtime(&self) -> &Runtime {
        self.runtime
            .as_ref()
            .expect("only a broker with a runtime of its own is used with blocking calls, and it has it until it is dropped")
    }

    /// Blocks on a future.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime().block_on(future)
    }

    /// Spawns a task.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime().spawn(future)
    }

    /// The address and credentials of the server.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The version of the server.
    pub fn server_version(&self) -> String {
        self.client.server_info().version
    }

    pub(super) fn refused(&self, detail: impl std::fmt::Display) -> RunError {
        self.access.refused(detail.to_string())
    }

    /// The consumer that all workers share.
    pub(super) fn workers(&self) -> &PullConsumer {
        &self.workers
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
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Creates again what a server may have lost.
    pub(super) async fn repair(&self) -> Result<(), RunError> {
        let parts = prepare(&self.jetstream, self.access.lease, &self.subjects).await.map_err(|error| self.refused(error))?;
        self.lease.store(millis(parts.workers.cached_info().config.ack_wait), Ordering::Relaxed);
        Ok(())
    }

    /// Publishes to a stream and waits for the acknowledgement; false if a message of this name was there already.
    pub(super) async fn publish(&self, subject: &str, name: Option<&str>, payload: Bytes) -> Result<bool, RunError> {
        let message = jetstream::message::PublishMessage::build().payload(payload);
        let message = match name {
            Some(name) => message.message_id(name),
            None => message,
        };
        let subject = self.subjects.published(subject);
        let kept = self.jetstream.send_publish(subject, message).await.map_err(|error| self.refused(error))?;
        kept.await.map(|kept| !kept.duplicate).map_err(|error| self.refused(error))
    }

    /// The number of messages in the stream of jobs, of one run or of all, leased ones included.
    pub(super) async fn queued(&self, run: Option<&str>) -> Result<usize, RunError> {
        use futures_util::TryStreamExt as _;
        // All are asked for, also if one is wanted: asked for one by its name, NATS 2.9 knows of nothing once the first file of the
        // stream is done with and gone.
        let found = self.jobs.info_with_subjects(jobs_of("*")).await.map_err(|error| self.refused(error))?;
        let counts: Vec<(String, usize)> = found.try_collect().await.map_err(|error| self.refused(error))?;
        let wanted = run.map(jobs_of);
        Ok(counts
            .into_iter()
            .filter(|(subject, _)| wanted.as_ref().is_none_or(|wanted| wanted == subject))
            .map(|(_, count)| count)
            .sum())
    }

    /// Purges the messages of a subject; their number.
    pub(super) async fn purge(&self, subject: &str) -> Result<u64, RunError> {
        self.jobs.purge().filter(subject).await.map(|done| done.purged).map_err(|error| self.refused(error))
    }

    /// The value of a key, with its revision; a value that cannot be understood is a reason in words.
    pub(super) async fn value<T: DeserializeOwned>(&self, key: &str) -> Result<Option<(Result<T, String>, u64)>, RunError> {
        use async_nats::jetstream::stream::LastRawMessageErrorKind::NoMessageFound;
        match self.values.get_last_raw_message_by_subject(&key_subject(key)).await {
            Err(error) if error.kind() == NoMessageFound => Ok(None),
            Err(error) => Err(self.refused(error)),
            Ok(message) => {
                let value = serde_json::from_slice(&message.payload);
                Ok(Some((value.map_err(|error| format!("it cannot be understood: {error}")), message.sequence)))
            }
        }
    }

    /// Sets a key; if a revision is given, only if it is still the newest (0: if there is none). The new revision; `None` if it was
    /// not.
    pub(super) async fn set<T: Serialize>(&self, key: &str, value: &T, revision: Option<u64>) -> Result<Option<u64>, RunError> {
        use async_nats::jetstream::context::PublishErrorKind::WrongLastSequence;
        let payload = serde_json::to_vec(value).expect("values are plain data");
        let mut headers = HeaderMap::new();
        if let Some(revision) = revision {
            headers.insert("Nats-Expected-Last-Subject-Sequence", revision.to_string());
        }
        let sent = self.jetstream.publish_with_headers(key_subject(key), headers, payload.into()).await;
        let kept = match sent {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        match kept {
            Ok(kept) => Ok(Some(kept.sequence)),
            Err(error) if error.kind() == WrongLastSequence => Ok(None),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Deletes a key.
    pub(super) async fn forget(&self, key: &str) -> Result<(), RunError> {
        self.values.purge().filter(key_subject(key)).await.map(drop).map_err(|error| self.refused(error))
    }

    /// The keys with this prefix that are there now: `run.` for the announced runs, `train.` for trainings.
    pub fn announced(&self, beginning: &str) -> Result<Vec<String>, RunError> {
        self.wait(self.keys(beginning))
    }

    /// The names of all keys with this prefix.
    pub(super) async fn keys(&self, beginning: &str) -> Result<Vec<String>, RunError> {
        use futures_util::TryStreamExt as _;
        let filter = key_subject(&format!("{beginning}>"));
        let found = self.values.info_with_subjects(filter).await.map_err(|error| self.refused(error))?;
        let keys: Vec<(String, usize)> = found.try_collect().await.map_err(|error| self.refused(error))?;
        let prefix = key_subject("");
        Ok(keys.into_iter().filter_map(|(subject, _)| Some(subject.strip_prefix(&prefix)?.to_owned())).collect())
    }

    /// The object store of files, by the hashes of their contents.
    pub(super) async fn files(&self) -> Result<&ObjectStore, RunError> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let config = object_store::Config { bucket: FILES.to_owned(), ..object_store::Config::default() };
        let made = match self.jetstream.get_object_store(FILES).await {
            Ok(files) => files,
            Err(error) if !self.subjects.coordinates() => return Err(self.refused(error)),
            Err(_) => self.jetstream.create_object_store(config).await.map_err(|error| self.refused(error))?,
        };
        Ok(self.files.get_or_init(|| made))
    }

    /// Waits until everything is sent, with a timeout.
    pub fn flush(&self) {
        self.wait(async {
            let _ = tokio::time::timeout(ANSWER, self.client.flush()).await;
        });
    }

    /// A condition for giving up: the time for retries that began then is over.
    pub(super) fn patience(begun: Instant) -> impl Fn() -> bool + Sync {
        move || begun.elapsed() > 2 * ANSWER
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

fn millis(time: Duration) -> u64 {
    time.as_millis() as u64
}

fn key_subject(key: &str) -> String {
    format!("$KV.plyground.{key}")
}

/// The message of an error, with its causes.
fn plain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(reason) = next {
        let words = reason.to_string();
        if !said.contains(&words) {
            said += &format!(": {words}");
        }
        next = reason.source();
    }
    said
}

/// The streams and the shared consumer.
struct Parts {
    jobs: Stream,
    results: Stream,
    self_play: Stream,
    values: Stream,
    workers: PullConsumer,
}

/// The streams, and the consumer that all workers share.
async fn prepare(jetstream: &Context, lease: Option<Duration>, subjects: &Subjects) -> Result<Parts, async_nats::Error> {
    if !subjects.coordinates() {
        return found(jetstream).await;
    }
    let base = || Config { storage: StorageType::File, ..Config::default() };
    let jobs = jetstream
        .get_or_create_stream(Config {
            name: JOBS.to_owned(),
            subjects: vec![jobs_of("*")],
            retention: RetentionPolicy::WorkQueue,
            ..base()
        })
        .await?;
    let results = jetstream
        .get_or_create_stream(Config {
            name: RESULTS.to_owned(),
            subjects: vec![subjects.read(&results_of("*"))],
            max_age: KEPT,
            ..base()
        })
        .await?;
    let self_play = jetstream
        .get_or_create_stream(Config {
            name: SELF_PLAY.to_owned(),
            subjects: vec!["ply.lessons.*".to_owned()],
            max_age: SELF_PLAY_KEPT,
            ..base()
        })
        .await?;
    let values = jetstream
        .get_or_create_stream(Config {
            name: VALUES.to_owned(),
            subjects: vec![key_subject(">")],
            max_messages_per_subject: 1,
            max_age: KEY_KEPT,
            duplicate_window: KEY_KEPT,
            discard: DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            ..base()
        })
        .await?;
    let values = expiring(jetstream, values).await?;
    let config = consumer::pull::Config {
        durable_name: Some(WORKERS.to_owned()),
        ack_policy: consumer::AckPolicy::Explicit,
        ack_wait: lease.unwrap_or(LEASE),
        // Jobs that are delivered too often are recorded as failed by the next worker; the server would just stop delivering them.
        max_deliver: -1,
        max_ack_pending: -1,
        max_waiting: WAITING,
        ..consumer::pull::Config::default()
    };
    let workers = match lease {
        // Made, or changed.
        Some(_) => jobs.create_consumer(config).await?,
        None => jobs.get_or_create_consumer(WORKERS, config).await?,
    };
    Ok(Parts { jobs, results, self_play, values, workers })
}

/// The streams and the consumer as a coordinator has made them.
async fn found(jetstream: &Context) -> Result<Parts, async_nats::Error> {
    let jobs = jetstream.get_stream(JOBS).await?;
    let workers = jobs.get_consumer(WORKERS).await?;
    let [results, self_play, values] = [RESULTS, SELF_PLAY, VALUES].map(|name| jetstream.get_stream(name));
    Ok(Parts { jobs, results: results.await?, self_play: self_play.await?, values: values.await?, workers })
}

/// Is it the error of a stream or a consumer that is not there?
fn is_missing(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    use async_nats::jetstream::context::{ConsumerInfoError, ConsumerInfoErrorKind, GetStreamError, GetStreamErrorKind};
    error.downcast_ref::<GetStreamError>().is_some_and(
        |error| matches!(error.kind(), GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND),
    ) || error.downcast_ref::<ConsumerInfoError>().is_some_and(|error| error.kind() == ConsumerInfoErrorKind::NotFound)
}

/// The stream of keys with their expiry: one that an older program has made keeps them for ever.
async fn expiring(jetstream: &Context, values: Stream) -> Result<Stream, async_nats::Error> {
    let found = &values.cached_info().config;
    if found.max_age == KEY_KEPT {
        return Ok(values);
    }
    // A client that may not change streams leaves it as it is.
    let _ = jetstream.update_stream(Config { max_age: KEY_KEPT, duplicate_window: KEY_KEPT, ..found.clone() }).await;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown_and_what_is_missing_is() {
        let mut access = Access::new("nats://me:secret@host:4222");
        assert_eq!(access.shown(), "nats://host:4222");
        let unencrypted = access.warning(true).unwrap();
        assert!(unencrypted.starts_with("nats://host:4222: the connection is not encrypted"), "{unencrypted}");
        access.authority = Some("ca.pem".into());
        assert_eq!(access.warning(true), None);
        for open in [
            "nats://host",
            "tls://host:4222",
            "nats://192.168.1.10:4222",
            "nats://127.0.0.1,nats://host",
            "nats://[fe80::1]:4222",
        ] {
            let said = Access::new(open).warning(false).unwrap();
            assert!(
                said.contains("the server demands no credentials: everyone who reaches it can do what a coordinator can"),
                "{said}"
            );
        }
        for local in ["nats://localhost", "nats://127.0.0.1:4222", "nats://[::1]:4222", "nats://me:secret@127.0.0.1"] {
            assert_eq!(Access::new(local).warning(false), None, "{local}");
        }
    }
}
