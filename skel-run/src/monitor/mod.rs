//! What each replica of each task did: how many items, how long it was busy, starved and blocked.

mod clock;
mod figures;
mod recorder;
mod registry;
mod sample;
mod watch;
mod window;

pub use figures::{ReplicaFigures, Snapshot, TaskFigures};
pub use recorder::{For, Recorder, Timing};
pub use registry::Monitors;
pub use watch::Watch;
pub use window::{EmptyWindow, TooFewServices, Window};

#[cfg(test)]
mod tests;
