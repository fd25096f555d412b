//! What stands in for an agent where a client starts its agent itself: it carries bytes between the client and this
//! program, unchanged, and ends as the agent does that it stands for.
//!
//! What the client says goes to the socket as it is. What comes from there is cut into pieces, each behind its length, so
//! that something can stand behind the last of them: how the agent ends.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::{ffi::OsStrExt as _, net::UnixStream},
    path::Path,
    process::ExitCode,
    thread,
};

use rustix::{
    process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit},
    stdio::dup2_stdout,
};

use crate::wires::Exit;

/// The size of one read.
const READ: usize = 64 * 1024;
/// The length of a piece, before it.
pub(crate) const LENGTH: usize = size_of::<u32>();
/// What an agent's stdout ends with: a piece of no length.
pub(crate) const END_OF_OUTPUT: [u8; LENGTH] = [0; LENGTH];
/// What stands before an exit code.
const BY_ITSELF: u8 = 0;
/// What stands before the number of a signal.
const BY_SIGNAL: u8 = 1;
/// A shell says with this and the number of the signal that a program was ended by one.
const SIGNALLED: u8 = 128;

/// The pieces that carry these bytes.
pub(crate) fn pieces(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + LENGTH);
    for piece in bytes.chunks(READ) {
        // A piece is never longer than a read.
        out.extend_from_slice(&u32::try_from(piece.len()).unwrap_or_default().to_be_bytes());
        out.extend_from_slice(piece);
    }
    out
}

/// What tells the relay, behind the last piece, how its agent ended. What the system does not tell is no success.
pub(crate) fn farewell(exit: Exit) -> [u8; 2] {
    let byte = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
    match (exit.code, exit.signal) {
        (_, Some(signal)) => [BY_SIGNAL, byte(signal)],
        (Some(code), None) => [BY_ITSELF, byte(code)],
        (None, None) => [BY_ITSELF, 1],
    }
}

/// Carries what comes on stdin to the socket, and what comes from there to stdout, until the agent has ended, and ends as
/// it did: with the code that comes back, or by the signal.
///
/// # Errors
/// When nobody listens on the socket, when the client reads no more, or when the socket ends and nobody has said how the
/// agent did.
pub fn relay(to: &Path) -> io::Result<ExitCode> {
    let mut socket = UnixStream::connect(to)?;
    let mut other_way = socket.try_clone()?;
    thread::spawn(move || {
        // Whichever end is gone, the other one learns of it by the end of the stream.
        let _ = carry(&mut io::stdin().lock(), &mut other_way);
        let _ = other_way.shutdown(Shutdown::Write);
    });
    put_out(&mut socket, &mut io::stdout().lock())?;
    // The agent may live on after that, and its client sees the end of its stdout now.
    dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
    let mut farewell = [0; 2];
    socket.read_exact(&mut farewell)?;
    let [how, number] = farewell;
    Ok(if how == BY_SIGNAL {
        die_of(number)
    } else {
        number.into()
    })
}

/// Ends this process by a signal. One that this process ignores leaves it with the code that a shell has for that.
fn die_of(number: u8) -> ExitCode {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // The core of a relay is of no use to anybody, and would lie in the client's folder. Where it cannot be forbidden, it
    // may be written.
    let _ = setrlimit(Resource::Core, none);
    if let Some(signal) = Signal::from_named_raw(number.into()) {
        // The first SIGSEGV goes to the runtime of this program, which looks for an overflow of the stack, and steps aside
        // for the next.
        let _ = kill_process(getpid(), signal);
        let _ = kill_process(getpid(), signal);
    }
    SIGNALLED.saturating_add(number).into()
}

/// Tells whoever listens on the socket that a browser was asked to open something: the name under which the browser was
/// called, and its arguments.
///
/// # Errors
/// When nobody listens on the socket.
pub fn tell_opened(to: &Path, call: &[OsString]) -> io::Result<()> {
    let mut socket = UnixStream::connect(to)?;
    for word in call {
        socket.write_all(word.as_bytes())?;
        socket.write_all(&[0])?;
    }
    socket.shutdown(Shutdown::Write)?;
    // It has been noted once they hang up: who called us may act on it then.
    let mut rest = [0];
    while socket.read(&mut rest)? > 0 {}
    Ok(())
}

/// Puts out what the pieces hold, up to the one that is the end of the output.
fn put_out(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    loop {
        let mut length = END_OF_OUTPUT;
        from.read_exact(&mut length)?;
        if length == END_OF_OUTPUT {
            return Ok(());
        }
        let length = u64::from(u32::from_be_bytes(length));
        carry(&mut from.take(length), to)?;
    }
}

/// Each piece leaves as it came: the reader may be waiting for just this one.
fn carry(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; READ];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                to.write_all(&buffer[..read])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_carry_every_byte_and_end_where_the_output_does() {
        for size in [0, 1, READ, READ + 1, 3 * READ] {
            let bytes = vec![7; size];
            let mut sent = pieces(&bytes);
            sent.extend(END_OF_OUTPUT);
            sent.extend(farewell(Exit::SUCCESS));
            let mut from = sent.as_slice();
            let mut came = Vec::new();
            put_out(&mut from, &mut came).expect("it is whole");
            assert!(came == bytes, "{size}: {}", came.len());
            assert_eq!(from, [BY_ITSELF, 0]);
        }
    }

    #[test]
    fn what_ends_before_its_end_is_no_end() {
        let sent = pieces(b"half");
        let mut came = Vec::new();
        let error = put_out(&mut sent.as_slice(), &mut came).expect_err("it is cut off");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(came, b"half");
    }
}
