//! Measures as inner products with a distribution: what each state adds to them.

use std::collections::{BTreeMap, HashMap};

use skel_core::model::{ActionId, LocalStateId, ResultLine};
use skel_core::number::Number;

use super::distribution::{kinds, wanted};
use crate::error::Error;
use crate::operator::kronecker;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::space::StateSpace;

/// The rate at which each state does an action. A Kronecker descriptor may take at most `bytes`.
pub(crate) fn of_throughput(
    space: &StateSpace,
    action: ActionId,
    bytes: u64,
    mut pause: impl FnMut() -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    if let Some((bitset, descriptor)) = Descriptor::of_space(space, bytes) {
        return kronecker::rates_of(bitset, &descriptor, action, pause);
    }
    let (representative, share) = match space.lumping() {
        None => (action, 1.0),
        Some(lumping) => (lumping.representative(action), lumping.equivalent_actions(action) as f64),
    };
    let mut rates = vec![0.0; space.states()];
    space.for_each_activity::<f64, Error>(0..space.states(), &mut pause, |state, done, rate| {
        if done == representative {
            rates[state] += rate;
        }
    })?;
    rates.iter_mut().for_each(|rate| *rate /= share);
    Ok(rates)
}

/// The number of components that are in a local state, for each state. Of components that were lumped, each
/// has an equal share.
pub(crate) fn of_population(
    space: &StateSpace,
    local_state: LocalStateId,
    pause: impl FnMut() -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    let kinds = kinds(space);
    let mut places: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for at in 0..space.model().positions() {
        if let Some(number) = space.local_number(at, local_state) {
            *places.entry((space.slot_of(at), number)).or_default() += 1;
        }
    }
    let mut shares: HashMap<(usize, u32), f64> = HashMap::new();
    for (&(slot, number), &here) in &places {
        let (first, equivalent) = kinds[slot];
        for other in (0..kinds.len()).filter(|&other| kinds[other].0 == first) {
            *shares.entry((other, number)).or_default() += here as f64 / equivalent as f64;
        }
    }
    let mut population = vec![0.0; space.states()];
    space.for_each_count(pause, &mut |state, slot, number, count| {
        if let Some(share) = shares.get(&(slot, number)) {
            population[state] += share * f64::from(count);
        }
    })?;
    Ok(population)
}

/// The factor of a result line in the states that match it, and zero in the others.
pub(crate) fn of_result(space: &StateSpace, line: &ResultLine) -> Result<Vec<f64>, Error> {
    let name = &line.name;
    let factor = space
        .model()
        .factor(line)
        .map_err(|problem| Error::Unknown(format!("the factor of the result `{name}` {problem}")))?;
    let factor = f64::from_ratio(&factor);
    let wanted = wanted(&line.pattern, space, &format!("the result `{name}`"))?.into_iter();
    let numbers = wanted
        .map(|(position, state)| Some((position.index(), space.local_number(position.index(), state)?)));
    let mut factors = vec![0.0; space.states()];
    if let Some(numbers) = numbers.collect::<Option<Vec<_>>>() {
        space.for_each_matching(&numbers, |state| factors[state] = factor);
    }
    Ok(factors)
}
