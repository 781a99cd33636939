//! Solutions in exact fractions, verified; see [`modular`](crate::linear::modular).
//!
//! Only unknowns above zero are asked for: which are zero the graph tells.

use num_traits::Zero;
use skel_core::number::Ratio;

use crate::chain::Matrix;
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::linear::modular;
use crate::over_time::absorption::BeforeEnd;

/// Solves `-T x = b` for a right-hand side that is nowhere negative.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn backwards(
    chain: &BeforeEnd<Ratio>,
    right: &[Ratio],
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<Ratio>, Error> {
    let is_positive = above_zero(&chain.rates.transposed(), right);
    solve(&chain.rates, &chain.exits(), right, &is_positive, budget, watch)
}

/// Solves `x (-T) = a` for a right-hand side that is nowhere negative.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn forwards(
    chain: &BeforeEnd<Ratio>,
    right: &[Ratio],
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<Ratio>, Error> {
    let is_positive = above_zero(&chain.rates, right);
    solve(&chain.rates.transposed(), &chain.exits(), right, &is_positive, budget, watch)
}

/// Which unknowns are above zero: those that a row of this matrix leads to from a right-hand side above zero.
fn above_zero(onward: &Matrix<Ratio>, right: &[Ratio]) -> Vec<bool> {
    let mut is_positive: Vec<bool> = right.iter().map(|value| !value.is_zero()).collect();
    let mut waiting: Vec<usize> = (0..right.len()).filter(|&state| is_positive[state]).collect();
    while let Some(state) = waiting.pop() {
        for &next in onward.columns_of(state) {
            if !std::mem::replace(&mut is_positive[next as usize], true) {
                waiting.push(next as usize);
            }
        }
    }
    is_positive
}

/// Solves `exit(i) x(i) - sum of r(i, j) x(j) = b(i)` for the unknowns above zero.
fn solve(
    rates: &Matrix<Ratio>,
    exits: &[Ratio],
    right: &[Ratio],
    is_positive: &[bool],
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<Ratio>, Error> {
    let places: Vec<usize> = (0..right.len()).filter(|&state| is_positive[state]).collect();
    let mut number = vec![u32::MAX; right.len()];
    places.iter().enumerate().for_each(|(place, &state)| number[state] = place as u32);
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (place, &state) in places.iter().enumerate() {
        let mut row: Vec<(u32, Ratio)> = vec![(place as u32, exits[state].clone())];
        let others = rates.row(state).filter(|&(target, _)| is_positive[target]);
        row.extend(others.map(|(target, rate)| (number[target], -rate)));
        row.sort_by_key(|&(column, _)| column);
        for (column, value) in row {
            columns.push(column);
            values.push(value);
        }
        offsets.push(columns.len());
    }
    let matrix = Matrix::new(offsets, columns, values);
    let of_places: Vec<Ratio> = places.iter().map(|&state| right[state].clone()).collect();
    let found = modular::solve_system(&matrix, &of_places, budget, watch)?;
    let mut x = vec![Ratio::zero(); right.len()];
    places.iter().zip(found).for_each(|(&state, value)| x[state] = value);
    Ok(x)
}
