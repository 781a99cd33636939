//! Work in pieces that threads do together without a barrier in between.
//!
//! Each thread has pieces of its own, and does them one after the other. A piece needs some that others have:
//! of the same pass over all pieces, and of the pass before, where passes follow one another without a
//! barrier. Before a thread begins with a piece, it waits until the others have done what that one needs; and
//! it tells them when it has done one for which they may wait. All that is told is how many pieces a thread
//! has done, in this pass and those before.
//!
//! So it does not matter if one of the threads is a little behind, and where one has more to do for a while,
//! the others go on.

use super::Member;

/// What it costs to look how far another thread has come and to tell it how far one has come oneself, in
/// entries of a list that is passed over.
const OF_LOOK: usize = 100;

/// The pieces of each thread, and what they need.
#[derive(Default)]
pub(crate) struct Relay(Vec<Pieces>);

/// The pieces of a thread.
struct Pieces {
    needs: Needs,
    /// Which pieces another thread may wait for.
    are_awaited: Vec<bool>,
}

/// What the pieces of a thread need, in their order: for each, how many pieces of each thread have to be done
/// before.
#[derive(Clone)]
pub(crate) struct Needs {
    /// In the same pass.
    pub(crate) in_this: Vec<u32>,
    /// In the pass before. Empty if threads meet between passes.
    pub(crate) in_last: Vec<u32>,
}

impl Needs {
    /// Of so many pieces that need nothing.
    pub(crate) fn of_nothing(pieces: usize, threads: usize) -> Needs {
        let nothing = vec![0; pieces * threads];
        Needs { in_this: nothing.clone(), in_last: nothing }
    }
}

impl Relay {
    /// By the needs of each thread. Those of the same pass must not go in a circle: then nobody waits for
    /// ever.
    pub(crate) fn new(needs: Vec<Needs>) -> Relay {
        let threads = needs.len();
        let mut are_awaited: Vec<_> =
            needs.iter().map(|needs| vec![false; needs.in_this.len() / threads]).collect();
        for needs in &needs {
            for piece in needs.in_this.chunks(threads).chain(needs.in_last.chunks(threads)) {
                for (thread, &needed) in piece.iter().enumerate().filter(|(_, needed)| **needed > 0) {
                    are_awaited[thread][needed as usize - 1] = true;
                }
            }
        }
        let of_threads = needs.into_iter().zip(are_awaited);
        Relay(of_threads.map(|(needs, are_awaited)| Pieces { needs, are_awaited }).collect())
    }

    /// How many pieces a thread has.
    fn pieces(&self, thread: usize) -> usize {
        self.0[thread].are_awaited.len()
    }

    /// How many pieces another thread must have done, counted over all passes, before a thread may begin with
    /// one of its own after so many whole passes.
    fn needed(&self, (thread, piece, passes): (usize, usize, usize), other: usize) -> usize {
        let (Needs { in_this, in_last }, all) = (&self.0[thread].needs, self.pieces(other));
        let at = piece * self.0.len() + other;
        let (in_this, in_last) = (in_this[at] as usize, in_last.get(at).map_or(0, |&needed| needed as usize));
        let of_this = if in_this > 0 { passes * all + in_this } else { 0 };
        let of_last = if in_last > 0 { (passes * all + in_last).saturating_sub(all) } else { 0 };
        of_this.max(of_last)
    }

    /// A thread's part of a pass: does the work of each of its pieces when what it needs is done.
    pub(crate) fn pass(&self, member: Member<'_>, mut work: impl FnMut(usize)) {
        let own = member.number();
        let all = self.pieces(own);
        let passes = member.told() / all.max(1);
        // How far the others are known to have come.
        let mut known = vec![0; self.0.len()];
        for piece in 0..all {
            for (other, known) in known.iter_mut().enumerate() {
                let needed = self.needed((own, piece, passes), other);
                if needed > *known {
                    member.wait_for(other, needed);
                    *known = needed;
                }
            }
            work(piece);
            if self.0[own].are_awaited[piece] || piece + 1 == all {
                member.tell(passes * all + piece + 1);
            }
        }
    }

    /// The cost of so many passes by one thread, and the time that all threads take for them together. A
    /// function gives the cost of a thread's piece in a pass: of the thread, the pass and the piece.
    pub(crate) fn count(&self, passes: usize, cost: impl Fn(usize, usize, usize) -> usize) -> [usize; 2] {
        let threads = self.0.len();
        // When each thread has done each of its pieces, and how far it knows the others to have come.
        let mut done: Vec<Vec<usize>> = vec![Vec::new(); threads];
        let mut known = vec![vec![0; threads]; threads];
        let mut whole = 0;
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for thread in 0..threads {
                let all = self.pieces(thread);
                while done[thread].len() < passes * all {
                    let (pass, piece) = (done[thread].len() / all, done[thread].len() % all);
                    let needed = |other| self.needed((thread, piece, pass), other);
                    if (0..threads).any(|other| done[other].len() < needed(other)) {
                        break;
                    }
                    let mut begins = done[thread].last().copied().unwrap_or(0);
                    for (other, known) in known[thread].iter_mut().enumerate() {
                        if needed(other) > *known {
                            *known = needed(other);
                            begins = begins.max(done[other][*known - 1]) + OF_LOOK;
                        }
                    }
                    let cost = cost(thread, pass, piece);
                    whole += cost;
                    done[thread].push(begins + cost);
                    has_changed = true;
                }
            }
        }
        [whole, done.iter().filter_map(|done| done.last()).max().copied().unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Needs, OF_LOOK, Relay};
    use crate::team::together;

    const THREADS: usize = 3;
    const PIECES: usize = 40;
    const PASSES: usize = 5;

    /// A piece needs that with the same number of the thread before, and, from the pass before, that of the
    /// thread behind.
    fn ladder() -> Relay {
        let needs = (0..THREADS).map(|thread| {
            let mut needs = Needs::of_nothing(PIECES, THREADS);
            for piece in 0..PIECES {
                let of_piece = piece * THREADS..(piece + 1) * THREADS;
                let before = needs.in_this[of_piece.clone()][..thread].last_mut();
                before.into_iter().for_each(|needed| *needed = piece as u32 + 1);
                let behind = needs.in_last[of_piece].get_mut(thread + 1);
                behind.into_iter().for_each(|needed| *needed = piece as u32 + 1);
            }
            needs
        });
        Relay::new(needs.collect())
    }

    #[test]
    fn what_a_piece_needs_is_done_before_it() {
        let relay = ladder();
        let done = [0; THREADS].map(AtomicUsize::new);
        together(vec![(); THREADS], |(), member| {
            let own = member.number();
            for pass in 0..PASSES {
                relay.pass(member, |piece| {
                    let of = |thread: usize| done[thread].load(Ordering::Acquire);
                    assert!(own == 0 || of(own - 1) > pass * PIECES + piece, "{pass}, {own}, {piece}");
                    if own + 1 < THREADS && pass > 0 {
                        assert!(of(own + 1) > (pass - 1) * PIECES + piece, "{pass}, {own}, {piece}");
                    }
                    assert_eq!(
                        of(own),
                        pass * PIECES + piece,
                        "a thread does its pieces one after the other"
                    );
                    done[own].fetch_add(1, Ordering::Release);
                });
            }
        });
        assert!(done.iter().all(|done| done.load(Ordering::Acquire) == PASSES * PIECES));
    }

    /// Each thread begins one piece later than the one before, and then all go on at once. The first one
    /// looks at nobody.
    #[test]
    fn threads_that_follow_one_another_are_counted() {
        const COST: usize = 1000;
        let [whole, longest] = ladder().count(1, |_, _, _| COST);
        assert_eq!(whole, THREADS * PIECES * COST);
        assert_eq!(longest, (PIECES + THREADS - 1) * COST + (PIECES + THREADS - 2) * OF_LOOK);
        let [whole, alone] = Relay::new(vec![Needs::of_nothing(PIECES, 1)]).count(PASSES, |_, pass, _| pass);
        assert_eq!((whole, alone), (PIECES * 10, PIECES * 10));
    }
}
