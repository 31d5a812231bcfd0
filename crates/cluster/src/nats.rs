//! NATS JetStream as the message server.

use std::fmt::Display;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::consumer::{self, DeliverPolicy, PullConsumer};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, AckKind, Context, ErrorCode, Message};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use plyground_match::RunError;

use crate::access::Access;
use crate::message_server::{
    ANSWER, Acknowledgement, Answer, Archive, Delivery, Heard, Kept, MessageServer, Reading, Ticket, jobs_of, results_of,
};
use crate::role::Subjects;

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
pub const KEY_KEPT: Duration = Duration::from_mins(1);
/// The time for which self-play games are kept: later ones are of an old network.
const SELF_PLAY_KEPT: Duration = Duration::from_hours(1);
/// The messages of an archive that are asked for at a time. As many may wait in memory, each of a megabyte.
const READ_AHEAD: i64 = 32;
/// The most requests for jobs that wait: each worker has as many as cores.
const WAITING: i64 = 200_000;

/// A connection to a NATS server with the streams of Plyground.
pub struct NatsServer {
    client: Client,
    jetstream: Context,
    jobs: Stream,
    results: Stream,
    self_play: Stream,
    values: Stream,
    workers: PullConsumer,
    /// The length of leases in milliseconds, as last read from the server.
    lease: AtomicU64,
    /// The length of leases that this client wants.
    wanted_lease: Option<Duration>,
    files: OnceLock<ObjectStore>,
    /// The subjects of this client at the server, by its role.
    subjects: Subjects,
}

impl NatsServer {
    /// Connects, and creates the streams that are missing; `None` if the role of this client is not to create them.
    pub async fn connect(access: &Access) -> Result<Option<Self>, RunError> {
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
        let (files, wanted_lease) = (OnceLock::new(), access.lease);
        let lease = AtomicU64::new(millis(workers.cached_info().config.ack_wait));
        Ok(Some(Self { client, jetstream, jobs, results, self_play, values, workers, lease, wanted_lease, files, subjects }))
    }

    /// The object store of files, by the hashes of their contents.
    async fn files(&self) -> Result<&ObjectStore, String> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let config = object_store::Config { bucket: FILES.to_owned(), ..object_store::Config::default() };
        let made = match self.jetstream.get_object_store(FILES).await {
            Ok(files) => files,
            Err(error) if !self.subjects.coordinates() => return Err(words(error)),
            Err(_) => self.jetstream.create_object_store(config).await.map_err(words)?,
        };
        Ok(self.files.get_or_init(|| made))
    }

    /// The next message, if there is one within the time.
    async fn next_message(&self, patience: Option<Duration>) -> Result<Option<Message>, String> {
        if let Some(patience) = patience {
            let mut batch = self.workers.batch().max_messages(1).expires(patience).messages().await.map_err(words)?;
            return batch.next().await.transpose().map_err(words);
        }
        let fetched = async {
            let mut batch = self.workers.fetch().max_messages(1).messages().await.map_err(words)?;
            batch.next().await.transpose().map_err(words)
        };
        // A server that is gone does not answer at all.
        tokio::time::timeout(ANSWER, fetched).await.map_err(words)?
    }

    async fn read_from(&self, archive: Archive, subject: String, from: u64) -> Result<Reading, async_nats::Error> {
        let stream = match archive {
            Archive::Results => &self.results,
            Archive::SelfPlay => &self.self_play,
        };
        let config = OrderedConfig {
            filter_subject: self.subjects.read(&subject),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from },
            max_batch: READ_AHEAD,
            ..OrderedConfig::default()
        };
        let last = stream.get_info().await?.state.last_sequence;
        let consumer = stream.create_consumer(config).await?;
        let pending = consumer.cached_info().num_pending;
        let kept = |message: Message| {
            let info = message.info().map_err(words)?;
            let (subject, payload) = (message.subject.to_string(), message.payload.clone());
            Ok(Kept { subject, sequence: info.stream_sequence, pending: info.pending, payload })
        };
        let messages = consumer.messages().await?.map(move |message| message.map_err(words).and_then(kept));
        Ok(Reading { pending, last, messages: messages.boxed() })
    }
}

/// An error in words.
fn words(error: impl Display) -> String {
    error.to_string()
}

/// A delivered message.
struct NatsTicket(Message);

impl Ticket for NatsTicket {
    fn acknowledge(&self, acknowledgement: Acknowledgement, confirmed: bool) -> Answer<'_, ()> {
        let kind = match acknowledgement {
            Acknowledgement::Done => AckKind::Ack,
            Acknowledgement::Failed(delay) => AckKind::Nak(delay),
            Acknowledgement::Unreadable => AckKind::Term,
            Acknowledgement::Progress => AckKind::Progress,
        };
        async move { if confirmed { self.0.double_ack_with(kind).await } else { self.0.ack_with(kind).await }.map_err(words) }
            .boxed()
    }
}

impl MessageServer for NatsServer {
    fn prepare(&self) -> Answer<'_, ()> {
        async {
            let parts = prepare(&self.jetstream, self.wanted_lease, &self.subjects).await.map_err(words)?;
            self.lease.store(millis(parts.workers.cached_info().config.ack_wait), Ordering::Relaxed);
            Ok(())
        }
        .boxed()
    }

    fn version(&self) -> String {
        self.client.server_info().version
    }

    fn demands_credentials(&self) -> bool {
        self.client.server_info().auth_required
    }

    fn connections(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    fn flush(&self) -> Answer<'_, ()> {
        self.client.flush().map(|flushed| flushed.map_err(words)).boxed()
    }

    fn publish(&self, subject: String, name: Option<String>, payload: Bytes) -> Answer<'_, bool> {
        async move {
            let message = jetstream::message::PublishMessage::build().payload(payload);
            let message = match name {
                Some(name) => message.message_id(name),
                None => message,
            };
            let subject = self.subjects.published(&subject);
            let kept = self.jetstream.send_publish(subject, message).await.map_err(words)?;
            kept.await.map(|kept| !kept.duplicate).map_err(words)
        }
        .boxed()
    }

    fn next_jobs(&self, patience: Option<Duration>) -> Answer<'_, Option<Delivery>> {
        async move {
            let Some(message) = self.next_message(patience).await? else { return Ok(None) };
            let (sequence, deliveries) = {
                let info = message.info().map_err(words)?;
                (info.stream_sequence, info.delivered)
            };
            let (subject, payload) = (message.subject.to_string(), message.payload.clone());
            Ok(Some(Delivery { subject, sequence, deliveries, payload, ticket: Box::new(NatsTicket(message)) }))
        }
        .boxed()
    }

    fn queued(&self, subject: Option<String>) -> Answer<'_, usize> {
        async move {
            // All are asked for, also if one is wanted: asked for one by its name, NATS 2.9 knows of nothing once the first file of
            // the stream is done with and gone.
            let found = self.jobs.info_with_subjects(jobs_of("*")).await.map_err(words)?;
            let count = |sum, (found, count): (String, usize)| {
                let is_wanted = subject.as_ref().is_none_or(|wanted| *wanted == found);
                async move { Ok(if is_wanted { sum + count } else { sum }) }
            };
            found.try_fold(0, count).await.map_err(words)
        }
        .boxed()
    }

    fn purge(&self, subject: String) -> Answer<'_, u64> {
        async move { self.jobs.purge().filter(subject).await.map(|done| done.purged).map_err(words) }.boxed()
    }

    fn lease(&self) -> Duration {
        Duration::from_millis(self.lease.load(Ordering::Relaxed))
    }

    fn learn_lease(&self) -> Answer<'_, ()> {
        async {
            let found = self.workers.get_info().await.map_err(words)?;
            self.lease.store(millis(found.config.ack_wait), Ordering::Relaxed);
            Ok(())
        }
        .boxed()
    }

    fn read(&self, archive: Archive, subject: String, from: u64) -> Answer<'_, Reading> {
        self.read_from(archive, subject, from).map(|reading| reading.map_err(words)).boxed()
    }

    fn value(&self, key: String) -> Answer<'_, Option<(Bytes, u64)>> {
        use async_nats::jetstream::stream::LastRawMessageErrorKind::NoMessageFound;
        async move {
            match self.values.get_last_raw_message_by_subject(&key_subject(&key)).await {
                Err(error) if error.kind() == NoMessageFound => Ok(None),
                Err(error) => Err(error.to_string()),
                Ok(message) => Ok(Some((message.payload, message.sequence))),
            }
        }
        .boxed()
    }

    fn set(&self, key: String, value: Bytes, revision: Option<u64>) -> Answer<'_, Option<u64>> {
        use async_nats::jetstream::context::PublishErrorKind::WrongLastSequence;
        async move {
            let mut headers = HeaderMap::new();
            if let Some(revision) = revision {
                headers.insert("Nats-Expected-Last-Subject-Sequence", revision.to_string());
            }
            let sent = self.jetstream.publish_with_headers(key_subject(&key), headers, value).await;
            let kept = match sent {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            match kept {
                Ok(kept) => Ok(Some(kept.sequence)),
                Err(error) if error.kind() == WrongLastSequence => Ok(None),
                Err(error) => Err(error.to_string()),
            }
        }
        .boxed()
    }

    fn forget(&self, key: String) -> Answer<'_, ()> {
        async move { self.values.purge().filter(key_subject(&key)).await.map(drop).map_err(words) }.boxed()
    }

    fn keys(&self, beginning: String) -> Answer<'_, Vec<String>> {
        async move {
            let filter = key_subject(&format!("{beginning}>"));
            let found = self.values.info_with_subjects(filter).await.map_err(words)?;
            let keys: Vec<(String, usize)> = found.try_collect().await.map_err(words)?;
            let prefix = key_subject("");
            Ok(keys.into_iter().filter_map(|(subject, _)| Some(subject.strip_prefix(&prefix)?.to_owned())).collect())
        }
        .boxed()
    }

    fn tell(&self, subject: String, payload: Bytes) -> Answer<'_, ()> {
        async move { self.client.publish(self.subjects.published(&subject), payload).await.map_err(words) }.boxed()
    }

    fn hear(&self, subject: String) -> Answer<'_, BoxStream<'static, Heard>> {
        async move {
            let messages = self.client.subscribe(self.subjects.read(&subject)).await.map_err(words)?;
            Ok(messages.map(|message| Heard { subject: message.subject.to_string(), payload: message.payload }).boxed())
        }
        .boxed()
    }

    fn object_size(&self, name: String) -> Answer<'_, Option<usize>> {
        async move {
            let info = self.files().await?.info(name).await.map_err(words)?;
            Ok((!info.deleted).then_some(info.size))
        }
        .boxed()
    }

    fn put_object<'a>(&'a self, name: String, contents: &'a [u8]) -> Answer<'a, ()> {
        async move {
            let mut contents = contents;
            self.files().await?.put(name.as_str(), &mut contents).await.map(drop).map_err(words)
        }
        .boxed()
    }

    fn get_object(&self, name: String, most: usize) -> Answer<'_, Vec<u8>> {
        async move {
            // The chunks are read one after the other: that needs no consumer, which workers may not create.
            let info = self.files().await?.info(name).await.map_err(words)?;
            if info.deleted {
                return Err("it was deleted".to_owned());
            }
            let stream = self.jetstream.get_stream(format!("OBJ_{FILES}")).await.map_err(words)?;
            let subject = format!("$O.{FILES}.C.{}", info.nuid);
            let (mut contents, mut next) = (Vec::new(), 1);
            while contents.len() < info.size.min(most) {
                let chunk = stream.get_first_raw_message_by_subject(&subject, next).await.map_err(words)?;
                contents.extend_from_slice(&chunk.payload);
                next = chunk.sequence + 1;
            }
            Ok(contents)
        }
        .boxed()
    }

    fn drop_object(&self, name: String) -> Answer<'_, ()> {
        async move { self.files().await?.delete(name).await.map(drop).map_err(words) }.boxed()
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
