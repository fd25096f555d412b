//! The relay as a program, for the tests of this crate: `relay --to SOCKET [--opened NAME ARGS...]`, as the binary
//! `elenchus` has it.

use std::{ffi::OsString, path::Path, process::ExitCode};

use elenchus_drive::relay;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let done = match words.as_slice() {
        [_, _, socket] => relay::relay(Path::new(socket)),
        [_, _, socket, _, call @ ..] => {
            relay::tell_opened(Path::new(socket), call).map(|()| ExitCode::SUCCESS)
        }
        _ => return ExitCode::from(2),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
