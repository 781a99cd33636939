//! Loops over long vectors, a block at a time.
//!
//! An iteration goes over its vectors several times. Block by block, what one step leaves in the cache is there for the next,
//! and each step stays a plain loop over a few slices. Sums have four parts, which a processor adds at once.

use std::ops::Range;

use super::krylov::Kept;

/// The blocks of a vector: a few of them fit the first cache.
pub(super) fn blocks(count: usize) -> impl Iterator<Item = Range<usize>> {
    const LENGTH: usize = 512;
    (0..count).step_by(LENGTH).map(move |start| start..count.min(start + LENGTH))
}

/// The sum: in blocks, where one after the other a million numbers of one size would lose five digits.
pub(super) fn total(values: &[f64]) -> f64 {
    blocks(values.len()).map(|block| values[block].iter().sum::<f64>()).sum()
}

/// The inner product.
pub(super) fn dot<L: Kept, R: Kept>(left: &[L], right: &[R]) -> f64 {
    let (left, left_rest) = left.as_chunks::<4>();
    let (right, right_rest) = right.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (left, right) in left.iter().zip(right) {
        for at in 0..4 {
            sums[at] += left[at].value() * right[at].value();
        }
    }
    let rest = left_rest.iter().zip(right_rest).map(|(left, right)| left.value() * right.value());
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// The largest magnitude; not a number where one isn't, or is beyond all.
pub(super) fn worst<K: Kept>(values: &[K]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut most = [0.0_f64; 4];
    let mut nothing = [0.0_f64; 4];
    for chunk in chunks {
        for at in 0..4 {
            let magnitude = chunk[at].value().abs();
            most[at] = if magnitude > most[at] { magnitude } else { most[at] };
            // What is no number is in no comparison.
            nothing[at] += magnitude * 0.0;
        }
    }
    let of_chunks = most.iter().zip(&nothing).map(|(most, nothing)| most + nothing);
    crate::chain::largest(of_chunks.chain(rest.iter().map(|value| value.value().abs())))
}
