//! What is left of a graph while its states are eliminated, in no more memory than the graph takes, and that
//! of the sets.
//!
//! The neighbours joined by one elimination are kept as one set, an *element*, never as pairs. A state's
//! neighbours are its remaining own ones, its *variables*, and the members of the elements that it is in.
//! States with the same neighbours cannot be told apart, and go together: they become one *supervariable* as
//! soon as an elimination makes them alike, which is noticed by a sum over their lists. The number of
//! neighbours is bounded from above, as in P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl.
//! 17 (1996). What is left with neighbours in the new set alone goes at once too, since it joins nobody.

use super::buckets::{Buckets, NONE};
use super::neighbours::Neighbours;
use crate::linear::elimination::fronts::groups::Groups;

/// Elements are named by the states whose elimination made them, and supervariables by one of their states.
pub(super) struct QuotientGraph {
    /// Per state its elements, then its variables; where its list begins, how many elements it has, and how
    /// long it is.
    lists: Vec<u32>,
    starts: Vec<usize>,
    elements: Vec<u32>,
    lengths: Vec<u32>,
    /// How many states a supervariable is; none if it is eliminated or part of another one.
    weights: Vec<u32>,
    /// The members of all elements, and where those of each are.
    members: Vec<u32>,
    ranges: Vec<(usize, usize)>,
    /// Per element how many states are its members.
    sizes: Vec<u32>,
    /// Whether another element has all members of this one.
    is_absorbed: Vec<bool>,
    degrees: Vec<u32>,
    buckets: Buckets,
    /// Per state the last pivot that joined it to others.
    joined_by: Vec<u32>,
    /// Per element how many states are its members and not of the element being made, and the pivot for which
    /// this holds.
    outside: Vec<(u32, u32)>,
    alike: Alike,
    chains: Chains,
    order: Vec<u32>,
    starts_of_groups: Vec<u32>,
    left_out: Vec<u32>,
    /// The state that goes last, if that matters.
    last: Option<u32>,
}

/// The states of supervariables, in lists.
struct Chains {
    next: Vec<u32>,
    last: Vec<u32>,
}

/// Supervariables by a sum over their lists, to find those that are alike.
struct Alike {
    heads: Vec<u32>,
    next: Vec<u32>,
    sums: Vec<u32>,
    /// Marks what is in one list.
    marks: Vec<u32>,
    mark: u32,
}

/// How many states were eliminated together, and how many they joined.
pub(super) struct Eliminated {
    pub(super) together: u64,
    pub(super) joined: u64,
}

impl QuotientGraph {
    /// Without the states that have more than `many` neighbours, and without the one that is to go last.
    pub(super) fn new(neighbours: &Neighbours, many: u32, last: Option<u32>) -> QuotientGraph {
        let count = neighbours.states();
        let starts = neighbours.offsets().to_vec();
        let degrees: Vec<u32> = starts.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
        let mut graph = QuotientGraph {
            lists: neighbours.all().to_vec(),
            starts,
            elements: vec![0; count],
            lengths: degrees.clone(),
            weights: vec![1; count],
            members: Vec::new(),
            ranges: vec![(0, 0); count],
            sizes: vec![0; count],
            is_absorbed: vec![false; count],
            degrees,
            buckets: Buckets::new(count),
            joined_by: vec![NONE; count],
            outside: vec![(0, NONE); count],
            alike: Alike::new(count),
            chains: Chains { next: vec![NONE; count], last: (0..count as u32).collect() },
            order: Vec::with_capacity(count),
            starts_of_groups: Vec::new(),
            left_out: Vec::new(),
            last,
        };
        for state in (0..count as u32).rev() {
            match graph.degrees[state as usize] {
                degree if degree > many || Some(state) == last => {
                    graph.left_out.push(state);
                    graph.weights[state as usize] = 0;
                }
                degree => graph.buckets.insert(state, degree),
            }
        }
        graph
    }

    /// How many states are not part of it.
    pub(super) fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// How many states are not eliminated, with those that are not part of it.
    pub(super) fn still_there(&self) -> usize {
        self.degrees.len() - self.order.len()
    }

    /// How many states are left in it.
    fn left(&self) -> u32 {
        (self.still_there() - self.left_out.len()) as u32
    }

    /// The supervariable to eliminate next; `None` if all that is left is joined to all.
    pub(super) fn next(&mut self) -> Option<u32> {
        let pivot = self.buckets.least()?;
        let joined = self.degrees[pivot as usize] + self.weights[pivot as usize];
        (joined < self.left()).then_some(pivot)
    }

    /// Eliminates a supervariable, and those that then join nobody else.
    pub(super) fn eliminate(&mut self, pivot: u32) -> Eliminated {
        self.buckets.remove(pivot, self.degrees[pivot as usize]);
        self.weights[pivot as usize] = 0;
        let first = self.members.len();
        let mut size = self.join(pivot);
        self.count_outside(first, pivot);
        for at in first..self.members.len() {
            size -= self.renew(self.members[at], pivot);
        }
        for at in first..self.members.len() {
            self.merge_alike(self.members[at]);
        }
        let before = self.order.len();
        self.starts_of_groups.push(before as u32);
        self.order.extend(self.chains.states(pivot));
        self.update(first, size);
        self.ranges[pivot as usize] = (first, self.members.len());
        self.sizes[pivot as usize] = size;
        Eliminated { together: (self.order.len() - before) as u64, joined: size.into() }
    }

    /// Adds the neighbours of the pivot to the members, and absorbs its elements; returns how many states
    /// they are.
    fn join(&mut self, pivot: u32) -> u32 {
        let (start, length) = (self.starts[pivot as usize], self.lengths[pivot as usize] as usize);
        let variables = start + self.elements[pivot as usize] as usize;
        let mut size = 0;
        let mut add = |members: &mut Vec<u32>, state: u32| {
            let weight = self.weights[state as usize];
            if weight > 0 && self.joined_by[state as usize] != pivot {
                self.joined_by[state as usize] = pivot;
                members.push(state);
                size += weight;
            }
        };
        for at in start..variables {
            let element = self.lists[at] as usize;
            if !std::mem::replace(&mut self.is_absorbed[element], true) {
                let (first, end) = self.ranges[element];
                (first..end).for_each(|at| {
                    let state = self.members[at];
                    add(&mut self.members, state);
                });
            }
        }
        for at in variables..start + length {
            add(&mut self.members, self.lists[at]);
        }
        size
    }

    /// For each element that shares members with the new one, how many states it does not share.
    fn count_outside(&mut self, first: usize, pivot: u32) {
        for &member in &self.members[first..] {
            let (start, weight) = (self.starts[member as usize], self.weights[member as usize]);
            for &element in &self.lists[start..start + self.elements[member as usize] as usize] {
                if self.is_absorbed[element as usize] {
                    continue;
                }
                let (outside, of_pivot) = &mut self.outside[element as usize];
                if *of_pivot != pivot {
                    (*outside, *of_pivot) = (self.sizes[element as usize], pivot);
                }
                *outside -= weight;
            }
        }
    }

    /// Puts the new element in the place of what it contains of a member's list. If nothing else is left, the
    /// member goes with the pivot; returns how many states do.
    fn renew(&mut self, member: u32, pivot: u32) -> u32 {
        let at = member as usize;
        self.buckets.remove(member, self.degrees[at]);
        let (start, length) = (self.starts[at], self.lengths[at] as usize);
        let variables = start + self.elements[at] as usize;
        let (mut kept, mut degree, mut sum) = (start, 0_u32, pivot);
        for read in start..variables {
            let element = self.lists[read];
            let outside = self.outside[element as usize].0;
            if self.is_absorbed[element as usize] || outside == 0 {
                self.is_absorbed[element as usize] = true;
                continue;
            }
            self.lists[kept] = element;
            (kept, degree, sum) = (kept + 1, degree.saturating_add(outside), sum.wrapping_add(element));
        }
        let elements = kept;
        for read in variables..start + length {
            let variable = self.lists[read];
            let weight = self.weights[variable as usize];
            if weight > 0 && self.joined_by[variable as usize] != pivot {
                self.lists[kept] = variable;
                (kept, degree, sum) = (kept + 1, degree.saturating_add(weight), sum.wrapping_add(variable));
            }
        }
        if kept == start {
            self.chains.append(pivot, member);
            return std::mem::take(&mut self.weights[at]);
        }
        // There is room for one more: the pivot, or an element that it has absorbed, was in the list.
        self.lists[kept] = self.lists[elements];
        self.lists[elements] = pivot;
        self.elements[at] = (elements + 1 - start) as u32;
        self.lengths[at] = (kept + 1 - start) as u32;
        self.degrees[at] = self.degrees[at].min(degree);
        self.alike.insert(member, sum);
        0
    }

    /// Merges the supervariables whose lists have the same sum as that of a member, if they are alike.
    fn merge_alike(&mut self, member: u32) {
        if self.weights[member as usize] == 0 {
            return;
        }
        let mut one = self.alike.take(member);
        while one != NONE && self.alike.next[one as usize] != NONE {
            let list = self.list(one);
            self.alike.mark += 1;
            for &entry in &self.lists[list.clone()] {
                self.alike.marks[entry as usize] = self.alike.mark;
            }
            let mut before = one;
            let mut other = self.alike.next[one as usize];
            while other != NONE {
                let next = self.alike.next[other as usize];
                if self.is_alike(one, other) {
                    self.weights[one as usize] += std::mem::take(&mut self.weights[other as usize]);
                    self.chains.append(one, other);
                    self.alike.next[before as usize] = next;
                } else {
                    before = other;
                }
                other = next;
            }
            one = self.alike.next[one as usize];
        }
    }

    fn list(&self, state: u32) -> std::ops::Range<usize> {
        let start = self.starts[state as usize];
        start..start + self.lengths[state as usize] as usize
    }

    /// Whether the list of another supervariable is that of one whose list is marked.
    fn is_alike(&self, one: u32, other: u32) -> bool {
        let [one_at, other_at] = [one as usize, other as usize];
        self.alike.sums[one_at] == self.alike.sums[other_at]
            && self.lengths[one_at] == self.lengths[other_at]
            && self.elements[one_at] == self.elements[other_at]
            && self.lists[self.list(other)]
                .iter()
                .all(|&entry| self.alike.marks[entry as usize] == self.alike.mark)
    }

    /// Bounds the degrees of the members that are left.
    fn update(&mut self, first: usize, size: u32) {
        let left = self.left();
        let mut kept = first;
        for read in first..self.members.len() {
            let member = self.members[read];
            let weight = self.weights[member as usize];
            if weight > 0 {
                let degree = &mut self.degrees[member as usize];
                *degree = degree.saturating_add(size - weight).min(left - weight);
                self.buckets.insert(member, *degree);
                self.members[kept] = member;
                kept += 1;
            }
        }
        self.members.truncate(kept);
    }

    /// The states in the order of their elimination. All that is left goes together.
    pub(super) fn finish(mut self) -> Groups {
        let count = self.degrees.len();
        if self.order.len() < count {
            self.starts_of_groups.push(self.order.len() as u32);
            let mut is_eliminated = vec![false; count];
            self.order.iter().for_each(|&state| is_eliminated[state as usize] = true);
            let is_left = |&state: &u32| !is_eliminated[state as usize] && Some(state) != self.last;
            self.order.extend((0..count as u32).filter(is_left).chain(self.last));
        }
        Groups { order: self.order, starts: self.starts_of_groups }
    }
}

impl Chains {
    /// Adds the states of another supervariable to those of one.
    fn append(&mut self, one: u32, other: u32) {
        self.next[self.last[one as usize] as usize] = other;
        self.last[one as usize] = self.last[other as usize];
    }

    fn states(&self, one: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(one), |&state| {
            Some(self.next[state as usize]).filter(|&next| next != NONE)
        })
    }
}

impl Alike {
    fn new(count: usize) -> Alike {
        Alike {
            heads: vec![NONE; count],
            next: vec![NONE; count],
            sums: vec![0; count],
            marks: vec![0; count],
            mark: 0,
        }
    }

    fn insert(&mut self, state: u32, sum: u32) {
        let bucket = sum as usize % self.heads.len();
        self.sums[state as usize] = sum;
        self.next[state as usize] = std::mem::replace(&mut self.heads[bucket], state);
    }

    /// The first of those in the bucket of one, which is empty then.
    fn take(&mut self, state: u32) -> u32 {
        let bucket = self.sums[state as usize] as usize % self.heads.len();
        std::mem::replace(&mut self.heads[bucket], NONE)
    }
}
