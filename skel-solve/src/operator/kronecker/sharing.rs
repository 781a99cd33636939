//! How threads share passes over the blocks of a descriptor.
//!
//! A pass changes each block in place, and needs others: those before it as the pass has left them, those behind it as they were. So blocks have
//! *levels*: that of a block is one above the highest of the earlier blocks to which rates lead from it, or from which they lead to
//! it. Blocks of one level have nothing to do with one another, and threads share them, level by level. Each block
//! is computed from the same numbers whoever does it.
//!
//! Threads do not wait for one another at the end of each level. A thread has its blocks in *groups*. It tells when each is done. Before it begins with one,
//! it waits until the others have done the groups that this one needs. Where a thread has a block more than the others in one level, it has one less in
//! another, and meanwhile the others go on.

use std::ops::Range;

use super::descriptor::Descriptor;
use super::{Block, substitution::AT_ONCE};
use crate::limits::{Stopped, Watch};
use crate::team::Member;
#[cfg(test)]
use crate::team::counted::{Counted, OF_LOOK};

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

/// How many blocks of a level each thread gets. `counts` says how many it has of the levels before: who has fewer gets one more, if they do not all get as many. Where
/// there are fewer blocks than threads, it is always the first threads that get one, since such a level needs the one before.
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

/// The groups of blocks of each thread.
#[derive(Default)]
pub(super) struct Sharing(Vec<Groups>);

/// The blocks of a thread, by level, and in which groups it computes them.
#[derive(Default)]
struct Groups {
    blocks: Vec<u32>,
    /// Where groups end.
    ends: Vec<usize>,
    /// For each group how many groups of each thread it needs in the same pass: those of blocks before its own to which or from which rates lead.
    before: Vec<u32>,
    /// The same in the pass before, of blocks behind its own.
    behind: Vec<u32>,
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
        let mut sharing = Sharing(groups);
        if threads > 1 {
            sharing.find_needs(descriptor, watch)?;
        }
        Ok(sharing)
    }

    /// Finds what each group needs.
    fn find_needs(&mut self, descriptor: &Descriptor, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let threads = self.0.len();
        // The thread of each block, and its group.
        let mut owners = vec![(0, 0); descriptor.blocks];
        for (thread, groups) in self.0.iter_mut().enumerate() {
            for group in 0..groups.ends.len() {
                groups.blocks[groups.range(group)]
                    .iter()
                    .for_each(|&block| owners[block as usize] = (thread, group));
            }
            groups.before = vec![0; groups.ends.len() * threads];
            groups.behind = vec![0; groups.ends.len() * threads];
        }
        let mut block = Block::default();
        for number in 0..descriptor.blocks {
            watch.prepare()?;
            descriptor.entering(number, &mut block.digits, &mut block.from);
            for &(from, _) in block.from.iter().filter(|&&(from, _)| from != number) {
                let (first, second) = (owners[from.min(number)], owners[from.max(number)]);
                let before = &mut self.0[second.0].before[second.1 * threads + first.0];
                *before = (*before).max(first.1 as u32 + 1);
                let behind = &mut self.0[first.0].behind[first.1 * threads + second.0];
                *behind = (*behind).max(second.1 as u32 + 1);
            }
        }
        Ok(())
    }

    pub(super) fn threads(&self) -> usize {
        self.0.len()
    }

    /// The thread that has each of so many blocks.
    pub(super) fn threads_of(&self, blocks: usize) -> Vec<usize> {
        let mut threads = vec![0; blocks];
        for (thread, groups) in self.0.iter().enumerate() {
            groups.blocks.iter().for_each(|&block| threads[block as usize] = thread);
        }
        threads
    }

    /// How many groups another thread must have done, counted over all passes, before a thread may begin with one of its own after so many whole passes.
    fn needed(&self, (thread, group, passes): (usize, usize, usize), other: usize) -> usize {
        let (threads, own, all) = (self.0.len(), &self.0[thread], self.0[other].ends.len());
        let at = group * threads + other;
        let (before, behind) = (own.before[at] as usize, own.behind[at] as usize);
        let in_this = if before > 0 { passes * all + before } else { 0 };
        let in_last = if behind > 0 { (passes * all + behind).saturating_sub(all) } else { 0 };
        in_this.max(in_last)
    }

    /// A thread's part of a pass: does the work of each of its groups when what it needs is done. All that a team tells is how many groups are done,
    /// in this pass and those before.
    pub(super) fn pass(&self, member: Member<'_>, mut work: impl FnMut(&[u32])) {
        let (thread, own) = (member.number(), &self.0[member.number()]);
        let all = own.ends.len();
        let passes = member.told() / all.max(1);
        for group in 0..all {
            for other in (0..self.0.len()).filter(|&other| other != thread) {
                member.wait_for(other, self.needed((thread, group, passes), other));
            }
            work(&own.blocks[own.range(group)]);
            member.tell(passes * all + group + 1);
        }
    }
}

/// The work of some blocks.
#[cfg(test)]
type WorkOf<'w> = &'w dyn Fn(&[u32]) -> usize;

#[cfg(test)]
impl Sharing {
    /// Counts what passes cost one after the other, and how long all of it takes where threads wait for what they need alone.
    pub(super) fn count(&self, counted: &mut Counted, passes: &[WorkOf<'_>]) {
        let threads = self.0.len();
        // When each thread has done each of its groups, pass by pass.
        let mut done: Vec<Vec<usize>> = vec![Vec::new(); threads];
        let mut whole = 0;
        let is_over = |done: &[Vec<usize>]| {
            done.iter().zip(&self.0).all(|(done, own)| done.len() == passes.len() * own.ends.len())
        };
        while !is_over(&done) {
            for (thread, own) in self.0.iter().enumerate() {
                let all = own.ends.len();
                while done[thread].len() < passes.len() * all {
                    let (pass, group) = (done[thread].len() / all, done[thread].len() % all);
                    let others = (0..threads).filter(|&other| other != thread);
                    let needed = others.map(|other| (other, self.needed((thread, group, pass), other)));
                    let needed: Vec<_> = needed.filter(|(_, needed)| *needed > 0).collect();
                    if needed.iter().any(|&(other, needed)| done[other].len() < needed) {
                        break;
                    }
                    let begins = needed.iter().map(|&(other, needed)| done[other][needed - 1]);
                    let begins = begins.chain(done[thread].last().copied()).max().unwrap_or(0);
                    let work = passes[pass](&own.blocks[own.range(group)]);
                    whole += work;
                    done[thread].push(begins + work + if needed.is_empty() { 0 } else { OF_LOOK });
                }
            }
        }
        counted.passes(whole, done.iter().filter_map(|done| done.last()).max().copied().unwrap_or(0));
    }
}
