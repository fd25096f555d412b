//! What the harness knows of one connection: its own requests, the target's messages, the turns.

use std::time::Duration;

use elenchus_protocol::{
    Version,
    acp::{elicitation::Support, shapes::Growth},
};
use elenchus_wire::{Class, Framer, Id, IdKey, Message, Parsed, event::Asked};

use crate::{json, page::Seen, plant::Pieces, told::Told, wires::Exit};

/// The longest method name that is looked at; nothing that anyone defines is longer.
const LONGEST_METHOD: usize = 200;
/// How many answer times are kept to learn the target's pace.
const PACE_KEPT: usize = 32;

/// A request of ours.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) id: String,
    pub(crate) key: IdKey,
    pub(crate) method: String,
    /// It is a fence.
    pub(crate) fence: bool,
    /// A deadline for its answer has been recorded.
    pub(crate) late: bool,
    sent: Duration,
    /// The event that answered it first.
    pub(crate) answer: Option<usize>,
    /// The answer is an error, or no result.
    pub(crate) failed: bool,
    /// We have cancelled it.
    pub(crate) taken_back: bool,
}

/// A request or notification of the target.
#[derive(Debug)]
pub(crate) struct Theirs {
    pub(crate) method: String,
    /// The exact id of a request.
    pub(crate) id: Option<String>,
    /// The event that holds it.
    pub(crate) event: usize,
    /// An `expect` has taken it.
    pub(crate) taken: bool,
    /// The name that the `expect` gave it.
    pub(crate) name: Option<String>,
    /// A request that we have answered, or never will.
    pub(crate) settled: bool,
    /// The target has cancelled it.
    pub(crate) cancelled: bool,
    /// A client's prompt, whose turn is over.
    pub(crate) turn_over: bool,
}

impl Theirs {
    /// The target waits for us.
    pub(crate) fn open(&self) -> bool {
        self.id.is_some() && !self.settled
    }

    /// An `expect` of this method would take it.
    pub(crate) fn waits_for_expect(&self, method: &str) -> bool {
        !self.taken && self.method == method
    }
}

/// A turn that a prompt of ours started.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The content of the session id.
    pub(crate) session: String,
    /// The prompt.
    pub(crate) prompt: usize,
    /// What it triggers, if anything.
    pub(crate) trigger: Option<&'static str>,
    /// We have cancelled it.
    pub(crate) cancelled: bool,
    /// v2: the session went to `running` after the prompt.
    running: bool,
    /// v2: and idle after that.
    idle: bool,
    pub(crate) ended: bool,
    /// A deadline for its end has been recorded.
    pub(crate) late: bool,
}

/// What a frame of the target means to us.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// Nothing that we react to.
    Nothing,
    /// A request, by its place among theirs.
    Request(usize),
    /// The target cancels the request with this id.
    Cancel(IdKey),
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Conn {
    /// Its number in the trace.
    pub(crate) number: u32,
    pub(crate) version: Version,
    /// What our `initialize` has advertised.
    pub(crate) support: Support,
    pub(crate) reading: Framer,
    pub(crate) writing: Framer,
    pub(crate) ours: Vec<Ours>,
    pub(crate) theirs: Vec<Theirs>,
    pub(crate) turns: Vec<Turn>,
    /// `$session` on this connection, as JSON text.
    pub(crate) session: Option<String>,
    /// Somebody has signed in or out, or nobody needs to.
    pub(crate) signed_in: bool,
    /// What a client was told when it was started.
    pub(crate) told: Told,
    /// A client has connected to us; an agent is connected as soon as it is started.
    pub(crate) joined: bool,
    /// Our side is closed, or about to be.
    pub(crate) closed: bool,
    pub(crate) eof: bool,
    pub(crate) exit: Option<Exit>,
    pub(crate) asked: Asked,
    /// How many frames have crossed in each direction.
    pub(crate) received: u64,
    pub(crate) sent: u64,
    /// Frames in both directions when it had last settled.
    settled_at: Option<(u64, u64)>,
    /// How the last visit to a page ended.
    pub(crate) visited: Option<Result<Seen, String>>,
    /// The id of the elicitation whose page was opened last.
    pub(crate) visiting: Option<String>,
    /// A credential was typed into a page, or is about to be.
    pub(crate) types: bool,
    /// What the target has told in pieces since then.
    pub(crate) pieces: Pieces,
    /// The longest write, if what we send is cut into pieces.
    pub(crate) longest_write: Option<usize>,
    /// What is added to the objects of what we send, and to which of each message.
    pub(crate) growth: Option<(Growth, Option<usize>)>,
    pace: Vec<Duration>,
    /// The same of fences alone: what the target does for them is next to nothing.
    fences: Vec<Duration>,
    next_id: u64,
}

impl Conn {
    pub(crate) fn new(number: u32, version: Version, max_line: usize) -> Self {
        Self {
            number,
            version,
            support: Support::default(),
            reading: Framer::new(max_line),
            writing: Framer::new(max_line),
            ours: Vec::new(),
            theirs: Vec::new(),
            turns: Vec::new(),
            session: None,
            signed_in: false,
            told: Told::default(),
            joined: true,
            closed: false,
            eof: false,
            exit: None,
            asked: Asked::Nothing,
            received: 0,
            sent: 0,
            settled_at: None,
            visited: None,
            visiting: None,
            types: false,
            pieces: Pieces::default(),
            longest_write: None,
            growth: None,
            pace: Vec::new(),
            fences: Vec::new(),
            next_id: 0,
        }
    }

    /// Nothing more can come from the target.
    pub(crate) fn gone(&self) -> bool {
        self.eof || self.exit.is_some()
    }

    /// A client has asked for more here than what its agent is.
    pub(crate) fn works(&self) -> bool {
        let mut theirs = self.theirs.iter();
        theirs.any(|theirs| theirs.method.starts_with("session/"))
    }

    /// We can talk to the target.
    pub(crate) fn live(&self) -> bool {
        self.joined && !self.closed && !self.gone()
    }

    /// We have begun a line and not ended it.
    pub(crate) fn mid_line(&self) -> bool {
        self.writing.pending() > 0
    }

    pub(crate) fn next_id(&mut self) -> String {
        let id = self.next_id;
        self.next_id += 1;
        id.to_string()
    }

    /// How many ids of requests were given.
    pub(crate) fn ids_given(&self) -> u64 {
        self.next_id
    }

    /// The answer times of fences.
    pub(crate) fn fences(&self) -> &[Duration] {
        &self.fences
    }

    /// Goes on where another script has left the process.
    pub(crate) fn go_on(&mut self, next_id: u64, fences: Vec<Duration>) {
        self.next_id = next_id;
        self.pace.clone_from(&fences);
        self.fences = fences;
    }

    /// Notes a request of ours; the place among ours comes back.
    pub(crate) fn sent_request(
        &mut self,
        id: &str,
        method: &str,
        params: Option<&str>,
        at: Duration,
        fence: bool,
    ) -> usize {
        self.ours.push(Ours {
            id: id.to_owned(),
            key: Id(id.into()).key(),
            method: method.to_owned(),
            fence,
            late: false,
            sent: at,
            answer: None,
            failed: false,
            taken_back: false,
        });
        let place = self.ours.len() - 1;
        if method == "session/prompt" {
            let params = params.unwrap_or_default();
            self.turns.push(Turn {
                session: json::string_at(params, &["sessionId"]).unwrap_or_default(),
                prompt: place,
                trigger: None,
                cancelled: false,
                running: false,
                idle: false,
                ended: false,
                late: false,
            });
        }
        place
    }

    /// Notes that we have cancelled the work in a session.
    pub(crate) fn sent_cancel(&mut self, session: &str) {
        for turn in self
            .turns
            .iter_mut()
            .filter(|turn| !turn.ended && turn.session == session)
        {
            turn.cancelled = true;
        }
    }

    /// Notes that we have cancelled a request of ours.
    pub(crate) fn sent_cancel_request(&mut self, key: &IdKey) {
        for ours in self.ours.iter_mut().filter(|ours| ours.key == *key) {
            ours.taken_back = true;
        }
    }

    /// Notes an answer of ours.
    pub(crate) fn sent_answer(&mut self, key: &IdKey) {
        let mut same = self.theirs.iter_mut().filter(|theirs| {
            theirs.open()
                && theirs
                    .id
                    .as_deref()
                    .is_some_and(|id| Id(id.into()).key() == *key)
        });
        if let Some(theirs) = same.next() {
            theirs.settled = true;
        }
    }

    /// Takes in a line of the target, which becomes that event.
    pub(crate) fn note(&mut self, line: &str, event: usize, at: Duration) -> Noted {
        let Parsed::Message(message) = Message::parse(line) else {
            return Noted::Nothing;
        };
        match message.class {
            Class::Response => {
                self.note_answer(&message, event, at);
                Noted::Nothing
            }
            Class::Request | Class::Notification => self.note_call(&message, event),
            Class::Other => Noted::Nothing,
        }
    }

    fn note_answer(&mut self, message: &Message<'_>, event: usize, at: Duration) {
        let Some(key) = message.id().map(|id| id.key()) else {
            return;
        };
        let Some(place) = self
            .ours
            .iter()
            .rposition(|ours| ours.answer.is_none() && ours.key == key)
        else {
            return;
        };
        let ours = &mut self.ours[place];
        ours.answer = Some(event);
        ours.failed = message.result.is_none() || message.error.is_some();
        // A cold start and a turn say nothing of the pace; the rest is answered as fast as the target can.
        if ours.method != "initialize"
            && ours.method != "session/prompt"
            && self.pace.len() < PACE_KEPT
        {
            self.pace.push(at.saturating_sub(ours.sent));
        }
        if ours.fence && self.fences.len() < PACE_KEPT {
            self.fences.push(at.saturating_sub(ours.sent));
        }
        let failed = ours.failed;
        let version = self.version;
        if let Some(turn) = self.turns.iter_mut().find(|turn| turn.prompt == place) {
            // v1: the answer ends the turn. v2: the prompt is taken in, and the turn ends by an idle state.
            turn.ended |= failed || turn.idle || version == Version::AcpV1;
        }
    }

    fn note_call(&mut self, message: &Message<'_>, event: usize) -> Noted {
        let Some(method) = message
            .method
            .as_deref()
            .filter(|method| method.len() <= LONGEST_METHOD)
        else {
            return Noted::Nothing;
        };
        self.theirs.push(Theirs {
            method: method.to_owned(),
            id: message.id.map(str::to_owned),
            event,
            taken: false,
            name: None,
            settled: false,
            cancelled: false,
            turn_over: false,
        });
        if message.id.is_some() {
            return Noted::Request(self.theirs.len() - 1);
        }
        match (method, message.params) {
            ("session/update", Some(params)) if self.version != Version::AcpV1 => {
                self.note_state(params);
                Noted::Nothing
            }
            ("$/cancel_request", Some(params)) => json::at(params, &["requestId"])
                .map_or(Noted::Nothing, |id| Noted::Cancel(Id(id.into()).key())),
            _ => Noted::Nothing,
        }
    }

    fn note_state(&mut self, params: &str) {
        // Most updates are none of the state.
        if !json::may_say(params, "state_update") {
            return;
        }
        let text = |path: &[&str]| json::string_at(params, path);
        if text(&["update", "sessionUpdate"]).as_deref() != Some("state_update") {
            return;
        }
        let (Some(session), Some(state)) = (text(&["sessionId"]), text(&["update", "state"]))
        else {
            return;
        };
        for turn in self
            .turns
            .iter_mut()
            .filter(|turn| !turn.ended && turn.session == session)
        {
            let answered = self.ours[turn.prompt].answer.is_some();
            match state.as_str() {
                "running" => turn.running = true,
                // A snapshot from before the prompt was taken in ends nothing.
                "idle" if answered || turn.running => {
                    turn.idle = true;
                    turn.ended = answered;
                }
                _ => {}
            }
        }
    }

    /// The newest turn of a session.
    pub(crate) fn turn(&self, session: &str) -> Option<usize> {
        self.turns.iter().rposition(|turn| turn.session == session)
    }

    /// The target has a request open to us.
    pub(crate) fn waits_for_us(&self) -> bool {
        self.theirs.iter().any(Theirs::open)
    }

    /// It has not answered a request of ours, or not ended a turn.
    pub(crate) fn busy(&self) -> bool {
        self.ours.iter().any(|ours| ours.answer.is_none())
            || self.turns.iter().any(|turn| !turn.ended)
    }

    /// The usual time of an answer.
    pub(crate) fn pace(&self) -> Duration {
        median(&self.pace)
    }

    /// The time in which the target takes notice: that of fences, where there were any.
    pub(crate) fn latency(&self) -> Duration {
        median(if self.fences.is_empty() {
            &self.pace
        } else {
            &self.fences
        })
    }

    /// It has just settled.
    pub(crate) fn set_settled(&mut self) {
        self.settled_at = Some((self.received, self.sent));
    }

    /// It has settled, and nothing has crossed the wire since.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled_at == Some((self.received, self.sent))
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conn(version: Version) -> Conn {
        let mut conn = Conn::new(0, version, 1 << 20);
        conn.sent_request(
            "7",
            "session/prompt",
            Some(r#"{"sessionId":"s"}"#),
            Duration::ZERO,
            false,
        );
        conn
    }

    fn state(state: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"state_update","state":"{state}"}}}}}}"#
        )
    }

    #[test]
    fn a_turn_ends_by_the_words_of_its_version() {
        const ANSWER: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        const ERROR: &str = r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}"#;
        let (idle, running, waiting) = (state("idle"), state("running"), state("requires_action"));
        let (idle, running, waiting) = (idle.as_str(), running.as_str(), waiting.as_str());
        for (version, lines, ended) in [
            (Version::AcpV1, vec![ANSWER], true),
            (Version::AcpV1, vec![running, idle], false),
            (Version::AcpV2, vec![ANSWER], false),
            (Version::AcpV2, vec![ANSWER, running], false),
            (Version::AcpV2, vec![ANSWER, running, waiting], false),
            (Version::AcpV2, vec![ANSWER, running, idle], true),
            (Version::AcpV2, vec![ANSWER, idle], true),
            (Version::AcpV2, vec![idle, ANSWER], false),
            (Version::AcpV2, vec![running, idle], false),
            (Version::AcpV2, vec![running, idle, ANSWER], true),
            (Version::AcpV2, vec![ERROR], true),
        ] {
            let mut conn = conn(version);
            for line in &lines {
                conn.note(line, 0, Duration::ZERO);
            }
            assert_eq!(conn.turns[0].ended, ended, "{version} {lines:?}");
        }
    }

    #[test]
    fn a_state_is_known_however_its_letters_are_written() {
        let mut conn = conn(Version::AcpV2);
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned(),
            state("idle").replace("state_update", "\\u0073tate_update"),
        ] {
            conn.note(&line, 0, Duration::ZERO);
        }
        assert!(conn.turns[0].ended);
    }

    #[test]
    fn an_answer_belongs_to_the_request_with_that_very_id() {
        let mut conn = conn(Version::AcpV1);
        for line in [
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            "nonsense",
        ] {
            assert_eq!(conn.note(line, 0, Duration::ZERO), Noted::Nothing);
            assert_eq!(conn.ours[0].answer, None, "{line}");
        }
        conn.note(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, 9, Duration::ZERO);
        assert_eq!(conn.ours[0].answer, Some(9));
    }

    #[test]
    fn a_cancellation_names_the_request() {
        let mut conn = conn(Version::AcpV1);
        let noted = conn.note(
            r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1.0}}"#,
            0,
            Duration::ZERO,
        );
        assert_eq!(noted, Noted::Cancel(Id("1".into()).key()));
    }

    #[test]
    fn the_latency_is_that_of_fences_where_there_are_any() {
        let ms = Duration::from_millis;
        let mut conn = Conn::new(0, Version::AcpV1, 1 << 20);
        assert_eq!(conn.latency(), Duration::ZERO);
        for (id, fence, took) in [
            ("1", false, 300),
            ("2", true, 4),
            ("3", true, 2),
            ("4", true, 9),
        ] {
            conn.sent_request(id, "x", None, Duration::ZERO, fence);
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
            conn.note(&answer, 0, ms(took));
            if !fence {
                assert_eq!(conn.latency(), ms(300));
            }
        }
        assert_eq!(conn.latency(), ms(4));
    }
}
