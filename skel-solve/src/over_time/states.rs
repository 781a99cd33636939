//! The states in which a condition of a property holds, without its operators `P`, `S` and `R`.

use std::collections::HashMap;

use skel_core::csl::Predicate;
use skel_core::csl::formula::{Condition, Number};
use skel_core::model::LocalStateId;
use skel_core::number::Ratio;

use crate::error::Error;
use crate::limits::{Limits, Watch};
use crate::space::{StateSpace, ToldApart};

/// Per state whether something holds.
pub(crate) type States = Vec<bool>;

impl<M: ?Sized> StateSpace<M> {
    /// Per state, by its number, whether a condition holds in it.
    ///
    /// # Errors
    /// The condition tells apart components that were lumped, or it divides by zero in a state.
    ///
    /// # Examples
    /// ```
    /// use skel::csl::Predicate;
    /// use skel::prelude::*;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P")?;
    /// let space = model.explore()?;
    /// assert_eq!(space.holds_in(&Predicate::parse("Q >= 1", &model)?)?, [false, true, true, true]);
    /// let lumped = model.explorer().lumped().explore()?;
    /// assert_eq!(lumped.holds_in(&Predicate::parse("Q >= 1", &model)?)?, [false, true, true]);
    /// assert!(lumped.holds_in(&Predicate::parse("{Q || **}", &model)?).is_err());
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn holds_in(&self, predicate: &Predicate) -> Result<Vec<bool>, Error> {
        let limits = Limits::default();
        states_of(&self.untyped(), predicate.condition(), &mut Watch::start(&limits))
    }
}

/// The states in which a condition without `P`, `S` and `R` holds.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn states_of(
    space: &StateSpace,
    condition: &Condition,
    watch: &mut Watch<'_>,
) -> Result<States, Error> {
    let of = |inner: &Condition, watch: &mut Watch<'_>| states_of(space, inner, watch);
    match condition {
        Condition::Not(inner) => Ok(of(inner, watch)?.into_iter().map(|holds| !holds).collect()),
        Condition::And(parts) => {
            let mut all = vec![true; space.states()];
            for part in parts {
                all.iter_mut().zip(of(part, watch)?).for_each(|(all, holds)| *all &= holds);
            }
            Ok(all)
        }
        Condition::Or(parts) => {
            let mut any = vec![false; space.states()];
            for part in parts {
                any.iter_mut().zip(of(part, watch)?).for_each(|(any, holds)| *any |= holds);
            }
            Ok(any)
        }
        Condition::Bounded(..) => {
            Err(Error::Unknown("`P`, `S` and `R` have no place in a condition on states alone".into()))
        }
        atom => states_of_atom(space, atom, watch),
    }
}

/// The states in which a condition holds that has no others in it.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn states_of_atom(
    space: &StateSpace,
    atom: &Condition,
    watch: &mut Watch<'_>,
) -> Result<States, Error> {
    match atom {
        Condition::Truth(value) => Ok(vec![*value; space.states()]),
        Condition::Initial => {
            let mut states = vec![false; space.states()];
            if !space.starts_vanishing() {
                states[0] = true;
            }
            Ok(states)
        }
        Condition::Deadlock => {
            let mut states = Vec::with_capacity(space.states());
            space.for_each_row::<f64, Error>(
                || watch.prepare().map_err(Error::from),
                |_, row| {
                    states.push(row.is_empty());
                    Ok(())
                },
            )?;
            Ok(states)
        }
        Condition::Pattern(pattern) => matching(space, pattern),
        Condition::Compare(left, relation, right) => {
            let compare = |counts: &Populations| {
                let value = |number: &Number| number.value(&|state| counts.of(state));
                Some(relation.holds(value(left)?.partial_cmp(&value(right)?)))
            };
            Counted::of(space, &[left, right], watch)?.map(compare)
        }
        Condition::Not(_) | Condition::And(_) | Condition::Or(_) | Condition::Bounded(..) => {
            unreachable!("an atom has no other condition in it")
        }
    }
}

/// The value of a number of components in each state.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn numbers_of(
    space: &StateSpace,
    number: &Number,
    watch: &mut Watch<'_>,
) -> Result<Vec<Ratio>, Error> {
    Counted::of(space, &[number], watch)?.map(|counts| number.value(&|state| counts.of(state)))
}

/// How many components are in a local state, in each state.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn population_of(
    space: &StateSpace,
    state: LocalStateId,
    watch: &mut Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let counted = Counted::of(space, &[&Number::Population(state)], watch)?;
    Ok(counted.counts)
}

#[cfg_attr(debug_assertions, inline)]
fn lumped(what: &str) -> Error {
    Error::Unknown(format!("{what} tells apart components that were lumped; explore without lumping for it"))
}

/// The states that match a pattern.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn matching(space: &StateSpace, pattern: &[Option<LocalStateId>]) -> Result<States, Error> {
    let mut states = vec![false; space.states()];
    let mut wanted = Vec::new();
    let mut is_possible = true;
    for (at, state) in pattern.iter().enumerate() {
        let Some(state) = state else { continue };
        if space.equivalent_positions(at).len() > 1 {
            return Err(lumped("the pattern"));
        }
        match space.local_number(at, *state) {
            Some(number) => wanted.push((at, number)),
            None => is_possible = false,
        }
    }
    if is_possible {
        space.for_each_matching(&wanted, |state| states[state] = true);
    }
    Ok(states)
}

/// The numbers of components in some local states, state by state.
struct Counted {
    local_states: Vec<LocalStateId>,
    /// Per state, a number for each local state.
    counts: Vec<u32>,
    states: usize,
}

/// Those of one state.
struct Populations<'c> {
    local_states: &'c [LocalStateId],
    counts: &'c [u32],
}

impl Populations<'_> {
    fn of(&self, state: LocalStateId) -> u32 {
        let at = self.local_states.iter().position(|&known| known == state);
        at.map_or(0, |at| self.counts[at])
    }
}

impl Counted {
    #[cfg_attr(debug_assertions, inline)]
    fn of(space: &StateSpace, numbers: &[&Number], watch: &mut Watch<'_>) -> Result<Counted, Error> {
        let mut local_states = Vec::new();
        numbers.iter().for_each(|number| number.for_each_population(&mut |state| local_states.push(state)));
        local_states.sort_unstable();
        local_states.dedup();
        let width = local_states.len();
        let mut counts = vec![0; space.states() * width];
        // Per slot and number of a local state there: which of the counts it adds to.
        let mut adds_to: HashMap<(usize, u32), usize> = HashMap::new();
        for (at, &state) in local_states.iter().enumerate() {
            if !space.keeps(&ToldApart::default().population(state)) {
                let name = &space.model().local_state(state).name;
                return Err(lumped(&format!("the number of components in `{name}`")));
            }
            for position in 0..space.model().positions() {
                if let Some(number) = space.local_number(position, state) {
                    adds_to.insert((space.slot_of(position), number), at);
                }
            }
        }
        if width > 0 {
            space.for_each_count(|| watch.prepare(), &mut |state, slot, local, count| {
                if let Some(&at) = adds_to.get(&(slot, local)) {
                    counts[state * width + at] += count;
                }
            })?;
        }
        Ok(Counted { local_states, counts, states: space.states() })
    }

    /// A value for each state; it is computed once for states with the same numbers.
    #[cfg_attr(debug_assertions, inline)]
    fn map<T: Clone>(&self, value: impl Fn(&Populations<'_>) -> Option<T>) -> Result<Vec<T>, Error> {
        let width = self.local_states.len();
        let mut known: HashMap<&[u32], T> = HashMap::new();
        let mut values = Vec::with_capacity(self.states);
        for state in 0..self.states {
            let counts = &self.counts[state * width..(state + 1) * width];
            if let Some(value) = known.get(counts) {
                values.push(value.clone());
                continue;
            }
            let populations = Populations { local_states: &self.local_states, counts };
            let Some(value) = value(&populations) else {
                return Err(Error::Unknown("a comparison divides by zero in a reachable state".into()));
            };
            known.insert(counts, value.clone());
            values.push(value);
        }
        Ok(values)
    }
}
