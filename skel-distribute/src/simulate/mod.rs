//! Simulation: when the work ends under a schedule, and who did what from when to when.
//!
//! # What is simulated
//!
//! All machines ask for work at 0. The master serves one request at a time, in the order of the time of
//! asking and, of requests at one time, of the machines' numbers. Each chunk costs it the *overhead*; the
//! machine begins to work when its request is served, and asks again at the moment at which it has finished.
//! Asking when nothing is left takes no time. The *makespan* is the time at which the last machine finishes.
//!
//! - A *change* sets the time that a machine takes for an item to a multiple of its original one from a time
//!   on, also inside a chunk. The overhead stays.
//! - When a machine is *lost*, its unfinished chunk goes back whole, and machines that had been sent home ask
//!   again, in the order of their numbers. A chunk that is finished at that very time counts as finished.
//!   What is left has grown, so that GSS and FAC2 give larger chunks again.
//! - The time that AWF-B and AWF-C are told is that of the work alone, without the overhead, and it counts
//!   when the machine's next request is taken up.
//!
//! Ties decide: where two machines ask at the same time in exact arithmetic, rounding would let either be
//! first. So floats are compared in ticks of a nanosecond, or of a thousandth of the shortest time for an
//! item where that is less. The exact simulation of [`Scenario::simulate_exact`] has no such ticks, and is
//! the same code.

mod bound;
mod comparison;
mod events;
mod outcome;
mod scenario;
mod speed;

pub use comparison::{Compared, Comparison};
pub use outcome::{Load, Outcome, Piece, Unfinished};
pub use scenario::{Change, Loss, MOST_MACHINES, Scenario};
