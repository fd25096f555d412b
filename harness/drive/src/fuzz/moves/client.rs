//! The moves of an agent, for clients.

use elenchus_protocol::Version;

use super::{Focus, IDS, RAWS, Words, Writer, fresh, parts};
use crate::{
    fuzz::draft::{ARM, Draft},
    seed::Random,
};

struct Moves<'w, 'r> {
    words: &'w Words,
    random: &'r mut Random,
    lines: Vec<String>,
    /// Requests of ours by name.
    requests: Vec<String>,
    /// How many turns the client still takes.
    turns: usize,
    in_turn: bool,
    focus: Focus,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Move {
    Update,
    Form,
    Url,
    Permission,
    OddQuestion,
    Await,
    CancelRequest,
    Complete,
    Unknown,
    Files,
    Stray,
    Settle,
    Raw,
    Race,
    EndTurn,
}

const MOVES: [(u32, Move); 15] = [
    (10, Move::Update),
    (10, Move::Form),
    (6, Move::Url),
    (6, Move::Permission),
    (6, Move::OddQuestion),
    (8, Move::Await),
    (6, Move::CancelRequest),
    (6, Move::Complete),
    (4, Move::Unknown),
    (3, Move::Files),
    (3, Move::Stray),
    (5, Move::Settle),
    (2, Move::Raw),
    (4, Move::Race),
    (5, Move::EndTurn),
];

const FORMS: [&str; 5] = [
    "",
    "",
    r#" {"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9}},"required":["n"]}"#,
    r#" {"type":"object","properties":{"c":{"type":"string","enum":["a","b"]},"ok":{"type":"boolean","default":true}}}"#,
    r#" {"type":"object","properties":{"e":{"type":"string","format":"email"}},"required":["e"]}"#,
];

/// Questions that a client has to refuse, or to take with care. `S` is the session.
const ODD: [&str; 10] = [
    r#"{"sessionId":S,"mode":"voice","message":"m"}"#,
    r#"{"sessionId":S,"message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
    r#"{"sessionId":S,"mode":"form","message":"m"}"#,
    r#"{"sessionId":S,"mode":"form","message":7,"requestedSchema":{"type":"object","properties":{}}}"#,
    r#"{"sessionId":S,"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"o":{"type":"object","properties":{}}}}}"#,
    r#"{"sessionId":S,"mode":"url","message":"m","elicitationId":"e","url":"javascript:alert(1)"}"#,
    r#"{"sessionId":S,"mode":"url","message":"m","url":"https://example.com/"}"#,
    r#"{"sessionId":"elenchus-nobody","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}"#,
    r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}"#,
    "{}",
];

/// Writes a whole draft.
pub(super) fn write(words: &Words, draft: &mut Draft, moves: usize, random: &mut Random) {
    let turns = 1 + random.below(3);
    draft.head.extend(told(words, turns, random));
    let heeds_turns = words.heeds.contains(&"turns");
    let focus = Focus::some(random);
    let mut writer = Moves {
        words,
        random,
        lines: vec!["serve".to_owned()],
        requests: Vec::new(),
        turns: if heeds_turns { turns - 1 } else { 0 },
        in_turn: true,
        focus,
    };
    for _ in 0..moves {
        writer.make_any();
    }
    if writer.in_turn {
        writer.lines.push("settle".to_owned());
        writer.lines.push("end turn".to_owned());
    }
    draft.body = writer.lines;
}

/// The line that tells the client what to do, as far as it heeds anything.
fn told(words: &Words, turns: usize, random: &mut Random) -> Option<String> {
    let heeds = |word: &str| words.heeds.contains(&word);
    let mut members = Vec::new();
    if heeds("answers") {
        const ANSWERS: [&str; 5] = [
            r#"{"action":"accept"}"#,
            r#"{"action":"accept"}"#,
            r#"{"action":"decline"}"#,
            r#"{"action":"cancel"}"#,
            r#""idle""#,
        ];
        let count = random.below(6);
        let answers: Vec<&str> = (0..count)
            .filter_map(|_| random.pick(&ANSWERS).copied())
            .collect();
        members.push(format!("\"answers\":[{}]", answers.join(",")));
    }
    if heeds("permission") && random.percent(50) {
        let answer = ["allow", "reject", "cancel", "idle"][random.below(4)];
        members.push(format!("\"permission\":\"{answer}\""));
    }
    if heeds("cancel") && random.percent(25) {
        let after = ["elicitation", "permission", "update"][random.below(3)];
        members.push(format!("\"cancel\":\"{after}\""));
    }
    if heeds("turns") && turns > 1 {
        members.push(format!("\"turns\":{turns}"));
    }
    (!members.is_empty()).then(|| format!("client {{{}}}", members.join(",")))
}

/// So many moves that go on from a place in a draft.
pub(super) fn more(
    words: &Words,
    draft: &Draft,
    place: usize,
    moves: usize,
    random: &mut Random,
) -> Vec<String> {
    let told = draft.head.iter().find_map(|line| {
        let (_, turns) = line.split_once("\"turns\":")?;
        let end = turns.find(|c: char| !c.is_ascii_digit())?;
        turns[..end].parse::<usize>().ok()
    });
    let focus = Focus::some(random);
    let mut writer = Moves {
        words,
        lines: draft.body[..place].to_vec(),
        requests: Vec::new(),
        turns: told.unwrap_or(1).saturating_sub(1),
        in_turn: true,
        focus,
        random,
    };
    for line in &draft.body[..place] {
        match parts(line) {
            ("request" | "ask", _, Some(name)) => writer.requests.push(name.to_owned()),
            ("end", ..) => writer.in_turn = false,
            ("next", ..) => {
                writer.in_turn = true;
                writer.turns = writer.turns.saturating_sub(1);
            }
            _ => {}
        }
    }
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
            Move::Await | Move::CancelRequest => Some(Move::Form),
            _ => None,
        }
    }

    fn write(&mut self, chosen: Move) {
        match chosen {
            Move::Update => {
                let update = self.update();
                self.lines.push(update);
            }
            Move::Form => {
                let form = self.pick("forms", &FORMS).copied().unwrap_or_default();
                self.ask(&format!("ask form{form}"));
            }
            Move::Url => {
                self.ask("ask url");
            }
            Move::Permission => {
                self.ask("ask permission");
            }
            Move::OddQuestion => {
                let odd = self.pick("odd", &ODD).copied().unwrap_or("{}");
                let odd = odd.replace("\"sessionId\":S", "\"sessionId\":$session");
                self.request(&format!("elicitation/create {odd}"));
            }
            Move::Await => {
                if let Some(name) = self.random.pick(&self.requests) {
                    self.lines.push(format!("await {name}"));
                }
            }
            Move::CancelRequest => {
                let id = self.id_of_a_request();
                self.lines
                    .push(format!("notify $/cancel_request {{\"requestId\":{id}}}"));
            }
            Move::Complete => {
                let id = ["\"elenchus-nobody\"", "\"\"", "7", "\"e\""][self.random.below(4)];
                self.lines.push(format!(
                    "notify elicitation/complete {{\"elicitationId\":{id}}}"
                ));
            }
            Move::Unknown => {
                let method = ["_elenchus/probe", "elenchus/undefined"][self.random.below(2)];
                self.request(&format!("{method} {{}}"));
            }
            Move::Files => {
                let path = ["/nowhere/elenchus", "relative", ""][self.random.below(3)];
                self.request(&format!(
                    "fs/read_text_file {{\"sessionId\":$session,\"path\":\"{path}\"}}"
                ));
            }
            Move::Stray => {
                let id = self.random.pick(&IDS).copied().unwrap_or("0");
                self.lines.push(format!("respond {id} {{}}"));
            }
            Move::Settle => self.lines.push("settle".to_owned()),
            Move::Raw => {
                let raw = self.random.pick(&RAWS).copied().unwrap_or(r"\n");
                self.lines.push(format!("raw {raw}"));
            }
            Move::Race => self.race(),
            Move::EndTurn => self.end_turn(),
        }
    }
}

impl Moves<'_, '_> {
    /// One of these, out of those that this draft is made of.
    fn pick<'t, T>(&mut self, choice: &str, all: &'t [T]) -> Option<&'t T> {
        self.focus.pick(choice, all, self.random)
    }

    fn update(&mut self) -> String {
        let v1 = self.words.version == Version::AcpV1;
        let calls: &[&str] = if v1 {
            &[
                r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${canary}"}}"#,
                r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","kind":"read","status":"pending"}"#,
                r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}"#,
                r#"{"sessionUpdate":"plan","entries":[{"content":"Look","priority":"high","status":"pending"}]}"#,
                r#"{"sessionUpdate":"_elenchus_update","x":[1]}"#,
            ]
        } else {
            &[
                r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"${canary}"}}"#,
                r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Read","kind":"read","status":"in_progress"}"#,
                r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}"#,
                r#"{"sessionUpdate":"state_update","state":"requires_action"}"#,
                r#"{"sessionUpdate":"state_update","state":"running"}"#,
                r#"{"sessionUpdate":"_elenchus_update","x":[1]}"#,
            ]
        };
        let update = self.pick("updates", calls).copied().unwrap_or("{}");
        format!("update {update}")
    }

    fn ask(&mut self, question: &str) {
        if !self.in_turn {
            return;
        }
        let name = fresh("r", self.random);
        self.lines.push(format!("{question} as {name}"));
        if self.random.percent(50) {
            self.lines.push(format!("await {name}"));
        }
        self.requests.push(name);
    }

    fn request(&mut self, request: &str) {
        let name = fresh("r", self.random);
        let id = self.random.pick(&IDS).copied().unwrap_or("-1");
        let given = format!(" id {id} as ");
        let taken = self.lines.iter().any(|line| line.contains(&given));
        let id = if self.random.percent(40) && !taken {
            format!(" id {id}")
        } else {
            String::new()
        };
        self.lines.push(format!("request {request}{id} as {name}"));
        if self.random.percent(50) {
            self.lines.push(format!("await {name}"));
        }
        self.requests.push(name);
    }

    fn id_of_a_request(&mut self) -> String {
        match self.random.pick(&self.requests) {
            Some(name) if self.random.percent(80) => format!("${name}.id"),
            _ => self.random.pick(&IDS).copied().unwrap_or("0").to_owned(),
        }
    }

    fn race(&mut self) {
        if !self.in_turn || self.lines.iter().any(|line| line.starts_with("race")) {
            return;
        }
        let id = self.id_of_a_request();
        let mut arms = vec![
            format!("notify $/cancel_request {{\"requestId\":{id}}}"),
            self.update(),
        ];
        if self.random.percent(50) {
            arms.push("ask form".to_owned());
        }
        self.random.shuffle(&mut arms);
        self.lines.push("race".to_owned());
        self.lines
            .extend(arms.into_iter().map(|arm| format!("{ARM}{arm}")));
    }

    fn end_turn(&mut self) {
        if !self.in_turn {
            return;
        }
        let reason = ["", " end_turn", " cancelled", " refusal"][self.random.below(4)];
        self.lines.push(format!("end turn{reason}"));
        self.in_turn = false;
        if self.turns > 0 {
            self.turns -= 1;
            self.lines.push("next turn".to_owned());
            self.in_turn = true;
        }
    }
}
