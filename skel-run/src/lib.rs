//! Skeletons as running programs.

mod engine;
pub mod functions;
pub mod monitor;
#[expect(dead_code)]
mod network;
mod parcel;
#[expect(dead_code)]
mod progress;
mod queue;
mod run;
mod sync;

pub use run::Run;
