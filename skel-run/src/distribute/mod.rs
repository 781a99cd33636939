//! Loops over indices on several workers: chunks are given out by a schedule, and every index has its result
//! exactly once.
//!
//! ```text
//! distribute(range) -> Loop: by(Schedule), over(workers), lost_after, attempts, learning, controlled_by
//!                        run(function) -> Distributed: pieces in the order of the indices, LoopReport
//!                                       | LoopError: which indices have no result, and the pieces that were finished
//! ```
//!
//! ```
//! use skel::distribute::Schedule;
//! use skel::run::distribute;
//!
//! let squares = distribute(0..1000_u64)
//!     .by(Schedule::VrpSelfScheduling { phases: 10 })
//!     .over(4)
//!     .run(|range| range.map(|index| index * index).sum::<u64>())?;
//! assert_eq!(squares.pieces()[0].0, 0..25);
//! assert_eq!(squares.into_values().sum::<u64>(), 332_833_500);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Workers
//!
//! Each worker is a thread; the thread that calls [`run`](Loop::run) is the first of them. Threads end with
//! the loop, so the function may borrow. A worker asks for a chunk, calls the function with its range, and
//! asks again: who is faster gets more, and a worker that slows down gets less. The schedules are those of
//! `skel::distribute`, and so is the master that gives out the chunks: on a clock of its own, a loop does
//! exactly what the simulation says.
//!
//! # Workers that are lost
//!
//! A worker whose function panics is lost: its chunk, which counts for nothing, is given out again to the
//! others. If a second worker panics on the same indices, the error is in the program, and the loop ends with
//! it; [`attempts`](Loop::attempts) says after how many. With [`lost_after`](Loop::lost_after) or
//! [`lost_beyond`](Loop::lost_beyond) a worker that is too slow is lost as well. Another one takes its chunk,
//! and whichever result is there first counts.
//!
//! So the function may be called with an index more than once, and its result counts once. What it does
//! besides returning a result is done more than once, too.
//!
//! # What is measured
//!
//! The [`LoopReport`] has every call of the function with its times: 56 bytes a call, beside its result. It
//! prints as a table. Its [`scenario`](LoopReport::scenario) can be simulated under other schedules. A loop
//! that is repeated chooses its schedule in this way itself, see [`Learned`].

mod error;
mod index;
mod learned;
mod measured;
mod report;
mod results;
mod run;
mod settings;
mod workers;

use std::ops::Range;

pub use error::{LoopError, Partial};
pub use index::Index;
pub use learned::Learned;
pub use report::{Choice, LoopPiece, LoopReport, Loss, LossCause, WorkerReport};
pub use results::Distributed;
pub use settings::Loop;
pub use workers::Workers;

/// A loop over a range of indices, whose chunks are given out to workers. See the [module](mod@self).
///
/// A chunk costs some 0.2 us, and a loop the threads that it begins: tens of microseconds for each worker but
/// the first.
///
/// # Examples
/// ```
/// use skel::run::distribute;
///
/// let data = [3.0, 1.0, 4.0, 1.0, 5.0];
/// let sums = distribute(0..data.len()).over(2).run(|range| data[range].iter().sum::<f64>())?;
/// assert_eq!(sums.into_values().sum::<f64>(), 14.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distribute<'l, I: Index>(indices: Range<I>) -> Loop<'l, I> {
    Loop::new(indices)
}
