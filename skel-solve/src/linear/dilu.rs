//! Incomplete LU factors whose diagonal alone differs from that of the matrix: DILU.
//!
//! With `A = D - L - U`, where `D` has the exit rates, `L` the rates from earlier states and `U` those from
//! later ones, the factors are `M = (E - L) E^-1 (E - U)`, and the pivots `E` are such that `M` has the
//! diagonal `D`: R. Barrett and others, Templates for the Solution of Linear Systems (1994), 3.4.3. Where no
//! two states lead to each other, `E` is `D`, and `M` is a symmetric sweep of Gauss-Seidel.
//!
//! The Krylov method sees `S A M^-1 S^-1` with `S = E (E - L)^-1`, which is `E (E - L)^-1 A (E - U)^-1`.
//! Since `A = (E - L) + (E - U) - (2 E - D)`, a product with that needs each rate once: with
//! `t = (E - U)^-1 x` it is `E t + E (E - L)^-1 (x - (2 E - D) t)`. S. C. Eisenstat, SIAM J. Sci. Stat.
//! Comput. 2 (1981). So an iteration takes about as long as with a forward sweep. Queues in a line need
//! between a half and two thirds of the iterations that it needs, as with [ILU(0)](super::ilu), whose
//! products take two passes.
//!
//! Memory: two vectors, and the chain as a list. Found in one pass over the rates.

use std::borrow::Cow;

use crate::limits::Watch;
use crate::linear::iteration::{Halt, check};
use crate::linear::preconditioner::{Preconditioner, Similarity};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, SharedPass, TriangularSweep};

/// The factors of a chain whose rates are a list.
pub(crate) struct Dilu<'c> {
    list: &'c TransposedRates,
    /// `E`; the exit rates of the list where it is `D`, so that one vector less is to be read.
    pivots: Cow<'c, [f64]>,
    /// What a product is made in.
    half: Vec<f64>,
}

/// The bytes for so many states, and those while the pivots are found.
pub(crate) fn memory(states: u64) -> u64 {
    states * 3 * 8
}

impl<'c> Dilu<'c> {
    pub(crate) fn new(list: &'c TransposedRates, watch: &mut Watch<'_>) -> Result<Dilu<'c>, Halt> {
        let pivots = list.pivots();
        check(watch)?;
        let pivots = if pivots == list.exits() { Cow::Borrowed(list.exits()) } else { Cow::Owned(pivots) };
        Ok(Dilu { list, pivots, half: vec![0.0; list.states()] })
    }
}

impl Similarity for Dilu<'_> {
    fn apply(&self, x: &mut [f64]) {
        self.list.substitute_forwards(&self.pivots, x);
    }

    fn take_back(&self, x: &mut [f64]) {
        self.list.multiply_forwards(&self.pivots, x);
    }
}

impl Preconditioner for Dilu<'_> {
    fn similarity(&self) -> Option<&dyn Similarity> {
        Some(self)
    }

    fn solve(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        self.list.substitute_backwards(&self.pivots, x);
    }

    fn rest(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        self.list.rest_of_factors(&self.pivots, x, &mut self.half);
    }

    fn shared<'c>(&'c self, _: &'c dyn TriangularSweep) -> Option<Box<dyn SharedPass + 'c>> {
        self.list.shared_factors(&self.pivots)
    }
}

#[cfg(test)]
mod tests {
    use super::Dilu;
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::preconditioner::{Preconditioner, Similarity};
    use crate::operator::RateOperator;
    use crate::operator::transposed::{Rows, TransposedRates};
    use crate::vector::{random, worst};

    /// A chain of so many states, with the rates that a function gives.
    fn chain(states: usize, rate: impl Fn(usize, usize) -> f64) -> TransposedRates {
        let limits = Limits::default();
        let rows: Rows<'_> = &|_, visit| {
            for from in 0..states {
                let others = (0..states).filter(|&to| to != from).map(|to| (to as u32, rate(from, to)));
                visit(from, &others.filter(|(_, rate)| *rate > 0.0).collect::<Vec<_>>());
            }
            Ok(())
        };
        let budget = MemoryBudget::new(&limits);
        TransposedRates::new(states, rows, budget, &mut Watch::start(&limits))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Forty states in a ring, with rates to both neighbours of each and some across.
    fn mixed() -> TransposedRates {
        chain(40, |from, to| match (to + 40 - from) % 40 {
            1 | 39 => random(40 * from + to),
            7 | 30 if from % 3 == 0 => 3.0 * random(from + to),
            _ => 0.0,
        })
    }

    fn dilu(chain: &TransposedRates) -> Dilu<'_> {
        Dilu::new(chain, &mut Watch::start(&Limits::default())).unwrap_or_else(|_| panic!("a limit"))
    }

    fn vector(states: usize) -> Vec<f64> {
        (0..states).map(|state| random(1000 + state) - 1.0).collect()
    }

    /// `A x`
    fn product(chain: &TransposedRates, x: &[f64]) -> Vec<f64> {
        let mut inflow = vec![0.0; x.len()];
        chain.inflow(x, &mut inflow);
        x.iter()
            .zip(chain.exits())
            .zip(&inflow)
            .map(|((value, exit), inflow)| exit * value - inflow)
            .collect()
    }

    #[test]
    fn a_product_by_halves_is_the_product() {
        let chain = mixed();
        let mut dilu = dilu(&chain);
        let x = vector(40);
        let (mut rest, mut solution) = (x.clone(), x.clone());
        dilu.rest(&chain, &mut rest);
        dilu.solve(&chain, &mut solution);
        let mut seen = product(&chain, &solution);
        dilu.apply(&mut seen);
        let errors: Vec<f64> =
            x.iter().zip(&seen).zip(&rest).map(|((value, seen), rest)| value - seen - rest).collect();
        assert!(worst(&rest) > 0.01 && worst(&errors) < 1e-14, "{errors:?}");
    }

    #[test]
    fn what_is_taken_back_is_what_there_was() {
        let chain = mixed();
        let (dilu, x) = (dilu(&chain), vector(40));
        let mut seen = x.clone();
        dilu.apply(&mut seen);
        assert!(x.iter().zip(&seen).any(|(value, seen)| (value - seen).abs() > 0.01));
        dilu.take_back(&mut seen);
        assert!(x.iter().zip(&seen).all(|(value, back)| (value - back).abs() < 1e-14));
    }

    /// Unit vectors times `M = (E - L) E^-1 (E - U)`, by its inverse.
    #[test]
    fn the_product_of_the_factors_has_the_diagonal_of_the_chain() {
        let chain = mixed();
        let mut dilu = dilu(&chain);
        let solved: Vec<Vec<f64>> = (0..40)
            .map(|state| {
                let mut unit = vec![0.0; 40];
                unit[state] = 1.0;
                dilu.apply(&mut unit);
                dilu.solve(&chain, &mut unit);
                unit
            })
            .collect();
        // With x = M^-1 e, the entries of M are found again: here those of the diagonal, by elimination.
        let inverse = inverted(solved);
        for (state, exit) in chain.exits().iter().enumerate() {
            assert!((inverse[state][state] - exit).abs() < 1e-10 * exit, "{state}");
        }
    }

    /// The inverse of a matrix whose columns are given, by columns.
    fn inverted(mut columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let count = columns.len();
        let mut inverse: Vec<Vec<f64>> =
            (0..count).map(|at| (0..count).map(|row| f64::from(u8::from(row == at))).collect()).collect();
        for pivot in 0..count {
            let factor = 1.0 / columns[pivot][pivot];
            columns[pivot].iter_mut().chain(&mut inverse[pivot]).for_each(|value| *value *= factor);
            for other in (0..count).filter(|&other| other != pivot) {
                let factor = columns[other][pivot];
                for row in 0..count {
                    columns[other][row] -= factor * columns[pivot][row];
                    inverse[other][row] -= factor * inverse[pivot][row];
                }
            }
        }
        inverse
    }

    #[test]
    fn a_chain_that_moves_by_one_is_factorised_exactly() {
        let chain = chain(50, |from, to| if from.abs_diff(to) == 1 { random(50 * from + to) } else { 0.0 });
        let mut rest = vector(50);
        dilu(&chain).rest(&chain, &mut rest);
        // The matrix is singular: its last pivot vanishes and was replaced.
        assert!(worst(&rest[..49]) < 1e-12, "{rest:?}");
    }
}
