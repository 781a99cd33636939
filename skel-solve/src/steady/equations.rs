//! The balance equations of a chain: into each state flows as much as out of it.
//!
//! `inflow(j) = sum of pi(i) q(i, j)` and `outflow(j) = pi(j) exit(j)`; the *defect* of a state is their difference relative
//! to the outflow. It doesn't change with the unit of time, nor with how rare the state is.

use super::ilu::Ilu0;
use super::iterate::{Halt, Iterations};
use super::worst;
use crate::chain::{Generator, Matrix};

/// Below this a probability is as good as none: there is no room for digits that it gets from others.
pub(super) const NEGLIGIBLE: f64 = 1e-280;

pub(super) struct Equations {
    /// Row `j` has the rates into state `j`, and minus its exit rate.
    incoming: Matrix<f64>,
    exits: Vec<f64>,
    factors: Ilu0,
}

impl Equations {
    pub(super) fn of(generator: &Generator<f64>, budget: &mut Iterations<'_, '_>) -> Result<Equations, Halt> {
        let incoming = generator.matrix().transposed();
        let factors = Ilu0::of(&incoming, budget)?;
        let exits = generator.exits();
        Ok(Equations { incoming, exits, factors })
    }

    /// The exit rates.
    pub(super) fn exits(&self) -> &[f64] {
        &self.exits
    }

    /// The estimate by which a run visits all states equally often: the probabilities are as the stays.
    pub(super) fn start(&self) -> Vec<f64> {
        let mut pi: Vec<f64> = self.exits.iter().map(|exit| 1.0 / exit).collect();
        self.make_positive(&mut pi);
        pi
    }

    /// The defects of an estimate with sum one, its outflows, and the worst of the defects.
    pub(super) fn defects(&self, pi: &[f64], outflows: &mut [f64], defects: &mut [f64]) -> f64 {
        for ((outflow, &value), &exit) in outflows.iter_mut().zip(pi).zip(&self.exits) {
            *outflow = value.max(NEGLIGIBLE) * exit;
        }
        self.product(pi, outflows, defects);
        worst(defects)
    }

    /// The worst defect of an estimate with sum one.
    pub(super) fn worst_defect(&self, pi: &[f64]) -> f64 {
        let (mut outflows, mut defects) = (vec![0.0; pi.len()], vec![0.0; pi.len()]);
        self.defects(pi, &mut outflows, &mut defects)
    }

    /// The product of `Q^T` and a vector, each row divided by its scale.
    pub(super) fn product(&self, vector: &[f64], scale: &[f64], product: &mut [f64]) {
        let (offsets, columns, values) = self.incoming.parts();
        for ((row, product), scale) in offsets.windows(2).zip(product).zip(scale) {
            let range = row[0]..row[1];
            let entries = columns[range.clone()].iter().zip(&values[range]);
            *product = entries.map(|(&at, value)| value * vector[at as usize]).sum::<f64>() / scale;
        }
    }

    /// An approximate solution of `Q^T x = scale * right`.
    pub(super) fn precondition(&self, right: &[f64], scale: &[f64], x: &mut [f64]) {
        self.factors.solve(right, scale, x);
    }

    /// A sweep of Gauss-Seidel: each probability moves, by a weight, to what its balance equation gives.
    pub(super) fn sweep(&self, pi: &mut [f64], weight: f64) {
        let (offsets, columns, values) = self.incoming.parts();
        for state in 0..pi.len() {
            let range = offsets[state]..offsets[state + 1];
            let entries = columns[range.clone()].iter().zip(&values[range]);
            let inflow: f64 = entries
                .filter(|&(&from, _)| from as usize != state)
                .map(|(&from, rate)| rate * pi[from as usize])
                .sum();
            pi[state] += weight * (inflow / self.exits[state] - pi[state]);
        }
    }

    /// Makes an estimate of any scale one with sum one and without negatives, by a sweep of Gauss-Seidel.
    pub(super) fn make_positive(&self, pi: &mut [f64]) {
        let scale_to_one = |pi: &mut [f64]| {
            let sum: f64 = pi.iter().sum();
            pi.iter_mut().for_each(|value| *value = (*value / sum).max(0.0));
        };
        scale_to_one(pi);
        self.sweep(pi, 1.0);
        scale_to_one(pi);
    }
}
