//! What each replica of each task did: how many items, how long it was busy, starved and blocked. The words
//! are those of a model's prediction, so that both can stand side by side.
//!
//! [`Monitors`] has a [`Recorder`] for each replica, which only the replica's thread writes, by its
//! [`Watch`]. A [`Snapshot`] is what all of them did until a moment, and the difference of two is a window.
//! Whoever looks delays nobody. [`Sampling`] takes snapshots at intervals and keeps a [`Series`] of them,
//! which becomes CSV, JSON lines (with the feature `json`) or a figure (`chart`); it can show a line on the
//! terminal and emit events (`tracing`).
//!
//! | figure | meaning |
//! |---|---|
//! | busy, starved, blocked | which part of its time a replica served items, waited for items, waited for room |
//! | overhead | the part in which it moved items without waiting, and measured |
//! | service time | of a parcel, in the task's function alone: mean and squared coefficient of variation |
//! | queue | items that one task has handed over and the next one has not taken |
//! | items inside, response time | what all tasks and queues hold, and how long an item is there, on average |
//!
//! # Cost
//! 18 ns of processor time for each parcel that waits for nothing, or 4 ns with [`Timing::Sampled`] (an
//! x86-64 server at 2.5 GHz, of which a reading of the clock is 10 ns). A parcel whose service takes 10
//! microseconds or more costs one reading more. A snapshot takes 60 ns for each replica. The first clock of a
//! process finds out how fast the processor's counter runs, which takes about 1 ms, and 200 ms at most.
//!
//! # Examples
//! Threads of one's own can be monitored as well:
//! ```
//! use skel_core::skeleton::StageId;
//! use skel_run::monitor::{Monitors, Watch};
//!
//! let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
//! let recorder = monitors.replica(0);
//! let mut watch = Watch::new(&recorder);
//! for item in 0..1000_u64 {
//!     watch.took(1, false);
//!     std::hint::black_box(item.pow(2));
//!     watch.served(1);
//!     watch.gave(1, false);
//! }
//! let snapshot = monitors.snapshot();
//! let task = &snapshot.tasks[0];
//! println!("{:.0} items/s, busy {:.0} %", task.throughput(snapshot.span()), task.busy_fraction() * 100.0);
//! # assert_eq!(task.items(), 1000);
//! ```

mod clock;
#[cfg(feature = "tracing")]
mod events;
mod figures;
mod moments;
mod recorder;
mod registry;
mod sample;
mod series;
mod team;
mod watch;
mod window;

pub use figures::{ReplicaFigures, Snapshot, TaskFigures};
pub use moments::Moments;
pub use recorder::{For, Recorder, Timing};
pub use registry::Monitors;
#[doc(hidden)]
pub use series::LiveLine;
#[cfg(feature = "chart")]
pub use series::NothingToDraw;
#[cfg(feature = "json")]
pub use series::{ReadError, ReadErrors};
pub use series::{Sampler, Sampling, Series};
#[cfg(feature = "chart")]
#[doc(hidden)]
pub use series::{axes, gantt};
pub(crate) use team::{LeaderWatch, MemberWatch};
pub(crate) use watch::Keeper;
pub use watch::Watch;
pub use window::{EmptyWindow, TooFewServices, Window};

#[cfg(test)]
mod tests;
