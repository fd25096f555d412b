//! Where a campaign is, on standard error: a live line on a terminal, gone before the report is shown; plain lines now and
//! then elsewhere.

use std::{
    collections::BTreeSet,
    io::{self, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use elenchus_drive::{
    Knowledge,
    fuzz::{Finding, Limit, Status, Watcher},
};
use elenchus_reports::{human::fuzz::duration, text::printable};
use indicatif::ProgressBar;

use crate::progress::{BETWEEN_LINES, spinner};

/// Shows where a campaign is.
pub(super) struct Live {
    bar: ProgressBar,
    limit: Limit,
    /// When the last line was written, where there is no terminal.
    told: Mutex<Instant>,
    /// The keys of what was told of: a cause may be found again, with a smaller script.
    found: Mutex<BTreeSet<String>>,
}

impl Live {
    /// Begins.
    pub(super) fn begin(limit: Limit) -> Self {
        Self {
            bar: spinner(),
            limit,
            told: Mutex::new(Instant::now()),
            found: Mutex::default(),
        }
    }

    /// Clears it away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// Writes a line that stays.
    fn tell(&self, line: &str) {
        let line = printable(line);
        if self.bar.is_hidden() {
            // Nothing more can be done where even standard error is gone.
            let _ = writeln!(io::stderr(), "elenchus: {line}");
        } else {
            self.bar.println(line);
        }
    }
}

/// A time in words.
fn spoken(time: Duration) -> String {
    duration(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// Where a campaign is, in a line.
fn line(status: &Status, limit: Limit) -> String {
    let of = |limit: Option<String>| limit.map_or_else(String::new, |limit| format!(" of {limit}"));
    let millis = status.elapsed.as_millis().max(1);
    let rate = u128::from(status.messages) * 1000 / millis;
    format!(
        "{}{}, {}{} scripts, {rate} messages/s, corpus {}, features {}, findings {}, processes {}",
        spoken(status.elapsed),
        of(limit.time.map(spoken)),
        status.runs,
        of(limit.runs.map(|runs| runs.to_string())),
        status.corpus,
        status.features,
        status.findings,
        status.started
    )
}

impl Watcher for Live {
    fn learned(&self, knowledge: &Knowledge) {
        if knowledge.dead.is_none() {
            let versions: Vec<&str> = knowledge.versions.iter().map(|it| it.name()).collect();
            self.bar
                .set_message(format!("it speaks {}", versions.join(" and ")));
        }
    }

    fn status(&self, status: &Status) {
        self.bar.set_message(line(status, self.limit));
        if !self.bar.is_hidden() {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= BETWEEN_LINES {
            *told = Instant::now();
            self.tell(&line(status, self.limit));
        }
    }

    fn found(&self, finding: &Finding) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if !found.insert(finding.key.clone()) {
            return;
        }
        let (cause, version) = (finding.cause.name(), finding.version.name());
        self.tell(&format!("found {cause} in {version}: {}", finding.why));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use elenchus_drive::fuzz::{Limit, Status};

    use super::line;

    #[test]
    fn a_line_says_how_far_a_campaign_is_and_how_fast() {
        let status = Status {
            runs: 1200,
            messages: 90_000,
            corpus: 41,
            features: 805,
            findings: 2,
            started: 7,
            elapsed: Duration::from_secs(90),
            ..Status::default()
        };
        let limit = Limit {
            time: Some(Duration::from_secs(600)),
            ..Limit::default()
        };
        assert_eq!(
            line(&status, limit),
            "1 min 30 s of 10 min 0 s, 1200 scripts, 1000 messages/s, corpus 41, features 805, findings 2, processes 7"
        );
        let limit = Limit {
            runs: Some(5000),
            ..Limit::default()
        };
        assert_eq!(
            line(&Status::default(), limit),
            "0.0 s, 0 of 5000 scripts, 0 messages/s, corpus 0, features 0, findings 0, processes 0"
        );
    }
}
