//! The rules, each with traces that uphold it, break it, come near to breaking it, and do not concern it.

mod announced;
mod cancel;
mod cap;
mod close;
mod common;
mod correlate;
mod delete;
mod dirs;
mod form;
mod init;
mod jsonrpc;
mod list;
mod load;
mod prompt;
mod registry;
mod resp;
mod resume;
mod schema;
mod scope;
mod session;
mod states;
mod table;
mod talk;
mod transport;
