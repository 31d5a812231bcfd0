//! The stream of results, as a coordinator reads it.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use futures_util::TryStreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::broker::Broker;
use crate::names::WorkerName;

/// The bytes of messages that wait to be stored: whatever arrives, no more is in memory.
const WAITING_BYTES: usize = 32 << 20;

/// A message with results, as it came, with its place in the stream. It is read when its turn has come: unpacked, it is much larger.
pub struct Received {
    pub sequence: u64,
    /// The worker that has sent it, where the server vouches for that.
    pub sender: Option<WorkerName>,
    pub payload: bytes::Bytes,
    _room: OwnedSemaphorePermit,
}

/// A task that reads the results of a run until the receiver is dropped.
pub struct ResultReader {
    broker: Arc<Broker>,
    subject: String,
    next: u64,
    sender: mpsc::Sender<Option<Received>>,
    /// The bytes that may wait.
    room: Arc<Semaphore>,
}

impl ResultReader {
    /// A reader from a place in the stream on.
    pub fn new(broker: Arc<Broker>, subject: String, next: u64, sender: mpsc::Sender<Option<Received>>) -> Self {
        Self { broker, subject, next, sender, room: Arc::new(Semaphore::new(WAITING_BYTES)) }
    }

    /// Reads until the receiver is dropped.
    pub async fn run(mut self) {
        while !self.sender.is_closed() {
            // A server that is gone may come back, with the stream or without it.
            if self.read().await.is_err() {
                tokio::time::sleep(Duration::from_millis(300)).await;
                let _ = self.broker.repair().await;
            }
        }
    }

    async fn read(&mut self) -> Result<(), async_nats::Error> {
        let config = OrderedConfig {
            filter_subject: self.broker.subjects().read(&self.subject),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.next },
            ..OrderedConfig::default()
        };
        let consumer = self.broker.results.create_consumer(config).await?;
        if consumer.cached_info().num_pending == 0 && self.sender.send(None).await.is_err() {
            return Ok(());
        }
        let mut messages = consumer.messages().await?;
        loop {
            let message = tokio::select! {
                message = messages.try_next() => message?,
                () = self.sender.closed() => return Ok(()),
            };
            let Some(message) = message else { return Ok(()) };
            let (sequence, pending) = {
                let info = message.info()?;
                (info.stream_sequence, info.pending)
            };
            self.next = sequence + 1;
            let (sender, payload) = (self.broker.subjects().sender(&message.subject), message.payload.clone());
            let size = payload.len().clamp(1, WAITING_BYTES) as u32;
            let Ok(room) = Arc::clone(&self.room).acquire_many_owned(size).await else { return Ok(()) };
            if self.sender.send(Some(Received { sequence, sender, payload, _room: room })).await.is_err() {
                return Ok(());
            }
            if pending == 0 && self.sender.send(None).await.is_err() {
                return Ok(());
            }
        }
    }
}
