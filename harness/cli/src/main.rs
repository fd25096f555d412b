//! The binary `elenchus`.
fn main() {}
