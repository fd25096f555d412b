//! Room in memory: a target that floods may fill one conversation, and not one for each thread.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

/// What all conversations together may hold before one of them counts as long, in bytes.
const SHARED: usize = 2 * 1024 * 1024;
/// The least and the most of that for each. A usual conversation has a fifth of the least.
const SHARE: (usize, usize) = (64 * 1024, 512 * 1024);
/// How often a conversation that waits looks whether the program has to stop.
const LOOK: Duration = Duration::from_millis(50);

/// One conversation at a time is a long one, from there on until it has been judged: what the judge remembers of each
/// message is several times the message.
#[derive(Debug)]
pub(crate) struct Room {
    share: usize,
    stop: watch::Receiver<bool>,
    taken: Mutex<bool>,
    left: Condvar,
}

impl Room {
    /// Room for so many threads, until the program is told to stop.
    pub(crate) fn new(jobs: usize, stop: watch::Receiver<bool>) -> Arc<Self> {
        Arc::new(Self {
            share: (SHARED / jobs.max(1)).clamp(SHARE.0, SHARE.1),
            stop,
            taken: Mutex::new(false),
            left: Condvar::new(),
        })
    }

    /// A conversation that holds so much is a long one.
    pub(crate) fn is_long(&self, held: usize) -> bool {
        held > self.share
    }

    /// Waits until no other conversation is long. `None` if the program was told to stop.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Place> {
        let mut taken = self.taken();
        while *taken {
            if *self.stop.borrow() {
                return None;
            }
            let woken = self.left.wait_timeout(taken, LOOK);
            taken = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = true;
        drop(taken);
        Some(Place(Arc::clone(self)))
    }

    fn taken(&self) -> MutexGuard<'_, bool> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of the one long conversation, which others wait for until it is dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<Room>);

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.taken() = false;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::*;

    #[test]
    fn one_conversation_at_a_time_is_long() {
        let (_keep, stop) = watch::channel(false);
        let room = Room::new(8, stop);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let place = room.enter().expect("nobody stops it");
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(place);
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
    }

    #[test]
    fn who_waits_is_told_that_the_program_stops() {
        let (tell, stop) = watch::channel(false);
        let room = Room::new(1, stop);
        let _place = room.enter().expect("nobody stops it");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| room.enter().is_none());
            tell.send(true).expect("somebody listens");
            assert!(waiting.join().expect("no panic"));
        });
    }

    #[test]
    fn more_threads_have_less_each() {
        let (_keep, stop) = watch::channel(false);
        let longest = |jobs| {
            let room = Room::new(jobs, stop.clone());
            (0..=SHARED)
                .rev()
                .step_by(1024)
                .find(|held| !room.is_long(*held))
        };
        assert_eq!(longest(1), Some(SHARE.1));
        assert_eq!(longest(4), Some(SHARE.1));
        assert_eq!(longest(16), Some(SHARED / 16));
        assert_eq!(longest(1000), Some(SHARE.0));
    }
}
