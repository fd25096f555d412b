//! What a report comes to.

use crate::{
    builder::Input,
    exit::ExitStatus,
    model::{Counts, Row, RowOutcome, Run, Status, Verdict},
};

/// The verdict over all runs.
pub(crate) fn verdict(runs: &[Run], input: &Input<'_>) -> Verdict {
    let dead = input.dead.as_ref();
    let rows = || runs.iter().flat_map(|run| &run.requirements);
    let mut counts = Counts::default();
    for row in rows() {
        counts.add(row);
    }
    let mut reasons = input.broke_down.clone();
    if let Some(dead) = dead {
        reasons.extend(
            [&dead.what, &dead.hint]
                .into_iter()
                .filter(|text| !text.is_empty())
                .cloned(),
        );
    }
    let failed = rows().any(|row| row.decides() && row.broke()) || !input.broke_down.is_empty();
    let exercised = rows().any(|row| row.decides() && row.exercised > 0);
    reasons.extend(input.incomplete.iter().cloned());
    if reasons.is_empty() && !exercised {
        reasons.push(nothing_exercised(runs).to_owned());
    }
    reasons.extend(input.troubles.iter().cloned());
    let status = if failed {
        Status::Nonconforming
    } else if dead.is_some() || !input.incomplete.is_empty() || !exercised {
        Status::Incomplete
    } else {
        Status::Conforming
    };
    Verdict {
        status,
        exit: ExitStatus::from(status).code(),
        counts,
        reasons,
    }
}

fn nothing_exercised(runs: &[Run]) -> &'static str {
    if runs.is_empty() {
        "No protocol version was run."
    } else {
        "No requirement that decides was exercised, so nothing can be said of the target."
    }
}

impl Counts {
    /// Counts one row.
    pub fn add(&mut self, row: &Row) {
        let count = match row.outcome {
            RowOutcome::Fail | RowOutcome::Flaky if !row.decides() => &mut self.warn,
            RowOutcome::Pass => &mut self.pass,
            RowOutcome::Fail => &mut self.fail,
            RowOutcome::Flaky => &mut self.flaky,
            RowOutcome::NotExercised => &mut self.not_exercised,
            RowOutcome::NotApplicable => &mut self.not_applicable,
            RowOutcome::Attested => &mut self.attested,
            RowOutcome::Known => &mut self.known,
        };
        *count += 1;
    }
}
