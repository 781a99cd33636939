//! Which replica is on which processor, and which part of an item each worker of a map gets.
//!
//! The paper has three actions that are about places: a new worker goes to the least used processor, a task
//! that is the bottleneck moves to a faster one, and the parts of items follow the speeds of the workers of a
//! map. They need no clock and no run, so they are values here:
//!
//! - [`Placement`] knows where every replica and every worker of a program is on a
//!   [`Platform`](skel_plan::Platform). It answers where a new one goes ([`Placement::least_used`]), whether
//!   a faster processor is free for a task ([`Placement::relocation`]), and what that gains. It follows the
//!   program by [`Placement::note`].
//! - [`repartitioned`] answers which shares the workers of a map should have by their measured times, if that
//!   is worth a change, and [`split`] which worker several should take the place of.
//!
//! ```text
//! rule fires: migrate      placement.relocation(stage) or .relief(measures, tree) -> Relocation -> action(), applied(measures) -> Model -> predicted
//! rule fires: repartition  repartitioned(&shares, &stage.worker_times)            -> Repartition { shares, slowest }
//! rule fires: nest N       split(&shares, &stage.worker_times, n)                 -> Split { worker, shares, slowest }
//! after every action       placement.note(&action, program.skeleton())
//! fact faster_processor    placement.relocation(stage).is_some()
//! ```
//!
//! Source: M. Danelutto and others, GridCOMP deliverable D.NFCF.03, 2008, sections 3.3
//! (`addWorkerToLeastUsedPE`), 4 (the map) and 5.1.

mod place;
mod relocation;
mod shares;

pub use place::Placement;
pub use relocation::Relocation;
pub use shares::{Repartition, Split, repartitioned, split};
