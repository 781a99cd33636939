//! Sweeps level by level, by one thread or several, to the same bits.
//!
//! A block of states needs others: those before it as a sweep has left them, those behind it as they were. So blocks have
//! *levels*: that of a block is one above the highest of the earlier blocks to which rates lead from it, or from which they lead to
//! it. Blocks of one level have nothing to do with one another, and threads share them, level by level. Each block
//! is computed from the same numbers whoever does it.

use std::sync::PoisonError;

use super::{Block, KroneckerRates, Step};
use crate::limits::{Stopped, Watch};
use crate::operator::SharedSweep;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::team::{Chunk, Member, in_chunks, share, together};

/// The blocks by level.
#[derive(Default)]
pub(super) struct Levels {
    /// The blocks of one level after the other, each in ascending order.
    order: Vec<u32>,
    /// Where levels end in the order.
    ends: Vec<usize>,
}

impl Levels {
    pub(super) fn find(descriptor: &Descriptor, watch: &mut Watch<'_>) -> Result<Levels, Stopped> {
        let mut level_of = vec![0_usize; descriptor.blocks];
        let mut block = Block::default();
        for number in 0..descriptor.blocks {
            watch.prepare()?;
            descriptor.entering(number, &mut block.digits, &mut block.from);
            for &(from, _) in &block.from {
                // Earlier sources come before this block. For a later one this block comes before.
                if from < number {
                    level_of[number] = level_of[number].max(level_of[from] + 1);
                }
            }
            for &(from, _) in &block.from {
                if from > number {
                    level_of[from] = level_of[from].max(level_of[number] + 1);
                }
            }
        }
        Ok(Levels::of(&level_of))
    }

    /// The blocks of each level.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.order[std::mem::replace(&mut start, end)..end])
    }

    fn of(level_of: &[usize]) -> Levels {
        let mut order: Vec<u32> = (0..level_of.len() as u32).collect();
        order.sort_by_key(|&block| level_of[block as usize]);
        let levels = order.chunk_by(|&one, &other| level_of[one as usize] == level_of[other as usize]);
        let mut end = 0;
        let ends = levels.map(|level| {
            end += level.len();
            end
        });
        let ends = ends.collect();
        Levels { order, ends }
    }
}

impl KroneckerRates<'_> {
    /// A forward substitution, level by level, also by one thread.
    pub(super) fn substitute_by_level(&self, x: &mut [f64]) {
        let blocks = in_chunks(x, &self.starts[1..]);
        together(vec![(); self.sweeping], |(), member| self.substitute_by(member, &blocks));
    }

    /// A sweep without damping: what flows in from later states, and a substitution, whose runs of places take half the time of a sweep place by place.
    pub(super) fn sweep_by_level(&self, pi: &mut [f64]) {
        let blocks = in_chunks(pi, &self.starts[1..]);
        together(vec![(); self.sweeping], |(), member| {
            self.pass_by(member, Step::LaterInflow, &blocks);
            self.substitute_by(member, &blocks);
        });
    }

    /// A thread's part of that.
    fn substitute_by(&self, member: Member<'_>, blocks: &[Chunk<'_>]) {
        let mut memory = Vec::new();
        for level in self.levels.iter() {
            self.substitute_in(&level[member.share(level.len())], blocks, &mut memory);
            member.meet();
        }
    }

    /// Does a step with all blocks, as one thread does it in ascending order.
    pub(super) fn pass_together(&self, step: Step, x: &mut [f64]) {
        let blocks = in_chunks(x, &self.starts[1..]);
        together(vec![(); self.sweeping], |(), member| self.pass_by(member, step, &blocks));
    }

    /// A thread's part of that.
    fn pass_by(&self, member: Member<'_>, step: Step, blocks: &[Chunk<'_>]) {
        let mut block = Block::default();
        for level in self.levels.iter() {
            for &number in &level[member.share(level.len())] {
                // Whoever stops still comes to all barriers.
                if self.stop.is_due() {
                    break;
                }
                let number = number as usize;
                let mut own = blocks[number].write().unwrap_or_else(PoisonError::into_inner);
                let others = |other: usize, add: &mut dyn FnMut(&[f64])| {
                    if step.needs(number, other) {
                        add(&blocks[other].read().unwrap_or_else(PoisonError::into_inner));
                    }
                };
                self.step(step, number, &mut own, others, &mut block);
            }
            member.meet();
        }
    }
}

/// The sweeps of a descriptor by several threads, in which blocks are the chunks of a vector.
pub(super) struct SharedBlocks<'k> {
    pub(super) rates: &'k KroneckerRates<'k>,
    pub(super) threads: usize,
}

impl SharedSweep for SharedBlocks<'_> {
    fn threads(&self) -> usize {
        self.threads
    }

    fn threads_of_chunks(&self) -> Vec<usize> {
        let mut threads = vec![0; self.rates.descriptor.blocks];
        for level in self.rates.levels.iter() {
            for thread in 0..self.threads() {
                let own = &level[share(level.len(), thread, self.threads())];
                own.iter().for_each(|&block| threads[block as usize] = thread);
            }
        }
        threads
    }

    fn substitute_for_later(&self, member: Member<'_>, x: &[Chunk<'_>]) {
        self.rates.substitute_by(member, x);
        self.rates.pass_by(member, Step::LaterInflow, x);
    }
}
