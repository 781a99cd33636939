//! Sweeps by one thread or several, to the same bits. How they share the blocks is in
//! [`sharing`](super::sharing).

use std::sync::PoisonError;

use super::{Block, KroneckerRates, Step};
use crate::operator::SharedPass;
use crate::team::{Chunk, Member, in_chunks, together};

impl KroneckerRates<'_> {
    /// A forward substitution, level by level, also by one thread.
    pub(super) fn substitute_by_level(&self, x: &mut [f64]) {
        let blocks = in_chunks(x, &self.starts[1..]);
        together(vec![(); self.sharing.threads()], |(), member| self.substitute_by(member, &blocks));
    }

    /// A sweep without damping: what flows in from later states, and a substitution, whose runs of places
    /// take half the time of a sweep place by place.
    pub(super) fn sweep_by_level(&self, pi: &mut [f64]) {
        let blocks = in_chunks(pi, &self.starts[1..]);
        together(vec![(); self.sharing.threads()], |(), member| {
            self.pass_by(member, Step::LaterInflow, &blocks);
            self.substitute_by(member, &blocks);
        });
    }

    /// A thread's part of that.
    fn substitute_by(&self, member: Member<'_>, blocks: &[Chunk<'_>]) {
        let mut memory = Vec::new();
        self.sharing.pass(member, |numbers| self.substitute_in(numbers, blocks, &mut memory));
    }

    /// Does a step with all blocks, as one thread does it in ascending order.
    pub(super) fn pass_together(&self, step: Step, x: &mut [f64]) {
        let blocks = in_chunks(x, &self.starts[1..]);
        together(vec![(); self.sharing.threads()], |(), member| self.pass_by(member, step, &blocks));
    }

    /// A thread's part of that.
    fn pass_by(&self, member: Member<'_>, step: Step, blocks: &[Chunk<'_>]) {
        let mut block = Block::default();
        self.sharing.pass(member, |numbers| {
            for number in numbers.iter().map(|&number| number as usize) {
                // Whoever stops tells all the same that it is done.
                if self.stop.is_due() {
                    return;
                }
                let mut own = blocks[number].write().unwrap_or_else(PoisonError::into_inner);
                let others = |other: usize, add: &mut dyn FnMut(&[f64])| {
                    if step.needs(number, other) {
                        add(&blocks[other].read().unwrap_or_else(PoisonError::into_inner));
                    }
                };
                self.step(step, number, &mut own, others, &mut block);
            }
        });
    }
}

/// The sweeps of a descriptor by several threads, in which blocks are the chunks of a vector.
pub(super) struct SharedBlocks<'k> {
    pub(super) rates: &'k KroneckerRates<'k>,
}

impl SharedPass for SharedBlocks<'_> {
    fn threads(&self) -> usize {
        self.rates.sharing.threads()
    }

    fn threads_of_chunks(&self) -> Vec<usize> {
        self.rates.sharing.threads_of(self.rates.descriptor.blocks)
    }

    fn pass(&self, member: Member<'_>, x: &[Chunk<'_>]) {
        self.rates.substitute_by(member, x);
        self.rates.pass_by(member, Step::LaterInflow, x);
    }
}
