//! A partition that is refined in place: the members of a block stand side by side in one list.
//!
//! Marking moves a member to the front of its block, in constant time; cutting makes blocks of the front, in time linear in
//! what is cut off. A. Valmari, P. Lehtinen, Efficient minimization of DFAs with partial transition functions, STACAS 2008.

use std::ops::Range;

/// The states, in blocks.
pub(super) struct Blocks {
    members: Vec<u32>,
    /// Per state its place among the members.
    places: Vec<u32>,
    /// Per state its block.
    of: Vec<u32>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Per block how many members, at its front, are marked.
    marked: Vec<u32>,
}

impl Blocks {
    /// States by their classes, of which there are so many and none is empty.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(classes: Vec<u32>, count: usize) -> Blocks {
        let mut ends = vec![0; count];
        classes.iter().for_each(|&class| ends[class as usize] += 1);
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        let starts = ends.clone();
        let mut members = vec![0; classes.len()];
        let mut places = vec![0; classes.len()];
        for (state, &class) in classes.iter().enumerate() {
            let end = &mut ends[class as usize];
            members[*end as usize] = state as u32;
            places[state] = *end;
            *end += 1;
        }
        Blocks { members, places, of: classes, starts, ends, marked: vec![0; count] }
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

    /// Marks a state. Returns its block where that had no marks.
    pub(super) fn mark(&mut self, state: u32) -> Option<u32> {
        let block = self.of[state as usize];
        let marked = &mut self.marked[block as usize];
        let front = self.starts[block as usize] + *marked;
        let place = self.places[state as usize];
        if place < front {
            return None;
        }
        *marked += 1;
        let other = self.members[front as usize];
        self.members.swap(front as usize, place as usize);
        (self.places[state as usize], self.places[other as usize]) = (front, place);
        (*marked == 1).then_some(block)
    }

    /// Decomposition a block: marked members stay together where their keys are equal, and the others do. Takes the marks away.
    ///
    /// The key of more than half of the marked members, if there is one, is not sorted: as in Valmari and Franceschinis,
    /// the smaller half pays, so that all cuts together cost `O(m log n)`.
    pub(super) fn cut<K: Copy + Default + Ord>(&mut self, block: u32, keys: &[K]) {
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
            self.places[self.members[place] as usize] = place as u32;
        }
    }

    /// Makes a block of the members in front of a place.
    #[cfg_attr(debug_assertions, inline)]
    fn split_off(&mut self, block: u32, end: usize) {
        let new = self.starts.len() as u32;
        let start = std::mem::replace(&mut self.starts[block as usize], end as u32);
        self.starts.push(start);
        self.ends.push(end as u32);
        self.marked.push(0);
        for &state in &self.members[start as usize..end] {
            self.of[state as usize] = new;
        }
    }

    /// The block of each state and the first state of each block, with the blocks in the order of these.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn numbered(self) -> (Vec<u32>, Vec<u32>) {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.starts.len()];
        let mut firsts = Vec::with_capacity(self.starts.len());
        let mut of = self.of;
        for (state, block) in of.iter_mut().enumerate() {
            let number = &mut numbers[*block as usize];
            if *number == NONE {
                *number = firsts.len() as u32;
                firsts.push(state as u32);
            }
            *block = *number;
        }
        (of, firsts)
    }
}

/// Moves states without the most frequent key to the front, and says how many there are. Where no key is that of more than
/// half of the states, any may be taken for the most frequent one (R. S. Boyer, J. S. Moore, MJRTY).
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
        let mut blocks = Blocks::new(vec![0, 0, 0, 0, 0, 0, 0, 1], 2);
        let touched: Vec<Option<u32>> =
            [5, 3, 2, 0, 1, 4].into_iter().map(|state| blocks.mark(state)).collect();
        assert_eq!(touched, [Some(0), None, None, None, None, None]);
        blocks.cut(0, &keys);
        assert_eq!((blocks.count(), blocks.size(0)), (5, 1));
        // Once more without a rest: what is equal stays in its block.
        assert_eq!(blocks.mark(7), Some(1));
        blocks.cut(1, &keys);
        let (of, firsts) = blocks.numbered();
        assert_eq!(of, [0, 1, 2, 1, 0, 0, 3, 4]);
        assert_eq!(firsts, [0, 1, 2, 6, 7]);
    }
}
