//! The balance equations of a chain, as the methods see them: into each state flows as much as out of it.
//!
//! `inflow(j) = sum of pi(i) q(i, j)` over the other states, and `outflow(j) = pi(j) exit(j)`. The *defect* of a state is
//! their difference relative to the outflow. It doesn't change with the unit of time, nor with how rare the state is.
//!
//! A method needs no matrix, but what is here: products, and the triangular solution that a sweep of Gauss-Seidel is. So
//! it doesn't matter whether the rates are kept, as in [`TransposedRates`](crate::operator::transposed::TransposedRates), or made again each time.

pub(crate) mod assemble;
pub(crate) mod kronecker;
pub(crate) mod transposed;

use std::ops::ControlFlow;

use crate::vector::random;
use crate::vector::{blocks, total, worst};

/// Below this a probability is as good as none: there is no room for digits that it gets from others.
pub(crate) const NEGLIGIBLE: f64 = 1e-280;

/// The rates of a chain, as products see them. States are in the order of the space.
///
/// A product over tens of millions of states takes seconds, so it ends early when the work is to [`Stop`](crate::limits::Stop). What
/// it leaves then means nothing. A stop is never taken back: the next look at the limits ends the method, and there is always one
/// between a product and an answer.
pub(crate) trait RateOperator: Sync {
    /// The exit rate of each state.
    fn exits(&self) -> &[f64];

    /// The number of rates between two states.
    fn rates(&self) -> u64;

    /// A lower bound of the rates between two states.
    fn least_rate(&self) -> f64;

    /// `inflow(j) = sum of x(i) q(i, j)` over the other states.
    fn inflow(&self, x: &[f64], inflow: &mut [f64]);

    /// Calls `visit(i, j, q(i, j))` for the rates between two states, until it breaks or the work is to stop: for each `j` with `i` ascending, for each
    /// `i` with `j` ascending.
    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>);

    /// The number of states.
    fn states(&self) -> usize {
        self.exits().len()
    }

    /// The net inflows of an estimate with sum one, its residual `||pi Q||_inf / ||Q||_inf`, and the worst of its defects,
    /// where a probability below [`NEGLIGIBLE`] counts as that.
    fn net(&self, pi: &[f64], net: &mut [f64]) -> Balance {
        self.inflow(pi, net);
        let (mut largest, mut defect) = (0.0, 0.0);
        let mut defects = Vec::new();
        for block in blocks(pi.len()) {
            let net = &mut net[block.clone()];
            defects.clear();
            let known = pi[block.clone()].iter().zip(&self.exits()[block]);
            defects.extend(net.iter_mut().zip(known).map(|(net, (value, exit))| {
                *net -= value * exit;
                *net / (value.max(NEGLIGIBLE) * exit)
            }));
            largest = crate::vector::worst(&[largest, worst(net)]);
            defect = crate::vector::worst(&[defect, worst(&defects)]);
        }
        let norm = 2.0 * worst(self.exits());
        Balance { residual: if norm == 0.0 { largest } else { largest / norm }, defect }
    }

    /// Residual and worst defect of an estimate with sum one.
    fn balance(&self, pi: &[f64]) -> Balance {
        self.net(pi, &mut vec![0.0; pi.len()])
    }
}

/// Passes over the states in their order, in which each state uses the new values of the states before it: solutions of
/// triangular systems.
pub(crate) trait TriangularSweep: RateOperator {
    /// In place and ascending, `x(j) := (x(j) + sum of x(i) q(i, j) over i < j) / exit(j)`.
    fn substitute(&self, x: &mut [f64]);

    /// In place and ascending, `x(j) := sum of x(i) q(i, j) over i > j`.
    fn later_inflow(&self, x: &mut [f64]);

    /// In place and ascending, each probability moves by a weight to what its balance equation gives.
    fn sweep(&self, pi: &mut [f64], weight: f64);

    /// A random estimate, by which a run visits all states about equally often: the probabilities are as the stays.
    fn start(&self) -> Vec<f64> {
        let mut pi: Vec<f64> =
            self.exits().iter().enumerate().map(|(state, exit)| random(state) / exit).collect();
        self.make_positive(&mut pi);
        pi
    }

    /// An estimate near another one, with errors at random of the size of its defects: what a method sees of the chain it sees
    /// by the errors that it takes away, and those of a good estimate may leave out a part.
    fn near(&self, estimate: &[f64]) -> Vec<f64> {
        let mut pi = estimate.to_vec();
        self.make_positive(&mut pi);
        let size = self.balance(&pi).defect.min(1.0);
        pi.iter_mut().enumerate().for_each(|(state, value)| *value *= 1.0 + size * (random(state) - 1.0));
        self.make_positive(&mut pi);
        pi
    }

    /// Makes an estimate of any scale one with sum one and without negatives, by a sweep of Gauss-Seidel. The largest
    /// negative value that there was.
    fn make_positive(&self, pi: &mut [f64]) -> f64 {
        let least = scale_to_one(pi);
        self.sweep(pi, 1.0);
        scale_to_one(pi);
        f64::max(0.0, -least)
    }
}

/// How good an estimate is.
#[derive(Clone, Copy)]
pub(crate) struct Balance {
    /// `||pi Q||_inf / ||Q||_inf`
    pub(crate) residual: f64,
    /// The worst relative defect of a state.
    pub(crate) defect: f64,
}

/// Scales to sum one; negatives become zero. The least value before.
fn scale_to_one(pi: &mut [f64]) -> f64 {
    let sum = total(pi);
    let mut least = f64::INFINITY;
    for value in pi {
        let scaled = *value / sum;
        least = f64::min(least, scaled);
        *value = scaled.max(0.0);
    }
    least
}
