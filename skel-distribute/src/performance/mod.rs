//! Relative performance: how much faster than the slowest each machine is, and the share of the work that
//! follows.
//!
//! ```text
//! seconds per item, or models of them at N -> RelativePerformance (VRP) -> shares by largest remainders
//! ```
//!
//! The relative performance of a machine x is `VRP_x = delta_slowest / delta_x`, where `delta` is the time
//! that a machine takes for an item, or for the whole problem. The unit load is `ul = tau / sum(VRP)` for
//! `tau` items, and machine x should get `ul VRP_x` of them.
//!
//! The paper prints its Eq. 1 the other way round, `delta_x / delta_y`, which gives more work to slower
//! machines. With 2500 rows on four machines of 1 s a row, four of 1.6 s and six of 8 s, the printed form
//! ends after 2736 s, and this one after 345.6 s:
//!
//! ```
//! use skel_distribute::{RelativePerformance, Scenario, Schedule};
//!
//! let seconds = [1.0, 1.0, 1.0, 1.0, 1.6, 1.6, 1.6, 1.6, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0];
//! let rows = Scenario::new(2500, seconds)?;
//! assert_eq!(rows.simulate(&Schedule::Vrp)?.makespan(), &345.6);
//!
//! let printed = RelativePerformance::of_weights(seconds)?;
//! let printed = rows.with_performance(printed)?;
//! assert_eq!(printed.simulate(&Schedule::Vrp)?.makespan(), &2736.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Its Eq. 4 rounds every share up, so that they add to 2508 of these 2500 rows.
//! [`RelativePerformance::shares`] rounds by largest remainders, which add to 2500.
//!
//! Reference: J. M. Laine and E. T. Midorikawa, *Uso de modelos analíticos na modelagem de aplicações
//! paralelas distribuídas*, section 3.2.

mod models;
mod relative;
mod shares;

pub use models::{TimeModel, TimeTable};
pub use relative::RelativePerformance;
