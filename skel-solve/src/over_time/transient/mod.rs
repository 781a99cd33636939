//! Transient distributions: where a chain is at time `t`, and how it has spent its time until then.
//!
//! ```
//! use skel::prelude::*;
//! let space = Model::from_text("Up = (fail, 0.3).Down; Down = (mend, 2).Up; Up")?.explore()?;
//! let transient = space.transient(&[0.1, 1.0, 5.0])?;
//! let down = transient.points()[1].population_named("Down")?;
//! assert!((down - 0.3 / 2.3 * (1.0 - f64::exp(-2.3))).abs() <= transient.report().error);
//! # Ok::<(), skel::Error>(())
//! ```
//!
//! All times are answered by one pass to the largest of them, from the initial state or from given weights of
//! the states. Each [`Point`] is a distribution, with all its measures: throughputs are those just after the
//! time, populations and result lines those at it. With [`TransientSolver::over`] it also has the average
//! over the time until then; times the time, it is the integral.
//!
//! | method | for | accuracy |
//! |---|---|---|
//! | uniformisation | all chains, unless they are stiff or times are long | a proved bound |
//! | adaptive uniformisation | chains whose fast states are far from where they begin | a proved bound |
//! | scaling and squaring | up to 2000 states, where it takes less work than uniformisation or the bound of that would be too large | an estimate; relative errors stay small, too |
//! | an implicit Runge-Kutta method | where uniformisation would take too many steps | an estimate of what is left by its last steps |
//!
//! Uniformisation takes about `q t` products with the rates for the largest exit rate `q`. Where the
//! distribution is near its long run before, and that is proved, it stops there. Adaptive uniformisation
//! takes steps only as fast as the states that can have been reached by then. The rates are those of the
//! steady state: a list, or made again from the model where states are kept as bits. Sources: A. Jensen 1953
//! for uniformisation, A. van Moorsel and W. Sanders 1994 for its adaptive form, A. Reibman and K. Trivedi
//! 1989 for stiff chains; the files of each method have more.

mod choice;
mod curves;
mod find;
mod implicit;
mod largest;
pub(crate) mod limit;
mod point;
mod report;
mod solver;
mod squaring;
mod start;

pub use crate::refused::Refused;
pub use choice::Method;
pub use curves::{Curves, Series};
pub use point::{Point, Transient};
pub use report::{Accuracy, Report};
pub use solver::TransientSolver;
