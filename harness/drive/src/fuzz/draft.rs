//! A draft: an input of a campaign, a script as lines of text. What mutators make of it is only valid if it parses.

use elenchus_protocol::Version;
use elenchus_suites::{
    Script,
    script::{MAX_ARMS, ScriptError, StepKind, Target, parse},
};

use crate::instance::{Gap, Instance, RacePlan, instances};

/// What stands before an arm of a race.
pub(super) const ARM: &str = "  - ";

/// An input: one instance of a script.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Draft {
    pub(super) target: Target,
    pub(super) version: Version,
    /// The lines of the head behind `versions` that decide what happens: `client`, `each` with one value, `whenever`.
    pub(super) head: Vec<String>,
    /// The lines of the steps; arms are lines of their own.
    pub(super) body: Vec<String>,
    /// What lies between the arms of its race, if it has one. They are written in the order of their lines.
    pub(super) gap: Gap,
}

impl Draft {
    /// The draft of an instance: the same steps, and its race in the order of its plan.
    pub(super) fn of(instance: &Instance<'_>) -> Self {
        let Instance {
            script,
            version,
            bindings,
            race,
            ..
        } = instance;
        let mut head = Vec::new();
        for (name, value) in bindings {
            head.push(format!("each {name} [{value}]"));
        }
        head.extend(
            script
                .client
                .iter()
                .map(|client| format!("client {client}")),
        );
        head.extend(script.whenever.iter().map(ToString::to_string));
        let mut body = Vec::new();
        let mut plan = race.as_ref();
        for step in &script.steps {
            match (&step.kind, plan.take_if(|_| is_race(&step.kind))) {
                (StepKind::Race { arms, .. }, Some(plan)) => {
                    body.push("race".to_owned());
                    let arms = plan.order.iter().filter_map(|&arm| arms.get(arm as usize));
                    body.extend(arms.map(|arm| format!("{ARM}{arm}")));
                }
                _ => body.extend(step.to_string().lines().map(str::to_owned)),
            }
        }
        Self {
            target: script.target,
            version: *version,
            head,
            body,
            gap: race.as_ref().map_or(Gap::BackToBack, |race| race.gap),
        }
    }

    /// The draft that the text of a script is: its first instance in its newest version.
    pub(super) fn read(text: &str) -> Option<Self> {
        let script = parse("input", text).ok()?;
        let version = script
            .versions
            .iter()
            .filter_map(|&number| Version::from_number(number))
            .max()?;
        let first = instances(&script, version, 0, false).into_iter().next()?;
        Some(Self::of(&first))
    }

    /// The text by which [`Self::read`] knows it again.
    pub(super) fn input(&self) -> String {
        self.text("An input.", None)
    }

    /// The text of the script, with this remark and the requirement that it is there for.
    pub(super) fn text(&self, about: &str, covers: Option<&str>) -> String {
        let mut text = String::new();
        for line in about.lines() {
            text.push_str("# ");
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("target ");
        text.push_str(self.target.word());
        text.push_str("\nversions ");
        text.push_str(&self.version.number().to_string());
        text.push('\n');
        if let Some(id) = covers {
            text.push_str("covers ");
            text.push_str(id);
            text.push('\n');
        }
        for line in &self.head {
            text.push_str(line);
            text.push('\n');
        }
        text.push('\n');
        for line in &self.body {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// The script of this name, if the draft is one.
    pub(super) fn script(&self, name: &str) -> Result<Script, ScriptError> {
        parse(name, &self.text("A generated script.", None))
    }

    /// The one instance of this draft's script that the draft is.
    pub(super) fn instance<'s>(&self, script: &'s Script, seed: u64) -> Instance<'s> {
        let arms = script.steps.iter().find_map(|step| match &step.kind {
            StepKind::Race { arms, .. } => Some(arms.len()),
            _ => None,
        });
        Instance {
            script,
            version: self.version,
            bindings: script
                .each
                .iter()
                .filter_map(|each| Some((each.name.clone(), each.values.first()?.clone())))
                .collect(),
            race: arms.map(|arms| RacePlan {
                order: (0..).take(arms.min(MAX_ARMS)).collect(),
                gap: self.gap,
            }),
            seed,
        }
    }

    /// The number of the first step's line in [`Self::script`].
    pub(super) fn first_line(&self) -> usize {
        const REMARK_TARGET_VERSIONS_BLANK: usize = 4;
        REMARK_TARGET_VERSIONS_BLANK + self.head.len() + 1
    }

    /// The same without the steps of these lines, as [`Self::script`] counts them.
    pub(super) fn without(&self, lines: &[u32]) -> Self {
        let first = self.first_line();
        let gone = |place: usize| {
            let number = u32::try_from(first + place);
            number.is_ok_and(|number| lines.contains(&number))
        };
        let mut racing = false;
        let mut left = Vec::new();
        for (place, line) in self.body.iter().enumerate() {
            // The arms go with their race.
            racing = if line.starts_with(ARM) {
                racing
            } else {
                gone(place)
            };
            if !racing {
                left.push(line.clone());
            }
        }
        Self {
            body: left,
            ..self.clone()
        }
    }

    /// The number of its steps; each arm is one.
    pub(super) fn steps(&self) -> usize {
        let races = self.body.iter().filter(|line| line.starts_with("race"));
        self.body.len() - races.count()
    }
}

fn is_race(kind: &StepKind) -> bool {
    matches!(kind, StepKind::Race { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_done_goes_with_its_arms() {
        let text = "target agent\nversions 1\n\nopen\nrace\n  - prompt a\n  - prompt b\nsettle\nprompt c\n";
        let draft = Draft::read(text).unwrap();
        let first = u32::try_from(draft.first_line()).unwrap();
        assert_eq!(draft.without(&[]), draft);
        assert_eq!(
            draft.without(&[first + 1, first + 5]).body,
            ["open", "settle"]
        );
        let script = draft.script("s").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(script.steps[0].line, first);
    }

    #[test]
    fn a_draft_is_the_instance_that_it_was_made_from() {
        let text = "# One.\ntarget agent\nversions 1 2\neach n [1, \"x\"]\nwhenever elicitation/create fill\n\nopen\nrace 200us\n  - prompt /hold\n  - notify session/cancel {\"sessionId\":$session,\"n\":$n}\nturn ends\n";
        let script = parse("s", text).unwrap_or_else(|error| panic!("{error}"));
        let all = instances(&script, Version::AcpV2, 1, true);
        assert!(all.len() > 10, "{}", all.len());
        for instance in &all {
            let draft = Draft::of(instance);
            let again = draft.script("s").unwrap_or_else(|error| panic!("{error}"));
            let made = draft.instance(&again, 1);
            assert_eq!(made.bindings, instance.bindings);
            assert_eq!(
                made.race.map(|race| race.gap),
                instance.race.as_ref().map(|race| race.gap)
            );
            let StepKind::Race { arms, .. } = &again.steps[1].kind else {
                panic!("{again}");
            };
            let StepKind::Race { arms: written, .. } = &script.steps[1].kind else {
                panic!("{script}");
            };
            let order = &instance.race.as_ref().unwrap().order;
            for (arm, &place) in arms.iter().zip(order) {
                assert_eq!(arm.to_string(), written[place as usize].to_string());
            }
            assert_eq!(Draft::of(&draft.instance(&again, 1)), draft);
            assert_eq!(draft.steps(), 4);
        }
    }
}
