//! Skeletons as running programs.

mod execute;
pub mod functions;
pub mod monitor;
#[expect(dead_code)]
mod parcel;
#[expect(dead_code)]
mod queue;
mod run;

pub use execute::{Execute, Runnable, of_skeleton};
pub use run::Run;
