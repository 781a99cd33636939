//! Uniformisation: a chain in continuous time as one in discrete time that is observed after a random number
//! of steps.
//!
//! With `q` at least the largest exit rate and `P = I + Q/q`, the distribution at time `t` is
//! `sum of w_k v_k`, where `v_k = v_0 P^k`, and `w_k` is the probability that a Poisson variable of mean
//! `q t` is `k`. The integral over `[0, t]` is `1/q sum of (1 - W_k) v_k` with `W_k = w_0 + .. + w_k`.
//! Nothing is subtracted, so no digits cancel. (A. Jensen 1953; W. Grassmann, *Computers & Operations
//! Research* 4, 1977.) The same holds backwards, for `u_k = P^k u_0`.
//!
//! - [`poisson`]: the weights, with a proven bound on what is left out.
//! - [`adaptive`]: rates that rise with the steps while faster states are reached, and the weights that
//!   belong to them; [`clock`]: either of the two kinds.
//! - [`flow`]: what a product needs, forwards and backwards, and states that are made absorbing or removed;
//!   [`of_space`] has the rates of a space.
//! - [`chain`]: one step, and what rounding may change in it.
//! - [`powers`]: step after step, until a known limit is proven to be near enough for all later steps.
//! - [`vectors`]: the vectors at several times, and their integrals, in one pass.
//! - [`once`]: the vector at a single time.
//! - [`sequence`]: a few inner products for each step, from which values at any time follow.
//!
//! # Accuracy
//! Every result has a bound on its absolute error: of vectors in the sum norm forwards, and in the largest
//! norm backwards. It is the sum of what the weights leave out, of what rounding may do in the worst case,
//! and of the distance from the limit that stands for the last steps. The rounding of a step grows with the
//! numbers of rates into a state and out of it, and adds up over the steps: a million of them may lose 1e-9,
//! and this is then said.
//!
//! # Cost
//! About `q t + 6 sqrt(q t)` products with the rates, or fewer where the limit is near before.

pub(crate) mod adaptive;
pub(crate) mod chain;
pub(crate) mod clock;
pub(crate) mod flow;
pub(crate) mod of_space;
pub(crate) mod once;
pub(crate) mod poisson;
pub(crate) mod powers;
pub(crate) mod sequence;
#[cfg(test)]
mod tests;
pub(crate) mod vectors;
pub(crate) mod weights;

/// The largest relative error of one operation in `f64`.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// The error of a figure that is allowed unless another is asked for.
pub(crate) const TOLERANCE: f64 = 1e-9;

/// The most steps that are taken unless others are allowed.
pub(crate) const MOST_STEPS: u64 = 10_000_000;
