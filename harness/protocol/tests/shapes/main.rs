//! Shapes of messages: what legal messages are, what is told of broken ones, and agreement with a general validator.

mod broken;
mod legal;
mod oracle;
mod tables;
