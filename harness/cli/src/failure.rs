//! What keeps a command from doing its work: told in a sentence, with what to type next; and panics, which are our own.

use std::{
    fmt,
    io::Write as _,
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
};

use elenchus_reports::{ExitStatus, text::printable};

use crate::hidden;

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What is wrong.
    what: String,
    /// What to do about it; a line each.
    hints: Vec<String>,
    /// What the program ends with.
    status: ExitStatus,
}

impl Failure {
    /// Something that the operator asked for cannot be done.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hints: Vec::new(),
            status: ExitStatus::Usage,
        }
    }

    /// The target cannot be started.
    pub(crate) fn target(what: impl Into<String>) -> Self {
        Self {
            status: ExitStatus::Incomplete,
            ..Self::usage(what)
        }
    }

    /// With what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// It is the target that cannot be started.
    pub(crate) fn is_of_target(&self) -> bool {
        self.status == ExitStatus::Incomplete
    }

    /// What is wrong, as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let mut letters = self.what.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string());
        format!("{}{}.", first.unwrap_or_default(), letters.as_str())
    }

    /// What to do about it.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// With names that were perhaps meant.
    pub(crate) fn did_you_mean(self, names: &[&str]) -> Self {
        if names.is_empty() {
            self
        } else {
            self.hint(format!("did you mean {}?", names.join(", ")))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", printable(&self.what))?;
        for hint in &self.hints {
            writeln!(f, "  {}", printable(hint))?;
        }
        Ok(())
    }
}

/// Runs the program: an error is printed and ends with its status, a panic with [`ExitStatus::Fault`].
pub(crate) fn guard(program: impl FnOnce() -> Result<ExitCode, Failure>) -> ExitCode {
    panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let what = text
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let command: Vec<String> = std::env::args_os()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        // Nothing more can be done where even standard error is gone.
        let _ = write!(
            std::io::stderr(),
            "\nelenchus itself failed. This says nothing of the target.\n  {}\n  at {}, elenchus {}\n  command: {}\n\
             Please report it with these lines and, if there is one, the trace of the script that was running.\n",
            printable(what),
            printable(&place),
            env!("CARGO_PKG_VERSION"),
            printable(&hidden::words(&command).join(" ")),
        );
    }));
    caught(program)
}

/// Tells what the operator should know and that changes nothing. Nobody may be there to hear it.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "note: {}", printable(text));
}

fn caught(program: impl FnOnce() -> Result<ExitCode, Failure>) -> ExitCode {
    match panic::catch_unwind(AssertUnwindSafe(program)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            let _ = write!(std::io::stderr(), "{failure}");
            failure.status.code().into()
        }
        Err(_) => ExitStatus::Fault.code().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use super::{Failure, caught};

    #[test]
    fn each_way_to_end_has_its_own_status() {
        // An exit code tells its number only when it is printed.
        let number = |code: ExitCode| format!("{code:?}");
        for (ended, status) in [
            (caught(|| Ok(ExitCode::from(1))), 1),
            (caught(|| Err(Failure::usage("as asked by a test"))), 2),
            (caught(|| Err(Failure::target("as asked by a test"))), 3),
            (caught(|| panic!("as asked by a test")), 4),
        ] {
            assert_eq!(number(ended), number(ExitCode::from(status)));
        }
    }

    #[test]
    fn an_error_stands_with_its_hints_and_is_safe_to_print() {
        let failure = Failure::usage("there is no \u{1b}[1mx")
            .did_you_mean(&[])
            .did_you_mean(&["y"])
            .hint("try z");
        assert_eq!(
            failure.to_string(),
            "error: there is no \\u{1b}[1mx\n  did you mean y?\n  try z\n"
        );
    }
}
