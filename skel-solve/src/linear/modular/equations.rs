//! The balance of every state in whole numbers.
//!
//! Row `i` of the generator, the rates out of state `i`, is multiplied by the least number that makes it
//! whole and free of a common divisor, its *scale* `s(i)`. With `y(i) = pi(i) / s(i)` the equations stay as
//! they are: for every state `j` the sum of `y(i) a(i, j)` is zero. So rates that are all 10 become 1, and a
//! rate of `1/3` beside one of `1e-12` makes one row long, not all of them.

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use skel_core::number::Ratio;

use crate::chain::{Generator, Matrix};
use crate::fraction::{greatest_common_divisor, least_common_multiple, reduced};
use crate::limits::BETWEEN_LOOKS;
use crate::linear::elimination::fronts::Fronts;

/// The equations, and the unknowns in them, by places in an order of elimination.
pub(super) struct Equations {
    /// Row `j` has the whole numbers `a(i, j)`.
    pub(super) matrix: Matrix<BigInt>,
    /// Per place, what its rates were multiplied by; nothing in a system, where equations are multiplied.
    scales: Vec<Ratio>,
}

/// The bytes of the equations, where entries are of one word: with the row being made, and once more in
/// words.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn memory(generator: &Generator<Ratio>) -> u64 {
    memory_of(generator.states(), generator.matrix().entries())
}

/// The same for so many unknowns and entries.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn memory_of(unknowns: usize, entries: usize) -> u64 {
    const ENTRY: usize = 2 * (size_of::<u32>() + size_of::<BigInt>() + 2 * size_of::<u64>());
    const STATE: usize = 4 * size_of::<u64>() + size_of::<Ratio>();
    (entries * ENTRY + unknowns * STATE) as u64
}

impl Equations {
    /// Calls `pause` now and then, which may stop it.
    pub(super) fn new<E>(
        generator: &Generator<Ratio>,
        fronts: &Fronts,
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<Equations, E> {
        let mut scales = Vec::with_capacity(fronts.states.len());
        let mut offsets = Vec::with_capacity(fronts.states.len() + 1);
        offsets.push(0);
        let mut columns = Vec::with_capacity(generator.matrix().entries());
        let mut values = Vec::with_capacity(generator.matrix().entries());
        for (place, &state) in fronts.states.iter().enumerate() {
            if place.is_multiple_of(BETWEEN_LOOKS) {
                pause()?;
            }
            let scale = scale(generator, state as usize);
            // Not by ascending places, which transposing makes up for.
            for (target, rate) in generator.matrix().row(state as usize) {
                columns.push(fronts.places[target]);
                values.push(whole(rate, &scale));
            }
            offsets.push(columns.len());
            scales.push(scale);
        }
        Ok(Equations { matrix: Matrix::new(offsets, columns, values).transposed(), scales })
    }

    /// The equations `A x = b` of a matrix whose rows and columns go together, by places: the right-hand side
    /// is the unknown of one more place, the last, which is 1. Each equation is multiplied by the least
    /// number that makes it whole. Calls `pause` now and then, which may stop it.
    #[cfg(feature = "over-time")]
    pub(super) fn of_system<E>(
        rows: &Matrix<Ratio>,
        right: &[Ratio],
        fronts: &Fronts,
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<Equations, E> {
        let mut offsets = Vec::with_capacity(right.len() + 2);
        offsets.push(0);
        let mut columns = Vec::with_capacity(rows.entries() + right.len());
        let mut values = Vec::with_capacity(rows.entries() + right.len());
        for (place, &row) in fronts.states.iter().enumerate() {
            if place.is_multiple_of(BETWEEN_LOOKS) {
                pause()?;
            }
            let mut entries: Vec<(u32, Ratio)> = rows
                .row(row as usize)
                .map(|(column, value)| (fronts.places[column], value.clone()))
                .chain([(right.len() as u32, -&right[row as usize])])
                .filter(|(_, value)| !value.is_zero())
                .collect();
            entries.sort_by_key(|&(place, _)| place);
            let scale = least_whole(&mut entries.iter().map(|(_, value)| value));
            for (column, value) in entries {
                columns.push(column);
                values.push(whole(&value, &scale));
            }
            offsets.push(columns.len());
        }
        // The last place has no equation.
        offsets.push(columns.len());
        Ok(Equations { matrix: Matrix::new(offsets, columns, values), scales: Vec::new() })
    }

    /// Whether all balances are exactly zero. Calls `pause` before each, which may stop it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn are_solved_by<E>(
        &self,
        unknowns: &[BigUint],
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<bool, E> {
        for row in 0..self.matrix.rows() {
            pause()?;
            let (mut inflow, mut outflow) = (BigUint::zero(), BigUint::zero());
            for (place, value) in self.matrix.row(row) {
                let flow = &unknowns[place] * value.magnitude();
                if value.is_negative() { outflow += flow } else { inflow += flow }
            }
            if inflow != outflow {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whole numbers in proportion to the probabilities, by places, from unknowns that solve the equations.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn unscaled<E>(
        &self,
        mut unknowns: Vec<BigUint>,
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<BigUint>, E> {
        let mut divisor = self.scales[0].numer().magnitude().clone();
        let mut multiple = self.scales[0].denom().magnitude().clone();
        for scale in &self.scales[1..] {
            divisor = greatest_common_divisor(&divisor, scale.numer().magnitude());
            multiple = least_common_multiple(&multiple, scale.denom().magnitude());
        }
        for (unknown, scale) in unknowns.iter_mut().zip(&self.scales) {
            pause()?;
            *unknown *= scale.numer().magnitude() / &divisor * (&multiple / scale.denom().magnitude());
        }
        Ok(unknowns)
    }
}

/// The least number that makes the rates out of a state whole, without a common divisor.
#[cfg_attr(debug_assertions, inline)]
fn scale(generator: &Generator<Ratio>, state: usize) -> Ratio {
    least_whole(&mut generator.rates_from(state).map(|(_, rate)| rate))
}

/// The least number that makes some numbers whole, without a common divisor.
#[cfg_attr(debug_assertions, inline)]
fn least_whole(rates: &mut dyn Iterator<Item = &Ratio>) -> Ratio {
    let first = rates.next().expect("a state of an irreducible chain is left");
    let (mut divisor, mut multiple) = (first.numer().magnitude().clone(), first.denom().magnitude().clone());
    for rate in rates {
        divisor = greatest_common_divisor(&divisor, rate.numer().magnitude());
        multiple = least_common_multiple(&multiple, rate.denom().magnitude());
    }
    reduced(&multiple, &divisor)
}

/// A rate, multiplied by the scale of its row.
#[cfg_attr(debug_assertions, inline)]
fn whole(rate: &Ratio, scale: &Ratio) -> BigInt {
    rate.numer() / scale.denom() * (scale.numer() / rate.denom())
}
