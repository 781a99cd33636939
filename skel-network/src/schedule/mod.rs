//! In which order clusters pass a message on to each other, so that all have it soon.
//!
//! One machine of each cluster, its coordinator, takes part. A coordinator that has the message sends it to
//! others, one after the other: a message from `i` to `j` that starts at time `t` keeps the port of `i` until
//! `t + g_ij`, and `j` has it at `t + g_ij + L_ij`. After its last message the coordinator of `i` begins the
//! local operation in its cluster, which takes `T_i`.
//!
//! [`Grid::schedule`] finds an order by a heuristic of the literature, [`Grid::optimum`] finds the best order
//! of all for a few clusters, and [`grid_unaware_binomial`] is the binomial tree over all machines that knows
//! nothing of clusters, for comparison.
//!
//! References: P. Bhat, V. Prasanna and C. Raghavendra, *Adaptive communication algorithms for distributed
//! heterogeneous systems*, HPDC 1998 (FEF, ECEF and the look-ahead); L. A. Barchet-Steffenel and G. Mounié,
//! *Scheduling heuristics for efficient broadcast operations on grid environments*, PMEO 2006 (ECEF-LAt and
//! ECEF-LAT).

mod binomial;
mod grid;
mod heuristic;
mod optimum;
mod timeline;

pub use binomial::grid_unaware_binomial;
pub use grid::{Grid, Link};
pub use heuristic::Heuristic;
pub use optimum::{Goal, MOST_CLUSTERS, TooManyClusters};
pub use timeline::{Schedule, Span, Transfer};
