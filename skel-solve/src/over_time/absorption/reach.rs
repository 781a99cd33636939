//! Who can reach a set of states, and who surely does: by the graph alone, without any number.
//!
//! A run surely reaches a set if it cannot come to a state from which the set is out of reach (C. Baier,
//! J.-P. Katoen, Principles of Model Checking, 2008, 10.1.1). Both questions are searches backwards, linear
//! in the transitions.

use skel_core::graph::Adjacency;

/// A graph by its targets: for each state those that lead to it.
pub(crate) struct Predecessors {
    offsets: Vec<usize>,
    sources: Vec<u32>,
}

impl Predecessors {
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn of(graph: &Adjacency) -> Self {
        let states = graph.len();
        let mut offsets = vec![0; states + 1];
        for state in 0..states {
            graph.successors(state).iter().for_each(|&target| offsets[target as usize + 1] += 1);
        }
        for state in 0..states {
            offsets[state + 1] += offsets[state];
        }
        let mut next = offsets.clone();
        let mut sources = vec![0; offsets[states]];
        for state in 0..states {
            for &target in graph.successors(state) {
                sources[next[target as usize]] = state as u32;
                next[target as usize] += 1;
            }
        }
        Predecessors { offsets, sources }
    }

    /// The states that lead to one.
    pub(crate) fn of_state(&self, state: usize) -> &[u32] {
        &self.sources[self.offsets[state]..self.offsets[state + 1]]
    }

    /// From which states a run can reach some goals, by way of states that it may pass. Goals count whether
    /// they may be passed or not.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn can_reach(&self, goals: &[bool], may_pass: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let mut reached = goals.to_vec();
        let mut waiting: Vec<u32> = (0..goals.len() as u32).filter(|&state| goals[state as usize]).collect();
        while let Some(state) = waiting.pop() {
            for &source in self.of_state(state as usize) {
                if !reached[source as usize] && may_pass(source as usize) {
                    reached[source as usize] = true;
                    waiting.push(source);
                }
            }
        }
        reached
    }

    /// From which states a run reaches some goals with probability one, by way of states that it may pass.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn surely_reach(&self, goals: &[bool], may_pass: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let can = self.can_reach(goals, may_pass);
        let cannot: Vec<bool> = can.iter().map(|can| !can).collect();
        let may_fail = self.can_reach(&cannot, &|state| !goals[state] && may_pass(state));
        may_fail.into_iter().map(|may_fail| !may_fail).collect()
    }
}

/// Which states are reached from some, themselves included, by way of states that may be passed.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn reached_from(
    graph: &Adjacency,
    starts: impl Iterator<Item = usize>,
    may_pass: &dyn Fn(usize) -> bool,
) -> Vec<bool> {
    let mut reached = vec![false; graph.len()];
    let mut waiting = Vec::new();
    for start in starts {
        if !std::mem::replace(&mut reached[start], true) {
            waiting.push(start);
        }
    }
    while let Some(state) = waiting.pop() {
        if !may_pass(state) {
            continue;
        }
        for &target in graph.successors(state) {
            if !std::mem::replace(&mut reached[target as usize], true) {
                waiting.push(target as usize);
            }
        }
    }
    reached
}
