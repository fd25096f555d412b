//! The rules that bind clients alone, one file an area.

use crate::rule::Rule;

mod cancel;

/// All of them, an array an area.
pub(super) const RULES: &[&[Rule]] = &[cancel::RULES];
