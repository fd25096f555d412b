//! The report for a person at a terminal: failures first, grouped by area, then one summary line.

use crate::model::Report;

/// How it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours may be used.
    pub colour: bool,
    /// The width to wrap at, in columns.
    pub width: usize,
}

/// Renders a report.
pub fn render(report: &Report, style: Style) -> String {
    let _ = (report, style);
    todo!()
}
