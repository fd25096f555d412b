//! The classifier of forbidden secret fields, held to the labelled corpus in `suites/secrets`.

mod corpus;
mod robust;
mod score;
