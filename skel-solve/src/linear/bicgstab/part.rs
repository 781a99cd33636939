//! The iterations of BiCGSTAB, as one thread does them with its part of the vectors.
//!
//! All threads of a team take the same steps with the same numbers, each with its own chunks, and meet where
//! a number depends on all chunks: three times an iteration, and in the product with the preconditioned
//! matrix. A thread that is alone has all chunks.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU8, Ordering};

use super::descent::Descent;
use super::size::Size;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Weight, weigh};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{SharedPass, TriangularSweep};
use crate::team::{Chunk, Member, Pace, Totals, range_of};
use crate::vector::{StoredFloat, blocks, dot, sum_of, total};

/// Iterations of one run.
const PER_RUN: usize = 300;

/// How many times larger than the target residuals are from which the first half of an iteration may be
/// enough.
const CLOSE: f64 = 1e4;

/// The share of the target that it has to reach. Whole iterations mostly end far below their target, and
/// halves that ended just below it left larger errors.
const WELL_BELOW: f64 = 0.1;

/// A chunk of the vectors of the method.
pub(super) struct Vectors<'r, K, F> {
    pub(super) chunk: usize,
    pub(super) flows: &'r [F],
    pub(super) shadow: &'r [f32],
    pub(super) residual: &'r mut [K],
    pub(super) solution: &'r mut [K],
    pub(super) direction: &'r mut [K],
    pub(super) along: &'r mut [K],
}

impl<K, F> Vectors<'_, K, F> {
    /// The same for a loop, which wants the slices themselves.
    fn own(&mut self) -> Vectors<'_, K, F> {
        let Vectors { chunk, flows, shadow, residual, solution, direction, along } = self;
        Vectors { chunk: *chunk, flows, shadow, residual, solution, direction, along }
    }
}

/// The vector in which products are made, and what else a thread shares with others.
pub(super) trait Work {
    /// Calls `change` with the values of one of the thread's chunks.
    fn with<R>(&mut self, chunk: usize, change: impl FnOnce(&mut [f64]) -> R) -> R;

    /// `x := (M - A) M^-1 x`
    fn rest(&mut self);

    /// `x := S^-1 x`; whether that is another vector.
    fn take_back(&mut self) -> bool;

    /// Counts an iteration that reached a residual, and says what comes next.
    fn next(&mut self, left: f64) -> Next;
}

/// What comes after an iteration.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// Another one.
    Iteration,
    /// The same, but by one thread: several are in each other's way.
    Alone,
    /// Nothing: a limit is reached.
    End,
}

impl Next {
    /// What a number stands for that was made of it.
    fn of(number: u8) -> Next {
        let all = [Next::Iteration, Next::Alone, Next::End];
        all.into_iter().find(|next| *next as u8 == number).unwrap_or(Next::End)
    }
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

    fn take_back(&mut self) -> bool {
        let similarity = self.preconditioner.similarity();
        if let Some(similarity) = similarity {
            similarity.take_back(self.work);
        }
        similarity.is_some()
    }

    fn next(&mut self, left: f64) -> Next {
        *self.outcome = self.budget.count(left);
        if self.outcome.is_ok() { Next::Iteration } else { Next::End }
    }
}

/// What a thread of a team has.
pub(super) struct InTeam<'r, 'x, 'w, 'l> {
    pub(super) work: &'r [Chunk<'x>],
    pub(super) shared: &'r dyn SharedPass,
    pub(super) member: Member<'r>,
    /// What comes next, as the thread that leads says: the number of a [`Next`].
    pub(super) next: &'r AtomicU8,
    /// What the thread has that leads.
    pub(super) lead: Option<Lead<'r, 'w, 'l>>,
}

/// What counts iterations, and sees whether the team is worth it.
pub(super) struct Lead<'r, 'w, 'l> {
    pub(super) budget: &'r mut Iterations<'w, 'l>,
    pub(super) outcome: &'r mut Result<(), Halt>,
    pub(super) pace: Pace,
}

impl Lead<'_, '_, '_> {
    fn next(&mut self, left: f64, member: Member<'_>) -> Next {
        *self.outcome = self.budget.count(left);
        match self.outcome {
            Err(_) => Next::End,
            Ok(()) if self.pace.is_worse_than_alone(member) => {
                self.budget.watch().work_alone();
                Next::Alone
            }
            Ok(()) => Next::Iteration,
        }
    }
}

impl Work for InTeam<'_, '_, '_, '_> {
    fn with<R>(&mut self, chunk: usize, change: impl FnOnce(&mut [f64]) -> R) -> R {
        change(&mut self.work[chunk].write().unwrap_or_else(PoisonError::into_inner))
    }

    fn rest(&mut self) {
        self.shared.pass(self.member, self.work);
    }

    fn take_back(&mut self) -> bool {
        self.shared.take_back(self.member, self.work)
    }

    fn next(&mut self, left: f64) -> Next {
        if let Some(lead) = &mut self.lead {
            self.next.store(lead.next(left, self.member) as u8, Ordering::Relaxed);
        }
        self.member.meet();
        Next::of(self.next.load(Ordering::Relaxed))
    }
}

/// How far iterations have come, beside the vectors.
pub(super) struct State {
    done: usize,
    rho: f64,
    alpha: f64,
    omega: f64,
    /// The size of the residual, and its product with the shadow.
    pub(super) left: f64,
    next_rho: f64,
    descent: Descent,
}

/// A thread's part of a run.
pub(super) struct Part<'r, K, F, W> {
    /// The thread's chunks.
    pub(super) chunks: Vec<Vectors<'r, K, F>>,
    pub(super) totals: Totals<'r>,
    pub(super) work: W,
}

impl<K: StoredFloat, F: Weight, W: Work> Part<'_, K, F, W> {
    /// Iterates by one thread until the residuals are no larger than the target; the size of what is left.
    /// Where a team has begun, it goes on with the iteration that this counted last.
    pub(super) fn iterate_alone(mut self, begun: Option<State>, size: Size, target: f64) -> f64 {
        let (mut state, goes_on) = match begun {
            Some(mut state) => {
                let goes_on = self.iteration(&mut state, size, target);
                (state, goes_on)
            }
            None => (self.begin(size), true),
        };
        if goes_on {
            self.iterate(&mut state, size, target);
        }
        state.left
    }

    /// A thread's part of the same in a team: how far it came, and whether one of the threads is to go on
    /// alone.
    pub(super) fn iterate_in_team(mut self, size: Size, target: f64) -> (State, bool) {
        let mut state = self.begin(size);
        let is_to_go_on = self.iterate(&mut state, size, target);
        (state, is_to_go_on)
    }

    /// What iterations begin with.
    fn begin(&mut self, size: Size) -> State {
        for Vectors { solution, direction, along, .. } in self.chunks.iter_mut().map(Vectors::own) {
            [solution, direction, along].into_iter().for_each(|vector| vector.fill(K::of(0.0)));
        }
        let (left, next_rho) = self.size_and_product(size);
        State { done: 0, rho: 1.0, alpha: 1.0, omega: 1.0, left, next_rho, descent: Descent::new() }
    }

    /// Iterates until the residuals are no larger than the target, or no other iteration is to follow;
    /// whether one thread is to go on alone, with an iteration that is counted already.
    fn iterate(&mut self, state: &mut State, size: Size, target: f64) -> bool {
        while state.done < PER_RUN {
            if size.is_of_balance() && state.descent.has_ended(state.left, || self.flows_left()) {
                break;
            }
            if state.left <= target {
                state.left = self.truly_left(state.left, size);
            }
            if state.left <= target {
                break;
            }
            match self.work.next(state.left) {
                Next::Alone => return true,
                Next::Iteration if self.iteration(state, size, target) => {}
                _ => break,
            }
        }
        false
    }

    /// An iteration; whether another one may follow.
    fn iteration(&mut self, state: &mut State, size: Size, target: f64) -> bool {
        let beta = state.next_rho / state.rho * (state.alpha / state.omega);
        if !beta.is_finite() {
            return false;
        }
        self.turn(beta, state.omega);
        self.work.rest();
        state.alpha = state.next_rho / self.take_along();
        if !state.alpha.is_finite() {
            return false;
        }
        self.step(state.alpha);
        if state.left <= CLOSE * target
            && let Some(after_step) = self.left_if_enough(size, WELL_BELOW * target)
        {
            self.end_with_step(state.alpha);
            state.left = after_step;
            return false;
        }
        self.work.rest();
        let smoothing = self.take_change();
        // Where nothing is left, there is nothing to smooth.
        state.omega = if smoothing.is_finite() { smoothing } else { 0.0 };
        state.rho = state.next_rho;
        (state.left, state.next_rho) = self.smooth(state.alpha, state.omega, size);
        state.done += 1;
        true
    }

    /// The size of the residual itself, where the method sees another one of this size.
    fn truly_left(&mut self, left: f64, size: Size) -> f64 {
        self.weigh_residual();
        if !self.work.take_back() {
            return left;
        }
        for Vectors { chunk, flows, .. } in self.chunks.iter_mut().map(Vectors::own) {
            let of_chunk = self.work.with(chunk, |work| {
                work.iter_mut().zip(flows).for_each(|(value, flow)| *value /= flow.value());
                size.of(work)
            });
            self.totals.set(chunk, [of_chunk, 0.0]);
        }
        self.size_and_sum(size).0
    }

    /// The sum of all flows that the residual leaves, and the sum of their amounts.
    fn flows_left(&mut self) -> [f64; 2] {
        self.weigh_residual();
        self.work.take_back();
        for Vectors { chunk, .. } in self.chunks.iter_mut().map(Vectors::own) {
            let of_chunk = self.work.with(chunk, |work| [total(work), sum_of(work, f64::abs)]);
            self.totals.set(chunk, of_chunk);
        }
        self.totals.fold(|[sum, amounts], [of_chunk, amount]| [sum + of_chunk, amounts + amount])
    }

    /// The flows of the residual, in the vector in which products are made.
    fn weigh_residual(&mut self) {
        for Vectors { chunk, flows, residual, .. } in self.chunks.iter_mut().map(Vectors::own) {
            self.work.with(chunk, |work| weigh(residual, flows, work));
        }
    }

    /// The size of `r`, and its product with the shadow.
    fn size_and_product(&mut self, size: Size) -> (f64, f64) {
        for Vectors { chunk, shadow, residual, .. } in self.chunks.iter_mut().map(Vectors::own) {
            self.totals.set(chunk, [size.of(residual), dot(shadow, residual)]);
        }
        self.size_and_sum(size)
    }

    /// `p := r + beta (p - omega v)`, and a product with it is begun.
    fn turn(&mut self, beta: f64, omega: f64) {
        for Vectors { chunk, flows, residual, direction, along, .. } in
            self.chunks.iter_mut().map(Vectors::own)
        {
            let known = residual.iter().zip(&*along).zip(flows);
            self.work.with(chunk, |work| {
                let changed = direction.iter_mut().zip(work);
                for (((residual, along), flow), (direction, work)) in known.zip(changed) {
                    *direction = K::of(residual.value() + beta * (direction.value() - omega * along.value()));
                    *work = flow.value() * direction.value();
                }
            });
        }
    }

    /// `v`, the product with `p`; its product with the shadow.
    fn take_along(&mut self) -> f64 {
        for Vectors { chunk, flows, shadow, direction, along, .. } in self.chunks.iter_mut().map(Vectors::own)
        {
            let sum = self.work.with(chunk, |work| {
                let mut sum = 0.0;
                for block in blocks(work.len()) {
                    let along = &mut along[block.clone()];
                    let rests = work[block.clone()].iter().zip(&flows[block.clone()]);
                    for ((along, direction), (rest, flow)) in
                        along.iter_mut().zip(&direction[block.clone()]).zip(rests)
                    {
                        *along = K::of(direction.value() - rest / flow.value());
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
        for Vectors { chunk, flows, residual, along, .. } in self.chunks.iter_mut().map(Vectors::own) {
            let known = along.iter().zip(flows);
            self.work.with(chunk, |work| {
                let changed = residual.iter_mut().zip(work);
                for ((along, flow), (residual, work)) in known.zip(changed) {
                    *residual = K::of(residual.value() - alpha * along.value());
                    *work = flow.value() * residual.value();
                }
            });
        }
    }

    /// The size of `r` after the first half of an iteration, if it is no larger than the target.
    fn left_if_enough(&mut self, size: Size, target: f64) -> Option<f64> {
        for Vectors { chunk, residual, .. } in self.chunks.iter_mut().map(Vectors::own) {
            self.totals.set(chunk, [size.of(residual), 0.0]);
        }
        let (left, _) = self.size_and_sum(size);
        if left > target || left.is_nan() {
            return None;
        }
        let left = self.truly_left(left, size);
        if left <= target {
            return Some(left);
        }
        // The second half goes on from what the first one began.
        self.weigh_residual();
        None
    }

    /// `u := u + alpha p`
    fn end_with_step(&mut self, alpha: f64) {
        for Vectors { solution, direction, .. } in self.chunks.iter_mut().map(Vectors::own) {
            for (solution, direction) in solution.iter_mut().zip(&*direction) {
                *solution = K::of(solution.value() + alpha * direction.value());
            }
        }
    }

    /// `t`, the product with `r`; the factor of it that leaves least of `r`.
    fn take_change(&mut self) -> f64 {
        for Vectors { chunk, flows, residual, .. } in self.chunks.iter_mut().map(Vectors::own) {
            let sums = self.work.with(chunk, |work| {
                let [mut across, mut square] = [0.0; 2];
                for block in blocks(work.len()) {
                    let residual = &residual[block.clone()];
                    let change = &mut work[block.clone()];
                    for ((change, residual), flow) in change.iter_mut().zip(residual).zip(&flows[block]) {
                        *change = residual.value() - *change / flow.value();
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
        for Vectors { chunk, shadow, residual, solution, direction, .. } in
            self.chunks.iter_mut().map(Vectors::own)
        {
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
