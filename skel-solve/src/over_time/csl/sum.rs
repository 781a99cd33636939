//! Sums that keep what rounding takes, with a bound on their error.

use crate::over_time::uniformisation::UNIT;

/// A sum with what rounding took from it (A. Neumaier, ZAMM 54, 1974).
#[derive(Default)]
pub(super) struct Compensated {
    sum: f64,
    lost: f64,
    magnitudes: f64,
    terms: f64,
}

impl Compensated {
    pub(super) fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        if sum.is_finite() {
            self.lost += match self.sum.abs() >= term.abs() {
                true => (self.sum - sum) + term,
                false => (term - sum) + self.sum,
            };
        }
        self.sum = sum;
        self.magnitudes += term.abs();
        self.terms += 1.0;
    }

    /// The sum.
    pub(super) fn value(&self) -> f64 {
        self.sum + self.lost
    }

    /// How far the sum may be from the truth. The terms are products of numbers that are rounded.
    pub(super) fn error(&self) -> f64 {
        let count = (self.terms + 1.0) * (self.terms + 1.0) * UNIT;
        self.magnitudes * (1.0 + self.terms * UNIT * 2.0) * (8.0 + count) * UNIT
    }

    pub(super) fn below(&self) -> f64 {
        if self.sum.is_infinite() { self.sum } else { (self.sum + self.lost - self.error()).next_down() }
    }

    pub(super) fn above(&self) -> f64 {
        if self.sum.is_infinite() { self.sum } else { (self.sum + self.lost + self.error()).next_up() }
    }
}
