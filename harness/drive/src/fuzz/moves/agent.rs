//! The moves of a client, for agents.

use elenchus_protocol::Version;

use super::{IDS, RAWS, Words, fresh, named, weighted};
use crate::{
    fuzz::draft::{ARM, Draft},
    seed::Random,
};

/// What the agent will ask after a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    Nothing,
    Form,
    Url,
    Permission,
    TwoForms,
}

/// What a trigger leads to, and whether its turn goes on until it is cancelled or answered.
fn asks(trigger: &str) -> Asks {
    match trigger {
        "/elicit twice" => Asks::TwoForms,
        "/elicit form" | "/elicit tool form" | "/elicit background" | "/hold elicit form"
        | "/effect" | "/elicit choice" => Asks::Form,
        "/elicit url"
        | "/elicit url-complete"
        | "/elicit url-wait"
        | "/hold elicit url"
        | "/elicit secret" => Asks::Url,
        "/ask permission" => Asks::Permission,
        _ => Asks::Nothing,
    }
}

/// The whole prompt of a trigger.
fn prompt(trigger: &str, random: &mut Random) -> String {
    let argument = match trigger {
        "/say" => " hello",
        "/elicit secret" => " api-key",
        "/elicit choice" => " red green* blue",
        "/effect" => " deploy form",
        "/elicit form" if random.percent(20) => {
            " {\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"ok\":{\"type\":\"boolean\"}},\"required\":[\"n\"]}"
        }
        _ => "",
    };
    format!("{trigger}{argument}")
}

#[derive(Debug, Clone)]
struct Question {
    name: String,
    asks: Asks,
    session: String,
}

#[derive(Debug, Clone)]
struct Session {
    name: String,
    /// A turn is open, and goes on until something more is done.
    held: bool,
    /// A turn is open.
    busy: bool,
}

struct Writer<'w, 'r> {
    words: &'w Words,
    random: &'r mut Random,
    lines: Vec<String>,
    sessions: Vec<Session>,
    questions: Vec<Question>,
    /// Questions that have had their answer.
    answered: Vec<Question>,
    /// Requests of ours by name.
    requests: Vec<String>,
    /// Standing replies answer what the agent asks.
    standing: bool,
}

#[derive(Debug, Clone, Copy)]
enum Move {
    Say,
    Ask,
    Hold,
    Answer,
    AnswerAgain,
    Cancel,
    TurnEnds,
    NewSession,
    NamedPrompt,
    CancelRequest,
    Await,
    SessionMethod,
    Unknown,
    Stray,
    Settle,
    Visit,
    Raw,
    Race,
    Login,
    Settings,
}

const MOVES: [(u32, Move); 20] = [
    (6, Move::Settings),
    (10, Move::Say),
    (12, Move::Ask),
    (4, Move::Hold),
    (14, Move::Answer),
    (3, Move::AnswerAgain),
    (9, Move::Cancel),
    (6, Move::TurnEnds),
    (5, Move::NewSession),
    (5, Move::NamedPrompt),
    (5, Move::CancelRequest),
    (4, Move::Await),
    (7, Move::SessionMethod),
    (4, Move::Unknown),
    (3, Move::Stray),
    (3, Move::Settle),
    (3, Move::Visit),
    (2, Move::Raw),
    (5, Move::Race),
    (1, Move::Login),
];

/// How a form is answered.
const FORM_ANSWERS: [&str; 11] = [
    r#"answer NAME {"action":"accept","content":{"name":"${canary}"}}"#,
    r#"answer NAME {"action":"accept","content":{"name":"${canary}"}}"#,
    r#"answer NAME {"action":"decline"}"#,
    r#"answer NAME {"action":"decline"}"#,
    r#"answer NAME {"action":"cancel"}"#,
    r#"answer NAME {"action":"cancel"}"#,
    "fill NAME valid",
    "fill NAME required",
    "fill NAME invalid missing",
    r#"refuse NAME {"code":-32603,"message":"Internal error"}"#,
    r#"answer NAME {"action":"maybe"}"#,
];

const URL_ANSWERS: [&str; 6] = [
    r#"answer NAME {"action":"accept"}"#,
    r#"answer NAME {"action":"accept"}"#,
    r#"answer NAME {"action":"decline"}"#,
    r#"answer NAME {"action":"cancel"}"#,
    r#"refuse NAME {"code":-32603,"message":"Internal error"}"#,
    "answer NAME {}",
];

const PERMISSION_ANSWERS: [&str; 5] = [
    r#"answer NAME {"outcome":{"outcome":"selected","optionId":$NAME.params.options.0.optionId}}"#,
    r#"answer NAME {"outcome":{"outcome":"selected","optionId":$NAME.params.options.1.optionId}}"#,
    r#"answer NAME {"outcome":{"outcome":"cancelled"}}"#,
    r#"answer NAME {"outcome":{"outcome":"selected","optionId":"elenchus-no-option"}}"#,
    r#"refuse NAME {"code":-32603,"message":"Internal error"}"#,
];

const ADVERTISED: [&str; 12] = [
    "open",
    "open",
    "open",
    "open",
    "open",
    "open",
    "open",
    "open",
    "open",
    "open {\"form\":{}}",
    "open {\"url\":{}}",
    "open absent",
];

/// How the connection is opened.
pub(super) fn opening(random: &mut Random) -> &'static str {
    random.pick(&ADVERTISED).copied().unwrap_or("open")
}

/// Writes a whole draft.
pub(super) fn write(words: &Words, draft: &mut Draft, moves: usize, random: &mut Random) {
    let standing = random.percent(15);
    if standing {
        draft
            .head
            .push("whenever elicitation/create fill".to_owned());
        draft
            .head
            .push("whenever session/request_permission fill".to_owned());
    }
    let open = opening(random);
    let mut writer = Writer {
        words,
        random,
        lines: vec![open.to_owned()],
        sessions: vec![Session {
            name: "session".to_owned(),
            held: false,
            busy: false,
        }],
        questions: Vec::new(),
        answered: Vec::new(),
        requests: Vec::new(),
        standing,
    };
    for _ in 0..moves {
        if let Some(chosen) = weighted(&MOVES, writer.random) {
            writer.write(chosen);
        }
    }
    if writer.random.percent(50) {
        writer.epilogue();
    }
    if writer.random.percent(5) {
        writer.lines.push("close".to_owned());
    }
    draft.body = writer.lines;
}

/// One move, as far as can be told from the names in a draft what there is.
pub(super) fn one(words: &Words, draft: &Draft, random: &mut Random) -> Vec<String> {
    let questions = named(draft, &["expect"]).into_iter().map(|name| {
        let url = draft
            .body
            .iter()
            .any(|line| line.contains("/elicit url") || line.contains("elicit url"));
        let permission = draft.body.iter().any(|line| {
            line.starts_with("expect session/request_permission") && line.ends_with(&name)
        });
        Question {
            asks: match (permission, url) {
                (true, _) => Asks::Permission,
                (false, true) if random.percent(50) => Asks::Url,
                _ => Asks::Form,
            },
            session: "session".to_owned(),
            name,
        }
    });
    let questions: Vec<Question> = questions.collect();
    let mut sessions = named(draft, &["session"]);
    sessions.push("session".to_owned());
    let mut writer = Writer {
        words,
        lines: Vec::new(),
        sessions: sessions
            .into_iter()
            .map(|name| Session {
                name,
                held: false,
                busy: true,
            })
            .collect(),
        answered: questions.clone(),
        questions,
        requests: named(draft, &["request"]),
        standing: draft.head.iter().any(|line| line.starts_with("whenever")),
        random,
    };
    for _ in 0..20 {
        if let Some(chosen) = weighted(&MOVES, writer.random) {
            writer.write(chosen);
        }
        if !writer.lines.is_empty() {
            break;
        }
    }
    if writer.lines.is_empty() {
        writer.lines.push("settle".to_owned());
    }
    writer.lines
}

impl Writer<'_, '_> {
    fn write(&mut self, chosen: Move) {
        match chosen {
            Move::Say => self.say(),
            Move::Ask => self.ask(),
            Move::Hold => self.hold(),
            Move::Answer => self.answer(),
            Move::AnswerAgain => self.answer_again(),
            Move::Cancel => self.cancel(),
            Move::TurnEnds => self.turn_ends(),
            Move::NewSession => self.new_session(),
            Move::NamedPrompt => self.named_prompt(),
            Move::CancelRequest => self.cancel_request(),
            Move::Await => self.await_one(),
            Move::SessionMethod => self.session_method(),
            Move::Unknown => self.unknown(),
            Move::Stray => self.stray(),
            Move::Settle => self.lines.push("settle".to_owned()),
            Move::Visit => self.visit(),
            Move::Raw => {
                let raw = self.random.pick(&RAWS).copied().unwrap_or(r"\n");
                self.lines.push(format!("raw {raw}"));
            }
            Move::Race => self.race(),
            Move::Settings => self.settings(),
            Move::Login => self
                .lines
                .push(r#"request authenticate {"methodId":"elenchus-none"}"#.to_owned()),
        }
    }

    fn session(&mut self) -> usize {
        // Mostly the newest: what is done in one session adds up.
        if self.random.percent(60) {
            self.sessions.len() - 1
        } else {
            self.random.below(self.sessions.len())
        }
    }

    fn at(&self, place: usize) -> String {
        match self.sessions[place].name.as_str() {
            "session" => String::new(),
            name => format!("@{name} "),
        }
    }

    fn works(&self, trigger: &str) -> bool {
        self.words.triggers.iter().any(|known| known == trigger)
    }

    /// A session for a prompt: mostly one that is idle, or is made so.
    fn idle_session(&mut self) -> usize {
        let place = self.session();
        if self.sessions[place].busy && self.random.percent(85) {
            if self.sessions[place].held {
                self.cancel_in(place);
            }
            self.end(place);
        }
        place
    }

    fn say(&mut self) {
        let place = self.idle_session();
        let at = self.at(place);
        let plain = ["/say", "/tool", "/fail"];
        let known: Vec<&str> = plain.into_iter().filter(|word| self.works(word)).collect();
        let text = match self.random.pick(&known) {
            Some(word) if self.random.percent(80) => prompt(word, self.random),
            _ => "hello".to_owned(),
        };
        self.lines.push(format!("prompt {at}{text}"));
        self.sessions[place].busy = true;
        if self.random.percent(65) {
            self.end(place);
        }
    }

    fn end(&mut self, place: usize) {
        let session = &mut self.sessions[place];
        if session.held {
            return;
        }
        session.busy = false;
        let at = self.at(place);
        let line = format!("turn ends {at}");
        self.lines.push(line.trim_end().to_owned());
    }

    fn ask(&mut self) {
        let known: Vec<String> = self
            .words
            .triggers
            .iter()
            .filter(|trigger| asks(trigger) != Asks::Nothing)
            .cloned()
            .collect();
        let Some(trigger) = self.random.pick(&known).cloned() else {
            return self.say();
        };
        let place = self.idle_session();
        let at = self.at(place);
        let text = prompt(&trigger, self.random);
        self.lines.push(format!("prompt {at}{text}"));
        self.sessions[place].busy = true;
        if self.standing {
            if self.random.percent(60) {
                self.end(place);
            }
            return;
        }
        self.sessions[place].held = true;
        let (method, count) = match asks(&trigger) {
            Asks::Permission => ("session/request_permission", 1),
            Asks::TwoForms => ("elicitation/create", 2),
            _ => ("elicitation/create", 1),
        };
        if self.random.percent(10) {
            return;
        }
        for _ in 0..count {
            let name = fresh("q", self.random);
            self.lines.push(format!("expect {method} as {name}"));
            self.questions.push(Question {
                name,
                asks: asks(&trigger),
                session: self.sessions[place].name.clone(),
            });
        }
    }

    fn hold(&mut self) {
        if !self.works("/hold") {
            return;
        }
        let place = self.idle_session();
        let at = self.at(place);
        self.lines.push(format!("prompt {at}/hold"));
        self.sessions[place].busy = true;
        self.sessions[place].held = true;
    }

    fn answer_line(&mut self, question: &Question) -> String {
        let answers: &[&str] = match question.asks {
            Asks::Url => &URL_ANSWERS,
            Asks::Permission => &PERMISSION_ANSWERS,
            _ => &FORM_ANSWERS,
        };
        let line = self.random.pick(answers).copied().unwrap_or_default();
        line.replace("NAME", &question.name)
    }

    fn answer(&mut self) {
        if self.questions.is_empty() {
            return;
        }
        let place = self.random.below(self.questions.len());
        let question = self.questions.remove(place);
        let line = self.answer_line(&question);
        self.lines.push(line);
        let more = self
            .questions
            .iter()
            .any(|other| other.session == question.session);
        let asked = self
            .sessions
            .iter()
            .position(|session| session.name == question.session);
        self.answered.push(question);
        if let (Some(asked), false) = (asked, more) {
            self.sessions[asked].held = false;
            if self.random.percent(50) {
                self.end(asked);
            }
        }
    }

    fn answer_again(&mut self) {
        let Some(question) = self.random.pick(&self.answered).cloned() else {
            return;
        };
        let answers = [
            r#"{"action":"accept","content":{"name":"late-${canary}"}}"#,
            r#"{"action":"accept"}"#,
            r#"{"action":"decline"}"#,
            "{}",
        ];
        let answer = self.random.pick(&answers).copied().unwrap_or("{}");
        self.lines
            .push(format!("respond ${}.id {answer}", question.name));
    }

    fn cancel_line(&self, place: usize) -> String {
        let name = &self.sessions[place].name;
        format!("notify session/cancel {{\"sessionId\":${name}}}")
    }

    fn cancel(&mut self) {
        let place = self.session();
        self.cancel_in(place);
        if self.sessions[place].busy && self.random.percent(60) {
            self.end(place);
        }
    }

    fn cancel_in(&mut self, place: usize) {
        self.lines.push(self.cancel_line(place));
        let name = self.sessions[place].name.clone();
        let (open, closed): (Vec<_>, Vec<_>) = std::mem::take(&mut self.questions)
            .into_iter()
            .partition(|question| question.session != name);
        self.questions = open;
        self.answered.extend(closed);
        self.sessions[place].held = false;
    }

    fn turn_ends(&mut self) {
        let busy: Vec<usize> = (0..self.sessions.len())
            .filter(|&place| self.sessions[place].busy && !self.sessions[place].held)
            .collect();
        if let Some(&place) = self.random.pick(&busy) {
            self.end(place);
        }
    }

    fn new_session(&mut self) {
        let name = fresh("s", self.random);
        self.lines.push(format!("session as {name}"));
        self.sessions.push(Session {
            name,
            held: false,
            busy: false,
        });
    }

    fn id(&mut self) -> String {
        let id = self.random.pick(&IDS).copied().unwrap_or("-1");
        let given = format!(" id {id} as ");
        let taken = self.lines.iter().any(|line| line.contains(&given));
        if self.random.percent(40) && !taken {
            format!(" id {id}")
        } else {
            String::new()
        }
    }

    fn named_prompt(&mut self) {
        let place = self.idle_session();
        let name = fresh("r", self.random);
        let hold = self.works("/hold") && self.random.percent(40);
        let text = if hold { "/hold" } else { "/say hi" };
        let session = self.sessions[place].name.clone();
        let id = self.id();
        self.lines.push(format!(
            "request session/prompt {{\"sessionId\":${session},\"prompt\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}{id} as {name}"
        ));
        self.sessions[place].busy = true;
        self.sessions[place].held |= hold;
        self.requests.push(name);
    }

    fn cancel_request(&mut self) {
        let id = match self.random.pick(&self.requests) {
            Some(name) if self.random.percent(80) => format!("${name}.id"),
            _ => self.random.pick(&IDS).copied().unwrap_or("0").to_owned(),
        };
        self.lines
            .push(format!("notify $/cancel_request {{\"requestId\":{id}}}"));
    }

    fn await_one(&mut self) {
        let held = self.sessions.iter().any(|session| session.held);
        if let Some(name) = self.random.pick(&self.requests).filter(|_| !held) {
            self.lines.push(format!("await {name}"));
        }
    }

    fn session_method(&mut self) {
        let place = self.session();
        let session = self.sessions[place].name.clone();
        let v1 = self.words.version == Version::AcpV1;
        let servers = if v1 { ",\"mcpServers\":[]" } else { "" };
        let mut methods = vec![
            format!("session/new {{\"cwd\":$cwd{servers}}}"),
            "session/set_mode {\"sessionId\":$S,\"modeId\":\"elenchus-no-mode\"}".to_owned(),
        ];
        for method in &self.words.methods {
            methods.push(match method.as_str() {
                "session/load" | "session/resume" => {
                    format!("{method} {{\"sessionId\":$S,\"cwd\":$cwd{servers}}}")
                }
                "session/list" => format!("{method} {{}}"),
                "session/close" | "session/delete" => format!("{method} {{\"sessionId\":$S}}"),
                _ => continue,
            });
        }
        let Some(method) = self.random.pick(&methods).cloned() else {
            return;
        };
        let name = fresh("r", self.random);
        let method = method.replace("$S", &format!("${session}"));
        let id = self.id();
        self.lines.push(format!("request {method}{id} as {name}"));
        if self.random.percent(60) {
            self.lines.push(format!("await {name}"));
        }
        self.requests.push(name);
    }

    /// Sets a mode or an option, to a value that was offered for a session.
    fn settings(&mut self) {
        let Words {
            modes,
            options,
            version,
            ..
        } = *self.words;
        if !modes && !options {
            return;
        }
        let made = self
            .requests
            .iter()
            .find(|name| name.starts_with("made"))
            .cloned();
        let made = made.unwrap_or_else(|| {
            let name = fresh("made", self.random);
            let servers = if version == Version::AcpV1 {
                ",\"mcpServers\":[]"
            } else {
                ""
            };
            self.lines.push(format!(
                "request session/new {{\"cwd\":$cwd{servers}}} as {name}"
            ));
            self.lines.push(format!("await {name}"));
            self.requests.push(name.clone());
            name
        });
        let place = self.session();
        let session = self.sessions[place].name.clone();
        let (one, other) = (self.random.below(2), self.random.below(2));
        let method = if modes && (!options || self.random.percent(50)) {
            format!(
                "session/set_mode {{\"sessionId\":${session},\"modeId\":${made}.result.modes.availableModes.{one}.id}}"
            )
        } else {
            let (id, kind) = if version == Version::AcpV1 {
                ("id", "")
            } else {
                ("configId", "\"type\":\"id\",")
            };
            format!(
                "session/set_config_option {{\"sessionId\":${session},\"configId\":${made}.result.configOptions.{one}.{id},{kind}\"value\":${made}.result.configOptions.{one}.options.{other}.value}}"
            )
        };
        let name = fresh("r", self.random);
        self.lines.push(format!("request {method} as {name}"));
        if self.random.percent(60) {
            self.lines.push(format!("await {name}"));
        }
        self.requests.push(name);
    }

    fn unknown(&mut self) {
        let line = match self.random.below(4) {
            0 => "notify _elenchus/notice {}".to_owned(),
            1 => "notify $/elenchus {}".to_owned(),
            kind => {
                let name = fresh("r", self.random);
                let id = self.id();
                let method = if kind == 2 {
                    "_elenchus/probe"
                } else {
                    "elenchus/undefined"
                };
                let line = format!("request {method} {{}}{id} as {name}");
                self.requests.push(name);
                line
            }
        };
        self.lines.push(line);
    }

    fn stray(&mut self) {
        let id = ["0", "1", "2", "\"0\"", "100000", "null"][self.random.below(6)];
        let result = ["{}", "null", r#"{"action":"accept"}"#][self.random.below(3)];
        self.lines.push(format!("respond {id} {result}"));
    }

    fn visit(&mut self) {
        let urls: Vec<&Question> = self
            .questions
            .iter()
            .chain(&self.answered)
            .filter(|question| question.asks == Asks::Url)
            .collect();
        if let Some(question) = self.random.pick(&urls) {
            self.lines.push(format!("visit {}", question.name));
        }
    }

    /// Two or three events at once: the cancel is one of them.
    fn race(&mut self) {
        if self.lines.iter().any(|line| line.starts_with("race")) {
            return;
        }
        let place = self.session();
        let mut arms = vec![self.cancel_line(place)];
        let open = self.questions.iter().position(|question| {
            question.session == self.sessions[place].name && question.asks != Asks::Url
        });
        if let Some(open) = open {
            let question = self.questions.remove(open);
            arms.push(self.answer_line(&question));
            self.answered.push(question);
        } else {
            let at = self.at(place);
            arms.push(format!("prompt {at}hello"));
        }
        if self.random.percent(30) {
            arms.push(self.cancel_line(place));
        }
        self.random.shuffle(&mut arms);
        self.lines.push("race".to_owned());
        self.lines
            .extend(arms.into_iter().map(|arm| format!("{ARM}{arm}")));
        self.sessions[place].held = false;
        self.sessions[place].busy = true;
    }

    /// The agent is alive: a fresh session, and a turn that ends in it.
    fn epilogue(&mut self) {
        self.lines.push("session as alive".to_owned());
        let text = if self.works("/say") {
            "/say alive"
        } else {
            "hello"
        };
        self.lines.push(format!("prompt @alive {text}"));
        self.lines.push("turn ends @alive".to_owned());
    }
}
