//! How threads pass over the chunks of a list, as in a [relay](Relay).
//!
//! A chunk needs those before it from which rates lead to it. On the way back, from the last chunk to the
//! first, all is turned round.
//!
//! Where all threads share each level, each mostly needs what it did itself in the level before, and
//! something at the edge of its share. With [strips](super::super::levels::strips), threads follow one
//! another.

use std::ops::Range;

use super::division::OF_STATE;
use crate::operator::transposed::triangles::{Cut, Lists};
use crate::team::{Member, Needs, Relay, on_each_of, share};

/// The direction of a pass.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// From the first state to the last.
    Forth,
    /// From the last to the first.
    Back,
}

/// The chunks of each thread, and the passes over them.
pub(super) struct Chunks {
    /// The chunks of each thread, in their order.
    own: Vec<Vec<u32>>,
    forth: Relay,
    back: Relay,
}

/// For each chunk its thread, and how many chunks this has before it.
type Places = [(u32, u32)];

impl Chunks {
    /// For lists with these chunks, of which each thread has some.
    pub(super) fn of([earlier, later]: Lists<'_>, cuts: &[Cut], own: Vec<Vec<u32>>) -> Chunks {
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
        let earlier = |chunk: usize| &earlier.1[cuts[chunk].earlier..cuts[chunk + 1].earlier];
        let forth = relay((&own, Way::Forth), &places, &earlier, &chunk_of);
        let later = |chunk: usize| &later.1[cuts[chunk].later..cuts[chunk + 1].later];
        let back = relay((&own, Way::Back), &places, &later, &chunk_of);
        Chunks { own, forth, back }
    }

    /// The chunks of a thread, as ranges of chunks that come one after the other.
    pub(super) fn own(&self, thread: usize) -> impl Iterator<Item = Range<usize>> {
        let runs = self.own[thread].chunk_by(|one, other| one + 1 == *other);
        runs.map(|run| run[0] as usize..run[0] as usize + run.len())
    }

    /// A thread's part of a pass: does the work of each of its chunks when what it needs is done, and waits
    /// for all threads at the end.
    pub(super) fn pass(&self, member: Member<'_>, way: Way, mut work: impl FnMut(usize)) {
        let own = &self.own[member.number()];
        match way {
            Way::Forth => self.forth.pass(member, |piece| work(own[piece] as usize)),
            Way::Back => self.back.pass(member, |piece| work(own[own.len() - 1 - piece] as usize)),
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
        self.forth.count(1, |thread, _, piece| {
            let chunk = self.own[thread][piece] as usize;
            let [start, end] = [cuts[chunk], cuts[chunk + 1]];
            end.earlier - start.earlier + OF_STATE * (end.state - start.state)
        })
    }
}

/// The passes in one direction, by the sources of the states of each chunk. Threads share the chunks.
fn relay<'l>(
    (own, way): (&[Vec<u32>], Way),
    places: &Places,
    sources: &(impl Fn(usize) -> &'l [u32] + Sync),
    chunk_of: &[u32],
) -> Relay {
    let threads = own.len();
    let rank = |(thread, rank): (u32, u32)| match way {
        Way::Forth => rank,
        Way::Back => own[thread as usize].len() as u32 - 1 - rank,
    };
    let needs_of = |chunk: usize, needed: &mut [u32]| {
        for &source in sources(chunk) {
            let place = places[chunk_of[source as usize] as usize];
            let of_thread = &mut needed[place.0 as usize];
            *of_thread = (*of_thread).max(rank(place) + 1);
        }
        // Nobody waits for what it has done itself.
        needed[places[chunk].0 as usize] = 0;
    };
    let of_chunks = on_each_of(threads, |part| {
        let chunks = share(places.len(), part, threads);
        let mut needed = vec![0; chunks.len() * threads];
        chunks.zip(needed.chunks_mut(threads)).for_each(|(chunk, needed)| needs_of(chunk, needed));
        needed
    });
    let of_chunks = of_chunks.concat();
    let of_chunk = |&chunk: &u32| &of_chunks[chunk as usize * threads..][..threads];
    let needs = own.iter().map(|chunks| {
        let in_this = match way {
            Way::Forth => chunks.iter().flat_map(of_chunk).copied().collect(),
            Way::Back => chunks.iter().rev().flat_map(of_chunk).copied().collect(),
        };
        Needs { in_this, in_last: Vec::new() }
    });
    Relay::new(needs.collect())
}
