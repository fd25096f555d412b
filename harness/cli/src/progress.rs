//! Progress on standard error: a bar on a terminal, gone before the report is shown; a line now and then elsewhere.

use std::{
    io::{self, Write as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use elenchus_drive::{Knowledge, Observer, Outcome};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far a campaign is.
pub(crate) struct Progress {
    bar: ProgressBar,
    broken: AtomicUsize,
    /// When the last line was written, where there is no terminal.
    told: Mutex<Instant>,
}

/// How often a line is written where there is no terminal: a log should tell that the run goes on, and be no longer for
/// it.
pub(crate) const BETWEEN_LINES: Duration = Duration::from_secs(15);

impl Progress {
    /// Begins.
    pub(crate) fn begin() -> Self {
        Self {
            bar: spinner(),
            broken: AtomicUsize::new(0),
            told: Mutex::new(Instant::now()),
        }
    }

    /// Writes a line, if there is no terminal and the last one is long ago.
    fn tell_now_and_then(&self) {
        if !self.bar.is_hidden() {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() < BETWEEN_LINES {
            return;
        }
        *told = Instant::now();
        let done = self.bar.position();
        let all = self.bar.length().unwrap_or(done);
        let broken = self.broken.load(Ordering::Relaxed);
        // Nothing more can be done where even standard error is gone.
        let _ = writeln!(
            io::stderr(),
            "elenchus: {done} of {all} performed, {broken} broke something"
        );
    }

    /// Clears it away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line that lives, while nothing more is known of the target.
pub(crate) fn spinner() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style("{spinner} {msg}"));
    bar.set_message("learning what the target can do");
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

fn style(template: &str) -> ProgressStyle {
    // The templates stand in this file; a test reads them.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

const RUNNING: &str = "{spinner} [{bar:30}] {pos}/{len} {msg}";

impl Observer for Progress {
    fn learned(&self, knowledge: &Knowledge) {
        let versions: Vec<&str> = knowledge
            .versions
            .iter()
            .map(|version| version.name())
            .collect();
        self.bar
            .set_message(format!("it speaks {}", versions.join(" and ")));
    }

    fn planned(&self, instances: usize) {
        self.bar.set_style(style(RUNNING));
        self.bar.set_length(instances as u64);
        self.bar.set_position(0);
        self.bar.set_message("");
    }

    fn performed(&self, outcome: &Outcome) {
        if outcome
            .judgement
            .tallies
            .values()
            .any(|tally| !tally.breaches.is_empty())
        {
            let broken = self.broken.fetch_add(1, Ordering::Relaxed) + 1;
            self.bar.set_message(format!("{broken} broke something"));
        }
        self.bar.inc(1);
        self.tell_now_and_then();
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressStyle;

    #[test]
    fn the_templates_are_well_formed() {
        for template in ["{spinner} {msg}", super::RUNNING] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
