//! The vanishing states, where their immediate transitions lead, and in which tangible states that ends.

use skel_core::number::Number;

use super::{Place, keep_immediate, merge};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Watch};
use crate::space::{Labelled, StateSpace};
use crate::vector::sums::BlockSum;

/// Some vanishing states, and the transitions that leave them: each has its probability in the place of a rate.
pub(super) struct Branches<N> {
    states: Vec<u32>,
    /// State number `i` is left by `transitions[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<usize>,
    transitions: Vec<Labelled<N>>,
    /// The numbers of the states, each before those that it leads to.
    order: Vec<u32>,
}

/// For each vanishing state the tangible states in which its runs end, with their probabilities.
pub(super) struct Ends<N> {
    /// State number `i` ends in `entries[ranges[i].0..ranges[i].1]`.
    ranges: Vec<(usize, usize)>,
    entries: Vec<(u32, N)>,
}

impl<N: Number> Branches<N> {
    /// The branches of some vanishing states that lead to one another and to tangible states only, by at most so many
    /// transitions.
    pub(super) fn new(
        space: &StateSpace,
        states: Vec<u32>,
        is_immediate: &[bool],
        places: &[Place],
        most: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Error> {
        let transitions = Vec::with_capacity(most);
        let mut branches = Branches { states: Vec::new(), offsets: vec![0], transitions, order: Vec::new() };
        let numbers = states.iter().map(|&state| state as usize);
        let pause = || watch.prepare();
        space.for_each_row_of(numbers, pause, |_, row| {
            keep_immediate(row, is_immediate);
            let total =
                row.iter().fold(N::zero(), |sum, transition: &Labelled<N>| sum + transition.rate.clone());
            for transition in row.iter_mut() {
                transition.rate = transition.rate.clone() / total.clone();
            }
            branches.transitions.append(row);
            branches.offsets.push(branches.transitions.len());
            Ok(())
        })?;
        branches.states = states;
        branches.order = branches.in_order(places, watch)?;
        Ok(branches)
    }

    /// The states.
    pub(super) fn states(&self) -> &[u32] {
        &self.states
    }

    /// The bytes that they take.
    pub(super) fn memory(&self) -> u64 {
        Self::most_memory(self.states.len(), self.transitions.capacity())
    }

    /// The bytes that so many states and transitions take.
    pub(super) fn most_memory(states: usize, transitions: usize) -> u64 {
        let per_state = 3 * size_of::<u32>() + size_of::<usize>();
        (states * per_state + transitions * size_of::<Labelled<N>>()) as u64
    }

    fn from(&self, number: u32) -> &[Labelled<N>] {
        &self.transitions[self.offsets[number as usize]..self.offsets[number as usize + 1]]
    }

    /// The vanishing states to which one leads.
    fn vanishing_from<'a>(&'a self, number: u32, places: &'a [Place]) -> impl Iterator<Item = u32> + 'a {
        self.from(number).iter().filter_map(|transition| match places[transition.target as usize] {
            Place::Vanishing(next) => Some(next),
            _ => None,
        })
    }

    /// A topological order (A. B. Kahn, 1962).
    fn in_order(&self, places: &[Place], watch: &mut Watch<'_>) -> Result<Vec<u32>, Error> {
        let numbers = 0..self.states.len() as u32;
        let mut waits_for = vec![0_u32; self.states.len()];
        numbers.clone().flat_map(|number| self.vanishing_from(number, places)).for_each(|next| {
            waits_for[next as usize] += 1;
        });
        let mut order: Vec<u32> = numbers.filter(|&number| waits_for[number as usize] == 0).collect();
        let mut done = 0;
        while let Some(&number) = order.get(done) {
            if done.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            done += 1;
            for next in self.vanishing_from(number, places) {
                waits_for[next as usize] -= 1;
                if waits_for[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        assert_eq!(order.len(), self.states.len(), "immediate actions do not follow one another for ever");
        Ok(order)
    }

    /// In which tangible states the runs of each state end.
    pub(super) fn ends(
        &self,
        places: &[Place],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Ends<N>, Error> {
        let mut ends =
            Ends { ranges: vec![(0, 0); self.states.len()], entries: Vec::with_capacity(self.states.len()) };
        let mut here: Vec<(u32, N)> = Vec::new();
        for (done, &number) in self.order.iter().rev().enumerate() {
            if done.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
                budget.check(self.memory() + ends.memory())?;
            }
            for Labelled { target, rate, .. } in self.from(number) {
                match places[*target as usize] {
                    Place::Tangible(column) => here.push((column, rate.clone())),
                    Place::Vanishing(next) => ends.spread(next, rate, &mut here),
                    Place::Nowhere => unreachable!("no transition leaves a recurrent class"),
                }
            }
            merge(&mut here);
            let begin = ends.entries.len();
            ends.entries.append(&mut here);
            ends.ranges[number as usize] = (begin, ends.entries.len());
        }
        Ok(ends)
    }

    /// Passes on what flows into each state, in the order of the states, and adds it to the sums of the actions.
    pub(super) fn pass_on(
        &self,
        inflows: &mut [N],
        places: &[Place],
        sums: &mut [BlockSum<N>],
        watch: &mut Watch<'_>,
    ) -> Result<(), Error> {
        for (position, &number) in self.order.iter().enumerate() {
            if position.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            let inflow = inflows[number as usize].clone();
            for Labelled { target, action, rate } in self.from(number) {
                let flow = inflow.clone() * rate.clone();
                sums[action.index()].add(position, flow.clone());
                if let Place::Vanishing(next) = places[*target as usize] {
                    inflows[next as usize] = inflows[next as usize].clone() + flow;
                }
            }
        }
        Ok(())
    }
}

impl<N: Number> Ends<N> {
    /// Adds to a row where the runs of a state end, times a factor.
    pub(super) fn spread(&self, number: u32, factor: &N, row: &mut Vec<(u32, N)>) {
        let (begin, end) = self.ranges[number as usize];
        let entries = self.entries[begin..end].iter();
        row.extend(entries.map(|(column, share)| (*column, factor.clone() * share.clone())));
    }

    /// The bytes that they take.
    pub(super) fn memory(&self) -> u64 {
        (size_of_val(&self.ranges[..]) + self.entries.capacity() * size_of::<(u32, N)>()) as u64
    }
}
