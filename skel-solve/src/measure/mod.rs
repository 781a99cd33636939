//! Measures: what one asks a steady state.
//!
//! - *throughput* of an action: how often it is done per unit of time, `sum over states of pi * rate`;
//! - *utilisation* of a local state: the probability that a copy of its component is in it;
//! - *population* of a local state: the expected number of copies in it;
//! - the Workbench's result lines, `name = factor * {pattern};`: the factor times the probability of the states
//!   that match.
//!
//! Typed handles cannot be wrong; the methods that take names return an error that says what was meant.

pub(crate) mod marginals;
pub(crate) mod probabilities;
mod query;
pub(crate) mod throughputs;

use std::collections::BTreeMap;

use skel_core::diagnostic::did_you_mean;
use skel_core::handle::{ActionOf, LocalStateOf};
use skel_core::model::{ActionId, ComponentId, LocalStateId, Position, ResultLine};
use skel_core::number::Number;

use crate::error::Error;
use crate::measure::probabilities::{Sum, Times};
use crate::space::StateSpace;
use crate::steady::SteadyState;

/// The local states of one component and how they are occupied.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentUse<N> {
    /// The component's name: its initial local state.
    pub component: String,
    /// The positions at which it stands; an array's copies are one entry.
    pub positions: Vec<Position>,
    /// Per local state its name, and the probability that a copy is in it.
    pub local_states: Vec<(String, N)>,
}

/// How components are spread over their local states.
struct Occupied<N> {
    /// Per slot and local state, by number, how many copies are expected in it; of equivalent slots all, at the first.
    sums: Vec<Vec<Sum<N>>>,
    /// Per slot the first equivalent one, and to how many positions its own are equivalent.
    kinds: Vec<(usize, usize)>,
}

impl<M: ?Sized, N: Number> SteadyState<M, N> {
    /// How often an action is done per unit of time.
    ///
    /// # Examples
    /// ```
    /// use skel_solve::Explore;
    /// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 3).P; P").into_model().unwrap();
    /// let pi = model.explore().unwrap().steady_state_exact().unwrap();
    /// assert_eq!(pi.throughput_of("go").unwrap().to_string(), "3/4");
    /// ```
    #[must_use]
    pub fn throughput(&self, action: ActionOf<M>) -> N {
        self.throughputs[action.id().index()].clone()
    }

    /// The throughput of an action, by name.
    ///
    /// # Errors
    /// If the model has no such action.
    pub fn throughput_of(&self, action: &str) -> Result<N, Error> {
        let model = self.space.model();
        match model.action_named(action) {
            Some(id) => Ok(self.throughputs[id.index()].clone()),
            None => Err(unknown("action", action, &mut model.actions().map(|(_, name)| name))),
        }
    }

    /// The throughputs of all actions that are ever done, by name.
    #[must_use]
    pub fn throughputs(&self) -> Vec<(&str, N)> {
        let model = self.space.model();
        let all = model.actions().zip(&self.throughputs);
        let mut done: Vec<(&str, N)> = all
            .filter(|((id, _), value)| *id != ActionId::TAU || !value.is_zero())
            .map(|((_, name), value)| (name, value.clone()))
            .collect();
        done.sort_by(|left, right| left.0.cmp(right.0));
        done
    }

    /// The probability that a copy of the local state's component is in it: its population, divided by the
    /// number of positions whose component has it.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// assert_eq!(pi.utilisation(Queues::F), ratio(1, 4));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn utilisation(&self, state: LocalStateOf<M>) -> N {
        self.of_one_copy(state.id())
    }

    /// The probability that a copy of a local state's component is in it, by the local state's name.
    ///
    /// # Errors
    /// If the model has no such local state.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[4]")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.utilisation_of("Q")?, ratio(1, 4));
    /// assert_eq!(pi.population_of("Q")?, ratio(1, 1));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn utilisation_of(&self, state: &str) -> Result<N, Error> {
        Ok(self.of_one_copy(self.local_state(state)?))
    }

    fn of_one_copy(&self, state: LocalStateId) -> N {
        let (population, over, positions) = self.occupation_anywhere(state);
        self.distribution.over(population, over * positions.max(1))
    }

    /// The expected number of components in a local state.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// assert_eq!(pi.population(Queues::F), ratio(1, 2));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn population(&self, state: LocalStateOf<M>) -> N {
        self.population_in(state.id())
    }

    /// The expected number of components in a local state, by name.
    ///
    /// # Errors
    /// If the model has no such local state.
    pub fn population_of(&self, state: &str) -> Result<N, Error> {
        Ok(self.population_in(self.local_state(state)?))
    }

    fn population_in(&self, state: LocalStateId) -> N {
        let (population, over, _) = self.occupation_anywhere(state);
        self.distribution.over(population, over)
    }

    fn local_state(&self, name: &str) -> Result<LocalStateId, Error> {
        let model = self.space.model();
        let names = || model.local_states().iter().map(|state| state.name.as_str());
        model.local_state_named(name).ok_or_else(|| unknown("local state", name, &mut names()))
    }

    fn occupation_anywhere(&self, state: LocalStateId) -> (Sum<N>, usize, usize) {
        self.occupation(&self.occupied(), 0..self.space.model().positions(), state)
    }

    /// Population at some positions, times a count; the count; and how many of the positions can be in the local state.
    fn occupation(
        &self,
        occupied: &Occupied<N>,
        positions: impl Iterator<Item = usize>,
        state: LocalStateId,
    ) -> (Sum<N>, usize, usize) {
        let mut wanted: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for at in positions {
            if let Some(number) = self.space.local_number(at, state) {
                *wanted.entry((self.space.slot_of(at), number)).or_default() += 1;
            }
        }
        let over = common_multiple(wanted.keys().map(|&(slot, _)| occupied.kinds[slot].1));
        let mut population = self.distribution.nothing();
        for (&(slot, number), here) in &wanted {
            // Of equivalent positions a lumped state tells only how many are where: each has its share.
            let (first, equivalent) = occupied.kinds[slot];
            population.add(&occupied.sums[first][number as usize], &Times::of(here * over / equivalent));
        }
        (population, over, wanted.values().sum())
    }

    /// Every component's local states and the probabilities that a copy is in them, in the order of the system
    /// equation. The copies of an array are one entry, and each local state's figure is that of one copy.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// let [queues] = pi.utilisations().try_into().unwrap();
    /// assert_eq!((queues.component.as_str(), queues.positions.len()), ("E", 2));
    /// assert_eq!(queues.local_states.iter().find(|(name, _)| name == "F").unwrap().1, ratio(1, 4));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn utilisations(&self) -> Vec<ComponentUse<N>> {
        let model = self.space.model();
        let occupied = self.occupied();
        let groups = self.interchangeable_positions().into_iter();
        groups
            .map(|(component, positions)| {
                let share = |&state: &LocalStateId| {
                    let at = positions.iter().map(|position| position.index());
                    let (sum, over, _) = self.occupation(&occupied, at, state);
                    (
                        model.local_state(state).name.clone(),
                        self.distribution.over(sum, over * positions.len()),
                    )
                };
                let local_states = model.component(component).local_states.iter().map(share).collect();
                let component = model.component_name(component).to_owned();
                ComponentUse { component, positions, local_states }
            })
            .collect()
    }

    fn occupied(&self) -> Occupied<N> {
        let space = &self.space;
        let mut sums = space.untyped().occupied(&self.distribution);
        let mut kinds = Vec::with_capacity(sums.len());
        let once = Times::of(1);
        for (number, slot) in space.slots().iter().enumerate() {
            let equivalent = space.equivalent_positions(slot.positions[0] as usize);
            let first = space.slot_of(equivalent[0] as usize);
            kinds.push((first, equivalent.len()));
            if first != number {
                let own = std::mem::take(&mut sums[number]);
                sums[first].iter_mut().zip(&own).for_each(|(sum, more)| sum.add(more, &once));
            }
        }
        Occupied { sums, kinds }
    }

    /// The positions, those of an array's copies that correspond to one another taken together.
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

    /// The values of the model's result lines, in their order.
    ///
    /// # Errors
    /// If a factor has no value with the rates as they are now.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let text = "E = (arrive, 1).F; F = (serve, 3).E; E || E; both = {F || F}; rate = 3 * {F || **};";
    /// let pi = Model::from_text(text)?.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.results()?, [("both", ratio(1, 16)), ("rate", ratio(3, 4))]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn results(&self) -> Result<Vec<(&str, N)>, Error> {
        let model = self.space.model();
        model.results().iter().map(|line| Ok((line.name.as_str(), self.result(line)?))).collect()
    }

    /// The value of one result line, by name.
    ///
    /// # Errors
    /// If there is no such line, or its factor has no value.
    pub fn result_of(&self, name: &str) -> Result<N, Error> {
        let lines = self.space.model().results();
        match lines.iter().find(|line| line.name == name) {
            Some(line) => self.result(line),
            None => Err(unknown("result", name, &mut lines.iter().map(|line| line.name.as_str()))),
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

    /// The probability of the states that have the wanted local states; `what` wants them.
    pub(crate) fn matched(&self, pattern: &[Option<LocalStateId>], what: &str) -> Result<N, Error> {
        let space = &self.space;
        let wanted = wanted(pattern, &space.untyped(), what)?.into_iter();
        let number = |(position, state): (Position, LocalStateId)| {
            Some((position.index(), space.local_number(position.index(), state)?))
        };
        let (mut sum, once) = (self.distribution.nothing(), Times::of(1));
        if let Some(wanted) = wanted.map(number).collect::<Option<Vec<_>>>() {
            space.for_each_matching(&wanted, |state| self.distribution.add(&mut sum, state, &once));
        }
        Ok(self.distribution.over(sum, 1))
    }

    /// The probability of the states, by number, that a condition holds in.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// let is_empty = |number: usize| pi.space().transitions_from(number).all(|(action, _, _)| action == Queues::arrive.id());
    /// assert_eq!(pi.probability(is_empty), ratio(9, 16));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn probability(&self, condition: impl Fn(usize) -> bool) -> N {
        let (mut sum, once) = (self.distribution.nothing(), Times::of(1));
        for state in self.distribution.visited().filter(|&state| condition(state)) {
            self.distribution.add(&mut sum, state, &once);
        }
        self.distribution.over(sum, 1)
    }
}

/// The least common multiple of some counts.
fn common_multiple(counts: impl Iterator<Item = usize>) -> usize {
    counts.fold(1, |common, count| {
        (1..=count)
            .map(|times| common * times)
            .find(|multiple| multiple.is_multiple_of(count))
            .unwrap_or(common)
    })
}

/// The positions that a pattern speaks of, and their local states; `what` has the pattern.
///
/// # Errors
/// If it tells apart positions that were lumped.
#[inline]
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

/// A name that the model does not have, and the one that was meant.
#[inline]
pub(crate) fn unknown(kind: &str, name: &str, candidates: &mut dyn Iterator<Item = &str>) -> Error {
    let help = match did_you_mean(name, candidates) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    Error::Unknown(format!("the model has no {kind} `{name}`{help}"))
}
