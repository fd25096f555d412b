//! The rules that bind clients alone.

mod answer;
mod auth;
mod cancel;
mod cap;
mod chosen;
mod complete;
mod envelope;
mod files;
mod init;
mod links;
mod perm;
mod prompt;
mod refuse;
mod servers;
mod session;
mod state;
mod taken;
mod terminals;
mod updates;
mod values;
