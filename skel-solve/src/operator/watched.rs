//! A chain whose products end at once when the work is to stop.
//!
//! An iteration has several products and sweeps, each of which goes over all rates, and it looks at the limits when it is done. For
//! tens of millions of states that is seconds. Behind this, what is left of an iteration after a stop does nothing, so no more than
//! one product is waited for. The numbers are then of no use: a stop is never taken back, so the next look at the limits ends the
//! method, and [`drive`](crate::steady) looks once more before it gives an answer.

use std::ops::ControlFlow;

use super::{RateOperator, TriangularSweep};
use crate::limits::Stop;

/// A chain, and what says whether to go on.
pub(crate) struct Watched<'c> {
    pub(crate) chain: &'c dyn TriangularSweep,
    pub(crate) stop: Stop,
}

impl RateOperator for Watched<'_> {
    fn exits(&self) -> &[f64] {
        self.chain.exits()
    }

    fn rates(&self) -> u64 {
        self.chain.rates()
    }

    fn least_rate(&self) -> f64 {
        self.chain.least_rate()
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        if !self.stop.is_due() {
            self.chain.inflow(x, inflow);
        }
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        // Who visits the rates can break off, and may count on seeing the same ones twice.
        self.chain.for_each_rate(visit);
    }
}

impl TriangularSweep for Watched<'_> {
    fn substitute(&self, x: &mut [f64]) {
        if !self.stop.is_due() {
            self.chain.substitute(x);
        }
    }

    fn later_inflow(&self, x: &mut [f64]) {
        if !self.stop.is_due() {
            self.chain.later_inflow(x);
        }
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        if !self.stop.is_due() {
            self.chain.sweep(pi, weight);
        }
    }
}
