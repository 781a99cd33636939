//! The power method on the uniformised chain: each iteration computes the distribution after one more step.
//!
//! With a rate `Lambda` above all exit rates, `pi := pi + (pi Q) / Lambda` is a step of a chain in discrete
//! time with the same steady state. It always converges, since `Lambda` is above the largest exit rate and so
//! no state is periodic. The number of iterations is the time that the chain takes to converge, in units of
//! `1 / Lambda`. For rates that are many orders of magnitude apart, that is far too many.
//!
//! Convergence: as [`gauss_seidel`](crate::linear::gauss_seidel). Cost of a step: one pass over the rates.
//! Memory: a vector. W. J. Stewart, Introduction to the Numerical Solution of Markov Chains (1994), 3.1.

use crate::linear::MethodUsed;
use crate::linear::gauss_seidel::relax;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod};
use crate::operator::TriangularSweep;
use crate::vector::worst;

/// How far `Lambda` is above the largest exit rate.
const ABOVE: f64 = 1.05;

pub(crate) struct Power;

impl IterativeMethod for Power {
    fn method(&self) -> MethodUsed {
        MethodUsed::Power
    }

    fn memory(&self, states: u64, _: u64) -> u64 {
        states * 8
    }

    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let rate = ABOVE * worst(chain.exits());
        relax(chain, pi, target, budget, |pi, inflow| {
            chain.inflow(pi, inflow);
            for ((value, inflow), exit) in pi.iter_mut().zip(&*inflow).zip(chain.exits()) {
                *value += (inflow - *value * exit) / rate;
            }
        })
    }
}
