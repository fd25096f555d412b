//! How a client under test comes to us: it starts the relay as its agent, and the relay connects here. Browsers that it
//! calls come here too.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::{PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead as _, ReadBuf},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use super::{outgoing::Outgoing, target::read};
use crate::{
    relay,
    wires::{Exit, Incoming},
};

/// What stands in a client's command for the command that starts its agent, as one text for a shell.
const AGENT: &str = "{agent}";
/// The same as the path of a program that needs no arguments.
const AGENT_PATH: &str = "{agent-path}";
/// The names of the programs by which a URL is opened.
const OPENERS: [&str; 5] = [
    "xdg-open",
    "open",
    "gio",
    "sensible-browser",
    "x-www-browser",
];
/// The most that one call of a browser may say, in bytes.
const CALL: usize = 64 * 1024;
/// The most calls of browsers that are listened to at a time.
const CALLS: usize = 16;

/// One connection of a client.
#[derive(Debug)]
pub(super) struct Link {
    reader: Option<OwnedReadHalf>,
    writer: Outgoing<OwnedWriteHalf>,
    /// The agent is a program of its own: it does not end because its client has closed its stdin.
    lives_on: bool,
    /// It is not read for now.
    held: bool,
    eof_told: bool,
    output_ended: bool,
}

impl Link {
    pub(super) fn new(stream: UnixStream, lives_on: bool) -> Self {
        let (reader, writer) = stream.into_split();
        Self {
            reader: Some(reader),
            writer: Outgoing::new(Some(writer)),
            lives_on,
            held: false,
            eof_told: false,
            output_ended: false,
        }
    }

    pub(super) fn enqueue(&mut self, bytes: &[u8]) {
        if !self.output_ended {
            self.writer.enqueue(&relay::pieces(bytes));
        }
    }

    /// How many bytes are still to be written; none to a client that listens no more.
    pub(super) fn queued(&self) -> usize {
        if self.ended() && !self.lives_on {
            0
        } else {
            self.writer.len()
        }
    }

    /// Stops or goes on reading.
    pub(super) fn hold(&mut self, held: bool) {
        self.held = held;
    }

    pub(super) fn poll_write(&mut self, context: &mut Context<'_>) {
        self.writer.poll(context);
    }

    /// What the agent has to say ends, once everything is written.
    pub(super) fn end_output(&mut self) {
        if !std::mem::replace(&mut self.output_ended, true) {
            self.writer.enqueue(&relay::END_OF_OUTPUT);
        }
    }

    /// The agent ends like this, and the relay with it.
    pub(super) fn end_agent(&mut self, exit: Exit) {
        self.end_output();
        self.writer.enqueue(&relay::farewell(exit));
        self.writer.close();
    }

    /// Nothing more can come.
    pub(super) fn ended(&self) -> bool {
        self.eof_told
    }

    /// Moves everything on. True if something came in. What a client that has ended left on the way is read in any case:
    /// a socket holds little.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
        client_ended: bool,
        intake: &mut dyn FnMut(Incoming<'_>),
    ) -> bool {
        self.poll_write(context);
        if self.held && !client_ended {
            return false;
        }
        let mut news = false;
        let ended = read(&mut self.reader, context, buffer, &mut |bytes| {
            news = true;
            intake(Incoming::Stdout(bytes));
        });
        if ended {
            news = true;
            self.listen_no_more(intake);
            if !self.lives_on {
                self.end_agent(Exit::SUCCESS);
            }
        }
        news
    }

    fn listen_no_more(&mut self, intake: &mut dyn FnMut(Incoming<'_>)) {
        self.reader = None;
        if !std::mem::replace(&mut self.eof_told, true) {
            intake(Incoming::Eof);
        }
    }

    /// The client is gone, and its agent with it.
    pub(super) fn end(&mut self, intake: &mut dyn FnMut(Incoming<'_>)) {
        self.listen_no_more(intake);
        self.end_agent(Exit::SUCCESS);
    }
}

/// Where the relay of one client connects, and where browsers tell what they were called with.
#[derive(Debug)]
pub(super) struct Door {
    relays: UnixListener,
    browsers: UnixListener,
    calls: Vec<(UnixStream, Vec<u8>)>,
    command: OsString,
    bin: PathBuf,
}

impl Door {
    /// Has to be called within a runtime. `program` is what is started as `PROGRAM relay --to SOCKET`, `folder` is made
    /// for this client alone. The error is a reason for people.
    pub(super) fn new(program: &Path, folder: &Path) -> Result<Self, String> {
        let relays = folder.join("agent.socket");
        let browsers = folder.join("browser.socket");
        let bin = folder.join("bin");
        let made = || -> io::Result<(UnixListener, UnixListener)> {
            fs::create_dir_all(&bin)?;
            let call = |socket: &Path, rest: &str| {
                let words = [program.as_os_str(), OsStr::new("relay"), OsStr::new("--to")];
                let mut line = command_line(words.into_iter().chain([socket.as_os_str()]));
                line.push(rest);
                line
            };
            script(&bin.join("agent"), &call(&relays, ""))?;
            script(
                &bin.join(OPENERS[0]),
                &call(&browsers, r#" --opened "${0##*/}" "$@""#),
            )?;
            for opener in &OPENERS[1..] {
                symlink(OPENERS[0], bin.join(opener))?;
            }
            Ok((UnixListener::bind(&relays)?, UnixListener::bind(&browsers)?))
        };
        let (listening, browsing) = made().map_err(|error| {
            format!(
                "no socket for the client's agent below {}: {error} (a TMPDIR with a shorter path may help)",
                folder.display()
            )
        })?;
        let words = [
            program.as_os_str(),
            OsStr::new("relay"),
            OsStr::new("--to"),
            relays.as_os_str(),
        ];
        Ok(Self {
            command: command_line(words.into_iter()),
            relays: listening,
            browsers: browsing,
            calls: Vec::new(),
            bin,
        })
    }

    /// An argument of the client's command, with what starts its agent in its place.
    pub(super) fn argument(&self, argument: &OsStr) -> OsString {
        let path = self.bin.join("agent");
        let argument = replaced(argument.as_bytes(), AGENT, self.command.as_bytes());
        let argument = replaced(&argument, AGENT_PATH, path.as_os_str().as_bytes());
        OsString::from_vec(argument)
    }

    /// The variables by which what a client opens comes to us. `path` is the one that it would have.
    pub(super) fn environment(&self, path: &OsStr) -> [(&'static str, OsString); 2] {
        let mut search = self.bin.clone().into_os_string();
        search.push(":");
        search.push(path);
        [
            ("PATH", search),
            ("BROWSER", self.bin.join(OPENERS[0]).into_os_string()),
        ]
    }

    /// A relay that has connected, if there is one.
    pub(super) fn poll_accept(&mut self, context: &mut Context<'_>) -> Option<UnixStream> {
        match self.relays.poll_accept(context) {
            Poll::Ready(Ok((stream, _))) => Some(stream),
            _ => None,
        }
    }

    /// The URLs that browsers were called with since the last time.
    pub(super) fn poll_opened(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Vec<String> {
        while self.calls.len() < CALLS {
            match self.browsers.poll_accept(context) {
                Poll::Ready(Ok((stream, _))) => self.calls.push((stream, Vec::new())),
                _ => break,
            }
        }
        let mut opened = Vec::new();
        self.calls.retain_mut(|(stream, call)| {
            loop {
                let mut piece = ReadBuf::new(buffer);
                match Pin::new(&mut *stream).poll_read(context, &mut piece) {
                    Poll::Pending => return true,
                    Poll::Ready(Ok(())) if !piece.filled().is_empty() && call.len() < CALL => {
                        call.extend_from_slice(piece.filled());
                    }
                    Poll::Ready(_) => {
                        opened.extend(url_of(call));
                        return false;
                    }
                }
            }
        });
        if !opened.is_empty() {
            // Whoever had no room may be waiting.
            context.waker().wake_by_ref();
        }
        opened
    }
}

/// The URL of a browser's call: its name and its arguments, each with a NUL behind it. A call for help opens nothing.
fn url_of(call: &[u8]) -> Option<String> {
    let call = String::from_utf8_lossy(call);
    let mut words = call.split_terminator('\0');
    let name = words.next()?;
    let arguments: Vec<&str> = words.collect();
    if name == "gio" && arguments.first() != Some(&"open") {
        return None;
    }
    let url = arguments.last().filter(|word| !word.starts_with('-'))?;
    Some((*url).to_owned())
}

fn replaced(text: &[u8], word: &str, by: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, word.as_bytes()) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(by);
        rest = &rest[at + word.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Words as a shell reads them.
fn command_line<'w>(words: impl Iterator<Item = &'w OsStr>) -> OsString {
    let quoted: Vec<Vec<u8>> = words.map(|word| quoted(word.as_bytes())).collect();
    OsString::from_vec(quoted.join(&b' '))
}

fn quoted(word: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+:@%".contains(byte);
    if !word.is_empty() && word.iter().all(plain) {
        return word.to_owned();
    }
    [&b"'"[..], &replaced(word, "'", br"'\''"), b"'"].concat()
}

/// Writes an executable file that becomes this command.
fn script(file: &Path, command: &OsStr) -> io::Result<()> {
    fs::write(
        file,
        [b"#!/bin/sh\nexec ", command.as_bytes(), b"\n"].concat(),
    )?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_called_with_a_url_in_several_ways() {
        for (call, url) in [
            (&["xdg-open", "http://a/?b c"][..], Some("http://a/?b c")),
            (&["open", "-a", "Firefox", "http://a/"], Some("http://a/")),
            (&["gio", "open", "file:///x"], Some("file:///x")),
            (&["gio", "info", "http://a/"], None),
            (&["xdg-open", "--help"], None),
            (&["xdg-open"], None),
            (&["open", ""], Some("")),
        ] {
            let mut bytes = Vec::new();
            for word in call {
                bytes.extend_from_slice(word.as_bytes());
                bytes.push(0);
            }
            assert_eq!(url_of(&bytes).as_deref(), url, "{call:?}");
        }
        assert_eq!(url_of(b""), None);
        assert_eq!(
            url_of(b"xdg-open\0http://\xff\0"),
            Some("http://\u{fffd}".to_owned())
        );
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        for (word, expected) in [
            ("/bin/x-1", "/bin/x-1"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$x", "'$x'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word.as_bytes()), expected.as_bytes(), "{word}");
        }
    }

    #[test]
    fn what_starts_the_agent_stands_wherever_the_command_names_it() {
        assert_eq!(
            replaced(b"--agent={agent} {agent}", AGENT, b"x y"),
            b"--agent=x y x y"
        );
        assert_eq!(replaced(b"{agent-path}", AGENT, b"x"), b"{agent-path}");
    }
}
