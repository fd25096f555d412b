//! The processes below a target, so that nothing of it outlives its instance.
//!
//! A target's own group is signalled as a whole. What left the group is found on Linux: this program is the reaper of
//! all its orphans, so whatever loses its parent comes back to us, and we know it again by having seen it below the
//! target, or by the target's mark in its environment. What shows neither is still a child of ours that we did not
//! start: it is a target's, and it is ended as soon as no target lives that could be the one. Processes of our own
//! group, which others in this program have started, are never touched. Where the system has no such reaper, what left
//! the group and outlives the target stays.

use rustix::process::Pid;

/// A process that was seen below a target. The start time tells it from a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pid: Pid,
    started: u64,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{
    Living, become_reaper, below, resident, sweep, sweep_orphans, sweep_strangers, wait_for_end,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{
    Living, become_reaper, below, resident, sweep, sweep_orphans, sweep_strangers, wait_for_end,
};

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        ffi::OsStr,
        fs,
        io::Read,
        os::unix::ffi::OsStrExt,
        sync::{
            Mutex, MutexGuard, Once, PoisonError,
            atomic::{AtomicBool, Ordering},
        },
        time::Duration,
    };

    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        process::{
            Pid, PidfdFlags, Signal, WaitOptions, getpgrp, getpid, kill_process, pidfd_open,
            set_child_subreaper, waitpid,
        },
    };

    use super::Seen;

    /// How often the tree is looked through again: each look may bring back orphans of those just killed.
    const LOOKS: u32 = 64;
    /// How long a process may take to end after SIGKILL before we go on without it.
    const AFTER_KILL: Duration = Duration::from_secs(1);
    /// Up to so many process numbers are tried one by one instead of listing all processes.
    const FEW: i32 = 512;

    /// Makes the orphans of all targets come back to this program.
    pub(crate) fn become_reaper() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // Without it orphans go to the system's reaper: what left its group is then not found, and that is all.
            let _ = set_child_subreaper(Some(getpid()));
        });
    }

    /// The leaders of all targets that live, for the whole program: the reaper is one for all.
    static LEADERS: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

    fn leaders() -> MutexGuard<'static, Vec<Seen>> {
        LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A child that we have started and have not reaped.
    #[derive(Debug)]
    pub(crate) struct Living(Seen);

    impl Living {
        /// Starts a child. Until it is known as ours, nobody may look for orphans.
        pub(crate) fn start<C>(
            start: impl FnOnce() -> Result<C, String>,
            leader: impl FnOnce(&C) -> Option<Pid>,
        ) -> Result<(C, Pid, Self), String> {
            let mut leaders = leaders();
            let child = start()?;
            let pid = leader(&child).ok_or("the process ended before it had a number")?;
            let seen = read(pid.as_raw_nonzero().get()).map_or(
                // It cannot be gone, as nobody has reaped it: the system does not tell. Then all orphans may be its.
                Seen { pid, started: 0 },
                |process| process.seen,
            );
            leaders.push(seen);
            Ok((child, pid, Self(seen)))
        }
    }

    impl Drop for Living {
        fn drop(&mut self) {
            leaders().retain(|leader| *leader != self.0);
        }
    }

    /// A child of ours that nobody here has started was seen, and has not been ended.
    static STRANGERS: AtomicBool = AtomicBool::new(false);

    /// Takes note of children of ours among these that nobody here has started.
    fn note_strangers(processes: &[Process]) {
        let us = getpid().as_raw_nonzero().get();
        let group = getpgrp().as_raw_nonzero().get();
        let mut children = processes
            .iter()
            .filter(|process| process.parent == us && process.group != group)
            .peekable();
        if children.peek().is_some() {
            let leaders = leaders();
            if children.any(|child| !leaders.contains(&child.seen)) {
                STRANGERS.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Ends what targets have left behind, if any of it was seen: to look for it takes a look at every process of the
    /// machine where the system does not list our children.
    pub(crate) fn sweep_strangers() {
        if STRANGERS.load(Ordering::Relaxed) {
            sweep_orphans();
        }
    }

    /// Ends and reaps the children of ours that nobody here has started, with all below them, if no target lives that
    /// is as old: they are what targets have left behind.
    pub(crate) fn sweep_orphans() {
        let leaders = leaders();
        let us = getpid().as_raw_nonzero().get();
        let group = getpgrp().as_raw_nonzero().get();
        for _ in 0..LOOKS {
            let strangers: Vec<Process> = children()
                .into_iter()
                .filter_map(read)
                .filter(|child| child.parent == us && child.group != group)
                .filter(|child| !leaders.contains(&child.seen))
                .collect();
            STRANGERS.store(!strangers.is_empty(), Ordering::Relaxed);
            let mut left = strangers;
            left.retain(|child| {
                leaders
                    .iter()
                    .all(|leader| leader.started > child.seen.started)
            });
            if left.is_empty() {
                return;
            }
            for process in left {
                // What is below it loses its parent by that, and comes back to us.
                end(&process, us);
            }
        }
    }

    /// The numbers of our children, or of all processes where the system does not list them.
    fn children() -> Vec<i32> {
        listed("/proc/self/task", |thread| {
            let text = fs::read_to_string(format!("/proc/self/task/{thread}/children")).ok()?;
            let numbers = text.split_ascii_whitespace();
            Some(numbers.filter_map(|number| number.parse().ok()).collect())
        })
        .unwrap_or_else(|| listed("/proc", |number| Some(vec![number])).unwrap_or_default())
    }

    /// What the entries of a folder that are numbers lead to; none if none of them leads anywhere.
    fn listed(folder: &str, leads_to: impl Fn(i32) -> Option<Vec<i32>>) -> Option<Vec<i32>> {
        let found: Vec<Vec<i32>> = fs::read_dir(folder)
            .ok()?
            .filter_map(|entry| leads_to(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect();
        (!found.is_empty()).then(|| found.concat())
    }

    /// What `/proc` says of a process.
    #[derive(Debug, Clone, Copy)]
    struct Process {
        seen: Seen,
        parent: i32,
        group: i32,
        zombie: bool,
    }

    /// All processes that were living below the leader just now.
    pub(crate) fn below(leader: Pid) -> Vec<Seen> {
        let candidates = younger_than(leader);
        let mut family = vec![leader.as_raw_nonzero().get()];
        let mut below = Vec::new();
        let mut grown = true;
        while grown {
            grown = false;
            for process in &candidates {
                let number = process.seen.pid.as_raw_nonzero().get();
                if family.contains(&process.parent) && !family.contains(&number) {
                    family.push(number);
                    below.push(process.seen);
                    grown = true;
                }
            }
        }
        below
    }

    /// Ends and reaps everything that is left of a target whose leader has ended: what was seen below it, what is in
    /// its group, and what has its mark in the environment, each with all below it.
    pub(crate) fn sweep(leader: Pid, seen: &[Seen], mark: &OsStr) {
        let us = getpid().as_raw_nonzero().get();
        let group = leader.as_raw_nonzero().get();
        for _ in 0..LOOKS {
            let candidates = younger_than(leader);
            let mut family: Vec<i32> = Vec::new();
            let mut left: Vec<Process> = Vec::new();
            let mut grown = true;
            while grown {
                grown = false;
                for process in &candidates {
                    let number = process.seen.pid.as_raw_nonzero().get();
                    if family.contains(&number) {
                        continue;
                    }
                    let ours = family.contains(&process.parent)
                        || process.group == group
                        || seen.contains(&process.seen)
                        || (process.parent == us && has_in_environment(process.seen.pid, mark));
                    if ours && number != group {
                        family.push(number);
                        left.push(*process);
                        grown = true;
                    }
                }
            }
            if left.is_empty() {
                note_strangers(&candidates);
                return;
            }
            for process in left {
                end(&process, us);
            }
        }
    }

    /// How many bytes of memory a process holds.
    pub(crate) fn resident(pid: Pid) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).ok()?;
        let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(pages * rustix::param::page_size() as u64)
    }

    fn end(process: &Process, us: i32) {
        let pid = process.seen.pid;
        if !process.zombie {
            // An error means that it has ended by itself.
            let _ = kill_process(pid, Signal::KILL);
            wait_for_end(pid);
        }
        if process.parent == us {
            // Not blocking: a process that does not end is left to the system rather than waited for.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }

    /// Waits for the end of a process that was sent SIGKILL, for a bounded time.
    pub(crate) fn wait_for_end(pid: Pid) {
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            return;
        };
        let timeout = Timespec {
            tv_sec: AFTER_KILL.as_secs().try_into().unwrap_or(1),
            tv_nsec: AFTER_KILL.subsec_nanos().into(),
        };
        // A time-out and an interruption both mean that we go on.
        let _ = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&timeout));
    }

    /// The processes that were started after this one.
    fn younger_than(leader: Pid) -> Vec<Process> {
        let leader = leader.as_raw_nonzero().get();
        match newest() {
            // Numbers are given out in order, so without a turnaround only these can be younger.
            Some(newest) if newest >= leader && newest - leader <= FEW => {
                (leader + 1..=newest).filter_map(read).collect()
            }
            newest => {
                let turned = newest.is_none_or(|newest| newest < leader);
                let Ok(entries) = fs::read_dir("/proc") else {
                    return Vec::new();
                };
                entries
                    .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
                    .filter(|&number| turned || number > leader)
                    .filter_map(read)
                    .collect()
            }
        }
    }

    /// The number that was given out last.
    fn newest() -> Option<i32> {
        fs::read_to_string("/proc/loadavg")
            .ok()?
            .split_ascii_whitespace()
            .last()?
            .parse()
            .ok()
    }

    fn read(number: i32) -> Option<Process> {
        // All of it comes with one read; what is missing of a longer line, we do not look at.
        let mut buffer = [0; 1024];
        let length = fs::File::open(format!("/proc/{number}/stat"))
            .ok()?
            .read(&mut buffer)
            .ok()?;
        let text = &buffer[..length];
        // The program's name stands in parentheses and may hold anything.
        let after_name = text.iter().rposition(|&byte| byte == b')')? + 1;
        let rest = std::str::from_utf8(&text[after_name..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // The numbers of threads lead here too; they are told by having no exit signal.
        if fields.get(35) == Some(&"-1") {
            return None;
        }
        Some(Process {
            seen: Seen {
                pid: Pid::from_raw(number)?,
                started: fields.get(19)?.parse().ok()?,
            },
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            zombie: fields.first() == Some(&"Z"),
        })
    }

    fn has_in_environment(pid: Pid, mark: &OsStr) -> bool {
        // The environment is as large as the process wants; ours was small when we gave it.
        const LOOKED_THROUGH: usize = 64 * 1024;
        let Ok(mut file) = fs::File::open(format!("/proc/{}/environ", pid.as_raw_nonzero())) else {
            return false;
        };
        let mut environment = vec![0; LOOKED_THROUGH];
        let length = file.read(&mut environment).unwrap_or(0);
        let mark = mark.as_bytes();
        environment[..length]
            .windows(mark.len())
            .any(|window| window == mark)
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::ffi::OsStr;

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::Seen;

    #[derive(Debug)]
    pub(crate) struct Living;

    impl Living {
        pub(crate) fn start<C>(
            start: impl FnOnce() -> Result<C, String>,
            leader: impl FnOnce(&C) -> Option<Pid>,
        ) -> Result<(C, Pid, Self), String> {
            let child = start()?;
            let pid = leader(&child).ok_or("the process ended before it had a number")?;
            Ok((child, pid, Self))
        }
    }

    pub(crate) fn become_reaper() {}

    pub(crate) fn sweep_orphans() {}

    pub(crate) fn sweep_strangers() {}

    pub(crate) fn below(_: Pid) -> Vec<Seen> {
        Vec::new()
    }

    pub(crate) fn resident(_: Pid) -> Option<u64> {
        None
    }

    pub(crate) fn sweep(leader: Pid, _: &[Seen], _: &OsStr) {
        // An error means that nothing is left in it.
        let _ = kill_process_group(leader, Signal::KILL);
    }

    pub(crate) fn wait_for_end(_: Pid) {}
}
