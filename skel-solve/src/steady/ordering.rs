//! In which order to eliminate states, so that few new transitions come up: minimum degree.
//!
//! The graph is taken without directions. Eliminating a state joins all its neighbours; the next to go is always
//! one with few neighbours. The neighbours joined by one elimination are kept as one set, an *element*, never as
//! pairs, so that the graph does not grow; a state's neighbours are its remaining own ones and those in its
//! elements. Their number is bounded from above as in P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal.
//! Appl. 17 (1996), without its merging of states that cannot be told apart.
//!
//! The set of an elimination is also the pattern of its row in the factors, so the size and the work of the
//! elimination are known before it starts: `s` and `s^2` for a set of `s`. Cost: close to the transitions where few
//! sets grow; with the size of the pattern in the worst case. A chain in one dimension costs a constant for each
//! state, a grid `n log n` for the pattern; for cubes of many dimensions no order helps much.

use crate::chain::Matrix;
use crate::limits::{Limit, Watch};

/// What an elimination may cost.
#[derive(Clone, Copy)]
pub(super) struct Price {
    /// The entries of the pattern.
    pub(super) entries: u64,
    /// Multiplications.
    pub(super) work: u64,
}

/// Why there is no order.
pub(super) enum Refusal {
    Limit(Limit),
    /// The elimination would cost more than it may.
    Price,
}

/// The order of an elimination and the pattern that it fills, in terms of places in the order.
pub(super) struct Ordering {
    /// The states, in the order in which they are eliminated.
    pub(super) states: Vec<u32>,
    /// The place of each state.
    pub(super) places: Vec<u32>,
    /// Place `k` is joined with the later places `later[offsets[k]..offsets[k + 1]]`, ascending.
    pub(super) offsets: Vec<usize>,
    pub(super) later: Vec<u32>,
}

/// Steps between two looks at the limits.
const BETWEEN_LOOKS: usize = 64;

const NONE: u32 = u32::MAX;

impl Ordering {
    /// Orders the states of a matrix, as long as the elimination stays within a price.
    pub(super) fn of<N>(matrix: &Matrix<N>, most: Price, watch: &mut Watch<'_>) -> Result<Ordering, Refusal> {
        let mut graph = Graph::of(matrix);
        let count = matrix.rows();
        let mut price = Price { entries: 0, work: 0 };
        while graph.order.len() < count {
            if graph.order.len().is_multiple_of(BETWEEN_LOOKS) {
                let progress = || crate::limits::Progress::Eliminating { done: 0, of: count as u64 };
                watch.check(progress).map_err(Refusal::Limit)?;
            }
            let left = (count - graph.order.len()) as u64;
            let state = graph.buckets.least();
            if u64::from(graph.degrees[state as usize]) + 1 >= left {
                price.entries += left * (left - 1) / 2;
                price.work += left.saturating_mul(left).saturating_mul(left) / 3;
                graph.finish();
            } else {
                let joined = graph.eliminate(state);
                price.entries += joined;
                price.work += joined * joined;
            }
            if price.entries > most.entries || price.work > most.work {
                return Err(Refusal::Price);
            }
        }
        Ok(graph.into_ordering())
    }

    /// The pattern by columns: place `k` is joined with the earlier places `earlier[offsets[k]..offsets[k + 1]]`,
    /// ascending; offsets, and earlier places.
    pub(super) fn earlier(&self) -> (Vec<usize>, Vec<u32>) {
        let count = self.states.len();
        let mut offsets = vec![0; count + 1];
        for &place in &self.later {
            offsets[place as usize + 1] += 1;
        }
        for place in 0..count {
            offsets[place + 1] += offsets[place];
        }
        let mut next = offsets.clone();
        let mut earlier = vec![0; self.later.len()];
        for place in 0..count {
            for &later in &self.later[self.offsets[place]..self.offsets[place + 1]] {
                earlier[next[later as usize]] = place as u32;
                next[later as usize] += 1;
            }
        }
        (offsets, earlier)
    }
}

/// What is left of the graph while states are eliminated.
struct Graph {
    /// Per state its own neighbours; those that it has through an element are not among them.
    neighbours: Vec<Vec<u32>>,
    /// Per state the elements that it is in, named by the states whose elimination made them.
    elements: Vec<Vec<u32>>,
    /// Per eliminated state the states that it joined.
    members: Vec<Vec<u32>>,
    is_absorbed: Vec<bool>,
    degrees: Vec<u32>,
    buckets: Buckets,
    order: Vec<u32>,
    is_eliminated: Vec<bool>,
    /// Where the rest is joined to a whole: how many states were eliminated before.
    whole_from: usize,
    /// Per state the last step that reached it.
    seen: Vec<u32>,
    /// Per element its members outside the one being made, and the step for which this holds.
    outside: Vec<(u32, u32)>,
}

impl Graph {
    fn of<N>(matrix: &Matrix<N>) -> Graph {
        let count = matrix.rows();
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
        for row in 0..count {
            for &column in matrix.columns_of(row).iter().filter(|&&column| column as usize != row) {
                neighbours[row].push(column);
                neighbours[column as usize].push(row as u32);
            }
        }
        let mut buckets = Buckets::new(count);
        let mut degrees = Vec::with_capacity(count);
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
            degrees.push(list.len() as u32);
        }
        for state in (0..count).rev() {
            buckets.insert(state as u32, degrees[state]);
        }
        Graph {
            neighbours,
            elements: vec![Vec::new(); count],
            members: vec![Vec::new(); count],
            is_absorbed: vec![false; count],
            degrees,
            buckets,
            order: Vec::with_capacity(count),
            is_eliminated: vec![false; count],
            whole_from: count,
            seen: vec![NONE; count],
            outside: vec![(0, NONE); count],
        }
    }

    /// Eliminates a state; returns how many states it joined.
    fn eliminate(&mut self, state: u32) -> u64 {
        let step = self.order.len() as u32;
        self.buckets.remove(state, self.degrees[state as usize]);
        self.order.push(state);
        self.is_eliminated[state as usize] = true;
        let members = self.join(state, step);
        self.count_outside(&members, step);
        for &member in &members {
            self.update(member, state, &members, step);
        }
        let joined = members.len() as u64;
        self.members[state as usize] = members;
        joined
    }

    /// All neighbours of a state that is eliminated; its elements are absorbed in the new one.
    fn join(&mut self, state: u32, step: u32) -> Vec<u32> {
        let mut members = Vec::new();
        self.seen[state as usize] = step;
        let mut reach = |seen: &mut [u32], candidates: &[u32]| {
            for &candidate in candidates {
                if seen[candidate as usize] != step {
                    seen[candidate as usize] = step;
                    members.push(candidate);
                }
            }
        };
        reach(&mut self.seen, &std::mem::take(&mut self.neighbours[state as usize]));
        for element in std::mem::take(&mut self.elements[state as usize]) {
            reach(&mut self.seen, &self.members[element as usize]);
            self.is_absorbed[element as usize] = true;
        }
        members
    }

    /// For each element that shares members with the new one, how many it does not share.
    fn count_outside(&mut self, members: &[u32], step: u32) {
        for &member in members {
            let elements = &mut self.elements[member as usize];
            elements.retain(|&element| !self.is_absorbed[element as usize]);
            for &element in elements.iter() {
                let (outside, of_step) = &mut self.outside[element as usize];
                if *of_step != step {
                    (*outside, *of_step) = (self.members[element as usize].len() as u32, step);
                }
                *outside -= 1;
            }
        }
    }

    /// Puts a member into the new element, and bounds its degree.
    fn update(&mut self, member: u32, element: u32, members: &[u32], step: u32) {
        let at = member as usize;
        let (seen, outside, is_absorbed) = (&self.seen, &self.outside, &mut self.is_absorbed);
        self.neighbours[at].retain(|&neighbour| seen[neighbour as usize] != step);
        let mut through_others = 0;
        self.elements[at].retain(|&other| {
            let left = outside[other as usize].0;
            is_absorbed[other as usize] |= left == 0;
            through_others += left;
            left > 0
        });
        self.elements[at].push(element);
        let joined = members.len() as u32 - 1;
        let left = (self.degrees.len() - self.order.len()) as u32 - 1;
        let before = self.degrees[at];
        let degree =
            (self.neighbours[at].len() as u32 + joined + through_others).min(before + joined).min(left);
        self.buckets.remove(member, before);
        self.buckets.insert(member, degree);
        self.degrees[at] = degree;
    }

    /// The rest is joined to a whole: any order does.
    fn finish(&mut self) {
        self.whole_from = self.order.len();
        let is_eliminated = &self.is_eliminated;
        self.order.extend((0..is_eliminated.len() as u32).filter(|&state| !is_eliminated[state as usize]));
    }

    fn into_ordering(self) -> Ordering {
        let count = self.order.len();
        let mut places = vec![0; count];
        for (place, &state) in self.order.iter().enumerate() {
            places[state as usize] = place as u32;
        }
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        let mut later = Vec::new();
        let mut members = self.members;
        for (place, &state) in self.order.iter().enumerate() {
            if place >= self.whole_from {
                later.extend(place as u32 + 1..count as u32);
            } else {
                let start = later.len();
                let list = std::mem::take(&mut members[state as usize]);
                later.extend(list.into_iter().map(|member| places[member as usize]));
                later[start..].sort_unstable();
            }
            offsets.push(later.len());
        }
        Ordering { states: self.order, places, offsets, later }
    }
}

/// States by degree, in doubly linked lists.
struct Buckets {
    heads: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// No list before this one has a state.
    least: usize,
}

impl Buckets {
    fn new(count: usize) -> Buckets {
        Buckets { heads: vec![NONE; count], next: vec![NONE; count], previous: vec![NONE; count], least: 0 }
    }

    fn insert(&mut self, state: u32, degree: u32) {
        let head = std::mem::replace(&mut self.heads[degree as usize], state);
        self.next[state as usize] = head;
        self.previous[state as usize] = NONE;
        if head != NONE {
            self.previous[head as usize] = state;
        }
        self.least = self.least.min(degree as usize);
    }

    fn remove(&mut self, state: u32, degree: u32) {
        let (previous, next) = (self.previous[state as usize], self.next[state as usize]);
        match previous {
            NONE => self.heads[degree as usize] = next,
            _ => self.next[previous as usize] = next,
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// A state of the least degree. There must be one.
    fn least(&mut self) -> u32 {
        while self.heads[self.least] == NONE {
            self.least += 1;
        }
        self.heads[self.least]
    }
}
