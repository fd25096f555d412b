//! What a strict view finds wrong.

/// How much a problem weighs by the text it comes from; the rule that reports it has a level of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// The texts disagree or say nothing: never counted against anyone.
    Unclear,
    /// Worth a remark, never a failure.
    Warning,
    /// The text forbids it.
    Violation,
}

/// One thing wrong with a JSON value. `K` is the view's own list of faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem<K> {
    /// Which fault.
    pub kind: K,
    /// How much it weighs.
    pub weight: Weight,
    /// JSON Pointer to the value, from the root of what the view was given.
    pub pointer: String,
    /// What stands there, as short JSON text; `absent` where nothing does.
    pub got: String,
    /// What may stand there.
    pub expected: String,
}
