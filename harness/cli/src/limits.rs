//! How many files this process may have open: every process of a target takes some.

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::failure::Failure;

/// What this program needs for itself.
const OWN: u64 = 32;

/// What a script needs that runs beside others: pipes to its processes, a trace, a page, folders.
const EACH: u64 = 24;

/// What is asked of an operator: enough on any machine.
const PLENTY: u64 = 1024;

fn needed(jobs: usize) -> u64 {
    let jobs = u64::try_from(jobs).unwrap_or(u64::MAX);
    EACH.saturating_mul(jobs).saturating_add(OWN)
}

/// How many of so many scripts may run at a time. The limit is raised where that is allowed and needed, since it is
/// handed on to targets.
pub(crate) fn fitting(jobs: usize) -> Result<usize, Failure> {
    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current.filter(|&current| current < needed(jobs)) else {
        return Ok(jobs);
    };
    let wanted = limit
        .maximum
        .map_or(needed(jobs), |most| most.min(needed(jobs)));
    let raised = rustix::process::Rlimit {
        current: Some(wanted),
        ..limit
    };
    let granted = if wanted > current && setrlimit(Resource::Nofile, raised).is_ok() {
        wanted
    } else {
        current
    };
    let room = granted.saturating_sub(OWN) / EACH;
    let fit = usize::try_from(room).map_or(jobs, |room| room.min(jobs));
    if fit > 0 {
        return Ok(fit);
    }
    Err(
        Failure::target(format!(
            "this shell lets a program open {granted} files at a time, and {} are needed",
            needed(1)
        ))
        .hint(format!("type `ulimit -n {PLENTY}` in the same shell, and run this again"))
        .hint("where the shell refuses that, its own limit is to be raised: LimitNOFILE of a service, --ulimit nofile of a container")
    )
}
