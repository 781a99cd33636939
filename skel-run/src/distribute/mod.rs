//! Loops over indices on several workers: chunks are given out by a schedule, and every index has its result exactly once.
//!
//! ```
//! use skel::distribute::{RelativePerformance, Schedule};
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

/// A loop over a range of indices, whose chunks are given out to workers.
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
