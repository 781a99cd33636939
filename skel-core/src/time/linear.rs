//! Small linear systems in exact fractions, by E. H. Bareiss' elimination in whole numbers (*Mathematics of
//! Computation* 22, 1968): it needs no common factors of fractions, which would take most of the time.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use crate::number::Ratio;

/// The most bits of a matrix: its rows times the bits of its longest row in whole numbers.
pub(super) const MOST_BITS: u64 = 2_048;

/// A row times the least common multiple of its denominators.
#[cfg_attr(debug_assertions, inline)]
fn whole(row: &[Ratio]) -> Vec<BigInt> {
    let multiple = row.iter().fold(BigInt::one(), |multiple, value| multiple.lcm(value.denom()));
    row.iter().map(|value| value.numer() * (&multiple / value.denom())).collect()
}

/// Whether a matrix is larger than [`MOST_BITS`], so that its solution would take long.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn is_too_long(matrix: &[Vec<Ratio>]) -> bool {
    let bits = matrix.iter().flat_map(|row| whole(row)).map(|value| value.bits()).max();
    bits.unwrap_or_default() * matrix.len() as u64 > MOST_BITS
}

/// The solution of `matrix x = right`, for an M-matrix: its pivots are on the diagonal. It takes cubic time
/// in the rows.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn solve(matrix: &[Vec<Ratio>], right: &[Ratio]) -> Vec<Ratio> {
    let count = right.len();
    // One denominator for the right side, so that it adds few digits to the rows.
    let denominator = right.iter().fold(BigInt::one(), |multiple, value| multiple.lcm(value.denom()));
    let mut rows: Vec<Vec<BigInt>> = Vec::with_capacity(count);
    for (row, right) in matrix.iter().zip(right) {
        let multiple = row.iter().fold(BigInt::one(), |multiple, value| multiple.lcm(value.denom()));
        let mut entries = whole(row);
        entries.push(right.numer() * (&denominator / right.denom()) * multiple);
        rows.push(entries);
    }
    let mut before = BigInt::one();
    for pivot in 0..count {
        let (done, below) = rows.split_at_mut(pivot + 1);
        let of_pivot = &done[pivot];
        for row in below {
            for column in pivot + 1..=count {
                let value = &of_pivot[pivot] * &row[column] - &row[pivot] * &of_pivot[column];
                row[column] = value / &before;
            }
            row[pivot] = BigInt::zero();
        }
        before.clone_from(&rows[pivot][pivot]);
    }
    // Every unknown is a whole number over the determinant, which is the last pivot.
    let determinant = before;
    let mut unknowns = vec![BigInt::zero(); count];
    for row in (0..count).rev() {
        let mut value = &determinant * &rows[row][count];
        for column in row + 1..count {
            value -= &rows[row][column] * &unknowns[column];
        }
        unknowns[row] = value / &rows[row][row];
    }
    let denominator = denominator * determinant;
    unknowns.into_iter().map(|value| Ratio::new(value, denominator.clone())).collect()
}
