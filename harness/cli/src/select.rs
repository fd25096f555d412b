//! `--only` and `--skip`: which scripts are run, and which requirements are judged.

use std::collections::BTreeSet;

use elenchus_reports::builder::Kind;
use elenchus_suites::{Requirement, Script, Suite, script::Target};
use globset::{GlobBuilder, GlobMatcher};

use crate::{
    failure::Failure,
    near::near,
    suite::{party_name, short_area, why_no_rule},
};

/// What a run is about.
#[derive(Debug)]
pub(crate) struct Selection<'s> {
    /// The scripts to run.
    pub(crate) scripts: Vec<&'s Script>,
    /// The requirements that are not to be judged.
    pub(crate) left_out: BTreeSet<String>,
}

/// Selects.
///
/// A pattern that matches requirements or areas restricts what is judged, and runs what covers that. A pattern that
/// matches scripts restricts what is run; all that those show is judged, unless other patterns name requirements.
pub(crate) fn select<'s>(
    suite: &'s Suite,
    kind: Kind,
    only: &[String],
    skip: &[String],
) -> Result<Selection<'s>, Failure> {
    let all = Everything {
        scripts: suite
            .scripts
            .iter()
            .filter(|script| is_for(script, kind))
            .collect(),
        requirements: suite
            .catalogue
            .requirements
            .values()
            .filter(|requirement| {
                kind.is_bound_by(requirement.party) && requirement.retired.is_none()
            })
            .collect(),
        suite,
    };
    let mut scripts = all.scripts.clone();
    let mut left_out = BTreeSet::new();
    if !only.is_empty() {
        let named = all.matched(only, "--only")?;
        let ids = named.ids();
        let covers = |script: &&&Script| script.covers.iter().any(|id| ids.contains(id.as_str()));
        let by_name =
            |script: &&&Script| named.scripts.iter().any(|other| other.name == script.name);
        if !ids.is_empty() {
            let also: BTreeSet<&str> = named
                .scripts
                .iter()
                .flat_map(|script| &script.covers)
                .map(String::as_str)
                .collect();
            left_out.extend(
                all.requirements
                    .iter()
                    .map(|requirement| requirement.id.as_str())
                    .filter(|id| !ids.contains(id) && !also.contains(id))
                    .map(str::to_owned),
            );
        }
        scripts = all
            .scripts
            .iter()
            .filter(|script| by_name(script) || covers(script))
            .copied()
            .collect();
        if scripts.is_empty() {
            return Err(nothing_covers(&named.requirements));
        }
    }
    if !skip.is_empty() {
        let named = all.matched(skip, "--skip")?;
        left_out.extend(
            named
                .requirements
                .iter()
                .map(|requirement| requirement.id.clone()),
        );
        scripts.retain(|script| {
            let by_name = named.scripts.iter().any(|other| other.name == script.name);
            let pointless =
                !script.covers.is_empty() && script.covers.iter().all(|id| left_out.contains(id));
            !by_name && !pointless
        });
        if scripts.is_empty() {
            return Err(Failure::usage("--skip leaves no script to run")
                .hint("`elenchus list scripts` shows all"));
        }
    }
    Ok(Selection { scripts, left_out })
}

fn is_for(script: &Script, kind: Kind) -> bool {
    match kind {
        Kind::Agent => script.target == Target::Agent,
        Kind::Client => script.target == Target::Client,
    }
}

/// What can be selected.
struct Everything<'s> {
    scripts: Vec<&'s Script>,
    requirements: Vec<&'s Requirement>,
    suite: &'s Suite,
}

/// What patterns match.
#[derive(Default)]
struct Named<'s> {
    scripts: Vec<&'s Script>,
    requirements: Vec<&'s Requirement>,
}

impl Named<'_> {
    /// The matched requirements, and those whose rules serve them.
    fn ids(&self) -> BTreeSet<&str> {
        self.requirements
            .iter()
            .flat_map(|requirement| {
                [
                    Some(requirement.id.as_str()),
                    requirement.same_as.as_deref(),
                ]
            })
            .flatten()
            .collect()
    }
}

impl<'s> Everything<'s> {
    /// All that these patterns match. Each must match something.
    fn matched(&self, patterns: &[String], option: &str) -> Result<Named<'s>, Failure> {
        let mut named = Named::default();
        for pattern in patterns.iter().map(|pattern| pattern.trim()) {
            let glob = glob(pattern, option)?;
            let requirements = self
                .requirements
                .iter()
                .filter(|requirement| names(&glob, requirement));
            let scripts = self
                .scripts
                .iter()
                .filter(|script| is_named(&glob, &script.name));
            let before = named.requirements.len() + named.scripts.len();
            named.requirements.extend(requirements);
            named.scripts.extend(scripts);
            if named.requirements.len() + named.scripts.len() == before {
                return Err(self.unmatched(pattern, &glob, option));
            }
        }
        Ok(named)
    }

    /// What to say of a pattern that matches nothing.
    fn unmatched(&self, pattern: &str, glob: &GlobMatcher, option: &str) -> Failure {
        let failure = Failure::usage(format!("{option} {pattern}: nothing matches"));
        let elsewhere = self
            .suite
            .catalogue
            .requirements
            .values()
            .find(|requirement| names(glob, requirement));
        let failure = match elsewhere {
            Some(Requirement {
                id,
                retired: Some(reason),
                ..
            }) => failure.hint(format!("{id} is never judged: {reason}")),
            Some(Requirement { id, party, .. }) => failure.hint(format!(
                "{id} binds {}s, and the target is not one",
                party_name(*party)
            )),
            None => {
                let areas: BTreeSet<&str> = self
                    .requirements
                    .iter()
                    .map(|requirement| short_area(requirement))
                    .collect();
                let candidates = self
                    .requirements
                    .iter()
                    .map(|requirement| requirement.id.as_str())
                    .chain(self.scripts.iter().map(|script| script.name.as_str()))
                    .chain(areas);
                failure.did_you_mean(&near(pattern, candidates))
            }
        };
        failure.hint("`elenchus list requirements` and `elenchus list scripts` show what there is")
    }
}

fn glob(pattern: &str, option: &str) -> Result<GlobMatcher, Failure> {
    let glob = GlobBuilder::new(pattern).case_insensitive(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        Failure::usage(format!("{option} {pattern}: {}", error.kind()))
            .hint("a pattern is a name with `*` for anything, `?` for one character and `[..]` for one of these")
    })
}

/// The pattern names the requirement, by its id or by its area, with or without the protocol before it.
fn names(glob: &GlobMatcher, requirement: &Requirement) -> bool {
    let protocol = requirement.area().len() - short_area(requirement).len();
    [
        &requirement.id,
        &requirement.id[protocol..],
        requirement.area(),
        short_area(requirement),
    ]
    .into_iter()
    .any(|name| glob.is_match(name))
}

/// The pattern names the script, by its whole name or by the last part.
fn is_named(glob: &GlobMatcher, name: &str) -> bool {
    glob.is_match(name)
        || name
            .rsplit('/')
            .next()
            .is_some_and(|last| glob.is_match(last))
}

fn nothing_covers(requirements: &[&Requirement]) -> Failure {
    let mut failure = Failure::usage("--only: no script exercises what it names");
    for requirement in requirements.iter().take(3) {
        let reason = why_no_rule(requirement).unwrap_or_else(|| "no script covers it".to_owned());
        failure = failure.hint(format!("{}: {reason}", requirement.id));
    }
    failure.hint("`elenchus explain ID` tells how a requirement is exercised")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use elenchus_reports::builder::Kind;
    use elenchus_suites::{Catalogue, Script, Suite, script::parse};
    use serde_json::json;

    use super::select;

    fn suite() -> Suite {
        let rows = [
            ("ACP-CAP-001", "agent"),
            ("ACP-CAP-002", "agent"),
            ("ACP-INIT-001", "both"),
            ("ACP-INIT-002", "client"),
        ];
        let requirements: BTreeMap<_, _> = rows
            .into_iter()
            .map(|(id, party)| {
                let row = json!({
                    "id": id, "versions": ["v1"], "party": party, "level": "must", "text": "t", "source": "s",
                    "observable": "wire", "how": "h"
                });
                (id.to_owned(), serde_json::from_value(row).expect("a row"))
            })
            .collect();
        let script = |name: &str, covers: &[&str]| Script {
            client: None,
            covers: covers.iter().map(|&id| id.to_owned()).collect(),
            ..parse(name, "# About.\ntarget agent\nversions 1\n\nopen\n").expect("a script")
        };
        Suite {
            catalogue: Catalogue { requirements },
            scripts: vec![
                script("acp/both", &["ACP-CAP-001", "ACP-INIT-001"]),
                script("acp/cap/one", &["ACP-CAP-001"]),
                script("acp/init", &["ACP-INIT-001"]),
            ],
        }
    }

    fn chosen(only: &[&str], skip: &[&str]) -> Result<(Vec<String>, Vec<String>), String> {
        let owned = |list: &[&str]| {
            list.iter()
                .map(|&pattern| pattern.to_owned())
                .collect::<Vec<_>>()
        };
        let suite = suite();
        let selection = select(&suite, Kind::Agent, &owned(only), &owned(skip))
            .map_err(|error| error.to_string())?;
        let scripts = selection
            .scripts
            .iter()
            .map(|script| script.name.clone())
            .collect();
        Ok((scripts, selection.left_out.into_iter().collect()))
    }

    #[test]
    fn patterns_choose_scripts_and_requirements() {
        let everything = ["acp/both", "acp/cap/one", "acp/init"];
        for (only, skip, scripts, left_out) in [
            (&[][..], &[][..], &everything[..], &[][..]),
            (
                &["ACP-CAP-001"],
                &[],
                &["acp/both", "acp/cap/one"],
                &["ACP-CAP-002", "ACP-INIT-001"],
            ),
            (
                &["init"],
                &[],
                &["acp/both", "acp/init"],
                &["ACP-CAP-001", "ACP-CAP-002"],
            ),
            (&["ACP-*"], &[], &everything, &[]),
            (
                &["INIT-*"],
                &[],
                &["acp/both", "acp/init"],
                &["ACP-CAP-001", "ACP-CAP-002"],
            ),
            (
                &["init-001"],
                &[],
                &["acp/both", "acp/init"],
                &["ACP-CAP-001", "ACP-CAP-002"],
            ),
            (&["acp/cap/*"], &[], &["acp/cap/one"], &[]),
            (&["one"], &[], &["acp/cap/one"], &[]),
            (&["one", "ACP-INIT-001"], &[], &everything, &["ACP-CAP-002"]),
            (
                &[],
                &["ACP-INIT-001"],
                &["acp/both", "acp/cap/one"],
                &["ACP-INIT-001"],
            ),
            (&[], &["acp/b*"], &["acp/cap/one", "acp/init"], &[]),
            (
                &["ACP-CAP-001"],
                &["one"],
                &["acp/both"],
                &["ACP-CAP-002", "ACP-INIT-001"],
            ),
        ] {
            let (got_scripts, got_left_out) = chosen(only, skip).expect("something matches");
            assert_eq!(got_scripts, scripts, "--only {only:?} --skip {skip:?}");
            assert_eq!(got_left_out, left_out, "--only {only:?} --skip {skip:?}");
        }
    }

    #[test]
    fn what_selects_nothing_is_an_error_that_helps() {
        for (only, skip, texts) in [
            (
                &["ACP-CAP-01"][..],
                &[][..],
                &["nothing matches", "ACP-CAP-001", "elenchus list"][..],
            ),
            (
                &["zebra"],
                &[],
                &[
                    "--only zebra: nothing matches",
                    "elenchus list requirements",
                ],
            ),
            (&[], &["zebra"], &["--skip zebra: nothing matches"]),
            (&["ACP-INIT-002"], &[], &["binds clients"]),
            (
                &["ACP-CAP-002"],
                &[],
                &["no script exercises", "ACP-CAP-002"],
            ),
            (&["[a"], &[], &["--only [a", "a pattern is"]),
            (&["one"], &["one"], &["leaves no script"]),
        ] {
            let error = chosen(only, skip).expect_err("nothing is selected");
            for text in texts {
                assert!(
                    error.contains(text),
                    "--only {only:?} --skip {skip:?}: {error}"
                );
            }
        }
    }
}
