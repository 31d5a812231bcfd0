//! Deadlines of a connection: for bodies of requests that do not come, and for answers that the client does not read.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::connections::ActiveRequest;

/// The bytes of an answer that a client has to take within the timeout, so that one byte now and then is not enough.
const PROGRESS: usize = 16 * 1024;

/// A stream whose writes fail when the other side does not read. It covers everything that is sent over a connection, also when it has
/// become a WebSocket.
pub struct WriteDeadline<S> {
    stream: S,
    timeout: Duration,
    stalled: Option<Stall>,
}

/// A time in which the other side did not read everything at once.
struct Stall {
    end: Pin<Box<Sleep>>,
    written: usize,
}

impl<S: AsyncWrite + Unpin> WriteDeadline<S> {
    pub fn new(stream: S, timeout: Duration) -> Self {
        Self { stream, timeout, stalled: None }
    }

    /// The result of a write of `wanted` bytes, or an error if nothing was read for too long.
    fn checked(&mut self, written: Poll<io::Result<usize>>, wanted: usize, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(bytes)) => {
                let moved = self.stalled.as_ref().map_or(0, |stall| stall.written) + bytes;
                if *bytes == wanted || moved >= PROGRESS {
                    self.stalled = None;
                } else if let Some(stall) = &mut self.stalled {
                    stall.written = moved;
                }
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => {
                let timeout = self.timeout;
                let stall = self.stalled.get_or_insert_with(|| Stall { end: Box::pin(sleep(timeout)), written: 0 });
                ready!(stall.end.as_mut().poll(cx));
                Poll::Ready(Err(timed_out(format!("expected the client to read the answer within {timeout:?}"))))
            }
        }
    }
}

fn timed_out(words: String) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, words)
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.checked(written, bytes.len(), cx)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, parts: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.checked(written, parts.iter().map(|part| part.len()).sum(), cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The body of a request, which has to come within a time.
pub struct BodyDeadline {
    body: Body,
    timeout: Duration,
    end: Pin<Box<Sleep>>,
}

impl BodyDeadline {
    /// The body with a deadline, if there is anything to wait for.
    pub fn wrap(body: Body, timeout: Duration) -> Body {
        if body.is_end_stream() { body } else { Body::new(Self { body, timeout, end: Box::pin(sleep(timeout)) }) }
    }
}

impl HttpBody for BodyDeadline {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        ready!(self.end.as_mut().poll(cx));
        let words = format!("expected the body of the request within {:?}", self.timeout);
        Poll::Ready(Some(Err(timed_out(words).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer, whose connection is busy until all of it was taken.
pub struct AnswerBody {
    body: Body,
    _request: ActiveRequest,
}

impl AnswerBody {
    pub fn new(body: Body, request: ActiveRequest) -> Self {
        Self { body, _request: request }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
