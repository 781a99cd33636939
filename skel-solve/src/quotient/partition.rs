//! A partition that is refined in place: the members of a block are consecutive in one list.
//!
//! Marking moves a member to the front of its block, in constant time. Splitting makes new blocks of the
//! marked members, in time linear in their number. A. Valmari, P. Lehtinen, Efficient minimization of DFAs
//! with partial transition functions, STACAS 2008.

use std::ops::Range;

/// A partition of the states into blocks.
pub(super) struct Partition {
    members: Vec<u32>,
    /// For each state its index in `members`, and its block. Side by side, since whoever asks for one asks
    /// for the other too.
    places: Vec<Place>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// For each block the number of its marked members, which are at its front.
    marked: Vec<u32>,
}

/// Where a state is.
#[derive(Clone, Copy, Default)]
struct Place {
    at: u32,
    block: u32,
}

impl Partition {
    /// The partition of the states by their classes, of which there are `count`, none of them empty.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(classes: &[u32], count: usize) -> Partition {
        let mut ends = vec![0; count];
        classes.iter().for_each(|&class| ends[class as usize] += 1);
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        let starts = ends.clone();
        let mut members = vec![0; classes.len()];
        let mut places = vec![Place::default(); classes.len()];
        for (state, &class) in classes.iter().enumerate() {
            let end = &mut ends[class as usize];
            members[*end as usize] = state as u32;
            places[state] = Place { at: *end, block: class };
            *end += 1;
        }
        Partition { members, places, starts, ends, marked: vec![0; count] }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn size(&self, block: u32) -> u32 {
        self.ends[block as usize] - self.starts[block as usize]
    }

    pub(super) fn members(&self, block: u32) -> &[u32] {
        &self.members[self.starts[block as usize] as usize..self.ends[block as usize] as usize]
    }

    /// Marks a state. Returns its block if the block had no marks before.
    pub(super) fn mark(&mut self, state: u32) -> Option<u32> {
        let Place { at: place, block } = self.places[state as usize];
        let marked = &mut self.marked[block as usize];
        let front = self.starts[block as usize] + *marked;
        if place < front {
            return None;
        }
        *marked += 1;
        let other = self.members[front as usize];
        self.members.swap(front as usize, place as usize);
        self.places[state as usize].at = front;
        self.places[other as usize].at = place;
        (*marked == 1).then_some(block)
    }

    /// Splits a block: marked members with equal keys stay together, and so do the members without a mark.
    /// Clears the marks.
    ///
    /// If more than half of the marked members have the same key, these are not sorted. As in Valmari and
    /// Franceschinis, the cost is proportional to the smaller part, so that all splits together take
    /// `O(m log n)`.
    pub(super) fn split<K: Copy + Default + Ord>(&mut self, block: u32, keys: &[K]) {
        let key = |state: u32| keys[state as usize];
        let start = self.starts[block as usize] as usize;
        let marks = start..start + std::mem::take(&mut self.marked[block as usize]) as usize;
        let others = gather_others(&mut self.members[marks.clone()], key);
        if others > 0 {
            self.members[start..start + others].sort_unstable_by_key(|&state| key(state));
            self.number_places(marks.clone());
        }
        let mut from = start;
        while from < marks.end {
            let same = key(self.members[from]);
            let run = self.members[from..marks.end].iter().take_while(|&&state| key(state) == same);
            from += run.count();
            if from < self.ends[block as usize] as usize {
                self.split_off(block, from);
            }
        }
    }

    fn number_places(&mut self, range: Range<usize>) {
        for place in range {
            self.places[self.members[place] as usize].at = place as u32;
        }
    }

    /// Makes a new block of the members before an index.
    #[cfg_attr(debug_assertions, inline)]
    fn split_off(&mut self, block: u32, end: usize) {
        let new = self.starts.len() as u32;
        let start = std::mem::replace(&mut self.starts[block as usize], end as u32);
        self.starts.push(start);
        self.ends.push(end as u32);
        self.marked.push(0);
        for &state in &self.members[start as usize..end] {
            self.places[state as usize].block = new;
        }
    }

    /// For each state its block, and for each block its first state, with the blocks renumbered in the order
    /// of these.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn numbered(self) -> (Vec<u32>, Vec<u32>) {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.starts.len()];
        let mut firsts = Vec::with_capacity(self.starts.len());
        let number = |(state, place): (usize, &Place)| {
            let number = &mut numbers[place.block as usize];
            if *number == NONE {
                *number = firsts.len() as u32;
                firsts.push(state as u32);
            }
            *number
        };
        let block_of = self.places.iter().enumerate().map(number).collect();
        (block_of, firsts)
    }
}

/// Moves the states without the majority key to the front, and returns their number. If no key is that of
/// more than half of the states, any key may take its place (R. S. Boyer, J. S. Moore, MJRTY).
fn gather_others<K: Copy + Default + Eq>(states: &mut [u32], key: impl Fn(u32) -> K) -> usize {
    let (mut frequent, mut lead) = (K::default(), 0);
    for &state in states.iter() {
        match key(state) {
            here if lead == 0 => (frequent, lead) = (here, 1),
            here if here == frequent => lead += 1,
            _ => lead -= 1,
        }
    }
    let mut others = 0;
    for at in 0..states.len() {
        if key(states[at]) != frequent {
            states.swap(at, others);
            others += 1;
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_members_are_cut_by_their_keys() {
        let keys = [7, 5, 9, 5, 7, 7, 0, 7];
        let mut partition = Partition::new(&[0, 0, 0, 0, 0, 0, 0, 1], 2);
        let touched: Vec<Option<u32>> =
            [5, 3, 2, 0, 1, 4].into_iter().map(|state| partition.mark(state)).collect();
        assert_eq!(touched, [Some(0), None, None, None, None, None]);
        partition.split(0, &keys);
        assert_eq!((partition.count(), partition.size(0)), (5, 1));
        // This time all members are marked with one key, so the block stays whole.
        assert_eq!(partition.mark(7), Some(1));
        partition.split(1, &keys);
        let (block_of, firsts) = partition.numbered();
        assert_eq!(block_of, [0, 1, 2, 1, 0, 0, 3, 4]);
        assert_eq!(firsts, [0, 1, 2, 6, 7]);
    }
}
