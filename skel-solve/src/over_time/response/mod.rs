//! The response time of an item: from when it is begun to when it is done.
//!
//! In a skeleton a task of the first stage begins its next item as soon as it has handed over the one before,
//! and an item is done when a task of the last stage has computed it. In a PEPA model an [`ItemPath`] says by
//! which action items come in, which actions carry them on, and by which they go out.
//!
//! There is more than one item inside, so that the time from one action to another is not the response time.
//! One item is followed: a state of the *tagged chain* is a state of the model with the position of that
//! item.
//!
//! ```text
//! states of the model  --pi-->  rates at which items begin  -->  weights of the start
//! states with a tag    --T--->  time until the item is done -->  mean, variance, distribution function, quantiles
//! ```
//!
//! The mean is that of Little's law (J. D. C. Little, 1961), `E[N] = X E[R]`, exactly; the tests hold both
//! equal. The rest of the distribution depends on which item goes first where several wait: items leave a
//! buffer in the order in which they came, as they do where the program runs, and workers of a farm overtake
//! each other.
//!
//! - [`ResponseTimes`] asks, of a skeleton or of a model, and [`ResponseTime`] answers, each figure with a
//!   bound on its error;
//! - `flow` has the steps of a skeleton's items, `exchange` the replicas that may change places, and
//!   `explore` the states;
//! - `path` and `labelled` do the same for a model;
//! - `followed` puts them together, and [`passage`](crate::over_time::passage) has the distribution of the
//!   time until the end.

mod answer;
mod exchange;
mod explore;
mod flow;
mod followed;
mod labelled;
mod path;
mod question;
mod services;
#[cfg(test)]
mod tests;

pub use answer::ResponseTime;
pub use path::{ItemPath, PathFault, PathProblem};
pub use question::ResponseTimes;
pub(crate) use services::quantile_of_services;
