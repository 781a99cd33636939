//! Skeletons as running programs.

pub mod functions;
pub mod monitor;
#[expect(dead_code)]
mod parcel;
#[expect(dead_code)]
mod queue;
pub mod report;
mod run;

pub use report::{Failure, Report};
pub use run::Run;
