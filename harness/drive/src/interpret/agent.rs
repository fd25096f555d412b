//! The steps of an agent, in scripts for clients.

use elenchus_suites::{
    StepKind,
    script::{Question, TURN, Template},
};

use super::{Halt, Outcome, Player};
use crate::{answers, json, stage::FencePolicy, stage::vars::Variable, told::Told};

impl Player<'_, '_> {
    /// What the client is told when it is started.
    pub(super) fn told(&self) -> Result<Told, Halt> {
        if !self.stage.serves() {
            return Ok(Told::default());
        }
        let client = self.instance.script.client.as_ref();
        let object = client
            .map(|client| self.stage.book.render(client, None))
            .transpose()?;
        Ok(Told::read(self.instance.version, object.as_deref()))
    }

    pub(super) fn welcome(&mut self, patch: Option<&Template>) -> Outcome {
        let conn = self.live()?;
        let patch = self.rendered(patch, conn)?;
        Ok(self.stage.welcome(conn, patch.as_deref())?)
    }

    pub(super) fn serve(&mut self, patch: Option<&Template>) -> Outcome {
        let conn = match self.conn() {
            Some(conn) if self.stage.conn(conn).live() => conn,
            _ => {
                let connected = self.connect();
                if let Err(Halt::Failed(reason) | Halt::NotStarted(reason)) = &connected {
                    self.stage.no_session(self.conn(), reason);
                }
                connected?
            }
        };
        let patch = self.rendered(patch, conn)?;
        Ok(self.stage.serve(conn, patch.as_deref())?)
    }

    pub(super) fn update(&mut self, update: &Template) -> Outcome {
        let conn = self.live()?;
        let update = self.stage.book.render(update, Some(conn))?;
        let session = self.stage.session_of(conn);
        self.stage.update(conn, &session, &update);
        Ok(())
    }

    pub(super) fn ask(
        &mut self,
        question: &Question,
        patch: Option<&Template>,
        name: Option<&str>,
    ) -> Outcome {
        let conn = self.live()?;
        let session = self.stage.session_of(conn);
        let method = match question {
            Question::Form(_) | Question::Url(_) => "elicitation/create",
            Question::Permission => "session/request_permission",
        };
        let ours = self.stage.conn(conn).ours.iter();
        let before = ours.filter(|ours| ours.method == method).count();
        let mut params = match question {
            Question::Form(schema) => {
                let schema = self.rendered(schema.as_ref(), conn)?;
                answers::form(&session, schema.as_deref())
            }
            Question::Url(url) => {
                let url = if let Some(url) = self.rendered(url.as_ref(), conn)? {
                    url
                } else {
                    let site = self.stage.site().ok_or("there is no page of our own")?;
                    json::quote(&format!("{site}/elicitation/{}", before + 1))
                };
                answers::url(&session, &url, before)
            }
            Question::Permission => answers::permission(self.instance.version, &session, before),
        };
        if let Some(patch) = self.rendered(patch, conn)? {
            params = json::merge(&params, &patch);
        }
        let place = self.stage.request(conn, method, Some(&params), None);
        if let Some(name) = name {
            self.stage.book.vars.set(name, Variable::Ours(conn, place));
        }
        Ok(())
    }

    /// Ends the turn. A client may leave as soon as its last one is over, so what it has to say is heard before that.
    pub(super) fn end_turn(&mut self, reason: Option<&Template>) -> Outcome {
        let Some(&Variable::Theirs(conn, place)) = self.stage.book.vars.get(TURN) else {
            return Err("no turn has begun".into());
        };
        if !self.stage.conn(conn).live() {
            return Err("the target is gone".into());
        }
        self.between_lines(conn)?;
        let steps = &self.instance.script.steps;
        let rest = steps.iter().skip(self.stage.book.plan.position + 1);
        let mut rest = rest.map(|step| &step.kind);
        let last = !rest.any(|kind| matches!(kind, StepKind::EndTurn(_) | StepKind::NextTurn));
        let silent = self
            .stage
            .conn(conn)
            .ours
            .iter()
            .any(|ours| ours.fence && ours.answer.is_none());
        if last && !self.racing && !silent && !self.stage.conn(conn).is_settled() {
            self.stage.settle(conn, FencePolicy::Owed);
            if !self.stage.conn(conn).live() {
                return Err(
                    format!("{} before its turn was over", self.stage.how_gone(conn)).into(),
                );
            }
        }
        let reason = self.rendered(reason, conn)?;
        Ok(self.stage.end_turn(conn, place, reason.as_deref())?)
    }
}
