//! Reads a script: its head, its steps, the arms of its race.

use super::error::{Flaw, ScriptError, crop, did_you_mean, one_of};
use super::line::Line;
use super::scope::Scope;
use super::steps::{self, is_step_word, unknown_word};
use super::{
    Each, HEAD_WORDS, MAX_ARMS, MAX_BINDINGS, MAX_LINE_BYTES, MAX_STEPS, Need, Reply, Script, Step,
    StepKind, Target, Whenever, scan,
};

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

struct Parser {
    script: Script,
    scope: Scope,
    /// The comment at the top, as long as it goes on.
    about: Option<Vec<String>>,
    /// `target` and `versions` may stand once.
    has_target: bool,
    has_versions: bool,
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
                each: Vec::new(),
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
            return Err(Flaw::new(
                0,
                format!(
                    "a line has at most {MAX_LINE_BYTES} bytes, and this one {}",
                    text.len()
                ),
            ));
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
                about.push(
                    comment
                        .strip_prefix(' ')
                        .unwrap_or(comment)
                        .trim_end()
                        .to_owned(),
                );
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
            self.scope.leave_head();
        }
        self.step(number, line)
    }

    fn head(&mut self, number: u32, mut line: Line<'_>) -> Result<(), Flaw> {
        let (at, word) = line.word();
        match word {
            "target" => self.target(at, &mut line),
            "versions" => self.versions(at, &mut line),
            "covers" => ids(&mut line, &mut self.script.covers),
            "breaks" => ids(&mut line, &mut self.script.breaks),
            "needs" => self.needs(&mut line),
            "each" => self.each(at, &mut line),
            _ => self.whenever(number, &mut line),
        }
    }

    fn target(&mut self, at: usize, line: &mut Line<'_>) -> Result<(), Flaw> {
        if std::mem::replace(&mut self.has_target, true) {
            return Err(Flaw::new(at, "`target` stands twice"));
        }
        let (at, word) = line.word();
        let words = Target::ALL.map(Target::word);
        let Some(target) = Target::ALL.into_iter().find(|t| t.word() == word) else {
            let hint = did_you_mean(word, words);
            return Err(Flaw::new(
                at,
                format!("{} must stand here{hint}", one_of(&words)),
            ));
        };
        self.script.target = target;
        line.end("`target` names one kind")
    }

    fn versions(&mut self, at: usize, line: &mut Line<'_>) -> Result<(), Flaw> {
        if std::mem::replace(&mut self.has_versions, true) {
            return Err(Flaw::new(at, "`versions` stands twice"));
        }
        while !line.is_at_end() {
            let (at, word) = line.word();
            let version = match word {
                "1" => 1,
                "2" => 2,
                _ => {
                    return Err(Flaw::new(
                        at,
                        "the versions of ACP are `1` and `2`: `versions 1 2`",
                    ));
                }
            };
            if self.script.versions.contains(&version) {
                return Err(Flaw::new(at, format!("version {version} stands twice")));
            }
            self.script.versions.push(version);
        }
        if self.script.versions.is_empty() {
            return Err(Flaw::new(
                line.at,
                "versions must stand here: `versions 1 2`",
            ));
        }
        Ok(())
    }

    fn needs(&mut self, line: &mut Line<'_>) -> Result<(), Flaw> {
        let mut push = |at, need| {
            if self.script.needs.contains(&need) {
                return Err(Flaw::new(at, "this need stands twice"));
            }
            self.script.needs.push(need);
            Ok(())
        };
        if line.is_at_end() {
            return Err(Flaw::new(
                line.at,
                "a method (`needs session/load`) or a trigger (`needs /elicit form`) must stand here",
            ));
        }
        if line.peek().starts_with('/') {
            return push(
                line.at,
                Need::Trigger(line.rest().trim_end_matches([' ', '\t']).to_owned()),
            );
        }
        while !line.is_at_end() {
            let at = line.at;
            if line.peek().starts_with('/') {
                return Err(Flaw::new(
                    at,
                    "a trigger stands on a `needs` line of its own",
                ));
            }
            let method = line.method()?;
            push(at, Need::Method(method.to_owned()))?;
        }
        Ok(())
    }

    fn each(&mut self, at: usize, line: &mut Line<'_>) -> Result<(), Flaw> {
        let (name_at, name) = line.name("the name of a variable")?;
        self.scope.check_new_each(name_at, name)?;
        let (end, values) = scan::array(line.text, line.at)?;
        if values.is_empty() {
            return Err(Flaw::new(line.at, "`each` needs at least one value"));
        }
        line.at = end;
        line.skip_space();
        line.end("`each NAME [VALUE, ...]`")?;
        let product = self
            .script
            .each
            .iter()
            .map(|e| e.values.len())
            .fold(values.len(), usize::saturating_mul);
        if product > MAX_BINDINGS {
            return Err(Flaw::new(
                at,
                format!(
                    "the `each` lines make {product} instances together; at most {MAX_BINDINGS} are allowed"
                ),
            ));
        }
        self.scope.bind_each(name);
        let values = values.into_iter().map(str::to_owned).collect();
        self.script.each.push(Each {
            name: name.to_owned(),
            values,
        });
        Ok(())
    }

    fn whenever(&mut self, number: u32, line: &mut Line<'_>) -> Result<(), Flaw> {
        const REPLIES: [&str; 4] = ["answer", "refuse", "fill", "ignore"];
        let at = line.at;
        let method = line.method()?.to_owned();
        if self.script.whenever.iter().any(|w| w.method == method) {
            return Err(Flaw::new(
                at,
                format!("`{}` has a standing reply already", crop(&method)),
            ));
        }
        let (at, word) = line.word();
        let reply = match word {
            "answer" => Reply::Answer(line.json("the result", &self.scope)?),
            "refuse" => Reply::Refuse(steps::object(line, "the error", &self.scope)?),
            "fill" => Reply::Fill,
            "ignore" => Reply::Ignore,
            _ => {
                let hint = did_you_mean(word, REPLIES);
                return Err(Flaw::new(
                    at,
                    format!("{} must stand here{hint}", one_of(&REPLIES)),
                ));
            }
        };
        line.end(
            "`whenever METHOD answer RESULT`, `... refuse ERROR`, `... fill` or `... ignore`",
        )?;
        self.script.whenever.push(Whenever {
            method,
            reply,
            line: number,
        });
        Ok(())
    }

    /// The head has what every script needs. `at` is where it ended.
    fn check_head(&self, at: usize) -> Result<(), Flaw> {
        if !self.has_target {
            return Err(Flaw::new(
                at,
                "the head must say `target agent` (or another kind) before the first step",
            ));
        }
        match (self.script.target.speaks_acp(), self.has_versions) {
            (true, false) => Err(Flaw::new(
                at,
                "the head must say `versions 1 2` (or one of them) before the first step",
            )),
            (false, true) => Err(Flaw::new(
                at,
                "`versions` are those of ACP: a script for MCP has no such line",
            )),
            _ => Ok(()),
        }
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
        let kind = steps::step(&mut line, &self.scope)?;
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
        let kind = steps::step(&mut line, &self.scope)?;
        if !kind.may_race() {
            return Err(Flaw::new(
                at,
                "this step waits and can't race: an arm is `prompt`, `request`, `notify`, `answer`, `refuse`, `respond`, `fill`, `visit`, `raw` or `close`",
            ));
        }
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

/// Requirement ids.
fn ids(line: &mut Line<'_>, into: &mut Vec<String>) -> Result<(), Flaw> {
    if line.is_at_end() {
        return Err(Flaw::new(
            line.at,
            "the id of a requirement must stand here",
        ));
    }
    while !line.is_at_end() {
        let (at, id) = line.word();
        let well_formed = id.contains('-')
            && id
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-');
        if !well_formed {
            return Err(Flaw::new(
                at,
                "the id of a requirement is capitals, digits and hyphens: `ACP-ELICIT-CAP-004`",
            ));
        }
        if into.iter().any(|i| i == id) {
            return Err(Flaw::new(at, format!("{} stands twice", crop(id))));
        }
        into.push(id.to_owned());
    }
    Ok(())
}
