//! Systems of equations of the states before an end.
//!
//! Some states of a chain come before an *end*: from them a run leaves, sooner or later, for states where
//! nothing more is asked. With `T` the generator among the states before the end, whose rows sum to zero or
//! less, there are two systems:
//!
//! ```text
//! backwards  -T x = b      x(i) = what a run from i collects before it leaves, where state j pays b(j) for each unit of time
//! forwards   x (-T) = a    x(j) = the time that a run which begins in i with weight a(i) spends in j
//! ```
//!
//! Expected times have `b = 1`, expected rewards their rates, and the probability to leave by a given way has
//! the rates of that way (J. G. Kemeny, J. L. Snell, Finite Markov Chains, 1960, chapter 3).
//!
//! | part | what it does |
//! |---|---|
//! | [`reach`] | by the graph alone: from which states an end is reached, perhaps or surely |
//! | [`BeforeEnd`] | the rates among the states before the end, and out of them |
//! | [`Systems`] | solutions in `f64`, each with a bound on its error that is proved |
//! | [`fractions`] | solutions in exact fractions, verified |
//! | [`stationary`] | what is in proportion to a steady state, with a bound on its error that is proved |
//! | [`beginnings`] | in which states something begins in the steady state, and with what weights |

mod before_end;
pub(crate) mod beginnings;
pub(crate) mod bound;
mod factors;
pub(crate) mod fractions;
mod iterated;
pub(crate) mod reach;
pub(crate) mod stationary;
mod systems;
#[cfg(test)]
mod tests;

pub(crate) use before_end::{BeforeEnd, Rows};
pub(crate) use systems::{Collected, Systems};
