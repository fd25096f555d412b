//! What the protocols say: versions, methods, strict typed views, and the restricted form schema.
//!
//! Pure: no I/O and no clock. A view never fails; it lists what is wrong as [`Problem`]s, each with a
//! JSON Pointer, because a judge must name the fault and a deserializer only refuses.

pub mod acp;
pub mod form;
pub mod members;
pub mod problem;
pub mod secret;
pub mod url_inspect;
pub mod version;

pub use problem::{Problem, Weight};
pub use version::Version;
