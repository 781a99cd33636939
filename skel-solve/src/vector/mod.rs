//! Loops over long vectors, block by block.
//!
//! An iteration passes over its vectors several times. If it does so block by block, each step finds the
//! results of the previous one in the cache, and is still a plain loop over a few slices. Sums have four
//! partial sums, which a processor adds in parallel.

mod stored_float;
pub(crate) mod sums;

use std::ops::Range;

pub(crate) use stored_float::StoredFloat;

/// The ranges of the blocks of a vector. A few blocks fit into the first-level cache.
pub(crate) fn blocks(count: usize) -> impl Iterator<Item = Range<usize>> {
    const LENGTH: usize = 512;
    (0..count).step_by(LENGTH).map(move |start| start..count.min(start + LENGTH))
}

/// The sum, computed in blocks. Added one after the other, a million numbers of similar size would lose five
/// digits.
pub(crate) fn total(values: &[f64]) -> f64 {
    blocks(values.len()).map(|block| sum_of(&values[block], |value| value)).sum()
}

/// The sum of what a function makes of each element of a block.
pub(crate) fn sum_of<K: StoredFloat>(block: &[K], term: impl Fn(f64) -> f64) -> f64 {
    let (chunks, rest) = block.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for chunk in chunks {
        for at in 0..4 {
            sums[at] += term(chunk[at].value());
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| term(value.value())).sum::<f64>()
}

/// The inner product.
pub(crate) fn dot<L: StoredFloat, R: StoredFloat>(left: &[L], right: &[R]) -> f64 {
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

/// The largest magnitude. The result is NaN if a value is NaN or infinite.
pub(crate) fn worst<K: StoredFloat>(values: &[K]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut most = [0.0_f64; 4];
    let mut nothing = [0.0_f64; 4];
    for chunk in chunks {
        for at in 0..4 {
            let magnitude = chunk[at].value().abs();
            most[at] = if magnitude > most[at] { magnitude } else { most[at] };
            // A NaN fails every comparison; this sum keeps it.
            nothing[at] += magnitude * 0.0;
        }
    }
    let of_chunks = most.iter().zip(&nothing).map(|(most, nothing)| most + nothing);
    crate::vector::largest(of_chunks.chain(rest.iter().map(|value| value.value().abs())))
}

/// The largest element, or zero if none is above it. The result is NaN if a value is NaN or infinite.
pub(crate) fn most<K: StoredFloat>(values: &[K]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut most = [0.0_f64; 4];
    let mut nothing = [0.0_f64; 4];
    for chunk in chunks {
        for at in 0..4 {
            let value = chunk[at].value();
            most[at] = if value > most[at] { value } else { most[at] };
            nothing[at] += value * 0.0;
        }
    }
    let of_chunks = most.iter().zip(&nothing).map(|(most, nothing)| most + nothing);
    let rest = rest.iter().map(|value| value.value().max(0.0) + value.value() * 0.0);
    crate::vector::largest(of_chunks.chain(rest))
}

/// The least element, or zero if none is below it. What is no number does not count.
pub(crate) fn least(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut least = [0.0_f64; 4];
    let lesser = |least: f64, value: f64| if value < least { value } else { least };
    for chunk in chunks {
        for at in 0..4 {
            least[at] = lesser(least[at], chunk[at]);
        }
    }
    least.iter().chain(rest).fold(0.0, |least, value| lesser(least, *value))
}

/// Where the largest element is, the first of several.
pub(crate) fn place_of_largest(values: &[f64]) -> usize {
    let larger =
        |best: usize, (place, &value): (usize, &f64)| if value > values[best] { place } else { best };
    values.iter().enumerate().fold(0, larger)
}

/// The largest of some magnitudes. The result is NaN if one of them is.
pub(crate) fn largest(magnitudes: impl Iterator<Item = f64>) -> f64 {
    magnitudes.fold(0.0, |largest, value| if value <= largest { largest } else { value })
}

/// A pseudo-random value from 0.5 to 1.5 that depends only on the number of an element, so that results are
/// reproducible.
pub(crate) fn random(number: usize) -> f64 {
    let mut bits = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 + 0.5
}
