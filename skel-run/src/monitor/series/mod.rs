//! A run over time: snapshots that a thread of its own takes, in bounded memory, and what becomes of them.

#[cfg(feature = "chart")]
pub mod axes;
#[cfg(feature = "chart")]
mod chart;
mod csv;
#[cfg(feature = "chart")]
pub mod gantt;
#[cfg(feature = "json")]
mod json;
mod live;
mod sampler;

#[cfg(feature = "chart")]
pub use chart::NothingToDraw;
#[cfg(feature = "json")]
pub use json::{ReadError, ReadErrors};
pub use live::LiveLine;
pub use sampler::{Sampler, Sampling};

use super::figures::Snapshot;

/// Snapshots of one run, each of what was done since its start, in the order of time.
///
/// # Examples
/// ```
/// use skel_core::skeleton::StageId;
/// use skel_run::monitor::{Monitors, Series};
///
/// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
/// let series = Series::of([monitors.snapshot(), monitors.snapshot(), monitors.snapshot()]);
/// assert_eq!(series.windows().count(), 2);
/// assert!(series.to_csv().starts_with("from_s,at_s,task,"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    snapshots: Vec<Snapshot>,
}

impl Series {
    /// A series of these snapshots.
    pub fn of(snapshots: impl IntoIterator<Item = Snapshot>) -> Self {
        Series { snapshots: snapshots.into_iter().collect() }
    }

    /// The snapshots, each of what was done since the start.
    #[must_use]
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// What was done between each snapshot and the next.
    pub fn windows(&self) -> impl Iterator<Item = Snapshot> {
        self.snapshots.windows(2).map(|pair| pair[1].since(&pair[0]))
    }

    /// The last one: what was done until then.
    #[must_use]
    pub fn last(&self) -> Option<&Snapshot> {
        self.snapshots.last()
    }

    fn push(&mut self, snapshot: Snapshot) {
        self.snapshots.push(snapshot);
    }

    /// Leaves out every second one, so that the first stays.
    fn thin_out(&mut self) {
        let mut place = 0;
        self.snapshots.retain(|_| {
            place += 1;
            place % 2 == 1
        });
    }
}

#[cfg(test)]
mod tests;
