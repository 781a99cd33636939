//! How much work each machine gets, and in which pieces.
//!
//! ```text
//! seconds per item, or models of them -> RelativePerformance (VRP) -> shares
//!                                                |
//! Schedule -> Scheduler: who asks gets a chunk <-/
//!                 |
//! Scenario (items, machines, overhead, changes of speed, losses) -> simulate -> Outcome -> Comparison: which ends first
//!                 ^
//! TOML -> description
//! ```
//!
//! A program has a number of independent items: the rows of a matrix, or the turns of a loop. Machines of
//! different speeds take them from a master, which needs some time for each chunk that it gives out. Few
//! large chunks cost little of that time, and leave machines idle at the end or when one of them slows down;
//! many small chunks do the opposite. A [`Schedule`] says how large the chunks are, and the simulation says
//! which schedule ends first.
//!
//! ```
//! use skel_distribute::{Scenario, Schedule};
//!
//! // The paper's machines: 4 of one second a row, 4 of 1.6 s and 6 of 8 s. The first becomes four times slower after 100 s.
//! let seconds = [1.0, 1.0, 1.0, 1.0, 1.6, 1.6, 1.6, 1.6, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0];
//! let rows = Scenario::new(2500, seconds)?.with_overhead(0.5)?.with_change(0, 100.0, 4)?;
//! let schedules = [Schedule::Vrp, Schedule::SelfScheduling, Schedule::VrpSelfScheduling { phases: 10 }];
//! let comparison = rows.compare(&schedules);
//! let ends: Vec<f64> = comparison.ranked().iter().map(|one| one.outcome.makespan().to_owned()).collect();
//! assert_eq!(ends, [407.0, 1082.0, 1258.0]);
//! assert_eq!(comparison.ranked()[0].schedule.to_string(), "VRP-SS(10)");
//! # Ok::<(), skel_core::model::BuildErrors>(())
//! ```
//!
//! Reference: J. M. Laine and E. T. Midorikawa, *Uso de modelos analíticos na modelagem de aplicações
//! paralelas distribuídas* (PEMPIs-Het).

mod arithmetic;
#[cfg(feature = "description")]
pub mod description;
pub mod performance;
pub mod schedule;
pub mod simulate;

pub use arithmetic::Arithmetic;
pub use performance::{RelativePerformance, TimeModel, TimeTable};
pub use schedule::{Chunk, LibraryVariant, Schedule, Scheduler};
pub use simulate::{Comparison, Outcome, Scenario, Unfinished};
