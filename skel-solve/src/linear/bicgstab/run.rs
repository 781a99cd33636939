//! A linear system, the vectors that the method keeps for it, and how they are divided among threads.

use std::sync::atomic::AtomicU8;

use super::part::{Alone, InTeam, Lead, Part, State, Vectors};
use super::size::Size;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{One, Weight, flows, weigh};
use crate::linear::preconditioner::{Preconditioner, Similarity};
use crate::operator::{RateOperator, SharedPass, TriangularSweep};
use crate::team::{ChunkNumbers, Member, Pace, Totals, in_chunks, in_parts, led};
use crate::vector::StoredFloat;

/// A linear system `W^-1 A M^-1 W u = r` with flows `W`, and what the method keeps for it.
pub(crate) struct Run<K, W = f64> {
    /// The flows, or other weights.
    pub(crate) flows: Vec<W>,
    /// The right side `r`, then what is left of it.
    pub(crate) residual: Vec<K>,
    solution: Vec<K>,
    /// Random, with as many positive as negative elements. The equations leave one vector open, all of whose
    /// elements are positive, and rounding adds a little of it to the residual. A positive shadow magnifies
    /// this a hundredfold: the residual then stays at `1e-13` for hundreds of iterations, and in the end the
    /// estimate has lost its scale.
    shadow: Vec<f32>,
    /// How residuals are measured.
    size: Size,
    direction: Vec<K>,
    along: Vec<K>,
    /// What products are made in. Between two runs it is free.
    pub(crate) work: Vec<f64>,
}

impl<K: StoredFloat> Run<K> {
    pub(crate) fn new(chain: &dyn RateOperator) -> Self {
        Run::measured_by(Size::Worst, chain)
    }

    pub(crate) fn measured_by(size: Size, chain: &dyn RateOperator) -> Self {
        Run::with_weights(vec![0.0; chain.states()], size, chain)
    }

    /// Takes the flows and the defects of an estimate with sum one; the worst of these.
    pub(crate) fn start(&mut self, chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
        let balance = chain.net(pi, &mut self.work);
        flows(chain, pi, &mut self.flows);
        let (work, flows) = (&self.work, &self.flows);
        in_parts(chain.threads(), &mut self.residual, |first, residual| {
            for ((residual, net), flow) in residual.iter_mut().zip(&work[first..]).zip(&flows[first..]) {
                *residual = K::of(net / flow);
            }
        });
        balance.defect
    }
}

impl<K: StoredFloat> Run<K, One> {
    /// For the equations as they are.
    pub(super) fn plain(chain: &dyn RateOperator) -> Self {
        Run::with_weights(vec![One; chain.states()], Size::Total, chain)
    }

    /// Takes what flows into each state too much, relative to a flow.
    pub(super) fn start_plainly(&mut self, net: &[f64], flow: f64) {
        for (residual, net) in self.residual.iter_mut().zip(net) {
            *residual = K::of(net / flow);
        }
    }
}

impl<K: StoredFloat, W: Weight> Run<K, W> {
    fn with_weights(flows: Vec<W>, size: Size, chain: &dyn RateOperator) -> Self {
        let count = chain.states();
        let zeros = || vec![K::of(0.0); count];
        let mut shadow = vec![0.0; count];
        in_parts(chain.threads(), &mut shadow, |first, shadow| {
            (first..).zip(shadow).for_each(|(state, value)| *value = (chain.random(state) - 1.0) as f32);
        });
        Run {
            flows,
            residual: zeros(),
            solution: zeros(),
            shadow,
            size,
            direction: zeros(),
            along: zeros(),
            work: vec![0.0; count],
        }
    }

    /// The size of the residuals.
    pub(crate) fn left(&self) -> f64 {
        self.size.of(&self.residual)
    }

    /// Solves until the residuals are no larger than the target, a run's iterations are used up, or the
    /// method breaks down. The size of what is left.
    pub(crate) fn solve(
        &mut self,
        chain: &dyn TriangularSweep,
        preconditioner: &mut dyn Preconditioner,
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<f64, Halt> {
        let ends = chain.chunk_ends();
        let numbers = ChunkNumbers::new(ends.len());
        if let Some(similarity) = preconditioner.similarity() {
            self.multiply_residual(similarity);
        }
        let mut begun = None;
        if !budget.watch().is_alone()
            && let Some(shared) = preconditioner.shared(chain)
        {
            let (of_team, is_to_go_on_alone) =
                self.iterate_together(&*shared, (&ends, &numbers), target, budget)?;
            if !is_to_go_on_alone {
                return Ok(of_team.left);
            }
            begun = Some(of_team);
        }
        let size = self.size;
        let (chunks, work) = self.vectors(&ends);
        let mut outcome = Ok(());
        let work = Alone { ends: &ends, work, chain, preconditioner, budget, outcome: &mut outcome };
        let part = Part { chunks, totals: Totals::new(Member::alone(), &numbers), work };
        let left = part.iterate_alone(begun, size, target);
        outcome.map(|()| left)
    }

    /// Multiplies the residual by the matrix of a similarity.
    fn multiply_residual(&mut self, similarity: &dyn Similarity) {
        let Run { residual, flows, work, .. } = self;
        weigh(residual, flows, work);
        similarity.apply(work);
        for ((residual, value), flow) in residual.iter_mut().zip(work).zip(flows) {
            *residual = K::of(*value / flow.value());
        }
    }

    /// Iterates by the threads that share a pass: how far they came, and whether one of them is to go on
    /// alone.
    fn iterate_together(
        &mut self,
        shared: &dyn SharedPass,
        (ends, numbers): (&[usize], &ChunkNumbers),
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(State, bool), Halt> {
        let size = self.size;
        let (vectors, work) = self.vectors(ends);
        let mut parts: Vec<_> = (0..shared.threads()).map(|_| Vec::new()).collect();
        for (chunk, thread) in vectors.into_iter().zip(shared.threads_of_chunks()) {
            parts[thread].push(chunk);
        }
        let work = in_chunks(work, ends);
        let next = AtomicU8::new(0);
        let mut outcome = Ok(());
        let pace = Pace::new(parts.len());
        let lead = Lead { budget, outcome: &mut outcome, pace };
        let mut parts = parts.into_iter();
        let own = parts.next().unwrap_or_default();
        let reached = led(
            |member| {
                let work = InTeam { work: &work, shared, member, next: &next, lead: Some(lead) };
                Part { chunks: own, totals: Totals::new(member, numbers), work }.iterate_in_team(size, target)
            },
            parts.collect(),
            |chunks, member| {
                let work = InTeam { work: &work, shared, member, next: &next, lead: None };
                Part { chunks, totals: Totals::new(member, numbers), work }.iterate_in_team(size, target);
            },
        );
        outcome.map(|()| reached)
    }

    /// The vectors of an iteration in chunks that end at some places, and the vector in which products are
    /// made.
    fn vectors(&mut self, ends: &[usize]) -> (Vec<Vectors<'_, K, W>>, &mut [f64]) {
        let Run { flows, residual, solution, shadow, direction, along, work, .. } = self;
        let (mut flows, mut shadow) = (&flows[..], &shadow[..]);
        let mut changing = [residual, solution, direction, along].map(|vector| &mut vector[..]);
        let mut start = 0;
        let chunks = ends.iter().enumerate().map(|(chunk, &end)| {
            let count = end - std::mem::replace(&mut start, end);
            let of_flows = flows.split_off(..count).unwrap_or_default();
            let of_shadow = shadow.split_off(..count).unwrap_or_default();
            let [residual, solution, direction, along] =
                changing.each_mut().map(|vector| vector.split_off_mut(..count).unwrap_or_default());
            Vectors { chunk, flows: of_flows, shadow: of_shadow, residual, solution, direction, along }
        });
        (chunks.collect(), work)
    }

    /// The correction that belongs to the solution, `M^-1 W u`.
    pub(crate) fn correction(
        &mut self,
        chain: &dyn TriangularSweep,
        preconditioner: &mut dyn Preconditioner,
    ) -> &mut [f64] {
        let (solution, flows) = (&self.solution, &self.flows);
        in_parts(chain.threads(), &mut self.work, |first, work| {
            weigh(&solution[first..], &flows[first..], work);
        });
        preconditioner.solve(chain, &mut self.work);
        &mut self.work
    }
}
