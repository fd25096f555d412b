//! The rules that bind clients alone.

mod auth;
mod cancel;
mod chosen;
mod envelope;
mod files;
mod init;
mod perm;
mod prompt;
mod servers;
mod session;
mod terminals;
mod updates;
