//! One program on machines of several types: a model for each type, combined into one of the whole
//! environment.
//!
//! ```text
//! a function of n and p for each type -> MetaModel -> Environment (so many machines of each type) -> seconds, relative performance, shares
//! ```
//!
//! # What the paper says
//! A model `delta_t(n, p)` is fitted for each type `t` of machine, from runs on `p` machines of this type
//! (its step 8). The models are combined into a *meta-model* of the program, which does not fix how many
//! machines of each type there are (step 9), and from which times follow for other `n` and `p` (step 10). The
//! ratios of the models at one `n` and `p` are the relative performance (step 11). It prints no formula for
//! the combination.
//!
//! # How it is read here
//! An environment has `c_t` machines of type `t`, and `p` machines together. One of `p` machines of type `t`
//! does `1/p` of the work in `delta_t(n, p)` seconds. So it does the part `s` of the work in
//! `s p delta_t(n, p)`, and the program ends with its last machine:
//!
//! ```text
//! equal shares                                   max_t delta_t(n, p)
//! shares by relative performance                 p / sum_t (c_t / delta_t(n, p)), the least time that any shares can give
//! any shares s_i of machines i, which sum to 1   max_i s_i p delta_t(i)(n, p)
//! ```
//!
//! With one type alone, the first two are that type's model. What a machine does besides its share, such as
//! its start, is taken to grow and shrink with the share as the rest does. Where that is too coarse, fit a
//! model for each segment, make a meta-model of each segment whose work is distributed, and compose the
//! segments with [`Graph::times_with`](crate::graph::Graph::times_with).
//!
//! A type that was timed on one machine alone has [`MachineModel::of_one_machine`]: the work is taken to
//! divide wholly.
//!
//! # Examples
//! ```
//! use skel_fit::{Function, MachineModel, MetaModel};
//!
//! // Seconds of 1 s, 1.6 s and 8 s for each of n rows.
//! let seconds = |text: &str| text.parse::<Function>().map(|function| MachineModel::of_one_machine(&function));
//! let rows = MetaModel::new([("intel", seconds("n")?), ("bio", seconds("1.6 n")?), ("taurus", seconds("8 n")?)])?;
//! let environment = rows.environment([("intel", 4), ("bio", 4), ("taurus", 6)])?;
//! let prediction = environment.predict(2500.0)?;
//! assert_eq!((prediction.balanced * 100.0).round(), 34483.0);
//! assert_eq!((prediction.equal * 100.0).round(), 142857.0);
//! assert!(prediction.warnings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod environment;
mod model;
#[cfg(feature = "distribute")]
mod performance;

pub use environment::{Environment, EnvironmentTime, TypeTime, TypeWarning};
pub use model::{MachineModel, MetaModel};
#[cfg(feature = "distribute")]
pub use performance::SharedWork;
