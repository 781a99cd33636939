//! What an elimination works on: small full matrices, the *fronts*, one for the states that go together.
//!
//! The states of a front are eliminated one after the other, with the same *border*: the later states that
//! they are joined with. Rates among states and border are in the front when its turn comes: those of the
//! chain, and what earlier fronts left between states of their borders. A border lies in one later front, the
//! *parent*, and that one's border. Each front is full, so that its rows are worked on from end to end
//! without looking places up. Fronts are numbered so that each comes right after the last of those that are
//! before it in the tree: what waits to be taken over is little, and lies on a stack. Cost: linear in the
//! borders.
//!
//! I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983); J. W. H. Liu, SIAM Review 34 (1992).

pub(crate) mod groups;
pub(crate) mod panel;
pub(crate) mod reduction;
mod subtrees;

use std::ops::Range;

use crate::chain::transposed_lists;
use crate::linear::elimination::fronts::groups::{Borders, Groups};

/// States, in the order in which they are eliminated, and the fronts in which they go.
pub(crate) struct Fronts {
    pub(crate) states: Vec<u32>,
    /// The place of each state in the order.
    pub(crate) places: Vec<u32>,
    /// Front `f` eliminates the places from `starts[f]` up to `starts[f + 1]`.
    starts: Vec<u32>,
    /// The border of front `f` are the places `borders[offsets[f]..offsets[f + 1]]`, ascending.
    offsets: Vec<usize>,
    borders: Vec<u32>,
}

/// For each place the later ones that it is joined with.
pub(crate) struct Pattern {
    /// Place `k` is joined with the places `later[offsets[k]..offsets[k + 1]]`, ascending.
    pub(crate) offsets: Vec<usize>,
    pub(crate) later: Vec<u32>,
}

impl Fronts {
    /// A front for each group, whose borders these are.
    pub(crate) fn new(groups: &Groups, borders: &Borders) -> Fronts {
        let sequence = borders.sequence(groups);
        let states: Vec<u32> = sequence.iter().flat_map(|&group| groups.states(group)).copied().collect();
        let mut places = vec![0; states.len()];
        for (place, &state) in states.iter().enumerate() {
            places[state as usize] = place as u32;
        }
        let mut starts = vec![0];
        starts.extend(sequence.iter().scan(0, |place, &group| {
            *place += groups.states(group).len() as u32;
            Some(*place)
        }));
        let place_of: Vec<u32> = groups.order.iter().map(|&state| places[state as usize]).collect();
        let (offsets, borders) = borders.in_sequence(&sequence, &place_of);
        Fronts { states, places, starts, offsets, borders }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The places that a front eliminates.
    pub(crate) fn places(&self, front: usize) -> Range<usize> {
        self.starts[front] as usize..self.starts[front + 1] as usize
    }

    /// The later places that these are joined with, ascending.
    pub(crate) fn border(&self, front: usize) -> &[u32] {
        &self.borders[self.offsets[front]..self.offsets[front + 1]]
    }

    /// Few large fronts instead of many small ones: a front and the one right after it, its parent, become
    /// one where few places of it are then empty.
    pub(crate) fn merged(mut self) -> Fronts {
        // Of each front its start, its border, and the entries of its pattern.
        let mut merged: Vec<(u32, Range<usize>, usize)> = Vec::new();
        for front in 0..self.count() {
            let Range { mut start, end } = self.places(front);
            let border = self.offsets[front]..self.offsets[front + 1];
            let mut entries = entries(end - start, border.len());
            while let Some((before, of_before, own)) = merged.last() {
                let is_child =
                    of_before.start < of_before.end && (self.borders[of_before.start] as usize) < end;
                let together = self::entries(end - *before as usize, border.len());
                if !is_child || !is_worth_joining(together, entries + own) {
                    break;
                }
                (start, entries) = (*before as usize, entries + own);
                merged.pop();
            }
            merged.push((start as u32, border, entries));
        }
        let count = self.states.len() as u32;
        self.starts = merged.iter().map(|&(start, ..)| start).chain([count]).collect();
        let mut borders = Vec::with_capacity(merged.iter().map(|(_, border, _)| border.len()).sum());
        self.offsets = vec![0];
        for (_, border, _) in merged {
            borders.extend_from_slice(&self.borders[border]);
            self.offsets.push(borders.len());
        }
        self.borders = borders;
        self
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        let of_states = size_of_val(&*self.states) + size_of_val(&*self.places) + size_of_val(&*self.starts);
        (of_states + size_of_val(&*self.offsets) + size_of_val(&*self.borders)) as u64
    }

    /// How many entries the pattern has.
    pub(crate) fn entries(&self) -> usize {
        self.entries_of(0..self.count())
    }

    /// How many entries some fronts have in it.
    pub(crate) fn entries_of(&self, fronts: Range<usize>) -> usize {
        fronts.map(|front| entries(self.places(front).len(), self.border(front).len())).sum()
    }

    /// How many states some fronts eliminate.
    pub(crate) fn states_of(&self, fronts: Range<usize>) -> usize {
        (self.starts[fronts.end] - self.starts[fronts.start]) as usize
    }

    /// How many numbers a front consists of, in blocks with so many rows and columns.
    pub(crate) fn numbers(&self, front: usize, block: usize) -> u64 {
        square((self.places(front).len() + self.border(front).len()).next_multiple_of(block))
    }

    /// The most numbers that there are at any time: those kept of earlier fronts, those left to later ones,
    /// and a front, which consists of blocks with so many rows and columns.
    pub(crate) fn most_numbers(&self, block: usize) -> u64 {
        let kept = self.entries() as u64;
        let with_front =
            self.left_before().zip(0..).map(|(left, front)| left + self.numbers(front, block)).max();
        kept + with_front.unwrap_or(0)
    }

    /// Before each front, how many numbers are left to it and later ones.
    pub(crate) fn left_before(&self) -> impl Iterator<Item = u64> + '_ {
        let mut of_children = vec![0; self.count()];
        let parents = self.parents();
        let mut left = 0;
        (0..self.count()).map(move |front| {
            let before = left;
            left -= of_children[front];
            if let Some(parent) = parents[front] {
                let own = square(self.border(front).len());
                left += own;
                of_children[parent] += own;
            }
            before
        })
    }

    /// For each front its parent.
    pub(crate) fn parents(&self) -> Vec<Option<usize>> {
        let mut front_of = vec![0; self.states.len()];
        for front in 0..self.count() {
            front_of[self.places(front)].fill(front);
        }
        (0..self.count())
            .map(|front| self.border(front).first().map(|&place| front_of[place as usize]))
            .collect()
    }

    /// The pattern, place by place.
    pub(crate) fn pattern(&self) -> Pattern {
        let mut pattern = Pattern { offsets: vec![0], later: Vec::new() };
        for front in 0..self.count() {
            let Range { start, end } = self.places(front);
            for place in start..end {
                pattern.later.extend(place as u32 + 1..end as u32);
                pattern.later.extend_from_slice(self.border(front));
                pattern.offsets.push(pattern.later.len());
            }
        }
        pattern
    }
}

impl Pattern {
    #[cfg(feature = "over-time")]
    /// Where the places that one is joined with are.
    pub(crate) fn range(&self, place: usize) -> Range<usize> {
        self.offsets[place]..self.offsets[place + 1]
    }

    /// The pattern by columns: place `k` is joined with the earlier places
    /// `earlier[offsets[k]..offsets[k + 1]]`, ascending; offsets, and earlier places.
    pub(crate) fn earlier(&self) -> (Vec<usize>, Vec<u32>) {
        transposed_lists(&self.offsets, &self.later, self.offsets.len() - 1)
    }
}

fn square(side: usize) -> u64 {
    side as u64 * side as u64
}

/// How many entries the pattern of so many places has.
fn entries(places: usize, border: usize) -> usize {
    places * border + places * places.saturating_sub(1) / 2
}

/// Whether a front of so many entries may take the place of two that have fewer.
fn is_worth_joining(together: usize, apart: usize) -> bool {
    const SMALL: usize = 64;
    together <= SMALL || 8 * together <= 9 * apart
}
