//! What the structured targets are made of: JSON that is mostly as the protocol has it, forms and their answers, and
//! traces. All of it is made from the fuzzer's bytes; bytes that are used up make the plainest value.

pub mod form;
pub mod json;
pub mod pointer;
pub mod trace;
