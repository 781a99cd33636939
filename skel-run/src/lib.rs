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
pub mod report;
mod run;
mod sync;

pub use report::{Failure, Report};
pub use run::Run;
