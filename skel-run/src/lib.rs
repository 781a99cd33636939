//! Skeletons as running programs: a function for each task, and the expression that was predicted runs on
//! threads.
//!
//! ```
//! use skel::prelude::*;
//!
//! pipe! { skeleton Squares { task("read", 1e6), farm(2, "square", 1e5), task("sum", 1e6) } }
//!
//! let mut sum = 0;
//! let report = Squares::new().run()
//!     .read(|line: &str| line.len() as u64)
//!     .square(|length| length * length)
//!     .sum(|square| sum += square)
//!     .over(["one", "three", "eleven"])?;
//! assert_eq!((sum, report.delivered()), (9 + 25 + 36, 3));
//! # Ok::<(), skel::run::Error>(())
//! ```
//!
//! Types go from task to task, and what does not meet does not compile. Results come in the order of their
//! items, whichever worker was done first. Memory is bounded, by the buffers of the program. A panic is
//! caught where it happens, and ends the run or one item, as is said. A [`Control`] cancels and drains a run,
//! and adds and removes replicas while it goes on. Every item is delivered, skipped, discarded or the one
//! that failed, and is counted as such.
//!
//! The [`Report`] says what was measured, in the words of the prediction, and has the program with its
//! measured times, which can be predicted, dimensioned, mapped and saved.
//!
//! What the threads do is what the model describes: a thread for each replica, the same buffers, a rendezvous
//! where there is none. Only tasks that take a few microseconds are served by another engine, see [`Engine`].

mod control;
#[cfg(feature = "distribute")]
pub mod distribute;
mod engine;
mod error;
mod execution;
pub mod functions;
pub mod monitor;
mod network;
mod parcel;
mod progress;
mod queue;
pub mod report;
mod results;
mod run;
mod runnable;
mod running;
mod settings;
mod source;
mod sync;
mod team;
mod tuning;
mod unfinished;

pub use control::Control;
#[cfg(feature = "distribute")]
pub use distribute::distribute;
#[doc(hidden)]
pub use engine::Traits;
pub use engine::{Chain, Refused};
pub use error::Error;
pub use functions::{NoMajority, Scatter, Shares, StateOr};
pub use report::{Failure, Report};
pub use results::Results;
pub use run::Run;
pub use runnable::{Execute, Runnable, of_skeleton};
pub use running::Running;
#[doc(hidden)]
pub use unfinished::{Functions, Unfinished};

pub use settings::Engine;
pub use source::{FromChannel, Items, Iterated, Source, from_channel};
#[cfg(feature = "stream")]
pub use source::{FromStream, from_stream};
