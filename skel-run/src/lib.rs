//! Skeletons as running programs.

pub mod functions;
pub mod monitor;
#[expect(dead_code)]
mod parcel;
#[expect(dead_code)]
mod queue;
mod run;
mod sync;

pub use run::Run;
