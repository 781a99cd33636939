//! Measures: what one asks a steady state.
//!
//! - *throughput* of an action: how often it is done per unit of time, `sum over states of pi * rate`;
//! - *utilisation* of a local state: the probability that a copy of its component is in it;
//! - *population* of a local state: the expected number of copies in it;
//! - the Workbench's result lines, `name = factor * {pattern};`: the factor times the probability of the states
//!   that match.
//!
//! Typed handles cannot be wrong; the methods that take names return an error that says what was meant.

use skel_core::diagnostic::did_you_mean;
use skel_core::handle::{ActionOf, LocalStateOf};
use skel_core::model::{ActionId, ComponentId, LocalStateId, Position, ResultLine};
use skel_core::number::Number;

use crate::error::Error;
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
        let (population, positions) = self.occupation(state);
        if positions == 0 { N::zero() } else { population / whole::<N>(positions) }
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
        self.occupation(state.id()).0
    }

    /// The expected number of components in a local state, by name.
    ///
    /// # Errors
    /// If the model has no such local state.
    pub fn population_of(&self, state: &str) -> Result<N, Error> {
        Ok(self.occupation(self.local_state(state)?).0)
    }

    fn local_state(&self, name: &str) -> Result<LocalStateId, Error> {
        let model = self.space.model();
        let names = || model.local_states().iter().map(|state| state.name.as_str());
        model.local_state_named(name).ok_or_else(|| unknown("local state", name, &mut names()))
    }

    /// Population, and the number of positions that can be in the local state.
    fn occupation(&self, state: LocalStateId) -> (N, usize) {
        let space = &self.space;
        let mut population = N::zero();
        let mut positions = 0;
        let occupied = self.occupied();
        for at in 0..space.model().positions() {
            if let Some(number) = space.local_number(at, state) {
                population = population + occupied[space.slot_of(at)][number as usize].clone();
                positions += 1;
            }
        }
        (population, positions)
    }

    fn visited(&self) -> impl Iterator<Item = (usize, &N)> {
        self.probabilities.iter().enumerate().filter(|(_, probability)| !probability.is_zero())
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
                let copies = whole::<N>(positions.len());
                let share = |&state: &LocalStateId| {
                    let of_position = |&at: &Position| {
                        let number = self.space.local_number(at.index(), state)?;
                        Some(occupied[self.space.slot_of(at.index())][number as usize].clone())
                    };
                    let sum =
                        positions.iter().filter_map(of_position).fold(N::zero(), |sum, value| sum + value);
                    (model.local_state(state).name.clone(), sum / copies.clone())
                };
                let local_states = model.component(component).local_states.iter().map(share).collect();
                let component = model.component_name(component).to_owned();
                ComponentUse { component, positions, local_states }
            })
            .collect()
    }

    /// Per slot and local state, by number, the probability that one of its copies is in it.
    fn occupied(&self) -> Vec<Vec<N>> {
        let space = &self.space;
        let mut occupied: Vec<Vec<N>> =
            space.slots().iter().map(|slot| vec![N::zero(); slot.local_states() as usize]).collect();
        let most = space.slots().iter().map(|slot| slot.positions.len()).max().unwrap_or_default();
        let counts: Vec<N> = (0..=most).map(whole).collect();
        space.for_each_occupied(|state, slot, local, count| {
            let probability = &self.probabilities[state];
            if !probability.is_zero() {
                let value = &mut occupied[slot][local as usize];
                *value = value.clone() + probability.clone() * counts[count as usize].clone();
            }
        });
        // Of equivalent positions a lumped state tells only how many are where: each has its share.
        for (number, slot) in space.slots().iter().enumerate() {
            let equivalent = space.equivalent_positions(slot.positions[0] as usize);
            if equivalent.len() == 1 || equivalent[0] != slot.positions[0] {
                continue;
            }
            let mut slots: Vec<usize> = equivalent.iter().map(|&at| space.slot_of(at as usize)).collect();
            slots.sort_unstable();
            slots.dedup();
            let count = whole::<N>(equivalent.len());
            let mean = |local: usize| {
                let sum = slots.iter().map(|&slot| occupied[slot][local].clone());
                sum.fold(N::zero(), |sum, value| sum + value) / count.clone()
            };
            let means: Vec<N> = (0..occupied[number].len()).map(mean).collect();
            slots.iter().for_each(|&slot| occupied[slot].clone_from(&means));
        }
        occupied
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
        let wanted = wanted(pattern, &self.space.untyped(), what)?;
        Ok(self.probability(|number| {
            wanted.iter().all(|&(position, state)| self.space.local_state_at(number, position) == state)
        }))
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
        self.visited()
            .filter(|(number, _)| condition(*number))
            .fold(N::zero(), |sum, (_, probability)| sum + probability.clone())
    }
}

fn whole<N: Number>(count: usize) -> N {
    N::from_ratio(&skel_core::number::ratio(count as i64, 1))
}

/// The positions that a pattern speaks of, and their local states; `what` has the pattern.
///
/// # Errors
/// If it tells apart positions that were lumped.
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
pub(crate) fn unknown(kind: &str, name: &str, candidates: &mut dyn Iterator<Item = &str>) -> Error {
    let help = match did_you_mean(name, candidates) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    Error::Unknown(format!("the model has no {kind} `{name}`{help}"))
}
