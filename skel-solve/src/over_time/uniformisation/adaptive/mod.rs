//! Adaptive uniformisation: steps no faster than the states that can have been reached by then.
//!
//! Let `q_k` be the largest exit rate among the states that at most `k` transitions lead to. Steps that come
//! at the rates `q_0, q_1, ..` one after the other, with `P_k = I + Q/q_k` for the step `k`, describe the
//! same chain. How many there are until a time is a pure birth process with these rates, and its
//! probabilities take the place of the Poisson weights. (A. van Moorsel and W. Sanders, *Stochastic Models*
//! 10, 1994.) Fast states that are far away cost nothing until they are reached.
//!
//! The time of the first `n` steps is a sum of exponential times, so by Chernoff's inequality the probability
//! that it is at most `t` is below `exp(s t) q_0/(q_0 + s) .. q_(n-1)/(q_(n-1) + s)`, for each `s > 0`. The
//! logarithm is convex in `s`, and Newton's method finds its minimum. So the number of steps is known before
//! a vector is touched, from one search through the chain.

//!
//! - [`rising`]: the rates, and the number of steps.
//! - [`births`]: the probabilities of the numbers of steps.

pub(crate) mod births;
pub(crate) mod rising;
