//! What is to be written into a pipe: nothing blocks, and the pipe is closed behind the last of it.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::AsyncWrite;

/// So much memory the queue may keep when it is empty.
const KEPT: usize = 64 * 1024;

/// A pipe, and what has still to go into it.
#[derive(Debug)]
pub(super) struct Outgoing<W> {
    pipe: Option<W>,
    queue: Vec<u8>,
    /// So much of the queue has been written.
    written: usize,
    closing: bool,
}

impl<W: AsyncWrite + Unpin> Outgoing<W> {
    pub(super) fn new(pipe: Option<W>) -> Self {
        Self {
            pipe,
            queue: Vec::new(),
            written: 0,
            closing: false,
        }
    }

    /// How many bytes are still to be written.
    pub(super) fn len(&self) -> usize {
        self.queue.len() - self.written
    }

    /// Appends to what is to be written.
    pub(super) fn enqueue(&mut self, bytes: &[u8]) {
        if self.pipe.is_some() && !self.closing {
            self.queue.extend_from_slice(bytes);
        }
    }

    /// Closes the pipe once everything is written.
    pub(super) fn close(&mut self) {
        self.closing = true;
        if self.queue.is_empty() {
            self.pipe = None;
        }
    }

    /// Closes the pipe at once.
    pub(super) fn drop_pipe(&mut self) {
        self.pipe = None;
        self.forget();
    }

    /// Lets go of the queue, and of its memory where that is much.
    fn forget(&mut self) {
        self.written = 0;
        self.queue.clear();
        self.queue.shrink_to(KEPT);
    }

    /// Writes what the pipe takes.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) {
        while let (Some(pipe), false) = (&mut self.pipe, self.queue.is_empty()) {
            match Pin::new(pipe).poll_write(context, &self.queue[self.written..]) {
                Poll::Ready(Ok(written @ 1..)) => {
                    self.written += written;
                    if self.written == self.queue.len() {
                        self.forget();
                    } else if self.written > self.len() {
                        // Moving up the rest costs as much as it is long. A queue that never runs empty would grow.
                        self.queue.drain(..self.written);
                        self.written = 0;
                    }
                }
                // The other end is closed. What that means, what it says itself and its exit tell.
                Poll::Ready(_) => self.drop_pipe(),
                Poll::Pending => return,
            }
        }
        if self.closing {
            self.pipe = None;
        }
    }
}
