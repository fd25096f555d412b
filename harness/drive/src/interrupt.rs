//! Signals that ask this program to stop: they become a request to end all targets, and then the run.

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{Notify, watch},
};

/// Listens for signals as long as it lives.
pub(crate) struct Guard {
    done: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Guard {
    /// A guard that tells `stop`. `None` if the system does not let us listen: the usual effect of the signals remains.
    pub(crate) fn new(stop: watch::Sender<bool>) -> Option<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        let mut signals = {
            let _inside = runtime.enter();
            [
                SignalKind::interrupt(),
                SignalKind::terminate(),
                SignalKind::hangup(),
            ]
            .map(|kind| signal(kind).ok())
        };
        let done = Arc::new(Notify::new());
        let told = Arc::clone(&done);
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                let [interrupt, terminate, hangup] = &mut signals;
                tokio::select! {
                    () = came(interrupt) => {}
                    () = came(terminate) => {}
                    () = came(hangup) => {}
                    () = told.notified() => return,
                }
                // Nobody listening means that everything has ended already.
                let _ = stop.send(true);
                told.notified().await;
            });
        });
        Some(Self {
            done,
            thread: Some(thread),
        })
    }
}

async fn came(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.done.notify_one();
        if let Some(thread) = self.thread.take() {
            // It panics only if we do.
            let _ = thread.join();
        }
    }
}
