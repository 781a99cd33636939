//! What each replica of each task did: how many items, how long it was busy, starved and blocked.

mod clock;
#[cfg(feature = "tracing")]
mod events;
mod figures;
mod recorder;
mod registry;
mod sample;
mod series;
mod watch;
mod window;

pub use figures::{ReplicaFigures, Snapshot, TaskFigures};
pub use recorder::{For, Recorder, Timing};
pub use registry::Monitors;
#[cfg(feature = "chart")]
pub use series::NothingToDraw;
#[cfg(feature = "json")]
pub use series::{ReadError, ReadErrors};
pub use series::{Sampler, Sampling, Series};
pub use watch::Watch;
pub use window::{EmptyWindow, TooFewServices, Window};

#[cfg(test)]
mod tests;
