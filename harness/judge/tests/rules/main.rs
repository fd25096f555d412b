//! The rules, each with traces that uphold it, break it, come near to breaking it, and do not concern it.

mod cap;
mod common;
mod correlate;
mod form;
mod init;
mod jsonrpc;
mod prompt;
mod registry;
mod resp;
mod schema;
mod scope;
mod table;
mod talk;
mod transport;
