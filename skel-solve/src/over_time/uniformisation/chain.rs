//! One step of a uniformised chain.

use super::UNIT;
use super::flow::{Direction, Flow};

/// A rate has been rounded at most so often when it is read from a model: it is a quotient of apparent rates,
/// times another.
const ROUNDED: u64 = 8;

/// How much larger the rate is taken than the largest exit rate where all are equal. Such a chain may be
/// periodic in its steps, and would never come near its limit.
const SLACK: f64 = 1.02;

/// A chain whose steps come at one rate, whatever the state.
pub(crate) struct Uniformised<'c> {
    flow: &'c dyn Flow,
    rate: f64,
    has_ends: bool,
}

impl<'c> Uniformised<'c> {
    /// Uniformises a chain at its largest exit rate.
    pub(crate) fn new(flow: &'c dyn Flow) -> Uniformised<'c> {
        let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
        for &exit in flow.exits() {
            least = least.min(exit);
            largest = largest.max(exit);
        }
        let rate = if least == largest { largest * SLACK } else { largest };
        Uniformised { flow, rate, has_ends: least == 0.0 }
    }

    /// The same chain with steps at another rate, at least that of all states that are reached.
    pub(crate) fn at_rate(&self, rate: f64) -> Uniformised<'c> {
        Uniformised { rate, ..*self }
    }

    /// The rate of the steps; zero if no state is ever left.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// The number of states.
    pub(crate) fn states(&self) -> usize {
        self.flow.states()
    }

    /// Which way vectors are multiplied.
    pub(crate) fn direction(&self) -> Direction {
        self.flow.direction()
    }

    /// Whether some states are never left.
    pub(super) fn has_ends(&self) -> bool {
        self.has_ends
    }

    /// The exit rates, in the order of the flow.
    pub(crate) fn exits(&self) -> &[f64] {
        self.flow.exits()
    }

    /// A bound on what one step may change by rounding in a vector of norm one, with the rounding of the
    /// rates: their sums into and out of a state, and a few operations more.
    pub(crate) fn step_error(&self) -> f64 {
        (self.flow.terms() + 2 * ROUNDED + 8) as f64 * UNIT
    }

    /// The next vector.
    pub(super) fn step(&self, from: &[f64], to: &mut [f64]) {
        self.flow.uniformised(from, 1.0 / self.rate, to);
    }

    /// Brings a vector from the order of the states to that of the flow, or back.
    pub(super) fn reorder(&self, values: &mut [f64]) {
        if self.direction() == Direction::Backwards {
            values.reverse();
        }
    }

    /// The norm in which errors do not grow: the sum of the magnitudes forwards, the largest backwards.
    pub(super) fn norm(&self, magnitudes: impl Iterator<Item = f64>) -> f64 {
        match self.direction() {
            Direction::Backwards => crate::vector::largest(magnitudes),
            Direction::Forwards => {
                let (mut sum, mut of_block) = (0.0, 0.0);
                for (number, magnitude) in magnitudes.enumerate() {
                    of_block += magnitude;
                    if number % 512 == 511 {
                        sum += of_block;
                        of_block = 0.0;
                    }
                }
                sum + of_block
            }
        }
    }

    /// The distance between two vectors.
    pub(super) fn distance(&self, left: &[f64], right: &[f64]) -> f64 {
        self.norm(left.iter().zip(right).map(|(left, right)| (left - right).abs()))
    }
}
