//! The probabilities of a Poisson distribution around its mode.
//!
//! The recursion begins at the mode with weight one and goes both ways by `w(k-1) = w(k) k/mean` and
//! `w(k+1) = w(k) mean/(k+1)`. The factors fall away from the mode, so what is left out is below a geometric
//! series: on the right `w(R) x/(1-x)` with `x = mean/(R+1)`, and on the left `w(L) y/(1-y)` with
//! `y = L/mean`. Nothing overflows, and what underflows is nothing. The usual method (B. Fox and P. Glynn,
//! *Communications of the ACM* 31, 1988) needs tables of bounds, and its code stops at some accuracies.
//!
//! Time and memory: about `2 sqrt(2 mean ln(1/missing))` weights.

use super::UNIT;
use super::weights::{Exactness, Weights};

/// The weights for the mean `rate time`, but for the probability `missing` at most. Their error is what is
/// left out, the rounding of the recursion, and that of the mean, which is itself a rounded product.
///
/// # Panics
/// If the mean is negative or not finite.
pub(crate) fn poisson(rate: f64, time: f64, missing: f64) -> Weights {
    let mean = rate * time;
    assert!(mean.is_finite() && mean >= 0.0, "the mean {mean} of a Poisson distribution");
    let mode = mean.floor();
    let (below, left) = lower(mean, mode, missing);
    let (above, right, right_mean) = upper(mean, mode, missing);
    let first = mode as u64 - below.len() as u64;
    let mut weights: Vec<f64> = below.into_iter().rev().chain([1.0]).chain(above).collect();
    let sum = from_both_ends(&weights);
    weights.iter_mut().for_each(|weight| *weight /= sum);
    let error = 2.0 * (left + right) / sum + UNIT * (4.0 * weights.len() as f64 + 4.0 * mean.sqrt() + 8.0);
    let error_of_mean = error * (first + weights.len() as u64) as f64 + right_mean / sum;
    Weights::new(
        first,
        weights,
        Exactness { mean, error, error_of_time: error_of_mean / rate * (1.0 + 1e-9) },
    )
}

/// The weights below the mode, downwards from it, and a bound on the sum of those below these.
fn lower(mean: f64, mode: f64, missing: f64) -> (Vec<f64>, f64) {
    let (mut weights, mut weight, mut at, mut sum) = (Vec::new(), 1.0, mode, 1.0);
    while at > 0.0 {
        let ratio = at / mean;
        let rest = weight * ratio / (1.0 - ratio);
        if ratio < 1.0 && rest <= missing / 2.0 * sum {
            return (weights, rest);
        }
        weight *= ratio;
        at -= 1.0;
        sum += weight;
        weights.push(weight);
    }
    (weights, 0.0)
}

/// The weights above the mode, a bound on the sum of those above these, and one on the sum of these times how
/// far above they are.
fn upper(mean: f64, mode: f64, missing: f64) -> (Vec<f64>, f64, f64) {
    let (mut weights, mut weight, mut at, mut sum) = (Vec::new(), 1.0, mode, 1.0);
    loop {
        let ratio = mean / (at + 1.0);
        let rest = weight * ratio / (1.0 - ratio);
        if ratio < 1.0 && rest <= missing / 2.0 * sum {
            return (weights, rest, rest / (1.0 - ratio));
        }
        weight *= ratio;
        at += 1.0;
        sum += weight;
        weights.push(weight);
    }
}

/// The sum of weights that rise and then fall, the small ones first.
fn from_both_ends(weights: &[f64]) -> f64 {
    let (mut left, mut right) = (0, weights.len());
    let mut sums = [0.0, 0.0];
    while left < right {
        if weights[left] <= weights[right - 1] {
            sums[0] += weights[left];
            left += 1;
        } else {
            right -= 1;
            sums[1] += weights[right];
        }
    }
    sums[0] + sums[1]
}
