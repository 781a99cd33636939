//! What each replica of each task did: how many items, how long it was busy, starved and blocked.

mod clock;
mod figures;
mod recorder;
mod registry;
mod watch;

pub use figures::{ReplicaFigures, Snapshot, TaskFigures};
pub use recorder::{For, Recorder, Timing};
pub use registry::Monitors;
pub use watch::Watch;

#[cfg(test)]
mod tests;
