//! The iterations of BiCGSTAB, as one thread does them with its part of the vectors.
//!
//! All threads of a team take the same steps with the same numbers, each with its own chunks, and meet where a number depends on
//! all chunks: three times an iteration, and in the product with the preconditioned matrix. A thread that is alone has all chunks.

use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use super::size::Size;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{SharedSweep, TriangularSweep};
use crate::team::{Chunk, Member, Totals, range_of, start_of};
use crate::vector::{StoredFloat, blocks, dot};

/// Iterations of one run.
const PER_RUN: usize = 300;

/// The vectors of the method, or a thread's part of them.
pub(super) struct Vectors<'r, K> {
    pub(super) flows: &'r [f64],
    pub(super) shadow: &'r [f32],
    pub(super) residual: &'r mut [K],
    pub(super) solution: &'r mut [K],
    pub(super) direction: &'r mut [K],
    pub(super) along: &'r mut [K],
}

impl<K> Vectors<'_, K> {
    pub(super) fn split_at(self, count: usize) -> (Self, Self) {
        let Vectors { flows, shadow, residual, solution, direction, along } = self;
        let (flows, shadow) = (flows.split_at(count), shadow.split_at(count));
        let [residual, solution, direction, along] =
            [residual, solution, direction, along].map(|vector| vector.split_at_mut(count));
        let part = |flows, shadow, residual, solution, direction, along| Vectors {
            flows,
            shadow,
            residual,
            solution,
            direction,
            along,
        };
        (
            part(flows.0, shadow.0, residual.0, solution.0, direction.0, along.0),
            part(flows.1, shadow.1, residual.1, solution.1, direction.1, along.1),
        )
    }
}

/// The vector in which products are made, and what else a thread shares with others.
pub(super) trait Work {
    /// Calls `change` with the values of one of the thread's chunks.
    fn with<R>(&mut self, chunk: usize, change: impl FnOnce(&mut [f64]) -> R) -> R;

    /// `x := (M - A) M^-1 x`
    fn rest(&mut self);

    /// Counts an iteration that reached a residual; whether it may be done.
    fn goes_on(&mut self, left: f64) -> bool;
}

/// What a thread has that is alone.
pub(super) struct Alone<'r, 'w, 'l> {
    pub(super) ends: &'r [usize],
    pub(super) work: &'r mut [f64],
    pub(super) chain: &'r dyn TriangularSweep,
    pub(super) preconditioner: &'r mut dyn Preconditioner,
    pub(super) budget: &'r mut Iterations<'w, 'l>,
    pub(super) outcome: &'r mut Result<(), Halt>,
}

impl Work for Alone<'_, '_, '_> {
    fn with<R>(&mut self, chunk: usize, change: impl FnOnce(&mut [f64]) -> R) -> R {
        change(&mut self.work[range_of(chunk, self.ends)])
    }

    fn rest(&mut self) {
        self.preconditioner.rest(self.chain, self.work);
    }

    fn goes_on(&mut self, left: f64) -> bool {
        *self.outcome = self.budget.count(left);
        self.outcome.is_ok()
    }
}

/// What a thread of a team has.
pub(super) struct InTeam<'r, 'x, 'w, 'l> {
    pub(super) work: &'r [Chunk<'x>],
    pub(super) sweep: &'r dyn SharedSweep,
    pub(super) member: Member<'r>,
    /// Whether there is to be another iteration, as the thread that leads says.
    pub(super) goes_on: &'r AtomicBool,
    /// Counts iterations, in the thread that leads.
    pub(super) counting: Option<(&'r mut Iterations<'w, 'l>, &'r mut Result<(), Halt>)>,
}

impl Work for InTeam<'_, '_, '_, '_> {
    fn with<R>(&mut self, chunk: usize, change: impl FnOnce(&mut [f64]) -> R) -> R {
        change(&mut self.work[chunk].write().unwrap_or_else(PoisonError::into_inner))
    }

    fn rest(&mut self) {
        self.sweep.substitute_for_later(self.member, self.work);
    }

    fn goes_on(&mut self, left: f64) -> bool {
        if let Some((budget, outcome)) = &mut self.counting {
            **outcome = budget.count(left);
            self.goes_on.store(outcome.is_ok(), Ordering::Relaxed);
        }
        self.member.meet();
        self.goes_on.load(Ordering::Relaxed)
    }
}

/// A thread's part of a run.
pub(super) struct Part<'r, K, W> {
    /// Where all chunks end, and which of them are the thread's.
    pub(super) ends: &'r [usize],
    pub(super) chunks: Range<usize>,
    pub(super) vectors: Vectors<'r, K>,
    pub(super) totals: Totals<'r>,
    pub(super) work: W,
}

impl<'r, K: StoredFloat, W: Work> Part<'r, K, W> {
    pub(super) fn of(
        (chunks, vectors): (Range<usize>, Vectors<'r, K>),
        ends: &'r [usize],
        totals: Totals<'r>,
        work: W,
    ) -> Self {
        Part { ends, chunks, vectors, totals, work }
    }

    /// The thread's chunks, each with its range in the thread's part of the vectors.
    fn chunks(&self) -> impl Iterator<Item = (usize, Range<usize>)> + use<'r, K, W> {
        let (ends, first) = (self.ends, start_of(self.chunks.start, self.ends));
        self.chunks.clone().map(move |chunk| (chunk, start_of(chunk, ends) - first..ends[chunk] - first))
    }

    /// Iterates until the residuals are no larger than the target; the size of what is left.
    pub(super) fn solve(mut self, size: Size, target: f64) -> f64 {
        let Vectors { solution, direction, along, .. } = &mut self.vectors;
        for vector in [solution, direction, along] {
            vector.fill(K::of(0.0));
        }
        let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let (mut left, mut next_rho) = self.begin(size);
        for _ in 0..PER_RUN {
            if left <= target || !self.work.goes_on(left) {
                break;
            }
            let beta = next_rho / rho * (alpha / omega);
            if !beta.is_finite() {
                break;
            }
            self.turn(beta, omega);
            self.work.rest();
            alpha = next_rho / self.take_along();
            if !alpha.is_finite() {
                break;
            }
            self.step(alpha);
            self.work.rest();
            let smoothing = self.take_change();
            // Where nothing is left, there is nothing to smooth.
            omega = if smoothing.is_finite() { smoothing } else { 0.0 };
            rho = next_rho;
            (left, next_rho) = self.smooth(alpha, omega, size);
        }
        left
    }

    /// The size of `r`, and its product with the shadow.
    fn begin(&mut self, size: Size) -> (f64, f64) {
        for (chunk, own) in self.chunks() {
            let residual = &self.vectors.residual[own.clone()];
            let product = dot(&self.vectors.shadow[own], residual);
            self.totals.set(chunk, [size.of(residual), product]);
        }
        self.size_and_sum(size)
    }

    /// `p := r + beta (p - omega v)`, and a product with it is begun.
    fn turn(&mut self, beta: f64, omega: f64) {
        for (chunk, own) in self.chunks() {
            let Vectors { flows, residual, direction, along, .. } = &mut self.vectors;
            let known = residual[own.clone()].iter().zip(&along[own.clone()]).zip(&flows[own.clone()]);
            self.work.with(chunk, |work| {
                let changed = direction[own].iter_mut().zip(work);
                for (((residual, along), flow), (direction, work)) in known.zip(changed) {
                    *direction = K::of(residual.value() + beta * (direction.value() - omega * along.value()));
                    *work = flow * direction.value();
                }
            });
        }
    }

    /// `v`, the product with `p`; its product with the shadow.
    fn take_along(&mut self) -> f64 {
        for (chunk, own) in self.chunks() {
            let Vectors { flows, shadow, direction, along, .. } = &mut self.vectors;
            let (flows, shadow, direction) =
                (&flows[own.clone()], &shadow[own.clone()], &direction[own.clone()]);
            let along = &mut along[own];
            let sum = self.work.with(chunk, |work| {
                let mut sum = 0.0;
                for block in blocks(work.len()) {
                    let along = &mut along[block.clone()];
                    let rests = work[block.clone()].iter().zip(&flows[block.clone()]);
                    for ((along, direction), (rest, flow)) in
                        along.iter_mut().zip(&direction[block.clone()]).zip(rests)
                    {
                        *along = K::of(direction.value() - rest / flow);
                    }
                    sum += dot(&shadow[block], along);
                }
                sum
            });
            self.totals.set(chunk, [sum, 0.0]);
        }
        self.totals.fold(|[sum, _], [of_chunk, _]| [sum + of_chunk, 0.0])[0]
    }

    /// `r := r - alpha v`, and a product with it is begun.
    fn step(&mut self, alpha: f64) {
        for (chunk, own) in self.chunks() {
            let Vectors { flows, residual, along, .. } = &mut self.vectors;
            let known = along[own.clone()].iter().zip(&flows[own.clone()]);
            self.work.with(chunk, |work| {
                let changed = residual[own].iter_mut().zip(work);
                for ((along, flow), (residual, work)) in known.zip(changed) {
                    *residual = K::of(residual.value() - alpha * along.value());
                    *work = flow * residual.value();
                }
            });
        }
    }

    /// `t`, the product with `r`; the factor of it that leaves least of `r`.
    fn take_change(&mut self) -> f64 {
        for (chunk, own) in self.chunks() {
            let Vectors { flows, residual, .. } = &self.vectors;
            let (flows, residual) = (&flows[own.clone()], &residual[own]);
            let sums = self.work.with(chunk, |work| {
                let [mut across, mut square] = [0.0; 2];
                for block in blocks(work.len()) {
                    let residual = &residual[block.clone()];
                    let change = &mut work[block.clone()];
                    for ((change, residual), flow) in change.iter_mut().zip(residual).zip(&flows[block]) {
                        *change = residual.value() - *change / flow;
                    }
                    across += dot(change, residual);
                    square += dot(change, change);
                }
                [across, square]
            });
            self.totals.set(chunk, sums);
        }
        let add =
            |[across, square]: [f64; 2], of_chunk: [f64; 2]| [across + of_chunk[0], square + of_chunk[1]];
        let [across, square] = self.totals.fold(add);
        across / square
    }

    /// `u := u + alpha p + omega r` and `r := r - omega t`; the size of `r`, and its product with the shadow.
    fn smooth(&mut self, alpha: f64, omega: f64, size: Size) -> (f64, f64) {
        for (chunk, own) in self.chunks() {
            let Vectors { shadow, residual, solution, direction, .. } = &mut self.vectors;
            let (shadow, direction) = (&shadow[own.clone()], &direction[own.clone()]);
            let (residual, solution) = (&mut residual[own.clone()], &mut solution[own]);
            let sums = self.work.with(chunk, |work| {
                let [mut left, mut rho] = [0.0; 2];
                for block in blocks(work.len()) {
                    let residual = &mut residual[block.clone()];
                    let known = direction[block.clone()].iter().zip(&work[block.clone()]);
                    let changed = solution[block.clone()].iter_mut().zip(&mut *residual);
                    for ((direction, change), (solution, residual)) in known.zip(changed) {
                        let moved = alpha * direction.value() + omega * residual.value();
                        *solution = K::of(solution.value() + moved);
                        *residual = K::of(residual.value() - omega * change);
                    }
                    left = size.and(left, size.of(residual));
                    rho += dot(&shadow[block], residual);
                }
                [left, rho]
            });
            self.totals.set(chunk, sums);
        }
        self.size_and_sum(size)
    }

    /// The size of all chunks, from their first numbers, and the sum of the second ones.
    fn size_and_sum(&mut self, size: Size) -> (f64, f64) {
        let add =
            |[left, sum]: [f64; 2], [of_chunk, product]: [f64; 2]| [size.and(left, of_chunk), sum + product];
        let [left, sum] = self.totals.fold(add);
        (left, sum)
    }
}
