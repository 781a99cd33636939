//! The states of a skeleton, and the states with a tagged item.
//!
//! First all states are found, and for each of them at which rate items begin there, and in which state with
//! a tag. Then all states with a tag are found from those, until the tagged item is finished.

use std::collections::{BTreeMap, HashMap};

use num_traits::{One, Zero};
use skel_core::number::{Number, Ratio};

use super::exchange::Exchanges;
use super::flow::{Flow, Kind, State, Step};
use crate::chain::{Generator, Matrix};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limit, Limits, Progress, Reached, Stopped, Watch};

/// The chain of a skeleton without a tag, and where items begin.
pub(super) struct Untagged<N> {
    pub(super) generator: Generator<N>,
    /// From a state to one with a tag, by its number, and the rate at which an item begins so.
    pub(super) begun: Vec<(u32, u32, N)>,
}

/// The states in which one item is followed until it is finished.
pub(super) struct Tagged<N> {
    /// The rates between them; nothing on the diagonal.
    pub(super) rates: Matrix<N>,
    /// The rate at which the tagged item is finished in each.
    pub(super) ends: Vec<N>,
}

/// Rates into states, or shares of one rate.
type Rates = Vec<(State, Ratio)>;

/// Explores within limits.
pub(super) struct Explorer<'e> {
    flow: &'e Flow,
    exchanges: &'e Exchanges,
    limits: &'e Limits,
    budget: MemoryBudget,
    watch: Watch<'e>,
    steps: Vec<Step>,
    transitions: u64,
    /// The states with a tag.
    tagged: Table,
}

/// States by number, each once.
#[derive(Default)]
struct Table {
    states: Vec<State>,
    numbers: HashMap<State, u32>,
}

impl Table {
    fn number(&mut self, state: State) -> u32 {
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.states.len() as u32 - 1
        })
    }
}

impl<'e> Explorer<'e> {
    pub(super) fn new(flow: &'e Flow, exchanges: &'e Exchanges, limits: &'e Limits) -> Self {
        Explorer {
            flow,
            exchanges,
            limits,
            budget: MemoryBudget::new(limits),
            watch: Watch::start(limits),
            steps: Vec::new(),
            transitions: 0,
            tagged: Table::default(),
        }
    }

    /// All states without a tag.
    pub(super) fn untagged<N: Number>(&mut self) -> Result<Untagged<N>, Error> {
        let mut table = Table::default();
        let first = self.settle(self.flow.initial().clone(), Ratio::one(), &mut Vec::new());
        first.into_iter().for_each(|(state, _)| {
            table.number(state);
        });
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut begun = Vec::new();
        for here in 0.. {
            let Some(state) = table.states.get(here).cloned() else { break };
            self.look(table.states.len(), here)?;
            let mut row = BTreeMap::new();
            let (ends, starts) = self.transitions(&state);
            for (state, rate) in ends {
                add(&mut row, table.number(state), rate);
            }
            let mut of_state = BTreeMap::new();
            for (state, rate) in starts {
                add(&mut of_state, self.tagged.number(state), rate);
            }
            begun
                .extend(of_state.into_iter().map(|(there, rate)| (here as u32, there, N::from_ratio(&rate))));
            row.remove(&(here as u32));
            let exit: Ratio = row.values().sum();
            row.insert(here as u32, -exit);
            let (to, rates): (Vec<u32>, Vec<N>) = rounded(row);
            columns.extend(to);
            values.extend(rates);
            offsets.push(columns.len());
        }
        Ok(Untagged { generator: Generator::new(Matrix::new(offsets, columns, values)), begun })
    }

    /// All states with a tag that follow from those in which items begin.
    pub(super) fn tagged<N: Number>(&mut self) -> Result<Tagged<N>, Error> {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut ends = Vec::new();
        for here in 0.. {
            let Some(state) = self.tagged.states.get(here).cloned() else { break };
            self.look(self.tagged.states.len(), here)?;
            let mut row = BTreeMap::new();
            let mut steps = std::mem::take(&mut self.steps);
            self.flow.steps(&state, Kind::Timed, &mut steps);
            let mut end = Ratio::zero();
            for step in steps.drain(..) {
                self.transitions += 1;
                if step.ends {
                    end += step.rate;
                    continue;
                }
                for (state, rate) in self.settle(step.next, step.rate, &mut Vec::new()) {
                    add(&mut row, self.tagged.number(state), rate);
                }
            }
            self.steps = steps;
            row.remove(&(here as u32));
            let (to, rates): (Vec<u32>, Vec<N>) = rounded(row);
            columns.extend(to);
            values.extend(rates);
            offsets.push(columns.len());
            ends.push(N::from_ratio(&end));
        }
        Ok(Tagged { rates: Matrix::new(offsets, columns, values), ends })
    }

    /// Where a state leads, and the states with a tag in which items begin then.
    fn transitions(&mut self, state: &State) -> (Rates, Rates) {
        let mut steps = std::mem::take(&mut self.steps);
        self.flow.steps(state, Kind::Timed, &mut steps);
        let (mut ends, mut begun) = (Vec::new(), Vec::new());
        for step in steps.drain(..) {
            self.transitions += 1;
            if let Some(task) = step.begun_by {
                begun.push((with_tag(&step.next, task), step.rate.clone()));
            }
            ends.extend(self.settle(step.next, step.rate, &mut begun));
        }
        self.steps = steps;
        let mut starts = Vec::new();
        for (state, rate) in begun {
            starts.extend(self.settle(state, rate, &mut Vec::new()));
        }
        (ends, starts)
    }

    /// The states in which moves that take no time end from a state, with the shares of a rate. Adds the
    /// states with a tag in which items begin on the way, before the moves that follow. Each move brings an
    /// item nearer to its end, so that this comes to an end.
    fn settle(&self, mut state: State, rate: Ratio, begun: &mut Rates) -> Rates {
        self.exchanges.canonicalise(&mut state);
        if !self.flow.has_immediate() {
            return vec![(state, rate)];
        }
        let mut settled = Vec::new();
        let mut open = BTreeMap::from([(state, rate)]);
        let mut steps = Vec::new();
        while !open.is_empty() {
            for (state, rate) in std::mem::take(&mut open) {
                self.flow.steps(&state, Kind::Immediate, &mut steps);
                if steps.is_empty() {
                    settled.push((state, rate));
                    continue;
                }
                let total: Ratio = steps.iter().map(|step| &step.rate).sum();
                for mut step in steps.drain(..) {
                    let share = &rate * step.rate / &total;
                    if let Some(task) = step.begun_by {
                        begun.push((with_tag(&step.next, task), share.clone()));
                    }
                    self.exchanges.canonicalise(&mut step.next);
                    add(&mut open, step.next, share);
                }
            }
        }
        settled
    }

    /// Looks at the limits before a state is explored.
    fn look(&mut self, found: usize, explored: usize) -> Result<(), Stopped> {
        const BETWEEN_LOOKS: usize = 256;
        /// What a rate with its target takes; fractions have their digits besides.
        const TRANSITION: u64 = 16;
        let (states, transitions) = (found as u64, self.transitions);
        let waiting = (found - explored) as u64;
        let reached = Reached::Exploring { states, transitions, waiting, unlumped: None };
        let stopped = |limit| Err(Stopped { limit, reached });
        if states > self.limits.states {
            return stopped(Limit::States(self.limits.states));
        }
        if explored.is_multiple_of(BETWEEN_LOOKS) {
            let progress = || Progress::Exploring { found: states, explored: explored as u64 };
            if let Err(limit) = self.watch.check(progress) {
                return stopped(limit);
            }
            let bytes = states * self.state_memory() + self.transitions * TRANSITION;
            if self.budget.beside(self.memory()).check(bytes).is_err() {
                return stopped(self.budget.limit());
            }
        }
        Ok(())
    }

    /// The bytes of the states with a tagged item.
    fn memory(&self) -> u64 {
        self.tagged.states.len() as u64 * self.state_memory()
    }

    /// What a state takes in its list and in the table of numbers.
    fn state_memory(&self) -> u64 {
        2 * (size_of::<State>() + 4 * self.flow.initial().len() + 16) as u64
    }
}

/// Adds a rate to what leads to the same place.
fn add<K: Ord>(rates: &mut BTreeMap<K, Ratio>, to: K, rate: Ratio) {
    *rates.entry(to).or_insert_with(Ratio::zero) += rate;
}

/// A row with its rates rounded, if they are.
fn rounded<N: Number>(row: BTreeMap<u32, Ratio>) -> (Vec<u32>, Vec<N>) {
    row.into_iter().map(|(to, rate)| (to, N::from_ratio(&rate))).unzip()
}

/// A state in which the item that a task has just begun is tagged.
fn with_tag(state: &State, task: usize) -> State {
    let mut state = state.clone();
    state[task] += 1;
    state
}
