//! Signals that ask this program to stop: they become a request to end all targets, and then the run. Whoever sends one
//! more later does not want to wait for that.

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::{Notify, watch},
    time::timeout,
};

/// Signals that come within this time are one wish: a terminal and a parent process often both send theirs.
const ONE_WISH: Duration = Duration::from_secs(1);
/// What the program ends with at once: the run is incomplete.
const INCOMPLETE: i32 = 3;

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
        {
            // Once it is listened to, a file over its limit is an error in writing, as on a full disk, and no end of
            // the program.
            let _inside = runtime.enter();
            let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
        }
        let done = Arc::new(Notify::new());
        let told = Arc::clone(&done);
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = any(&mut signals) => {}
                    () = told.notified() => return,
                }
                // Nobody listening means that everything has ended already.
                let _ = stop.send(true);
                let again = async {
                    let _ = timeout(ONE_WISH, async {
                        loop {
                            any(&mut signals).await;
                        }
                    })
                    .await;
                    any(&mut signals).await;
                };
                tokio::select! {
                    () = again => std::process::exit(INCOMPLETE),
                    () = told.notified() => {}
                }
            });
        });
        Some(Self {
            done,
            thread: Some(thread),
        })
    }
}

async fn any([interrupt, terminate, hangup]: &mut [Option<Signal>; 3]) {
    tokio::select! {
        () = came(interrupt) => {}
        () = came(terminate) => {}
        () = came(hangup) => {}
    }
}

async fn came(signal: &mut Option<Signal>) {
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
