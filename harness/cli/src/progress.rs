//! Progress on standard error: on a terminal only, and gone before the report is shown.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use elenchus_drive::{Knowledge, Observer, Outcome};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far a campaign is.
pub(crate) struct Progress {
    bar: ProgressBar,
    broken: AtomicUsize,
}

impl Progress {
    /// Begins. Where standard error is no terminal, nothing is ever shown.
    pub(crate) fn begin() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style("{spinner} {msg}"));
        bar.set_message("learning what the target can do");
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self {
            bar,
            broken: AtomicUsize::new(0),
        }
    }

    /// Clears it away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
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
