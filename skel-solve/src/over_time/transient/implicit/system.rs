//! The linear systems of an implicit step, `(I - s A) x = b` with `A` the transposed generator.
//!
//! They are solved as `(1/s + exit(j)) x(j) - sum of x(i) q(i, j) = b(j)/s`, whose matrix is dominated by its
//! diagonal: by GMRES with incomplete factors of it as the right preconditioner. The residual, times `s`,
//! bounds the error in the sum norm, since the inverse makes no vector longer.

use std::ops::ControlFlow;

use crate::error::{Error, Stopped};
use crate::limits::{Reached, Watch};
use crate::linear::ilu::{self, Ilu0};
use crate::linear::iteration::Halt;
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{RateOperator, TriangularSweep};
use crate::refused::Refused;
use crate::vector::dot;

/// Iterations of a cycle, and cycles at most.
const CYCLE: usize = 30;
const MOST_CYCLES: usize = 40;

/// A chain with one more way out of each state.
struct Shifted<'c> {
    chain: &'c dyn TriangularSweep,
    exits: Vec<f64>,
}

impl RateOperator for Shifted<'_> {
    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn rates(&self) -> u64 {
        self.chain.rates()
    }

    fn least_rate(&self) -> f64 {
        self.chain.least_rate()
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        self.chain.inflow(x, inflow);
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        self.chain.for_each_rate(visit);
    }
}

/// The systems of steps of one length.
pub(super) struct System<'c> {
    shifted: Shifted<'c>,
    factors: Ilu0,
    shift: f64,
}

impl<'c> System<'c> {
    /// The bytes that it takes.
    pub(super) fn memory(chain: &dyn TriangularSweep) -> u64 {
        let states = chain.states() as u64;
        ilu::memory(states, chain.rates()) + states * 8 * (CYCLE as u64 + 5)
    }

    /// Factorises for `s`.
    pub(super) fn new(
        chain: &'c dyn TriangularSweep,
        s: f64,
        watch: &mut Watch<'_>,
    ) -> Result<System<'c>, Error> {
        let exits = chain.exits().iter().map(|exit| exit + 1.0 / s).collect();
        let shifted = Shifted { chain, exits };
        let factors = Ilu0::new(&shifted, watch).map_err(halted)?;
        Ok(System { shifted, factors, shift: 1.0 / s })
    }

    /// The solution and a bound on its error, which is at most `tolerance` unless rounding keeps it from
    /// that; begins with an estimate.
    pub(super) fn solve(
        &mut self,
        right: &[f64],
        mut x: Vec<f64>,
        tolerance: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Vec<f64>, f64), Error> {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CYCLES {
            watch.prepare()?;
            let residual = self.residual(right, &x);
            let error = residual.iter().map(|value| value.abs()).sum::<f64>() / self.shift;
            // Where a cycle gains nothing, rounding is all that is left.
            if error <= tolerance || (error >= 0.5 * last && error < 1e-12) {
                return Ok((x, error));
            }
            last = error;
            self.cycle(residual, tolerance / error / 2.0, &mut x);
        }
        Err(Refused::unattainable(tolerance, last).into())
    }

    fn residual(&self, right: &[f64], x: &[f64]) -> Vec<f64> {
        let product = self.product(x);
        right.iter().zip(product).map(|(right, product)| right * self.shift - product).collect()
    }

    fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; x.len()];
        self.shifted.inflow(x, &mut product);
        let out = x.iter().zip(&self.shifted.exits);
        product.iter_mut().zip(out).for_each(|(product, (value, exit))| *product = value * exit - *product);
        product
    }

    /// One cycle of GMRES: Y. Saad, Iterative Methods for Sparse Linear Systems, 9.3.2.
    fn cycle(&mut self, residual: Vec<f64>, reduction: f64, x: &mut [f64]) {
        let norm = dot(&residual, &residual).sqrt();
        let mut basis = vec![scaled(residual, 1.0 / norm)];
        let (mut columns, mut rotations): (Vec<Vec<f64>>, Vec<(f64, f64)>) = (Vec::new(), Vec::new());
        let mut right = vec![norm];
        for number in 0..CYCLE {
            let mut next = basis[number].clone();
            self.factors.solve(self.shifted.chain, &mut next);
            let mut next = self.product(&next);
            let mut column: Vec<f64> = Vec::with_capacity(number + 2);
            for unit in &basis {
                let part = dot(&next, unit);
                next.iter_mut().zip(unit).for_each(|(value, unit)| *value -= part * unit);
                column.push(part);
            }
            let length = dot(&next, &next).sqrt();
            for (at, &(cosine, sine)) in rotations.iter().enumerate() {
                let (upper, lower) = (column[at], column[at + 1]);
                column[at] = cosine * upper + sine * lower;
                column[at + 1] = cosine * lower - sine * upper;
            }
            let diagonal = column[number].hypot(length);
            if diagonal == 0.0 || !diagonal.is_finite() {
                break;
            }
            let (cosine, sine) = (column[number] / diagonal, length / diagonal);
            column[number] = diagonal;
            rotations.push((cosine, sine));
            columns.push(column);
            right.push(-sine * right[number]);
            right[number] *= cosine;
            if right[number + 1].abs() <= reduction * norm * 0.1 || length == 0.0 {
                break;
            }
            basis.push(scaled(next, 1.0 / length));
        }
        let mut correction = vec![0.0; x.len()];
        let mut coefficients = vec![0.0; columns.len()];
        for at in (0..columns.len()).rev() {
            let known: f64 =
                (at + 1..columns.len()).map(|later| columns[later][at] * coefficients[later]).sum();
            coefficients[at] = (right[at] - known) / columns[at][at];
        }
        for (coefficient, unit) in coefficients.iter().zip(&basis) {
            correction.iter_mut().zip(unit).for_each(|(value, unit)| *value += coefficient * unit);
        }
        self.factors.solve(self.shifted.chain, &mut correction);
        x.iter_mut().zip(correction).for_each(|(value, correction)| *value += correction);
    }
}

fn scaled(mut values: Vec<f64>, factor: f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value *= factor);
    values
}

fn halted(halt: Halt) -> Error {
    match halt {
        Halt::Limit(limit) => Stopped { limit, reached: Reached::Preparing }.into(),
        _ => unreachable!("factors stop only at a limit"),
    }
}
