//! How far a solution may be from the right one: a proof by a vector that grows.
//!
//! `-T` is an M-matrix: its inverse exists and is not negative (A. Berman, R. J. Plemmons, Nonnegative
//! Matrices, 1979, chapter 6). So where a vector `n >= 0` is found with `-T n >= (1 - d) e`, `e` the exit
//! rates and `d < 1`, then `(-T)^-1 e <= n / (1 - d)` in every state. It does not matter how `n` was found:
//! what counts is that the inequality is checked, rounding included. `(-T)^-1 e` is the number of jumps that
//! a run makes before it leaves.
//!
//! A solution `x` of `-T x = b` that leaves the residual `r` is wrong by `(-T)^-1 r`. With `|r| <= c e` that
//! is at most `c n / (1 - d)`, state by state. Forwards, the error `f = r (-T)^-1` has
//! `sum |f(j)| e(j) <= sum |r(i)| n(i) / (1 - d)`.
//!
//! The residual is computed in `f64` from rates that are themselves rounded. Both count: [`RATES`] roundings
//! for a rate, and one for each term of an equation.

use crate::chain::Matrix;
use crate::over_time::absorption::BeforeEnd;
use crate::over_time::uniformisation::UNIT;

/// A rate in `f64` is a few products, quotients and sums of rounded numbers; it is right to so many
/// roundings.
pub(crate) const RATES: f64 = 64.0;

/// The most jumps that a run can make, on the average, before it leaves: per state it begins in. `None` where
/// the estimate proves nothing.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn jumps(chain: &BeforeEnd<f64>, exits: &[f64], estimate: &[f64]) -> Option<Vec<f64>> {
    let mut least = f64::INFINITY;
    for (state, exit) in exits.iter().enumerate() {
        let Equation { value, error } = equation(chain, state, estimate);
        if !(estimate[state] >= 0.0 && (value - error).is_finite() && *exit > 0.0) {
            return None;
        }
        least = least.min((value - error) / exit);
    }
    // `least` is `1 - d`. A little is taken off for its own rounding.
    (least > 0.25).then(|| estimate.iter().map(|jumps| jumps / least * (1.0 + 1e-12)).collect())
}

/// The left-hand side of an equation of `-T x`, and how far from it rounding may be.
struct Equation {
    value: f64,
    error: f64,
}

fn equation(chain: &BeforeEnd<f64>, state: usize, x: &[f64]) -> Equation {
    let own = x[state];
    let mut value = chain.leaves[state] * own;
    let (mut size, mut terms) = (value.abs(), 1.0);
    for (target, rate) in chain.rates.row(state) {
        value += rate * (own - x[target]);
        size += rate * (own.abs() + x[target].abs());
        terms += 1.0;
    }
    Equation { value, error: (RATES + 2.0 * terms + 8.0) * UNIT * size }
}

/// The largest residual of `-T x = b` relative to the exit rate, rounding included.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn backwards(chain: &BeforeEnd<f64>, exits: &[f64], right: &[f64], x: &[f64]) -> f64 {
    let mut largest = 0.0;
    for (state, exit) in exits.iter().enumerate() {
        let Equation { value, error } = equation(chain, state, x);
        let left = (right[state] - value).abs() + error + 4.0 * UNIT * right[state].abs();
        // A NaN stays.
        largest = if left / exit <= largest { largest } else { left / exit };
    }
    largest * (1.0 + 1e-12)
}

/// A bound on `sum |f(j)| e(j)` for the error `f` of a solution of `x (-T) = a`. The matrix is that of the
/// incoming rates.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn forwards(
    chain: &BeforeEnd<f64>,
    incoming: &Matrix<f64>,
    exits: &[f64],
    right: &[f64],
    x: &[f64],
    jumps: &[f64],
) -> f64 {
    let mut sum = 0.0;
    for (state, exit) in exits.iter().enumerate() {
        let mut value = exit * x[state] - right[state];
        let (mut size, mut terms) = ((exit * x[state]).abs() + right[state].abs(), 2.0);
        for (source, rate) in incoming.row(state) {
            value -= rate * x[source];
            size += (rate * x[source]).abs();
            terms += 1.0;
        }
        // The exit rate is a sum of its own.
        terms += chain.rates.columns_of(state).len() as f64;
        let left = value.abs() + (RATES + 2.0 * terms + 8.0) * UNIT * size;
        sum += left * jumps[state];
    }
    sum * (1.0 + 1e-9)
}
