//! What stands in for an agent where a client starts its agent itself: it carries bytes between the client and this
//! program, unchanged, and ends when either of them is gone.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::{ffi::OsStrExt as _, net::UnixStream},
    path::Path,
    thread,
};

/// The size of one read.
const READ: usize = 64 * 1024;

/// Carries what comes on stdin to the socket, and what comes from there to stdout, until the socket or stdout is closed.
///
/// # Errors
/// When nobody listens on the socket, or the client reads no more.
pub fn relay(to: &Path) -> io::Result<()> {
    let mut socket = UnixStream::connect(to)?;
    let mut other_way = socket.try_clone()?;
    thread::spawn(move || {
        // Whichever end is gone, the other one learns of it by the end of the stream.
        let _ = carry(&mut io::stdin().lock(), &mut other_way);
        let _ = other_way.shutdown(Shutdown::Write);
    });
    carry(&mut socket, &mut io::stdout().lock())
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
