//! Writes a script so that it reads back as the same one.

use std::fmt;

use super::{
    Advertise, Each, Fill, Need, Part, Question, Reply, SESSION, Script, Step, StepKind, Target,
    Template, Whenever, raw,
};

/// What stands before an arm.
pub(super) const ARM: &str = "  - ";

/// Where a list of ids goes on in the next line.
const LIST_WIDTH: usize = 100;

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.about.is_empty() {
            for line in self.about.split('\n') {
                writeln!(f, "{}", format!("# {line}").trim_end())?;
            }
        }
        writeln!(f, "target {}", self.target)?;
        list(f, "versions", &self.versions)?;
        list(f, "covers", &self.covers)?;
        for need in &self.needs {
            writeln!(f, "needs {need}")?;
        }
        list(f, "breaks", &self.breaks)?;
        if self.thorough {
            writeln!(f, "thorough")?;
        }
        for each in &self.each {
            writeln!(f, "{each}")?;
        }
        if let Some(client) = &self.client {
            writeln!(f, "client {client}")?;
        }
        for whenever in &self.whenever {
            writeln!(f, "{whenever}")?;
        }
        writeln!(f)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

/// `word A B C`, on as many lines as are needed.
fn list(f: &mut fmt::Formatter<'_>, word: &str, items: &[impl fmt::Display]) -> fmt::Result {
    let mut line = String::new();
    for item in items {
        let item = item.to_string();
        if !line.is_empty() && line.len() + item.len() > LIST_WIDTH {
            writeln!(f, "{line}")?;
            line.clear();
        }
        if line.is_empty() {
            word.clone_into(&mut line);
        }
        line.push(' ');
        line.push_str(&item);
    }
    if line.is_empty() {
        Ok(())
    } else {
        writeln!(f, "{line}")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Method(text) | Self::Trigger(text) => text,
            Self::Consent => Self::CONSENT,
            Self::Heeds(heed) => heed.word(),
        })
    }
}

impl fmt::Display for Each {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "each {} [{}]", self.name, self.values.join(", "))
    }
}

impl fmt::Display for Whenever {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "whenever {} ", self.method)?;
        match &self.reply {
            Reply::Answer(result) => write!(f, "answer {result}"),
            Reply::Refuse(error) => write!(f, "refuse {error}"),
            Reply::Fill => f.write_str("fill"),
            Reply::Ignore => f.write_str("ignore"),
        }
    }
}

/// The step's line, and those of its arms below.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(advertise) => write!(f, "open{}", Advertised(advertise)),
            Self::Connect => f.write_str("connect"),
            Self::Initialize { advertise, patch } => {
                write!(
                    f,
                    "initialize{}{}",
                    Advertised(advertise),
                    Optional(" with ", patch.as_ref())
                )
            }
            Self::Session { patch, name } => {
                let name = Some(name).filter(|n| *n != SESSION);
                write!(
                    f,
                    "session{}{}",
                    Optional(" with ", patch.as_ref()),
                    Optional(" as ", name)
                )
            }
            Self::Prompt { session, text } => {
                let text = text.prompt_source();
                if session == SESSION && !text.starts_with('@') {
                    write!(f, "prompt {text}")
                } else {
                    write!(f, "prompt @{session} {text}")
                }
            }
            Self::Request {
                method,
                params,
                id,
                name,
            } => write!(
                f,
                "request {method}{}{}{}",
                Optional(" ", params.as_ref()),
                Optional(" id ", id.as_ref()),
                Optional(" as ", name.as_ref())
            ),
            Self::Await(name) => write!(f, "await {name}"),
            Self::Notify { method, params } => {
                write!(f, "notify {method}{}", Optional(" ", params.as_ref()))
            }
            Self::Expect { method, name } => {
                write!(f, "expect {method}{}", Optional(" as ", name.as_ref()))
            }
            Self::Answer { name, result } => write!(f, "answer {name} {result}"),
            Self::Respond { id, result } => write!(f, "respond {id} {result}"),
            Self::Refuse { name, error } => write!(f, "refuse {name} {error}"),
            Self::Fill { name, how } => match how {
                Fill::Valid => write!(f, "fill {name}"),
                Fill::Required => write!(f, "fill {name} required"),
                Fill::Invalid(kind) => write!(f, "fill {name} invalid {kind}"),
            },
            Self::Visit { name, typing } => {
                write!(f, "visit {name}")?;
                if *typing {
                    f.write_str(" typing")?;
                }
                Ok(())
            }
            Self::Raw(bytes) => write!(f, "raw {}", raw::encode(bytes)),
            Self::TurnEnds { session } => {
                let session = Some(session).filter(|s| *s != SESSION);
                write!(f, "turn ends{}", Optional(" @", session))
            }
            Self::Settle => f.write_str("settle"),
            Self::CallAnnounced => f.write_str("call announced"),
            Self::Race { gaps_us, arms } => {
                f.write_str("race")?;
                gaps_us
                    .iter()
                    .try_for_each(|gap| write!(f, " {}", Gap(*gap)))?;
                arms.iter().try_for_each(|arm| write!(f, "\n{ARM}{arm}"))
            }
            Self::On(name) => write!(f, "on {name}"),
            Self::Close => f.write_str("close"),
            Self::Terminate => f.write_str("terminate"),
            Self::Text { size, name } => write!(f, "text {size} as {name}"),
            Self::Pieces(size) => write!(f, "pieces {size}"),
            Self::Grow { with, place } => {
                write!(
                    f,
                    "grow {}{}",
                    with.word(),
                    Optional(" at ", place.as_ref())
                )
            }
            Self::Welcome { patch } => write!(f, "welcome{}", Optional(" with ", patch.as_ref())),
            Self::Serve { patch } => write!(f, "serve{}", Optional(" with ", patch.as_ref())),
            Self::Update(update) => write!(f, "update {update}"),
            Self::Ask {
                question,
                patch,
                name,
            } => write!(
                f,
                "ask {question}{}{}",
                Optional(" with ", patch.as_ref()),
                Optional(" as ", name.as_ref())
            ),
            Self::EndTurn(reason) => write!(f, "end turn{}", Optional(" ", reason.as_ref())),
            Self::NextTurn => f.write_str("next turn"),
            Self::Exit(how) => write!(f, "exit {how}"),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(schema) => write!(f, "form{}", Optional(" ", schema.as_ref())),
            Self::Url(url) => write!(f, "url{}", Optional(" ", url.as_ref())),
            Self::Permission => f.write_str("permission"),
        }
    }
}

/// A part that may be missing, with what stands before it.
struct Optional<'a, T>(&'static str, Option<&'a T>);

impl<T: fmt::Display> fmt::Display for Optional<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(item) => write!(f, "{}{item}", self.0),
            None => Ok(()),
        }
    }
}

struct Advertised<'a>(&'a Advertise);

impl fmt::Display for Advertised<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Advertise::Default => Ok(()),
            Advertise::Absent => f.write_str(" absent"),
            Advertise::Value(value) => write!(f, " {value}"),
        }
    }
}

/// Microseconds, in the largest unit that keeps them whole.
struct Gap(u64);

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            us if us % 1_000_000 == 0 => write!(f, "{}s", us / 1_000_000),
            us if us % 1_000 == 0 => write!(f, "{}ms", us / 1_000),
            us => write!(f, "{us}us"),
        }
    }
}

/// The template as it stands in a JSON payload.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Json(path) => write!(f, "${}", path.join("."))?,
                Part::Inner(path) => write!(f, "${{{}}}", path.join("."))?,
            }
        }
        Ok(())
    }
}
