//! What the machine can do at best with a chain of the size of the ten-stage pipeline, so that the other
//! figures can be read as ratios: one product with its generator matrix, and a copy of as many bytes.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use skel::chain::Generator;

use crate::models;

fn generator(stages: usize) -> Generator<f64> {
    Generator::of(&models::space(&models::pipeline(stages)))
}

/// Columns and values of the entries, and the offsets of the rows.
fn bytes(generator: &Generator<f64>) -> usize {
    let entries = generator.matrix().entries() * (size_of::<u32>() + size_of::<f64>());
    entries + generator.states() * size_of::<usize>()
}

/// A plain product of the matrix in compressed rows with a vector; items are entries.
#[divan::bench(args = [6, 8, 10])]
fn product(bencher: Bencher<'_, '_>, stages: usize) {
    let generator = generator(stages);
    let (offsets, columns, values) = generator.matrix().parts();
    let vector = vec![1.0; generator.states()];
    let mut result = vec![0.0; generator.states()];
    bencher.counter(ItemsCount::new(values.len())).counter(BytesCount::new(bytes(&generator))).bench_local(
        || {
            for (row, sum) in result.iter_mut().enumerate() {
                let range = offsets[row]..offsets[row + 1];
                let entries = columns[range.clone()].iter().zip(&values[range]);
                *sum = entries.map(|(&column, value)| value * vector[column as usize]).sum();
            }
            black_box(&mut result);
        },
    );
}

/// A copy of as many bytes as the matrix has.
#[divan::bench(args = [6, 8, 10])]
fn copy(bencher: Bencher<'_, '_>, stages: usize) {
    let bytes = bytes(&generator(stages));
    let source = vec![1_u8; bytes];
    let mut target = vec![0_u8; bytes];
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        target.copy_from_slice(black_box(&source));
        black_box(&mut target);
    });
}
