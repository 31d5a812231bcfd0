//! The stream of results, as a coordinator reads it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::broker::Broker;
use crate::message_server::{Archive, Kept};
use crate::names::WorkerName;

/// The bytes of messages that wait to be stored: whatever arrives, no more is in memory.
const WAITING_BYTES: usize = 16 << 20;

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
                self.broker.sleep(Duration::from_millis(300)).await;
                let _ = self.broker.repair().await;
            }
        }
    }

    async fn read(&mut self) -> Result<(), String> {
        let reading = self.broker.read(Archive::Results, &self.subject, self.next).await.map_err(|error| error.to_string())?;
        if self.next > reading.last + 1 {
            // The server has lost the end of the stream, and gives its places to other messages now. Results that were read before do
            // no harm: each counts once.
            self.next = 1;
            return Ok(());
        }
        if reading.pending == 0 && self.sender.send(None).await.is_err() {
            return Ok(());
        }
        let mut messages = reading.messages;
        loop {
            let message = match select(messages.try_next(), pin!(self.sender.closed())).await {
                Either::Left((message, _)) => message?,
                Either::Right(_) => return Ok(()),
            };
            let Some(Kept { subject, sequence, pending, payload }) = message else { return Ok(()) };
            self.next = sequence + 1;
            let sender = self.broker.subjects().sender(&subject);
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
