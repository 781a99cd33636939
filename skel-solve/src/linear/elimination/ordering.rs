//! In which order to eliminate states, so that few new transitions come up: minimum degree.
//!
//! The graph is taken without directions. Eliminating a state joins all its neighbours; the next to go is always
//! one with few neighbours. The neighbours joined by one elimination are kept as one set, an *element*, never as
//! pairs, so that the graph does not grow; a state's neighbours are its remaining own ones and those in its
//! elements. Their number is bounded from above as in P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal.
//! Appl. 17 (1996), without its merging of states that cannot be told apart before one of them goes. What is left with
//! neighbours in the new set alone goes at once too, since it joins nobody.
//!
//! The set of an elimination is also the pattern of its row in the factors, so the size and the work of the
//! elimination are known before it starts: `s` and `s^2` for a set of `s`. Cost: close to the transitions where few
//! sets grow; with the size of the pattern in the worst case. A chain in one dimension costs a constant for each
//! state, a grid `n log n` for the pattern; for cubes of many dimensions no order helps much.

use crate::chain::Matrix;
use crate::limits::{Limit, Progress, Watch};
use crate::linear::elimination::fronts::Fronts;

/// What an elimination may cost.
#[derive(Clone, Copy)]
pub(crate) struct Price {
    /// The entries of the pattern.
    pub(crate) entries: u64,
    /// Multiplications.
    pub(crate) work: u64,
}

impl Price {
    pub(crate) fn is_within(self, most: Price) -> bool {
        self.entries <= most.entries && self.work <= most.work
    }
}

/// Why there is no order.
pub(crate) enum Refusal {
    Limit(Limit),
    /// The elimination would cost more than it may.
    Price,
}

/// Steps between two looks at the limits.
const BETWEEN_LOOKS: usize = 64;

const NONE: u32 = u32::MAX;

/// Orders the states of a matrix, as long as the elimination stays within a price.
pub(crate) fn order<N>(matrix: &Matrix<N>, most: Price, watch: &mut Watch<'_>) -> Result<Fronts, Refusal> {
    let (graph, _) = ordered(matrix, most, watch)?;
    Ok(Fronts::new(&graph.order, &graph.starts, &graph.members))
}

/// What the elimination costs in this order, if that stays within a price. It takes as long as finding the order.
pub(crate) fn price<N>(matrix: &Matrix<N>, most: Price, watch: &mut Watch<'_>) -> Result<Price, Refusal> {
    ordered(matrix, most, watch).map(|(_, price)| price)
}

fn ordered<N>(matrix: &Matrix<N>, most: Price, watch: &mut Watch<'_>) -> Result<(Graph, Price), Refusal> {
    let mut graph = Graph::from_matrix(matrix);
    let count = matrix.rows();
    let mut price = Price { entries: 0, work: 0 };
    let mut steps = 0_usize;
    while graph.order.len() < count {
        if steps.is_multiple_of(BETWEEN_LOOKS) {
            let progress = || Progress::Eliminating { done: 0, of: count as u64 };
            watch.check(progress).map_err(Refusal::Limit)?;
        }
        steps += 1;
        let left = (count - graph.order.len()) as u64;
        let state = graph.buckets.least();
        if u64::from(graph.degrees[state as usize]) + 1 >= left {
            price.entries += left * (left - 1) / 2;
            price.work += left.saturating_mul(left).saturating_mul(left) / 3;
            graph.finish();
        } else {
            for joined in graph.eliminate(state) {
                price.entries += joined;
                price.work += joined * joined;
            }
        }
        if !price.is_within(most) {
            return Err(Refusal::Price);
        }
    }
    Ok((graph, price))
}

/// What is left of the graph while states are eliminated.
struct Graph {
    /// Per state its own neighbours; those that it has through an element are not among them.
    neighbours: Vec<Vec<u32>>,
    /// Per state the elements that it is in, named by the states whose elimination made them.
    elements: Vec<Vec<u32>>,
    /// Per state that was eliminated first of those that went together, the states that they joined.
    members: Vec<Vec<u32>>,
    is_absorbed: Vec<bool>,
    degrees: Vec<u32>,
    buckets: Buckets,
    order: Vec<u32>,
    /// Where in the order those start that go together.
    starts: Vec<u32>,
    is_eliminated: Vec<bool>,
    /// Per state the last step that reached it.
    seen: Vec<u32>,
    /// Per element its members outside the one being made, and the step for which this holds.
    outside: Vec<(u32, u32)>,
}

impl Graph {
    fn from_matrix<N>(matrix: &Matrix<N>) -> Graph {
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
            starts: Vec::new(),
            is_eliminated: vec![false; count],
            seen: vec![NONE; count],
            outside: vec![(0, NONE); count],
        }
    }

    /// Eliminates a state, and those that then join nobody else; returns how many states each joined.
    fn eliminate(&mut self, state: u32) -> std::ops::Range<u64> {
        let step = self.order.len() as u32;
        self.starts.push(step);
        self.remove(state);
        let mut members = self.join(state, step);
        let joined = members.len() as u64;
        self.count_outside(&members, step);
        for &member in &members {
            self.clean(member, step);
        }
        members.retain(|&member| {
            let at = member as usize;
            let stays = !self.neighbours[at].is_empty() || !self.elements[at].is_empty();
            if !stays {
                self.remove(member);
            }
            stays
        });
        for &member in &members {
            self.update(member, state, members.len() as u32 - 1);
        }
        let left = members.len() as u64;
        self.members[state as usize] = members;
        left..joined + 1
    }

    fn remove(&mut self, state: u32) {
        self.buckets.remove(state, self.degrees[state as usize]);
        self.order.push(state);
        self.is_eliminated[state as usize] = true;
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

    /// Takes away the neighbours and elements of a member that the new element contains.
    fn clean(&mut self, member: u32, step: u32) {
        let at = member as usize;
        let (seen, outside, is_absorbed) = (&self.seen, &self.outside, &mut self.is_absorbed);
        self.neighbours[at].retain(|&neighbour| seen[neighbour as usize] != step);
        self.elements[at].retain(|&other| {
            let left = outside[other as usize].0;
            is_absorbed[other as usize] |= left == 0;
            left > 0
        });
    }

    /// Puts a member into the new element, and bounds its degree.
    fn update(&mut self, member: u32, element: u32, joined: u32) {
        let at = member as usize;
        let through_others: u32 = self.elements[at].iter().map(|&other| self.outside[other as usize].0).sum();
        self.elements[at].push(element);
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
        self.starts.push(self.order.len() as u32);
        let is_eliminated = &self.is_eliminated;
        self.order.extend((0..is_eliminated.len() as u32).filter(|&state| !is_eliminated[state as usize]));
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
