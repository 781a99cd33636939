//! A few numbers for each step, from which values at any time follow.
//!
//! Where only inner products `f v_k` are of interest, they are stored for each step, and the vectors are not.
//! A value at time `t` is then `sum of w_k(q t) f v_k`, in `O(sqrt(q t))`, at as many times as wanted, and at
//! times that are known only later. So a whole curve costs about as much as its last point.
//!
//! Memory: 8 bytes for each step and product.

use super::UNIT;
use super::chain::Uniformised;
use super::clock::{missing, steps_for};
use super::flow::Direction;
use super::poisson::poisson;
use super::powers::{FindLimit, Powers, Settled};
use super::vectors::{error, error_of_integral};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::refused::Refused;
use crate::vector::{blocks, dot, worst};

/// A number with a bound on its absolute error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounded {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// An inner product with the vector of each step. Forwards its factors are bounded, and backwards their sum
/// is.
struct Product {
    /// In the order of the flow; none for the sum of all values.
    factors: Option<Vec<f64>>,
    /// What an error of the vector, in its norm, is multiplied by at most.
    norm: f64,
    values: Vec<f64>,
    /// The value of the limit.
    settled: f64,
}

impl Product {
    fn of(&self, vector: &[f64]) -> f64 {
        let of_block = |block: std::ops::Range<usize>| match &self.factors {
            Some(factors) => dot(&factors[block.clone()], &vector[block]),
            None => vector[block].iter().sum(),
        };
        blocks(vector.len()).map(of_block).sum()
    }
}

/// The values of all products at a time.
pub(crate) struct Values {
    pub(crate) now: Vec<f64>,
    /// A bound on the error of the vector, by which the largest factor of a product is multiplied in its own
    /// error.
    pub(crate) error: f64,
    /// The integrals from time zero, and the bound for them.
    pub(crate) integral: Option<(Vec<f64>, f64)>,
}

/// What is asked of a sequence.
pub(crate) struct Wanted {
    /// The largest error of a value, for a first vector and factors of norm one.
    pub(crate) tolerance: f64,
    /// The most steps.
    pub(crate) most_steps: u64,
}

/// Inner products, step by step.
pub(crate) struct Sequence<'c, 'f> {
    powers: Powers<'c, 'f>,
    products: Vec<Product>,
    wanted: Wanted,
    settled: Option<Settled>,
    budget: MemoryBudget,
}

impl<'c, 'f> Sequence<'c, 'f> {
    /// Begins with a vector, and takes no step yet. The factors of each product are in the order of the
    /// states; without any, it is the sum of all values.
    ///
    /// # Errors
    /// The vectors do not fit the budget.
    pub(crate) fn new(
        chain: &'c Uniformised<'c>,
        start: Vec<f64>,
        products: Vec<Option<Vec<f64>>>,
        find_limit: Option<FindLimit<'f>>,
        wanted: Wanted,
        budget: MemoryBudget,
    ) -> Result<Sequence<'c, 'f>, Error> {
        let budget = budget.take(Powers::memory(start.len()))?;
        let product = |factors: Option<Vec<f64>>| {
            let factors = factors.map(|mut factors| {
                chain.reorder(&mut factors);
                factors
            });
            let norm = match (&factors, chain.direction()) {
                (None, Direction::Forwards) => 1.0,
                (None, Direction::Backwards) => chain.states() as f64,
                (Some(factors), Direction::Forwards) => worst(factors),
                (Some(factors), Direction::Backwards) => factors.iter().map(|factor| factor.abs()).sum(),
            };
            Product { factors, norm, values: Vec::new(), settled: 0.0 }
        };
        let products = products.into_iter().map(product).collect();
        let powers = Powers::new(chain, start, find_limit);
        let mut sequence = Sequence { powers, products, wanted, settled: None, budget };
        sequence.store();
        Ok(sequence)
    }

    /// From which step on the limit stands for the rest.
    pub(crate) fn settled_at(&self) -> Option<u64> {
        self.settled.as_ref().map(|settled| settled.at)
    }

    /// The number of steps that were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.powers.steps()
    }

    fn store(&mut self) {
        for product in &mut self.products {
            let value = product.of(self.powers.vector());
            product.values.push(value);
        }
    }

    /// Takes the steps that a time needs, unless they were taken before.
    ///
    /// # Errors
    /// They are too many, do not fit the budget, or a limit was reached.
    pub(crate) fn reach(&mut self, time: f64, watch: &mut Watch<'_>) -> Result<(), Error> {
        let chain = self.powers.chain();
        if chain.rate() == 0.0 || self.settled.is_some() {
            return Ok(());
        }
        let last = steps_for(chain, time, self.wanted.tolerance);
        if last <= self.powers.steps() {
            return Ok(());
        }
        if last > self.wanted.most_steps && !chain.has_ends() {
            return Err(Refused::too_many_steps(last, self.wanted.most_steps).into());
        }
        while self.powers.steps() < last {
            if let Some(settled) = self.powers.settled(last, self.wanted.tolerance / 2.0, watch)? {
                self.powers.look(last, watch)?;
                for product in &mut self.products {
                    product.settled = product.of(settled.limit());
                }
                self.settled = Some(settled);
                return Ok(());
            }
            if self.powers.steps() == self.wanted.most_steps {
                return Err(Refused::too_many_steps(last, self.wanted.most_steps).into());
            }
            if self.powers.steps().is_multiple_of(1 << 12) {
                self.budget.check((self.powers.steps() + (1 << 13)) * 16 * self.products.len() as u64)?;
            }
            self.powers.advance(last, watch)?;
            self.store();
        }
        Ok(self.powers.look(last, watch)?)
    }

    /// The value of a product at a time that was reached before.
    pub(crate) fn at(&self, product: usize, time: f64) -> Bounded {
        let chain = self.powers.chain();
        let of = &self.products[product];
        let mean = chain.rate() * time;
        if mean == 0.0 {
            let rounded = self.rounding(of);
            return Bounded { value: of.values[0], error: rounded };
        }
        if let Some(settled) = self.settled_for_all(mean) {
            let last = (1.01 * mean) as u64;
            let error = settled.at as f64 * chain.step_error() + settled.distance(last) + 1e-15;
            let error = error * self.powers.scale() * of.norm + self.rounding(of);
            return Bounded { value: of.settled, error };
        }
        let weights = poisson(chain.rate(), time, missing(mean, self.wanted.tolerance));
        let value =
            (weights.first()..=weights.last()).map(|step| weights.weight(step) * self.value(of, step));
        let value = value.sum();
        let error = error(chain, &weights, self.settled.as_ref()) * self.powers.scale() * of.norm;
        Bounded { value, error: error + self.rounding(of) }
    }

    /// The values of all products at ascending times that were reached before, below the `1e9` steps at which
    /// a limit stands for all of them.
    pub(crate) fn curves(&self, times: &[f64], integrals: bool) -> Vec<Values> {
        let (chain, scale) = (self.powers.chain(), self.powers.scale());
        let share = 1.0 / chain.rate();
        let mut before = vec![0.0; self.products.len()];
        let mut step_before = 0;
        let mut values = Vec::with_capacity(times.len());
        for &time in times {
            let weights = poisson(chain.rate(), time, missing(chain.rate() * time, self.wanted.tolerance));
            let steps = weights.first()..=weights.last();
            let sum = |product: &Product, weight: &dyn Fn(u64) -> f64| -> f64 {
                steps.clone().map(|step| weight(step) * self.value(product, step)).sum()
            };
            let now = self.products.iter().map(|product| sum(product, &|step| weights.weight(step)));
            let now = now.collect();
            let error_of = error(chain, &weights, self.settled.as_ref()) * scale;
            let integral = integrals.then(|| {
                for (product, before) in self.products.iter().zip(&mut before) {
                    *before +=
                        (step_before..weights.first()).map(|step| self.value(product, step)).sum::<f64>();
                }
                step_before = weights.first();
                let of = |(product, before): (&Product, &f64)| {
                    (before + sum(product, &|step| weights.after(step))) * share
                };
                let integral = self.products.iter().zip(&before).map(of).collect();
                (integral, error_of_integral(chain, time, &weights, self.settled.as_ref()) * scale)
            });
            values.push(Values { now, error: error_of, integral });
        }
        values
    }

    /// The limit, where a time is so long that all steps before it have a probability below 1e-15 together,
    /// and that there would be too many weights.
    fn settled_for_all(&self, mean: f64) -> Option<&Settled> {
        const LONG: f64 = 1e9;
        self.settled.as_ref().filter(|settled| mean > LONG && mean > 10.0 * settled.at as f64)
    }

    fn value(&self, product: &Product, step: u64) -> f64 {
        match &self.settled {
            Some(settled) if step >= settled.at => product.settled,
            _ => product.values.get(step as usize).copied().unwrap_or(0.0),
        }
    }

    /// What the sums of a product may lose by rounding.
    fn rounding(&self, product: &Product) -> f64 {
        let states = self.powers.chain().states() as f64;
        UNIT * (states / 512.0 + 140.0) * self.powers.scale() * product.norm
    }
}
