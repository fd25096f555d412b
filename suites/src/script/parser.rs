//! Reads a script: its head, its steps, the arms of its race.

use std::fmt::Display;

use super::error::{Flaw, ScriptError};
use super::line::Line;
use super::print::ARM;
use super::scope::Scope;
use super::steps::{self, is_step_word, unknown_word};
use super::{HEAD_WORDS, MAX_ARMS, MAX_LINE_BYTES, MAX_STEPS, Script, Step, StepKind, Target};

/// Reads a script. `name` is its path below `suites/` without the ending.
pub fn parse(name: &str, text: &str) -> Result<Script, ScriptError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser::new(name);
    let (mut number, mut last) = (0, "");
    for line in text.split('\n') {
        number += 1;
        last = line.strip_suffix('\r').unwrap_or(line);
        parser
            .line(number, last)
            .map_err(|flaw| error(name, number, last, &flaw))?;
    }
    parser
        .end(last)
        .map_err(|flaw| error(name, number, last, &flaw))
}

fn error(name: &str, line: u32, text: &str, flaw: &Flaw) -> ScriptError {
    // A line over the limit is cut, so that an error is never larger than a line.
    let text = if text.len() > MAX_LINE_BYTES {
        text.get(..80).unwrap_or_default()
    } else {
        text
    };
    let column = text.get(..flaw.at).unwrap_or(text).chars().count() + 1;
    ScriptError {
        file: format!("{name}.script"),
        line,
        column: u32::try_from(column).unwrap_or(u32::MAX),
        message: flaw.message.clone(),
        text: text.to_owned(),
    }
}

fn too_long(bytes: usize) -> Flaw {
    Flaw::new(
        0,
        format!("a line has at most {MAX_LINE_BYTES} bytes, and this one {bytes}"),
    )
}

/// What was read from a line fits into one when it is printed again, after `before`: a script that was read can be saved.
pub(super) fn check_printed(line: &str, item: &impl Display, before: &str) -> Result<(), Flaw> {
    // A printed byte needs four at most, and a few spaces.
    if line.len() <= MAX_LINE_BYTES / 8 {
        return Ok(());
    }
    let bytes = before.len() + item.to_string().len();
    if bytes > MAX_LINE_BYTES {
        Err(too_long(bytes))
    } else {
        Ok(())
    }
}

/// A script as far as it was read.
pub(super) struct Parser {
    pub(super) script: Script,
    pub(super) scope: Scope,
    /// The comment at the top, as long as it goes on.
    about: Option<Vec<String>>,
    /// `target` and `versions` may stand once.
    pub(super) has_target: bool,
    pub(super) has_versions: bool,
    in_head: bool,
    /// The line of a race whose arms may still follow.
    open_race: bool,
    has_race: bool,
    /// Steps and arms.
    count: usize,
}

impl Parser {
    fn new(name: &str) -> Self {
        Self {
            script: Script {
                name: name.to_owned(),
                about: String::new(),
                target: Target::Agent,
                versions: Vec::new(),
                covers: Vec::new(),
                needs: Vec::new(),
                breaks: Vec::new(),
                thorough: false,
                each: Vec::new(),
                client: None,
                whenever: Vec::new(),
                steps: Vec::new(),
            },
            scope: Scope::new(),
            about: Some(Vec::new()),
            has_target: false,
            has_versions: false,
            in_head: true,
            open_race: false,
            has_race: false,
            count: 0,
        }
    }

    fn line(&mut self, number: u32, text: &str) -> Result<(), Flaw> {
        if text.len() > MAX_LINE_BYTES {
            return Err(too_long(text.len()));
        }
        if let Some((at, c)) = text
            .char_indices()
            .find(|(_, c)| c.is_control() && *c != '\t')
        {
            return Err(Flaw::new(
                at,
                format!(
                    "the control character U+{:04X} may not stand in a script: write it as an escape",
                    u32::from(c)
                ),
            ));
        }
        let line = Line::new(text);
        if let Some(comment) = line.rest().strip_prefix('#') {
            if let Some(about) = &mut self.about {
                let told = comment.strip_prefix(' ').unwrap_or(comment).trim_end();
                check_printed(text, &told, "# ")?;
                about.push(told.to_owned());
            }
            return Ok(());
        }
        let blank = line.is_at_end();
        if let Some(about) = &self.about
            && (!blank || !about.is_empty())
        {
            let about = about.join("\n");
            about.trim_matches('\n').clone_into(&mut self.script.about);
            self.about = None;
        }
        if blank {
            return Ok(());
        }
        let word = line.peek();
        if word.starts_with('-') {
            return self.arm(number, line);
        }
        self.end_race()?;
        if HEAD_WORDS.contains(&word) {
            return if self.in_head {
                self.head(number, line)
            } else {
                Err(Flaw::new(
                    line.at,
                    format!("`{word}` belongs in the head, before the first step"),
                ))
            };
        }
        if !is_step_word(word) {
            return Err(unknown_word(line.at, word, self.in_head));
        }
        if self.in_head {
            self.check_head(line.at)?;
            self.in_head = false;
            self.scope.leave_head(self.script.target);
        }
        self.step(number, line)
    }

    fn count_step(&mut self, at: usize) -> Result<(), Flaw> {
        self.count += 1;
        if self.count > MAX_STEPS {
            return Err(Flaw::new(
                at,
                format!("a script has at most {MAX_STEPS} steps"),
            ));
        }
        Ok(())
    }

    fn step(&mut self, number: u32, mut line: Line<'_>) -> Result<(), Flaw> {
        let at = line.at;
        self.count_step(at)?;
        let kind = steps::step(&mut line, &self.scope, self.script.target)?;
        if matches!(kind, StepKind::Race { .. }) {
            if std::mem::replace(&mut self.has_race, true) {
                return Err(Flaw::new(
                    at,
                    "a script has one race: write a second script for the other",
                ));
            }
            self.open_race = true;
        } else {
            self.scope.apply(&kind);
        }
        check_printed(line.text, &kind, "")?;
        self.script.steps.push(Step { line: number, kind });
        Ok(())
    }

    /// One `- STEP` line. Arms run in every order, so none of them knows what another one names.
    fn arm(&mut self, number: u32, mut line: Line<'_>) -> Result<(), Flaw> {
        let at = line.at;
        self.count_step(at)?;
        let Some(StepKind::Race { arms, .. }) = self.script.steps.last_mut().map(|s| &mut s.kind)
        else {
            return Err(Flaw::new(
                at,
                "`- STEP` is the arm of a race and must stand below `race`",
            ));
        };
        if !self.open_race {
            return Err(Flaw::new(
                at,
                "`- STEP` is the arm of a race and must stand below `race`",
            ));
        }
        if arms.len() == MAX_ARMS {
            return Err(Flaw::new(
                at,
                format!("a race has at most {MAX_ARMS} arms: every order of them is run"),
            ));
        }
        if !line.take("-") {
            return Err(Flaw::new(at + 1, "a space must stand after `-`"));
        }
        let at = line.at;
        let kind = steps::step(&mut line, &self.scope, self.script.target)?;
        if !kind.may_race() {
            return Err(Flaw::new(
                at,
                "this step waits and can't race: an arm is `prompt`, `request`, `notify`, `answer`, `refuse`, `respond`, `fill`, `visit`, `update`, `ask`, `end turn`, `raw` or `close`",
            ));
        }
        check_printed(line.text, &kind, ARM)?;
        arms.push(Step { line: number, kind });
        Ok(())
    }

    /// The race above, if there is one, has all its arms.
    fn end_race(&mut self) -> Result<(), Flaw> {
        if !std::mem::take(&mut self.open_race) {
            return Ok(());
        }
        let Some(Step { kind, .. }) = self.script.steps.last() else {
            return Ok(());
        };
        if matches!(kind, StepKind::Race { arms, .. } if arms.len() < 2) {
            return Err(Flaw::new(
                0,
                "the race above needs at least two arms, each on a line of its own: `  - STEP`",
            ));
        }
        self.scope.apply(kind);
        Ok(())
    }

    fn end(mut self, last: &str) -> Result<Script, Flaw> {
        self.end_race()?;
        if self.in_head {
            self.check_head(last.len())?;
            return Err(Flaw::new(
                last.len(),
                "a script has at least one step; most begin with `open`",
            ));
        }
        Ok(self.script)
    }
}
