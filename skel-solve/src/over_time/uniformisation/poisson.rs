//! The probabilities of a Poisson distribution around its mode.
//!
//! The recursion begins at the mode with weight one and goes both ways by `w(k-1) = w(k) k/mean` and `w(k+1) = w(k) mean/(k+1)`. The
//! factors fall away from the mode, so what is left out is below a geometric series: on the right `w(R) x/(1-x)` with `x = mean/(R+1)`,
//! and on the left `w(L) y/(1-y)` with `y = L/mean`. Nothing overflows, and what underflows is nothing. The usual method (B. Fox and P. Glynn, *Communications
//! of the ACM* 31, 1988) needs tables of bounds, and its code stops at some accuracies.
//!
//! Time and memory: about `2 sqrt(2 mean ln(1/missing))` weights.

use super::UNIT;

/// The weights from the first to the last that matter.
pub(crate) struct Poisson {
    mean: f64,
    /// The number of steps of the first weight.
    first: u64,
    /// They sum to one.
    weights: Vec<f64>,
    /// For each weight the sum of all after it.
    after: Vec<f64>,
    /// A bound on the probability of all that is left out.
    missing: f64,
    /// A bound on what is left out of the mean.
    missing_mean: f64,
}

impl Poisson {
    /// The weights for a mean, but for the probability `missing` at most.
    ///
    /// # Panics
    /// If the mean is negative or not finite.
    pub(crate) fn new(mean: f64, missing: f64) -> Poisson {
        assert!(mean.is_finite() && mean >= 0.0, "the mean {mean} of a Poisson distribution");
        let mode = mean.floor();
        let (below, left) = lower(mean, mode, missing);
        let (above, right, right_mean) = upper(mean, mode, missing);
        let first = mode as u64 - below.len() as u64;
        let mut weights: Vec<f64> = below.into_iter().rev().chain([1.0]).chain(above).collect();
        let sum = from_both_ends(&weights);
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let mut after = vec![0.0; weights.len()];
        for place in (1..weights.len()).rev() {
            after[place - 1] = after[place] + weights[place];
        }
        Poisson { mean, first, weights, after, missing: (left + right) / sum, missing_mean: right_mean / sum }
    }

    /// The mean.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The first number of steps with a weight.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The last number of steps with a weight.
    pub(crate) fn last(&self) -> u64 {
        self.first + self.weights.len() as u64 - 1
    }

    /// The weight of a number of steps.
    pub(crate) fn weight(&self, steps: u64) -> f64 {
        let place = steps.checked_sub(self.first).map(|place| place as usize);
        place.and_then(|place| self.weights.get(place)).copied().unwrap_or(0.0)
    }

    /// The weight of all larger numbers of steps: the share of a step in the integral over time.
    pub(crate) fn after(&self, steps: u64) -> f64 {
        match steps.checked_sub(self.first) {
            None => 1.0,
            Some(place) => self.after.get(place as usize).copied().unwrap_or(0.0),
        }
    }

    /// A bound on the sum of the errors of all weights: what is left out, the rounding of the recursion, and that of the mean, which is
    /// itself a rounded product.
    pub(crate) fn error(&self) -> f64 {
        2.0 * self.missing + UNIT * (4.0 * self.weights.len() as f64 + 4.0 * self.mean.sqrt() + 8.0)
    }

    /// A bound on the sum of the errors of [`Self::after`] over all numbers of steps.
    pub(crate) fn error_of_mean(&self) -> f64 {
        self.error() * (self.last() + 1) as f64 + self.missing_mean
    }
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

/// The weights above the mode, a bound on the sum of those above these, and one on the sum of these times how far above they are.
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
