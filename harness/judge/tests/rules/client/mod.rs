//! The rules that bind clients alone.

mod cancel;
