//! How threads share passes over the blocks of a descriptor.
//!
//! A pass changes each block in place, and needs others: those before it as the pass has left them, those
//! behind it as they were. So blocks have *levels*: that of a block is one above the highest of the earlier
//! blocks to which rates lead from it, or from which they lead to it. Blocks of one level have nothing to do
//! with one another, and threads share them, level by level. Each block is computed from the same numbers
//! whoever does it.
//!
//! Threads do not wait for one another at the end of each level, but as in a [relay](Relay), whose pieces are
//! *groups* of blocks. Where a thread has a block more than the others in one level, it has one less in
//! another, and meanwhile the others go on.

use std::ops::Range;

use super::descriptor::Descriptor;
use super::{Block, substitution::AT_ONCE};
use crate::limits::{Stopped, Watch};
use crate::team::{Member, Needs, Relay};

/// The blocks by level.
pub(super) struct Levels {
    /// The blocks of one level after the other, each in ascending order.
    order: Vec<u32>,
    /// Where levels end in the order.
    ends: Vec<usize>,
}

impl Levels {
    /// Of the blocks of a descriptor.
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

/// How many blocks of a level each thread gets. `counts` says how many it has of the levels before: who has
/// fewer gets one more, if they do not all get as many. Where there are fewer blocks than threads, it is
/// always the first threads that get one, since such a level needs the one before.
fn shares(blocks: usize, counts: &[usize]) -> Vec<usize> {
    let threads = counts.len();
    let mut by_count: Vec<usize> = (0..threads).collect();
    if blocks >= threads {
        by_count.sort_by_key(|&thread| counts[thread]);
    }
    let mut shares = vec![blocks / threads; threads];
    by_count[..blocks % threads].iter().for_each(|&thread| shares[thread] += 1);
    shares
}

/// The groups of blocks of each thread, and the passes over them.
#[derive(Default)]
pub(super) struct Sharing {
    groups: Vec<Groups>,
    passes: Relay,
}

/// The blocks of a thread, by level, and in which groups it computes them.
#[derive(Default)]
struct Groups {
    blocks: Vec<u32>,
    /// Where groups end.
    ends: Vec<usize>,
}

impl Groups {
    /// Adds blocks of a level.
    fn add(&mut self, blocks: &[u32]) {
        for group in blocks.chunks(AT_ONCE) {
            self.blocks.extend_from_slice(group);
            self.ends.push(self.blocks.len());
        }
    }

    fn range(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }
}

impl Sharing {
    /// For so many threads. In all levels together, these have equal shares.
    pub(super) fn new(
        descriptor: &Descriptor,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Sharing, Stopped> {
        let levels = Levels::find(descriptor, watch)?;
        let mut groups: Vec<Groups> = (0..threads).map(|_| Groups::default()).collect();
        let mut counts = vec![0; threads];
        for level in levels.iter() {
            let mut left = level;
            for (groups, count) in groups.iter_mut().zip(shares(level.len(), &counts)) {
                let (own, others) = left.split_at(count);
                groups.add(own);
                left = others;
            }
            counts = groups.iter().map(|groups| groups.blocks.len()).collect();
        }
        let passes = match threads {
            1 => Relay::new(vec![Needs::of_nothing(groups[0].ends.len(), 1)]),
            _ => Relay::new(needs(&groups, descriptor, watch)?),
        };
        Ok(Sharing { groups, passes })
    }

    pub(super) fn threads(&self) -> usize {
        self.groups.len()
    }

    /// The thread that has each of so many blocks.
    pub(super) fn threads_of(&self, blocks: usize) -> Vec<usize> {
        let mut threads = vec![0; blocks];
        for (thread, groups) in self.groups.iter().enumerate() {
            groups.blocks.iter().for_each(|&block| threads[block as usize] = thread);
        }
        threads
    }

    /// A thread's part of a pass: does the work of each of its groups when what it needs is done. Another
    /// pass may follow at once.
    pub(super) fn pass(&self, member: Member<'_>, mut work: impl FnMut(&[u32])) {
        let own = &self.groups[member.number()];
        self.passes.pass(member, |group| work(&own.blocks[own.range(group)]));
    }

    /// What passes cost one after the other, and how long all of it takes, where a function says what blocks
    /// cost in a pass.
    #[cfg(test)]
    pub(super) fn count(&self, passes: usize, cost: impl Fn(usize, &[u32]) -> usize) -> [usize; 2] {
        self.passes.count(passes, |thread, pass, group| {
            let own = &self.groups[thread];
            cost(pass, &own.blocks[own.range(group)])
        })
    }
}

/// What the groups of each thread need: in the same pass the groups with earlier blocks that a rate joins to
/// their own, and in the pass before those with later ones.
fn needs(groups: &[Groups], descriptor: &Descriptor, watch: &mut Watch<'_>) -> Result<Vec<Needs>, Stopped> {
    let threads = groups.len();
    let mut needs: Vec<Needs> =
        groups.iter().map(|groups| Needs::of_nothing(groups.ends.len(), threads)).collect();
    // The thread of each block, and its group.
    let mut owners = vec![(0, 0); descriptor.blocks];
    for (thread, groups) in groups.iter().enumerate() {
        for group in 0..groups.ends.len() {
            let blocks = &groups.blocks[groups.range(group)];
            blocks.iter().for_each(|&block| owners[block as usize] = (thread, group));
        }
    }
    let mut block = Block::default();
    for number in 0..descriptor.blocks {
        watch.prepare()?;
        descriptor.entering(number, &mut block.digits, &mut block.from);
        for &(from, _) in block.from.iter().filter(|&&(from, _)| from != number) {
            let (first, second) = (owners[from.min(number)], owners[from.max(number)]);
            let in_this = &mut needs[second.0].in_this[second.1 * threads + first.0];
            *in_this = (*in_this).max(first.1 as u32 + 1);
            let in_last = &mut needs[first.0].in_last[first.1 * threads + second.0];
            *in_last = (*in_last).max(second.1 as u32 + 1);
        }
    }
    Ok(needs)
}
