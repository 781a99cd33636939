//! Adaptive weighted factoring: the weights of factoring are measured (I. Banicescu, V. Velusamy and J.
//! Devaprasad, *On the scalability of dynamic scheduling scientific applications with adaptive weighted
//! factoring*, Cluster Computing 6(3), 2003; R. L. Cariño and I. Banicescu, *Dynamic load balancing with
//! adaptive factoring methods in scientific applications*, The Journal of Supercomputing 44(1), 2008).

use super::doubled_ceiling;
use crate::arithmetic::Arithmetic;

/// Factoring with the weights that machines have shown.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Adaptive<N> {
    /// What each machine has finished.
    measured: Vec<Measured<N>>,
    /// The batch, if chunks are of batches.
    batch: Option<Batch>,
}

/// `sum_j j t_j` and `sum_j j n_j` over the chunks of a machine: later ones count more.
#[derive(Clone, Debug)]
struct Measured<N> {
    chunks: u64,
    time: N,
    items: N,
}

/// What is left of a batch, in items, and the chunk of weight 1.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    left: u64,
    base: u64,
}

impl<N: Arithmetic> Adaptive<N> {
    pub(super) fn by_batch(machines: usize) -> Adaptive<N> {
        Adaptive { batch: Some(Batch::default()), ..Adaptive::by_chunk(machines) }
    }

    pub(super) fn by_chunk(machines: usize) -> Adaptive<N> {
        let nothing = Measured { chunks: 0, time: N::zero(), items: N::zero() };
        Adaptive { measured: vec![nothing; machines], batch: None }
    }

    pub(super) fn next(&mut self, machine: usize, left: u64) -> u64 {
        let machines = self.measured.len() as u64;
        let weight = self.weight(machine);
        let chunk = |base: u64| (weight * N::from_items(base)).ceiling().max(1);
        let Some(batch) = &mut self.batch else { return chunk(doubled_ceiling(left, machines)) };
        if batch.left == 0 {
            let base = doubled_ceiling(left, machines);
            *batch = Batch { base, left: left.min(base.saturating_mul(machines)) };
        }
        let size = chunk(batch.base).min(batch.left);
        // What is left may be less than the batch: a chunk is clipped to it, and the batch is used up all the
        // same.
        batch.left -= size;
        size
    }

    pub(super) fn finished(&mut self, machine: usize, items: u64, time: N) {
        let measured = &mut self.measured[machine];
        measured.chunks += 1;
        let number = N::from_items(measured.chunks);
        measured.time = measured.time.clone() + number.clone() * time;
        measured.items = measured.items.clone() + number * N::from_items(items);
    }

    /// The weight of a machine: its measured speed over the mean of those that have one, or 1 as long as it
    /// has none.
    fn weight(&self, machine: usize) -> N {
        let Some(speed) = self.measured[machine].speed() else { return N::one() };
        let speeds = self.measured.iter().filter_map(Measured::speed);
        let (count, sum) = speeds.fold((0, N::zero()), |(count, sum), speed| (count + 1, sum + speed));
        N::from_items(count) * speed / sum
    }
}

impl<N: Arithmetic> Measured<N> {
    fn speed(&self) -> Option<N> {
        (self.chunks > 0).then(|| self.items.clone() / self.time.clone())
    }
}
