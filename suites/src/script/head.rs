//! Reads the lines of a script's head.

use super::client;
use super::error::{Flaw, crop, did_you_mean, one_of};
use super::line::Line;
use super::parser::{Parser, check_printed};
use super::{Each, Heed, MAX_BINDINGS, Need, Reply, Target, Whenever, scan, steps};

impl Parser {
    /// Reads one line of the head.
    pub(super) fn head(&mut self, number: u32, mut line: Line<'_>) -> Result<(), Flaw> {
        let (at, word) = line.word();
        match word {
            "target" => self.target(at, &mut line),
            "versions" => self.versions(at, &mut line),
            "covers" => ids(&mut line, &mut self.script.covers),
            "breaks" => ids(&mut line, &mut self.script.breaks),
            "needs" => self.needs(&mut line),
            "thorough" => {
                if std::mem::replace(&mut self.script.thorough, true) {
                    return Err(Flaw::new(at, "`thorough` stands twice"));
                }
                line.end("`thorough` stands alone")
            }
            "each" => self.each(at, &mut line),
            "client" => self.client(at, &mut line),
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
        if line.peek() == Need::CONSENT {
            let (at, _) = line.word();
            push(at, Need::Consent)?;
            return line.end("`needs --allow-logout`");
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
            let heed = Heed::ALL.into_iter().find(|heed| heed.word() == method);
            push(
                at,
                heed.map_or_else(|| Need::Method(method.to_owned()), Need::Heeds),
            )?;
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
        let values = values.into_iter().map(str::to_owned).collect();
        let each = Each {
            name: name.to_owned(),
            values,
        };
        check_printed(line.text, &each, "")?;
        self.scope.bind_each(name);
        self.script.each.push(each);
        Ok(())
    }

    fn client(&mut self, at: usize, line: &mut Line<'_>) -> Result<(), Flaw> {
        if self.script.client.is_some() {
            return Err(Flaw::new(at, "`client` stands twice"));
        }
        let told = client::told(line, &self.scope)?;
        line.end("`client JSON`")?;
        check_printed(line.text, &told, "client ")?;
        self.script.client = Some(told);
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
        let whenever = Whenever {
            method,
            reply,
            line: number,
        };
        check_printed(line.text, &whenever, "")?;
        self.script.whenever.push(whenever);
        Ok(())
    }

    /// The head has what every script needs. `at` is where it ended.
    pub(super) fn check_head(&self, at: usize) -> Result<(), Flaw> {
        if !self.has_target {
            return Err(Flaw::new(
                at,
                "the head must say `target agent` (or another kind) before the first step",
            ));
        }
        let script = &self.script;
        if script.target == Target::Client {
            if script.whenever.iter().any(|w| w.reply == Reply::Fill) {
                return Err(Flaw::new(at, "no request of a client can be filled"));
            }
        } else if script.client.is_some()
            || script.needs.iter().any(|n| matches!(n, Need::Heeds(_)))
        {
            return Err(Flaw::new(
                at,
                "what a client is told, and whether it heeds it, concerns scripts with `target client`",
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
