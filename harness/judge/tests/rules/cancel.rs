//! CANCEL and ELICIT-CANCEL.

mod late;
mod requests;
mod work;
