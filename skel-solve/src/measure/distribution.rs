//! A distribution over a space without the type of its model: the algorithms behind
//! [`Probabilities`](super::Probabilities).

use std::collections::BTreeMap;

use skel_core::model::{ActionId, ComponentId, LocalStateId, Position, ResultLine};
use skel_core::number::Number;

use super::ComponentUse;
use super::weights::{Factor, ProbabilitySum, Weights};
use crate::error::Error;
use crate::space::StateSpace;
use crate::state::layout::Slot;

/// The expected numbers of copies in each local state.
struct Marginals<N> {
    /// For each slot and each number of a local state the expected number of copies in it. The first of
    /// several equivalent slots holds the sum of them all.
    sums: Vec<Vec<ProbabilitySum<N>>>,
    /// As [`kinds`] has them.
    kinds: Vec<(usize, usize)>,
}

/// A distribution over the states of a space.
pub(crate) struct Distribution<N> {
    pub(crate) space: StateSpace,
    pub(crate) weights: Weights<N>,
    /// For each action its throughput.
    pub(crate) throughputs: Vec<N>,
}

impl<N: Number> Distribution<N> {
    /// The throughput of an action.
    pub(super) fn throughput(&self, action: ActionId) -> N {
        self.throughputs[action.index()].clone()
    }

    /// The action with a given name.
    pub(super) fn action(&self, name: &str) -> Result<ActionId, Error> {
        let model = self.space.model();
        let names = || model.actions().map(|(_, name)| name);
        model.action_named(name).ok_or_else(|| Error::unknown("action", name, &mut names()))
    }

    /// The throughputs of all actions that are ever done, sorted by name.
    pub(super) fn throughputs(&self) -> Vec<(&str, N)> {
        let model = self.space.model();
        let all = model.actions().zip(&self.throughputs);
        let mut done: Vec<(&str, N)> = all
            .filter(|((id, _), value)| *id != ActionId::TAU || !value.is_zero())
            .map(|((_, name), value)| (name, value.clone()))
            .collect();
        done.sort_by(|left, right| left.0.cmp(right.0));
        done
    }

    /// The probability that a copy of a local state's component is in it.
    pub(super) fn utilisation(&self, state: LocalStateId) -> N {
        let (population, over, positions) = self.scaled_population_anywhere(state);
        self.weights.over(population, over * positions.max(1))
    }

    /// The expected number of components in a local state.
    pub(super) fn population(&self, state: LocalStateId) -> N {
        let (population, over, _) = self.scaled_population_anywhere(state);
        self.weights.over(population, over)
    }

    /// The local state with a given name.
    pub(super) fn local_state(&self, name: &str) -> Result<LocalStateId, Error> {
        let model = self.space.model();
        let names = || model.local_states().iter().map(|state| state.name.as_str());
        model.local_state_named(name).ok_or_else(|| Error::unknown("local state", name, &mut names()))
    }

    fn scaled_population_anywhere(&self, state: LocalStateId) -> (ProbabilitySum<N>, usize, usize) {
        self.scaled_population(&self.marginals(), 0..self.space.model().positions(), state)
    }

    /// The population of a local state at some positions, times a count; this count; and how many of the
    /// positions have the local state.
    fn scaled_population(
        &self,
        marginals: &Marginals<N>,
        positions: impl Iterator<Item = usize>,
        state: LocalStateId,
    ) -> (ProbabilitySum<N>, usize, usize) {
        let mut wanted: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for at in positions {
            if let Some(number) = self.space.local_number(at, state) {
                *wanted.entry((self.space.slot_of(at), number)).or_default() += 1;
            }
        }
        let (population, over) =
            self.added_up(marginals, wanted.iter().map(|(&(slot, number), &here)| (slot, number, here)));
        (population, over, wanted.values().sum())
    }

    /// The population of local states, given by their slots and numbers, each so many times; times a count,
    /// and this count.
    fn added_up(
        &self,
        marginals: &Marginals<N>,
        wanted: impl Iterator<Item = (usize, u32, usize)> + Clone,
    ) -> (ProbabilitySum<N>, usize) {
        let over = common_multiple(wanted.clone().map(|(slot, ..)| marginals.kinds[slot].1));
        let mut population = self.weights.empty_sum();
        for (slot, number, here) in wanted {
            // A lumped state tells only how many equivalent positions are in each local state, so each of
            // them has an equal share.
            let (first, equivalent) = marginals.kinds[slot];
            population.add(&marginals.sums[first][number as usize], &Factor::new(here * over / equivalent));
        }
        (population, over)
    }

    /// The probabilities of the local states of each component, in the order of the system equation.
    pub(super) fn utilisations(&self) -> Vec<ComponentUse<N>> {
        let model = self.space.model();
        let marginals = self.marginals();
        let groups = self.interchangeable_positions().into_iter();
        groups
            .map(|(component, positions)| {
                // All positions of a group have the same component. How many of them each slot has is counted
                // once for all local states.
                let mut slots: BTreeMap<usize, usize> = BTreeMap::new();
                let of = |position: &Position| self.space.slot_of(position.index());
                positions.iter().for_each(|position| *slots.entry(of(position)).or_default() += 1);
                let share = |&state: &LocalStateId| {
                    let number = self.space.local_number(positions[0].index(), state);
                    let wanted = slots.iter().filter_map(|(&slot, &here)| Some((slot, number?, here)));
                    let (sum, over) = self.added_up(&marginals, wanted);
                    (model.local_state(state).name.clone(), self.weights.over(sum, over * positions.len()))
                };
                let local_states = model.component(component).local_states.iter().map(share).collect();
                let component = model.component_name(component).to_owned();
                ComponentUse { component, positions, local_states }
            })
            .collect()
    }

    fn marginals(&self) -> Marginals<N> {
        let space = &self.space;
        let mut sums = space.marginals(&self.weights);
        let kinds = kinds(space);
        let once = Factor::new(1);
        for (number, &(first, _)) in kinds.iter().enumerate() {
            if first != number {
                let own = std::mem::take(&mut sums[number]);
                sums[first].iter_mut().zip(&own).for_each(|(sum, more)| sum.add(more, &once));
            }
        }
        Marginals { sums, kinds }
    }

    /// The positions grouped by component; corresponding positions of an array's copies are in one group.
    fn interchangeable_positions(&self) -> Vec<(ComponentId, Vec<Position>)> {
        let model = self.space.model();
        let mut leader: Vec<usize> = (0..model.positions()).collect();
        for array in model.arrays() {
            let (first, width) = (array.first.index(), array.width as usize);
            for at in first..first + width * array.copies as usize {
                leader[at] = leader[first + (at - first) % width];
            }
        }
        let mut groups: Vec<(ComponentId, Vec<Position>)> = Vec::new();
        let mut group_of = vec![usize::MAX; model.positions()];
        for at in 0..model.positions() {
            let position = Position::at(at);
            let mut first = leader[at];
            while leader[first] != first {
                first = leader[first];
            }
            if group_of[first] == usize::MAX {
                group_of[first] = groups.len();
                groups.push((model.component_at(position), Vec::new()));
            }
            groups[group_of[first]].1.push(position);
        }
        groups
    }

    /// The values of the result lines, in their order.
    pub(super) fn results(&self) -> Result<Vec<(&str, N)>, Error> {
        let model = self.space.model();
        model.results().iter().map(|line| Ok((line.name.as_str(), self.result(line)?))).collect()
    }

    /// The value of the result line with a given name.
    pub(super) fn result_named(&self, name: &str) -> Result<N, Error> {
        let lines = self.space.model().results();
        match lines.iter().find(|line| line.name == name) {
            Some(line) => self.result(line),
            None => Err(Error::unknown("result", name, &mut lines.iter().map(|line| line.name.as_str()))),
        }
    }

    fn result(&self, line: &ResultLine) -> Result<N, Error> {
        let model = self.space.model();
        let factor = model.factor(line).map_err(|problem| {
            Error::Unknown(format!("the factor of the result `{}` {problem}", line.name))
        })?;
        let probability = self.matched(&line.pattern, &format!("the result `{}`", line.name))?;
        Ok(N::from_ratio(&factor) * probability)
    }

    /// The probability of the states that match a pattern. `what` describes the pattern in an error.
    pub(super) fn matched(&self, pattern: &[Option<LocalStateId>], what: &str) -> Result<N, Error> {
        let space = &self.space;
        let wanted = wanted(pattern, space, what)?.into_iter();
        let number = |(position, state): (Position, LocalStateId)| {
            Some((position.index(), space.local_number(position.index(), state)?))
        };
        let (mut sum, once) = (self.weights.empty_sum(), Factor::new(1));
        if let Some(wanted) = wanted.map(number).collect::<Option<Vec<_>>>() {
            space.for_each_matching(&wanted, |state| self.weights.add(&mut sum, state, &once));
        }
        Ok(self.weights.over(sum, 1))
    }

    /// The probability of the states, given by their numbers, in which a condition holds.
    pub(super) fn probability(&self, condition: &dyn Fn(usize) -> bool) -> N {
        let (mut sum, once) = (self.weights.empty_sum(), Factor::new(1));
        for state in self.weights.visited().filter(|&state| condition(state)) {
            self.weights.add(&mut sum, state, &once);
        }
        self.weights.over(sum, 1)
    }

    /// The probability of a set of states.
    pub(super) fn probability_of_set(&self, states: &[u32]) -> N {
        let (mut sum, once) = (self.weights.empty_sum(), Factor::new(1));
        states.iter().for_each(|&state| self.weights.add(&mut sum, state as usize, &once));
        self.weights.over(sum, 1)
    }
}

/// For each slot the first equivalent slot, and the number of positions that are equivalent to its own.
pub(super) fn kinds(space: &StateSpace) -> Vec<(usize, usize)> {
    let kind = |slot: &Slot| {
        let equivalent = space.equivalent_positions(slot.positions[0] as usize);
        (space.slot_of(equivalent[0] as usize), equivalent.len())
    };
    space.slots().iter().map(kind).collect()
}

/// The least common multiple of some counts.
fn common_multiple(counts: impl Iterator<Item = usize>) -> usize {
    counts.fold(1, |common, count| {
        (1..=count)
            .map(|factor| common * factor)
            .find(|multiple| multiple.is_multiple_of(count))
            .unwrap_or(common)
    })
}

/// The positions that a pattern restricts, each with its local state. `what` describes the pattern in an
/// error.
///
/// # Errors
/// The pattern distinguishes positions that were lumped.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn wanted(
    pattern: &[Option<LocalStateId>],
    space: &StateSpace,
    what: &str,
) -> Result<Vec<(Position, LocalStateId)>, Error> {
    let wanted = pattern.iter().enumerate();
    let wanted: Vec<(Position, LocalStateId)> =
        wanted.filter_map(|(at, state)| state.map(|state| (Position::at(at), state))).collect();
    if wanted.iter().any(|(position, _)| space.equivalent_positions(position.index()).len() > 1) {
        return Err(Error::Unknown(format!(
            "{what} tells apart components that were lumped; explore without lumping for it"
        )));
    }
    Ok(wanted)
}
