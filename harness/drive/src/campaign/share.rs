//! Which instances one process can serve, one after another: where starts are slow, they are most of the time of a run.
//!
//! What breaks something on a process that has served others is performed again on one of its own, and only that counts:
//! so a process that was disturbed accuses nobody.

use std::collections::BTreeMap;

use elenchus_protocol::Version;
use elenchus_suites::{
    StepKind,
    script::{Advertise, Need, Step},
};

use crate::instance::Instance;

/// So many instances are served by one process. With more, a few processes would see all that the suite does to a
/// target, and few would show how it begins and ends.
const SERVED: usize = 12;

/// How the methods begin that only this suite calls: a target knows none of them.
const OWN_METHODS: &str = "_elenchus/";

/// Groups instances for the processes that serve them: each group in the order of performance, and the groups in that of
/// their first members.
pub(crate) fn chains(instances: &[Instance<'_>], places: &[usize]) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    let mut open: BTreeMap<(Version, String), usize> = BTreeMap::new();
    for &place in places {
        let instance = &instances[place];
        let Some(advertised) = shareable(instance) else {
            chains.push(vec![place]);
            continue;
        };
        let chain = open
            .entry((instance.version, advertised))
            .or_insert(usize::MAX);
        match chains.get_mut(*chain) {
            Some(members) if members.len() < SERVED => members.push(place),
            _ => {
                *chain = chains.len();
                chains.push(vec![place]);
            }
        }
    }
    chains
}

/// What the instance advertises, as text, if all that it does happens on a connection that is opened in the usual way,
/// and leaves the connection as it was: then another such instance can go on with the process.
fn shareable(instance: &Instance<'_>) -> Option<String> {
    let consent = instance.script.needs.contains(&Need::Consent);
    let (advertised, steps) = opening(instance)?;
    let mut rest = instance.script.steps.iter().skip(steps);
    (!consent && rest.all(leaves_as_it_was)).then_some(advertised)
}

/// What the instance advertises, as text, if its connection is opened in the usual way, with a session or without one,
/// and how many steps that takes.
pub(crate) fn opening(instance: &Instance<'_>) -> Option<(String, usize)> {
    let steps: Vec<&StepKind> = instance
        .script
        .steps
        .iter()
        .map(|step| &step.kind)
        .take(2)
        .collect();
    let (advertise, taken) = match steps.as_slice() {
        [StepKind::Open(advertise), ..] => (advertise, 1),
        [
            StepKind::Connect,
            StepKind::Initialize {
                advertise,
                patch: None,
            },
            ..,
        ] => (advertise, 2),
        _ => return None,
    };
    let advertised = match advertise {
        Advertise::Default => "default".to_owned(),
        Advertise::Absent => "absent".to_owned(),
        Advertise::Value(value) => {
            let value = value.render(|path| instance.bound(path));
            format!("={}", value.ok()?)
        }
    };
    Some((advertised, taken))
}

/// The step leaves the connection as it was: it happens in a session, or asks for what no target has.
fn leaves_as_it_was(step: &Step) -> bool {
    match &step.kind {
        StepKind::Session { .. }
        | StepKind::Prompt { .. }
        | StepKind::Await(_)
        | StepKind::Notify { .. }
        | StepKind::Expect { .. }
        | StepKind::Answer { .. }
        | StepKind::Refuse { .. }
        | StepKind::Respond { .. }
        | StepKind::Fill { .. }
        | StepKind::Visit { typing: false, .. }
        | StepKind::TurnEnds { .. }
        | StepKind::Settle
        | StepKind::Text { .. } => true,
        // A list would hold the sessions of other scripts.
        StepKind::Request { method, .. } => {
            let own = method.starts_with(OWN_METHODS);
            own || method.starts_with("session/") && method != "session/list"
        }
        StepKind::Race { arms, .. } => arms.iter().all(leaves_as_it_was),
        // A line that nobody can read, a login, another pace or another end: the process is not the same after it.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use elenchus_suites::{Script, script::parse};

    use super::*;
    use crate::instance::instances;

    fn script(body: &str) -> Script {
        let head = "# One.\ntarget agent\nversions 1 2\n\n";
        parse("test", &format!("{head}{body}\n")).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_leaves_the_connection_as_it_was_can_share_a_process() {
        for (body, shared) in [
            ("open\nprompt /say hi\nturn ends", Some("default")),
            ("open absent\nsettle", Some("absent")),
            ("open {\"form\":{}}\nsettle", Some("={\"form\":{}}")),
            (
                "open\nprompt /hold\nrace\n  - notify session/cancel {}\n  - prompt hi\nturn ends",
                Some("default"),
            ),
            ("connect\ninitialize\nsession", Some("default")),
            (
                "connect\ninitialize absent\nrequest _elenchus/probe {} as a\nawait a",
                Some("absent"),
            ),
            ("connect\ninitialize with {}\nsession", None),
            ("connect\ninitialize\ninitialize", None),
            ("connect\nsession", None),
            ("open {\"form\":$cwd}\nsettle", None),
            ("open\nclose", None),
            ("open\nraw {\\n", None),
            ("open\nrequest authenticate {} as a\nawait a", None),
            ("open\nrequest session/list {} as all\nawait all", None),
            ("open\npieces 1\nsettle", None),
            (
                "open\nprompt /hold\nrace\n  - notify session/cancel {}\n  - close",
                None,
            ),
        ] {
            let script = script(body);
            let instance = &instances(&script, Version::AcpV1, 1, false)[0];
            assert_eq!(shareable(instance).as_deref(), shared, "{body}");
        }
    }

    #[test]
    fn a_chain_has_one_version_and_one_way_to_begin() {
        let (plain, own) = (script("open\nsettle"), script("connect"));
        let absent = script("open absent\nsettle");
        let mut all = Vec::new();
        for script in [&plain, &own, &plain, &absent, &plain] {
            for version in [Version::AcpV1, Version::AcpV2] {
                all.extend(instances(script, version, 1, false));
            }
        }
        let places: Vec<usize> = (0..all.len()).collect();
        let expected: [&[usize]; 6] = [&[0, 4, 8], &[1, 5, 9], &[2], &[3], &[6], &[7]];
        assert_eq!(chains(&all, &places), expected);
    }

    #[test]
    fn what_is_advertised_may_be_one_of_several_values() {
        let head = "# One.\ntarget agent\nversions 1 2\neach can [null, {\"form\":{}}]\n\n";
        let script = parse("test", &format!("{head}open $can\nsettle\n"))
            .unwrap_or_else(|error| panic!("{error}"));
        let all = instances(&script, Version::AcpV1, 1, false);
        let ways: Vec<_> = all.iter().map(shareable).collect();
        let expected = ["=null", "={\"form\":{}}"].map(|way| Some(way.to_owned()));
        assert_eq!(ways, expected);
    }

    #[test]
    fn a_process_serves_only_so_many() {
        let plain = script("open\nsettle");
        let one = instances(&plain, Version::AcpV1, 1, false);
        let many: Vec<_> = one.iter().cycle().take(SERVED + 1).cloned().collect();
        let places: Vec<usize> = (0..many.len()).collect();
        let lengths: Vec<usize> = chains(&many, &places).iter().map(Vec::len).collect();
        assert_eq!(lengths, [SERVED, 1]);
    }
}
