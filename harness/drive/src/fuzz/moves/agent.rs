//! The moves of a client, for agents.

use elenchus_protocol::Version;

use super::{Focus, IDS, RAWS, Words, Writer, fresh, parts};
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
    /// What the newest prompt leads to, and its line.
    asks: Asks,
    prompted: usize,
    /// The name of the newest prompt that has one.
    named: Option<String>,
}

impl Session {
    fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            held: false,
            busy: false,
            asks: Asks::Nothing,
            prompted: 0,
            named: None,
        }
    }
}

struct Moves<'w, 'r> {
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
    /// All ids of requests are strings, as with some clients.
    texts: bool,
    focus: Focus,
}

#[derive(Debug, Clone, Copy, PartialEq)]
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
    (5, Move::AnswerAgain),
    (9, Move::Cancel),
    (6, Move::TurnEnds),
    (7, Move::NewSession),
    (7, Move::NamedPrompt),
    (6, Move::CancelRequest),
    (4, Move::Await),
    (12, Move::SessionMethod),
    (5, Move::Unknown),
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
    let mut writer = Moves::new(words, standing, random);
    writer.lines.push(open.to_owned());
    writer.focus = Focus::some(writer.random);
    writer.texts = writer.random.percent(20);
    for _ in 0..moves {
        writer.make_any();
    }
    if writer.random.percent(50) {
        writer.epilogue();
    }
    if writer.random.percent(5) {
        writer.lines.push("close".to_owned());
    }
    draft.body = writer.lines;
}

/// So many moves that go on from a place in a draft.
pub(super) fn more(
    words: &Words,
    draft: &Draft,
    place: usize,
    moves: usize,
    random: &mut Random,
) -> Vec<String> {
    let standing = draft.head.iter().any(|line| line.starts_with("whenever"));
    let mut writer = Moves::new(words, standing, random);
    for line in &draft.body[..place] {
        writer.follow(line);
    }
    let texts = writer.lines.iter().filter(|line| line.contains(" id \""));
    writer.texts = texts.count() > 1;
    writer.focus = Focus::some(writer.random);
    writer.more(moves)
}

impl Writer for Moves<'_, '_> {
    type Move = Move;
    const MOVES: &'static [(u32, Move)] = &MOVES;

    fn random(&mut self) -> &mut Random {
        self.random
    }

    fn lines(&mut self) -> &mut Vec<String> {
        &mut self.lines
    }

    fn focus(&self) -> Focus {
        self.focus
    }

    fn after(chosen: Move) -> Option<Move> {
        match chosen {
            Move::Answer | Move::AnswerAgain | Move::Visit => Some(Move::Ask),
            Move::CancelRequest | Move::Await => Some(Move::NamedPrompt),
            _ => None,
        }
    }

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
}

impl<'w, 'r> Moves<'w, 'r> {
    fn new(words: &'w Words, standing: bool, random: &'r mut Random) -> Self {
        Self {
            words,
            random,
            lines: Vec::new(),
            sessions: vec![Session::new("session")],
            questions: Vec::new(),
            answered: Vec::new(),
            requests: Vec::new(),
            standing,
            texts: false,
            focus: Focus(None),
        }
    }

    /// Takes a line that is there already, and keeps book of what it opens and ends.
    fn follow(&mut self, line: &str) {
        match parts(line) {
            ("session", _, Some(name)) => self.sessions.push(Session::new(name)),
            ("prompt", rest, _) => {
                let (session, text) = match rest.split_once(' ') {
                    Some((at, text)) if at.starts_with('@') => (&at[1..], text),
                    _ => ("session", rest),
                };
                self.prompted(session, text);
            }
            ("request", rest, name) => {
                let name = name.map(str::to_owned);
                self.requests.extend(name.clone());
                let prompted = self.named_in(rest);
                if let (Some(place), true) = (prompted, rest.starts_with("session/prompt")) {
                    self.sessions[place].busy = true;
                    self.sessions[place].held |= rest.contains("/hold");
                    self.sessions[place].named = name;
                }
            }
            ("expect", rest, Some(name)) => {
                let permission = rest.starts_with("session/request_permission");
                // The newest prompt that leads to such a question is most likely why it comes.
                let asking = self.sessions.iter().filter(|session| match session.asks {
                    Asks::Nothing => false,
                    Asks::Permission => permission,
                    _ => !permission,
                });
                let newest = asking.max_by_key(|session| session.prompted);
                let question = newest.map(|session| Question {
                    name: name.to_owned(),
                    asks: session.asks,
                    session: session.name.clone(),
                });
                self.questions.extend(question);
            }
            ("answer" | "refuse" | "fill", rest, _) => {
                let name = rest.split(' ').next().unwrap_or_default();
                let mut questions = self.questions.iter();
                if let Some(place) = questions.position(|question| question.name == name) {
                    self.close(place);
                }
            }
            ("notify", rest, _) if rest.starts_with("session/cancel") => {
                if let Some(place) = self.named_in(rest) {
                    self.cancelled(place);
                }
            }
            ("turn", rest, _) => {
                let name = rest.split_once('@').map_or("session", |(_, name)| name);
                let mut sessions = self.sessions.iter_mut();
                if let Some(session) = sessions.find(|session| session.name == name.trim()) {
                    session.busy = false;
                    session.held = false;
                }
            }
            _ => {}
        }
        self.lines.push(line.to_owned());
    }

    /// The session that a payload speaks of.
    fn named_in(&self, payload: &str) -> Option<usize> {
        let (_, name) = payload.split_once("\"sessionId\"")?;
        let name = name.trim_start_matches([':', ' ']).strip_prefix('$')?;
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let name = &name[..end.unwrap_or(name.len())];
        let mut sessions = self.sessions.iter();
        sessions.position(|session| session.name == name)
    }

    /// A session is prompted; it has a turn until that is known to be over.
    fn prompted(&mut self, session: &str, text: &str) {
        let triggers = self.words.triggers.iter();
        let trigger = triggers
            .filter(|trigger| text.starts_with(trigger.as_str()))
            .max_by_key(|trigger| trigger.len());
        let asks = trigger.map_or(Asks::Nothing, |trigger| asks(trigger));
        let (number, standing) = (self.lines.len(), self.standing);
        let mut sessions = self.sessions.iter_mut();
        if let Some(session) = sessions.find(|it| it.name == session) {
            session.busy = true;
            session.held = text.starts_with("/hold") || asks != Asks::Nothing && !standing;
            session.asks = asks;
            session.prompted = number;
            session.named = None;
        }
    }

    /// One of these, out of those that this draft is made of.
    fn pick<'t, T>(&mut self, choice: &str, all: &'t [T]) -> Option<&'t T> {
        self.focus.pick(choice, all, self.random)
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
        let text = match self.pick("words", &known) {
            Some(word) if self.random.percent(80) => prompt(word, self.random),
            _ => "hello".to_owned(),
        };
        self.lines.push(format!("prompt {at}{text}"));
        self.sessions[place].named = None;
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
        let Some(trigger) = self.pick("triggers", &known).cloned() else {
            return self.say();
        };
        let place = self.idle_session();
        let at = self.at(place);
        let text = prompt(&trigger, self.random);
        self.lines.push(format!("prompt {at}{text}"));
        self.sessions[place].named = None;
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
        let before = self.questions.len();
        for _ in 0..count {
            let name = fresh("q", self.random);
            self.lines.push(format!("expect {method} as {name}"));
            self.questions.push(Question {
                name,
                asks: asks(&trigger),
                session: self.sessions[place].name.clone(),
            });
        }
        // With few answers, open questions would be most of what a draft is.
        if self.random.percent(40) {
            self.answer_to(before);
        }
    }

    fn hold(&mut self) {
        if !self.works("/hold") {
            return;
        }
        let place = self.idle_session();
        let at = self.at(place);
        self.lines.push(format!("prompt {at}/hold"));
        self.sessions[place].named = None;
        self.sessions[place].busy = true;
        self.sessions[place].held = true;
    }

    fn answer_line(&mut self, question: &Question) -> String {
        let line = match question.asks {
            Asks::Url => self.pick("url answers", &URL_ANSWERS),
            Asks::Permission => self.pick("permission answers", &PERMISSION_ANSWERS),
            _ => self.pick("form answers", &FORM_ANSWERS),
        };
        let line = line.copied().unwrap_or_default();
        line.replace("NAME", &question.name)
    }

    fn answer(&mut self) {
        if self.questions.is_empty() {
            return;
        }
        let place = self.random.below(self.questions.len());
        self.answer_to(place);
    }

    /// Answers the open question at this place.
    fn answer_to(&mut self, place: usize) {
        let question = self.questions[place].clone();
        let line = self.answer_line(&question);
        self.lines.push(line);
        let asked = self.close(place);
        if let Some(asked) = asked.filter(|_| self.random.percent(50)) {
            self.end(asked);
        }
    }

    /// A question has its answer. The session whose turn waits for no other one comes back.
    fn close(&mut self, place: usize) -> Option<usize> {
        let question = self.questions.remove(place);
        let name = question.session.clone();
        self.answered.push(question);
        if self.questions.iter().any(|other| other.session == name) {
            return None;
        }
        let mut sessions = self.sessions.iter();
        let asked = sessions.position(|session| session.name == name)?;
        self.sessions[asked].held = false;
        Some(asked)
    }

    fn answer_again(&mut self) {
        // Mostly the newest: what it was asked for is most likely still there.
        let newest = self.answered.last().filter(|_| self.random.percent(50));
        let question = newest.or_else(|| self.random.pick(&self.answered));
        let Some(question) = question.cloned() else {
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
        // A turn is cancelled by its session, or by its prompt.
        let named = self.sessions[place].named.as_ref();
        let line = match named.filter(|_| self.random.percent(40)) {
            Some(name) => format!("notify $/cancel_request {{\"requestId\":${name}.id}}"),
            None => self.cancel_line(place),
        };
        self.lines.push(line);
        self.cancelled(place);
    }

    /// What a turn has asked is over with it.
    fn cancelled(&mut self, place: usize) {
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
        self.sessions.push(Session::new(name));
    }

    fn id(&mut self) -> String {
        if self.texts {
            return format!(" id \"{}\"", fresh("id", self.random));
        }
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
        self.sessions[place].named = Some(name.clone());
        self.requests.push(name);
    }

    fn cancel_request(&mut self) {
        // Mostly the newest: it is the one that is most likely open.
        let newest = self.requests.last().filter(|_| self.random.percent(60));
        let id = match newest.or_else(|| self.random.pick(&self.requests)) {
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
        let Some(method) = self.pick("methods", &methods).cloned() else {
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
