//! The script format: one step a line, payloads as exact JSON text. The grammar stands in `suites/README.md`.

mod client;
pub(crate) mod error;
mod head;
mod line;
mod parser;
mod print;
mod raw;
mod scan;
mod scope;
mod steps;
mod template;

pub use client::{AgentExit, Signal, TOLD};
pub use error::ScriptError;
pub use parser::parse;
pub use steps::{ANSWER_FAULTS, MAX_SIZE};
pub use template::{Part, RenderError, Template, reach};

/// How long a line may be.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// How many steps a script may have, arms included.
pub const MAX_STEPS: usize = 2_000;

/// How many instances the `each` lines of a script may make.
pub const MAX_BINDINGS: usize = 4_096;

/// How many arms a race may have: all their orders are run.
pub const MAX_ARMS: usize = 5;

/// The variable that `open` sets, and that steps without `@SESSION` use.
pub const SESSION: &str = "session";

/// The variable that `serve` and `next turn` set: the client's prompt.
pub const TURN: &str = "turn";

/// The connection that a script begins on.
pub const FIRST_CONNECTION: &str = "A";

/// The words that begin a line of a script's head.
const HEAD_WORDS: [&str; 9] = [
    "target", "versions", "covers", "needs", "breaks", "thorough", "each", "client", "whenever",
];

/// A scenario: what the peer sends, in what order, what it waits for, and which events race.
/// It never decides pass or fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// Its path below `suites/` without the ending: `acp/agent/cap/mode-must-be-advertised`.
    pub name: String,
    /// The comment at its top.
    pub about: String,
    /// `target agent`.
    pub target: Target,
    /// `versions 1 2`.
    pub versions: Vec<u16>,
    /// `covers ID...`: the requirements that this script is there for. A test holds it to what the script
    /// really exercises on the reference peer.
    pub covers: Vec<String>,
    /// `needs ...`: without these the script is not run.
    pub needs: Vec<Need>,
    /// `breaks ID...`: what our own side breaks on purpose.
    pub breaks: Vec<String>,
    /// `thorough`: it costs time, and is only run where all scripts are asked for.
    pub thorough: bool,
    /// `each NAME [..]`: one instance a value; several make their product.
    pub each: Vec<Each>,
    /// `client JSON`: what a client is told by its environment, with `each` variables.
    pub client: Option<Template>,
    /// `whenever METHOD ...`: standing replies.
    pub whenever: Vec<Whenever>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// What kind of target a script is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// An ACP agent.
    Agent,
    /// An ACP client.
    Client,
    /// An MCP server.
    Server,
    /// An MCP client.
    McpClient,
}

impl Target {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Agent, Self::Client, Self::Server, Self::McpClient];

    /// The word for it in `target WORD`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
            Self::Server => "server",
            Self::McpClient => "mcp-client",
        }
    }

    /// It speaks ACP, not MCP.
    pub fn speaks_acp(self) -> bool {
        matches!(self, Self::Agent | Self::Client)
    }
}

/// What a script needs of its target.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Need {
    /// `needs session/load`: a method that the target announces in its capabilities.
    Method(String),
    /// `needs /elicit form`: a trigger that was seen to work in the control run.
    Trigger(String),
    /// `needs --allow-logout`: the operator lets the target be logged in and out.
    Consent,
    /// `needs answers`: a client that the control run saw to do as its environment says.
    Heeds(Heed),
}

/// What a client may heed of its environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Heed {
    /// `ELENCHUS_ANSWERS`: how it answers elicitations.
    Answers,
    /// `ELENCHUS_CAPABILITIES`: which elicitation capability it advertises.
    Capabilities,
    /// `ELENCHUS_PERMISSION`: how it answers requests for permission.
    Permission,
    /// `ELENCHUS_CANCEL_AFTER`: when it cancels its turn.
    Cancel,
    /// `ELENCHUS_TURNS`: how many turns it takes.
    Turns,
}

impl Heed {
    /// All, in the order of the grammar.
    pub const ALL: [Self; 5] = [
        Self::Answers,
        Self::Capabilities,
        Self::Permission,
        Self::Cancel,
        Self::Turns,
    ];

    /// The word for it in `needs WORD`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Answers => "answers",
            Self::Capabilities => "capabilities",
            Self::Permission => "permission",
            Self::Cancel => "cancel",
            Self::Turns => "turns",
        }
    }
}

impl Need {
    /// What stands in a script for [`Need::Consent`]: the option by which the operator gives it.
    pub const CONSENT: &'static str = "--allow-logout";
}

/// `each NAME [..]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Each {
    /// The variable.
    pub name: String,
    /// Its values, each as exact JSON text.
    pub values: Vec<String>,
}

/// `whenever METHOD answer RESULT`, `whenever METHOD refuse ERROR`, `whenever METHOD fill`, `whenever METHOD ignore`.
#[derive(Debug, Clone, PartialEq)]
pub struct Whenever {
    /// The method of the target's requests.
    pub method: String,
    /// What our peer replies.
    pub reply: Reply,
    /// The line, from 1.
    pub line: u32,
}

/// A standing reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A result.
    Answer(Template),
    /// An error object.
    Refuse(Template),
    /// A form is accepted with a smallest valid answer, a URL is accepted, a permission is allowed.
    Fill,
    /// No answer, ever.
    Ignore,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its line in the script, from 1.
    pub line: u32,
    /// What it does.
    pub kind: StepKind,
}

/// What a step does. Steps act on the current connection (`on NAME` switches; the first is `A`).
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// `open [ELICITATION|absent]`: connect, initialize, open a session (`$session`), with this value as the
    /// elicitation capability (default: both modes).
    Open(Advertise),
    /// `connect`: start the target; send nothing.
    Connect,
    /// `initialize [ELICITATION|absent] [with PATCH]`: initialize and wait for the answer. PATCH is an object whose
    /// members are merged into the usual params, objects member by member.
    Initialize {
        /// The elicitation capability.
        advertise: Advertise,
        /// What is merged into the params.
        patch: Option<Template>,
    },
    /// `session [with PATCH] [as NAME]`: session/new; waits; sets `$NAME` (default `$session`) to the session id.
    Session {
        /// What is merged into the usual params.
        patch: Option<Template>,
        /// The variable.
        name: String,
    },
    /// `prompt [@SESSION] TEXT`: a session/prompt with one text block; does not wait. A text that begins with a
    /// vocabulary command is a trigger.
    Prompt {
        /// The variable that holds the session id.
        session: String,
        /// The text.
        text: Template,
    },
    /// `request METHOD [PARAMS] [id ID] [as NAME]`: does not wait.
    Request {
        /// The method.
        method: String,
        /// The params, if any.
        params: Option<Template>,
        /// The exact id; the driver's next one if none is given.
        id: Option<Template>,
        /// The name for `await` and for `$NAME.id`, `$NAME.result`, `$NAME.error`.
        name: Option<String>,
    },
    /// `await NAME`: waits for the answer to a request.
    Await(String),
    /// `notify METHOD [PARAMS]`.
    Notify {
        /// The method.
        method: String,
        /// The params, if any.
        params: Option<Template>,
    },
    /// `expect METHOD [as NAME]`: waits for a request or notification from the target that no earlier `expect` took;
    /// `$NAME.id`, `$NAME.params`.
    Expect {
        /// The method.
        method: String,
        /// The name.
        name: Option<String>,
    },
    /// `answer NAME RESULT`: answers a request of the target.
    Answer {
        /// The name given by `expect`.
        name: String,
        /// The result.
        result: Template,
    },
    /// `refuse NAME ERROR`: answers with an error object.
    Refuse {
        /// The name given by `expect`.
        name: String,
        /// The error.
        error: Template,
    },
    /// `respond ID RESULT`: a response with this exact id, whether or not any request has it.
    Respond {
        /// The exact id.
        id: Template,
        /// The result.
        result: Template,
    },
    /// `fill NAME [valid | required | invalid KIND]`: accepts a form with an answer that is made for the schema that
    /// came. KIND is an answer fault: `missing`, `type`, `not-a-choice`, `length`, `bounds`, `count`.
    Fill {
        /// The name given by `expect`.
        name: String,
        /// What kind of answer.
        how: Fill,
    },
    /// `visit NAME [typing]`: a person opens the URL of a URL elicitation, and perhaps types a credential into the page
    /// and sends it off.
    Visit {
        /// The name given by `expect`.
        name: String,
        /// Whether the person types.
        typing: bool,
    },
    /// `raw TEXT`: exact bytes, to the end of the line, with the escapes `\n \r \t \0 \\ \xHH \u{H..}`; nothing is added.
    Raw(Vec<u8>),
    /// `turn ends [@SESSION]`: waits for the end of the turn (v1: the prompt's answer; v2: idle).
    TurnEnds {
        /// The variable that holds the session id.
        session: String,
    },
    /// `settle`: a fence, and a quiet window after it.
    Settle,
    /// `call announced`: calls each method that the target announces, with valid params.
    CallAnnounced,
    /// `race [GAP...]` with `- step` lines below: the arms in every order, in one write, back to back, and with each gap.
    Race {
        /// The gaps besides the usual ones, in microseconds.
        gaps_us: Vec<u64>,
        /// The arms.
        arms: Vec<Step>,
    },
    /// `on NAME`: the steps after this act on that connection.
    On(String),
    /// `close`: closes the target's stdin and sees it out.
    Close,
    /// `terminate`: sends the target SIGTERM, its stdin still open, and sees it out.
    Terminate,
    /// `text SIZE as NAME`: `$NAME` is a text of so many bytes, as a JSON string.
    Text {
        /// The number of bytes.
        size: Template,
        /// The variable.
        name: String,
    },
    /// `pieces SIZE`: on this connection, what is sent from here on leaves in writes of at most so many bytes, a moment
    /// apart.
    Pieces(Template),
    /// `grow WITH [at PLACE]`: on this connection, the objects of what is sent from here on get more members: all of them,
    /// or of each message the one at this place, counted from 0.
    Grow {
        /// What they get.
        with: Growth,
        /// The place.
        place: Option<Template>,
    },
    /// `welcome [with PATCH]`: waits for the client's `initialize` and answers it as an agent of this version, with PATCH
    /// merged into the usual result.
    Welcome {
        /// What is merged into the result.
        patch: Option<Template>,
    },
    /// `serve [with PATCH]`: connects if need be, welcomes the client, opens the session that it asks for (`$session`),
    /// and waits for its prompt: `$turn`.
    Serve {
        /// What is merged into the result of `initialize`.
        patch: Option<Template>,
    },
    /// `update JSON`: a `session/update` of the session.
    Update(Template),
    /// `ask form [SCHEMA] [with PATCH] [as NAME]`, `ask url [URL] ...`, `ask permission ...`: asks the client; does not
    /// wait.
    Ask {
        /// What is asked.
        question: Question,
        /// What is merged into the usual params.
        patch: Option<Template>,
        /// The name for `await` and for `$NAME.id`, `$NAME.result`, `$NAME.error`.
        name: Option<String>,
    },
    /// `end turn [STOPREASON]`: ends the turn of the newest prompt.
    EndTurn(Option<Template>),
    /// `next turn`: waits for the next prompt: `$turn`.
    NextTurn,
    /// `exit CODE|SIGNAL`: the agent ends so, and the client is seen out.
    Exit(AgentExit),
}

/// What an agent asks its client.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// An elicitation with a form; without a schema, one that asks for the string `name`.
    Form(Option<Template>),
    /// An elicitation with a URL; without one, a page of the harness.
    Url(Option<Template>),
    /// A permission, with an option of each kind.
    Permission,
}

impl StepKind {
    /// It only sends, so that it can be the arm of a race.
    pub fn may_race(&self) -> bool {
        matches!(
            self,
            Self::Prompt { .. }
                | Self::Request { .. }
                | Self::Notify { .. }
                | Self::Answer { .. }
                | Self::Refuse { .. }
                | Self::Respond { .. }
                | Self::Fill { .. }
                | Self::Visit { .. }
                | Self::Update(_)
                | Self::Ask { .. }
                | Self::EndTurn(_)
                | Self::Raw(_)
                | Self::Close
        )
    }
}

impl Script {
    /// The script with every line number 0, to compare scripts that are laid out differently.
    #[must_use]
    pub fn without_lines(mut self) -> Self {
        for whenever in &mut self.whenever {
            whenever.line = 0;
        }
        for step in &mut self.steps {
            step.line = 0;
            if let StepKind::Race { arms, .. } = &mut step.kind {
                for arm in arms {
                    arm.line = 0;
                }
            }
        }
        self
    }
}

/// The elicitation capability that a script advertises.
#[derive(Debug, Clone, PartialEq)]
pub enum Advertise {
    /// Both modes.
    Default,
    /// The member is left out.
    Absent,
    /// This value.
    Value(Template),
}

/// What `grow` adds to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// `members`: a member that no schema has.
    Members,
    /// `meta`: a `_meta` with a key that nobody knows.
    Meta,
    /// `no-meta`: a `_meta` that is a number.
    NoMeta,
    /// `nulls`: null for each member that is left out and that the schema lets be null.
    Nulls,
}

impl Growth {
    /// All, in the order of the grammar.
    pub const ALL: [Self; 4] = [Self::Members, Self::Meta, Self::NoMeta, Self::Nulls];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Members => "members",
            Self::Meta => "meta",
            Self::NoMeta => "no-meta",
            Self::Nulls => "nulls",
        }
    }
}

/// How `fill` answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// Valid, every field.
    Valid,
    /// Valid, only the required fields.
    Required,
    /// Wrong in exactly this way.
    Invalid(String),
}
