//! What clients tell the launcher, a line of JSON each, through a pipe that it had before it forked them.

use std::{
    io::{self, PipeWriter, Write as _},
    sync::{Mutex, MutexGuard, PoisonError},
};

use elenchus_reports::text::printable;
use serde::{Deserialize, Serialize};

/// The most characters of a reason: a pipe takes what is shorter than 4 KiB in one piece.
const LONGEST: usize = 300;

/// A line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Word {
    /// A client was forked.
    Begun,
    /// How far it is.
    At {
        client: usize,
        runs: u64,
        features: usize,
        findings: usize,
    },
    /// It has done its work.
    Ended { client: usize, end: End },
}

/// How a client ended.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) runs: u64,
    pub(crate) features: usize,
    pub(crate) corpus: usize,
    /// How much of the corpus came from others.
    pub(crate) imported: usize,
    pub(crate) findings: usize,
    /// Why this client says less than it was asked to.
    pub(crate) incomplete: Option<String>,
}

impl End {
    /// That of a client that could do nothing, or not all.
    pub(crate) fn because(why: &str) -> Self {
        Self {
            incomplete: Some(why.chars().take(LONGEST).collect()),
            ..Self::default()
        }
    }
}

/// The end of the pipe that is written to. Clients have it from the launcher, which closes its own once they do.
#[derive(Debug)]
pub(crate) struct Speaker(Mutex<Option<PipeWriter>>);

impl Speaker {
    pub(crate) fn new(writer: PipeWriter) -> Self {
        Self(Mutex::new(Some(writer)))
    }

    pub(crate) fn say(&self, word: &Word) -> io::Result<()> {
        let mut line = serde_json::to_vec(word)?;
        line.push(b'\n');
        match self.writer().as_mut() {
            Some(writer) => writer.write_all(&line),
            None => Ok(()),
        }
    }

    pub(crate) fn close(&self) {
        self.writer().take();
    }

    fn writer(&self) -> MutexGuard<'_, Option<PipeWriter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a line to standard error.
pub(crate) fn tell(line: &str) {
    // Nothing more can be done where even standard error is gone.
    let _ = writeln!(io::stderr(), "elenchus-libafl: {}", printable(line));
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read as _};

    use super::{End, Speaker, Word};

    #[test]
    fn a_word_is_a_line_that_a_pipe_takes_in_one_piece() {
        let (mut reader, writer) = io::pipe().unwrap();
        let speaker = Speaker::new(writer);
        let end = End::because(&"a\u{1}\n\u{10ffff}".repeat(1000));
        let word = Word::Ended { client: 7, end };
        speaker.say(&word).unwrap();
        speaker.close();
        speaker.say(&Word::Begun).unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert!(text.len() < 4096 && text.lines().count() == 1, "{text}");
        assert_eq!(serde_json::from_str::<Word>(&text).unwrap(), word);
    }
}
