//! Sums over long vectors, a block at a time.
//!
//! An iteration goes over its vectors several times. Block by block, what one step leaves in the cache is there for the next,
//! and each step stays a plain loop over a few slices. Sums have four parts, which a processor adds at once.

/// The length of a block: a few of them fit the first cache.
pub(super) const BLOCK: usize = 512;

/// A part of a vector.
pub(super) type Block = [f64; BLOCK];

/// Where the blocks of a vector start.
pub(super) fn blocks(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(BLOCK)
}

/// The block of a vector that starts at a place, with a filling after the end.
pub(super) fn load(vector: &[f64], start: usize, filling: f64) -> Block {
    let mut block = [filling; BLOCK];
    let end = (start + BLOCK).min(vector.len());
    block[..end - start].copy_from_slice(&vector[start..end]);
    block
}

/// The inner product.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (left, left_rest) = left.as_chunks::<4>();
    let (right, right_rest) = right.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (left, right) in left.iter().zip(right) {
        for at in 0..4 {
            sums[at] += left[at] * right[at];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f64>() + rest
}

/// The largest magnitude; not a number where one isn't.
pub(super) fn worst(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut most = [0.0_f64; 4];
    let mut sum = [0.0_f64; 4];
    for chunk in chunks {
        for at in 0..4 {
            let magnitude = chunk[at].abs();
            most[at] = if magnitude > most[at] { magnitude } else { most[at] };
            // Not a number if one of them isn't, which the comparison passes over.
            sum[at] += magnitude * 0.0;
        }
    }
    let of_chunks = most.iter().zip(&sum).map(|(most, sum)| most + sum);
    crate::chain::largest(of_chunks.chain(rest.iter().map(|value| value.abs())))
}

/// Begins a product: the right side of a preconditioner.
pub(super) fn weigh(vector: &Block, flows: &[f64], work: &mut [f64], start: usize) {
    let end = (start + BLOCK).min(work.len());
    for ((work, flow), value) in work[start..end].iter_mut().zip(&flows[start..end]).zip(vector) {
        *work = flow * value;
    }
}

/// A block of a product with a vector, from the rest that the preconditioner left.
pub(super) fn product(vector: &Block, rest: &[f64], flows: &[f64], start: usize) -> Block {
    let (rest, flows) = (load(rest, start, 0.0), load(flows, start, 1.0));
    std::array::from_fn(|at| vector[at] - rest[at] / flows[at])
}
