//! Progress on standard error: a bar on a terminal, gone before the report is shown; a line now and then elsewhere.

use std::{
    collections::BTreeSet,
    io::{self, Write as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use elenchus_drive::{Knowledge, Observer, Outcome};
use elenchus_suites::Suite;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{failure::note, run::slow};

/// Shows how far a campaign is.
pub(crate) struct Progress<'a> {
    /// Rows that the operator left out: what breaks them is not told.
    left_out: &'a BTreeSet<String>,
    bar: ProgressBar,
    /// In so many conversations something failed that decides the verdict.
    failed: AtomicUsize,
    /// In so many others something was broken that does not.
    warned: AtomicUsize,
    /// When the last line was written, where there is no terminal.
    told: Mutex<Instant>,
}

/// How often a line is written where there is no terminal: a log should tell that the run goes on, and be no longer for
/// it.
pub(crate) const BETWEEN_LINES: Duration = Duration::from_secs(15);

impl<'a> Progress<'a> {
    /// Begins a run in which these rows are left out.
    pub(crate) fn begin(left_out: &'a BTreeSet<String>) -> Self {
        Self {
            left_out,
            bar: spinner(),
            failed: AtomicUsize::new(0),
            warned: AtomicUsize::new(0),
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
        let broken = self
            .broken()
            .map_or_else(String::new, |broken| format!(", {broken}"));
        // From the first few nobody can tell.
        let left = if done.saturating_mul(20) < all {
            String::new()
        } else {
            format!(", about {} left", HumanDuration(self.bar.eta()))
        };
        // Nothing more can be done where even standard error is gone.
        let _ = writeln!(
            io::stderr(),
            "elenchus: {done} of {all} conversations{left}{broken}"
        );
    }

    /// In how many conversations something was broken, if in any.
    fn broken(&self) -> Option<String> {
        let of = |number: &AtomicUsize, what: &str| {
            let number = number.load(Ordering::Relaxed);
            (number > 0).then(|| format!("{number} {what}"))
        };
        let parts = [
            of(&self.failed, "with a failure"),
            of(&self.warned, "with a warning"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
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

const RUNNING: &str = "{spinner} [{bar:30}] {pos}/{len}, {eta} left {msg}";

impl Observer for Progress<'_> {
    fn learned(&self, knowledge: &Knowledge) {
        let versions: Vec<&str> = knowledge
            .versions
            .iter()
            .map(|version| version.name())
            .collect();
        if let Some(why) = slow(knowledge) {
            self.bar.suspend(|| note(why));
        }
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
        let tallies = outcome.judgement.tallies.iter();
        let mut broken = tallies
            .filter(|(id, tally)| !tally.breaches.is_empty() && !self.left_out.contains(**id))
            .map(|(id, _)| *id)
            .peekable();
        if broken.peek().is_some() {
            let version = outcome.version.catalogue_name();
            let catalogue = &Suite::embedded().catalogue;
            let decides = |id| catalogue.get(id).is_some_and(|row| row.decides_in(version));
            let number = if broken.any(decides) {
                &self.failed
            } else {
                &self.warned
            };
            number.fetch_add(1, Ordering::Relaxed);
            self.bar.set_message(self.broken().unwrap_or_default());
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
