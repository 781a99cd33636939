//! How threads pass over chunks of states together, without a barrier in between.
//!
//! A chunk needs some of the chunks before it: those from which rates lead to it. Each thread has chunks of its own, and passes over them in their
//! order. Before it begins with one, it waits until the others have done what that one needs; and it tells them when it has done one. What is needed comes
//! before, so nobody waits for ever. On the way back, from the last chunk to the first, all is turned round.
//!
//! Where all threads share each level, each mostly needs what it did itself in the level before, and something at the edge of its share. So
//! it does not matter if one of them is a little behind. With [strips](super::super::levels::strips), threads follow one another.

use std::ops::Range;

use super::division::{Cut, OF_STATE};
use crate::operator::transposed::Lists;
use crate::team::{Member, share, together};

/// What it costs to look how far another thread has come and to tell it how far one has come oneself, in entries.
const OF_LOOK: usize = 100;

/// The direction of a pass.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// From the first state to the last.
    Forth,
    /// From the last to the first.
    Back,
}

/// The chunks of each thread, and what they need of one another.
pub(super) struct Relay {
    /// The chunks of each thread, in their order.
    own: Vec<Vec<u32>>,
    /// For each chunk its thread, and how many chunks this has before it.
    places: Vec<(u32, u32)>,
    /// What each chunk needs on the way forth, and on the way back.
    forth: Needs,
    back: Needs,
}

/// What chunks need.
#[derive(Default)]
struct Needs {
    /// For each chunk how many chunks of each thread have to be done before it.
    counts: Vec<u32>,
    /// Which chunks another thread may wait for.
    are_awaited: Vec<bool>,
}

impl Needs {
    /// How many chunks of each of so many threads a chunk needs.
    fn of(&self, chunk: usize, threads: usize) -> &[u32] {
        &self.counts[chunk * threads..(chunk + 1) * threads]
    }
}

impl Relay {
    /// For lists with these chunks, of which each thread has some.
    pub(super) fn find([earlier, later]: Lists<'_>, cuts: &[Cut], own: Vec<Vec<u32>>) -> Relay {
        let mut places = vec![(0, 0); cuts.len() - 1];
        for (thread, chunks) in own.iter().enumerate() {
            for (rank, &chunk) in chunks.iter().enumerate() {
                places[chunk as usize] = (thread as u32, rank as u32);
            }
        }
        let mut chunk_of = vec![0; cuts[places.len()].state];
        for (chunk, cuts) in cuts.windows(2).enumerate() {
            chunk_of[cuts[0].state..cuts[1].state].fill(chunk as u32);
        }
        let mut relay = Relay { own, places, forth: Needs::default(), back: Needs::default() };
        let earlier = |chunk: usize| &earlier.1[cuts[chunk].earlier..cuts[chunk + 1].earlier];
        relay.forth = relay.needs_of(Way::Forth, relay.counts(Way::Forth, &earlier, &chunk_of));
        let later = |chunk: usize| &later.1[cuts[chunk].later..cuts[chunk + 1].later];
        relay.back = relay.needs_of(Way::Back, relay.counts(Way::Back, &later, &chunk_of));
        relay
    }

    fn needs_of(&self, way: Way, counts: Vec<u32>) -> Needs {
        let mut are_awaited = vec![false; self.places.len()];
        for needed in counts.chunks(self.own.len()) {
            for (thread, &needed) in needed.iter().enumerate().filter(|(_, needed)| **needed > 0) {
                are_awaited[self.chunk_at(way, thread, needed as usize - 1)] = true;
            }
        }
        Needs { counts, are_awaited }
    }

    /// How many chunks of each thread each chunk needs, by the sources of its states. Threads share the chunks.
    fn counts<'l>(
        &self,
        way: Way,
        sources: &(impl Fn(usize) -> &'l [u32] + Sync),
        chunk_of: &[u32],
    ) -> Vec<u32> {
        let (threads, chunks) = (self.own.len(), self.places.len());
        let mut parts = vec![Vec::new(); threads];
        together(parts.iter_mut().enumerate().collect(), |(part, needed): (usize, &mut Vec<u32>), _| {
            for chunk in share(chunks, part, threads) {
                let start = needed.len();
                needed.resize(start + threads, 0);
                let needed = &mut needed[start..];
                for &source in sources(chunk) {
                    let other = chunk_of[source as usize] as usize;
                    let (thread, rank) = (self.places[other].0 as usize, self.rank(way, other));
                    needed[thread] = needed[thread].max(rank + 1);
                }
                // Nobody waits for what it has done itself.
                needed[self.places[chunk].0 as usize] = 0;
            }
        });
        parts.concat()
    }

    /// How many chunks its thread passes over before a chunk.
    fn rank(&self, way: Way, chunk: usize) -> u32 {
        let (thread, rank) = self.places[chunk];
        match way {
            Way::Forth => rank,
            Way::Back => self.own[thread as usize].len() as u32 - 1 - rank,
        }
    }

    /// The chunk that a thread passes over after so many others.
    fn chunk_at(&self, way: Way, thread: usize, rank: usize) -> usize {
        let own = &self.own[thread];
        let at = if way == Way::Forth { rank } else { own.len() - 1 - rank };
        own[at] as usize
    }

    /// The chunks of a thread, as ranges of chunks that come one after the other.
    pub(super) fn own(&self, thread: usize) -> impl Iterator<Item = Range<usize>> {
        let runs = self.own[thread].chunk_by(|one, other| one + 1 == *other);
        runs.map(|run| run[0] as usize..run[0] as usize + run.len())
    }

    fn needs(&self, way: Way) -> &Needs {
        if way == Way::Forth { &self.forth } else { &self.back }
    }

    /// A thread's part of a pass: does the work of each of its chunks when what it needs is done, and waits for all threads at the end. What a team tells is how many chunks are
    /// done, in this pass and those before.
    pub(super) fn pass(&self, member: Member<'_>, way: Way, mut work: impl FnMut(usize)) {
        let (own, needs) = (&self.own[member.number()], self.needs(way));
        let passes = member.told() / own.len().max(1);
        // How far the others are known to have come in this pass.
        let mut known = vec![0; self.own.len()];
        for done in 0..own.len() {
            let chunk = self.chunk_at(way, member.number(), done);
            let others = needs.of(chunk, self.own.len()).iter().zip(&mut known).zip(&self.own);
            for (other, ((&needed, known), of_other)) in others.enumerate() {
                if needed > *known {
                    member.wait_for(other, passes * of_other.len() + needed as usize);
                    *known = needed;
                }
            }
            work(chunk);
            if needs.are_awaited[chunk] || done + 1 == own.len() {
                member.tell(passes * own.len() + done + 1);
            }
        }
        member.meet();
    }

    /// How many times less a pass takes than by one thread, as it is counted.
    pub(super) fn gain(&self, cuts: &[Cut]) -> f64 {
        let [whole, longest] = self.count(cuts);
        whole as f64 / longest.max(1) as f64
    }

    /// How long a pass takes by one thread and by all of them, counted in entries.
    pub(super) fn count(&self, cuts: &[Cut]) -> [usize; 2] {
        let (mut whole, mut free) = (0, vec![0; self.own.len()]);
        let mut done: Vec<usize> = Vec::with_capacity(cuts.len());
        let mut known = vec![vec![0; self.own.len()]; self.own.len()];
        for (chunk, cuts) in cuts.windows(2).enumerate() {
            let work = cuts[1].earlier - cuts[0].earlier + OF_STATE * (cuts[1].state - cuts[0].state);
            let thread = self.places[chunk].0 as usize;
            let mut begins = free[thread];
            for (other, &needed) in self.forth.of(chunk, self.own.len()).iter().enumerate() {
                if needed > known[thread][other] {
                    known[thread][other] = needed;
                    let awaited = self.chunk_at(Way::Forth, other, needed as usize - 1);
                    begins = begins.max(done[awaited]) + OF_LOOK;
                }
            }
            whole += work;
            free[thread] = begins + work;
            done.push(begins + work);
        }
        [whole, free.into_iter().max().unwrap_or(0)]
    }
}
