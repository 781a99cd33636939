//! How large measures can be: by how much an error of a distribution is multiplied in them.

use skel_core::diagnostic::did_you_mean;
use skel_core::model::{ActionId, Model};
use skel_core::number::Number;

use crate::error::Error;
use crate::limits::Watch;
use crate::operator::kronecker::descriptor::{Descriptor, LowRates};
use crate::space::StateSpace;

/// A bound on the largest value of the measures that are kept, or of all: of throughputs, populations, result
/// lines and probabilities.
pub(super) fn largest_measure(
    space: &StateSpace,
    keep: Option<&[String]>,
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<f64, Error> {
    let model = space.model();
    let is_kept = |name: &str| keep.is_none_or(|keep| keep.iter().any(|kept| kept == name));
    check_names(model, keep)?;
    let mut largest = if keep.is_none() { 1.0_f64 } else { 0.0 };
    if model.actions().any(|(_, name)| is_kept(name)) {
        let rates = largest_rates(space, bytes, watch)?;
        let kept = model.actions().filter(|(_, name)| is_kept(name));
        largest = kept.fold(largest, |largest, (action, _)| largest.max(rates[action.index()]));
    }
    let populations: Vec<_> =
        model.local_states().iter().filter(|state| is_kept(&state.name)).map(|state| &state.name).collect();
    for name in populations {
        let Some(state) = model.local_state_named(name) else { continue };
        let positions = (0..model.positions()).filter(|&at| space.local_number(at, state).is_some()).count();
        largest = largest.max(positions as f64);
    }
    for line in model.results().iter().filter(|line| is_kept(&line.name)) {
        let factor = model.factor(line).map_err(|problem| {
            Error::Unknown(format!("the factor of the result `{}` {problem}", line.name))
        })?;
        largest = largest.max(f64::from_ratio(&factor).abs());
    }
    Ok(largest)
}

fn check_names(model: &Model, keep: Option<&[String]>) -> Result<(), Error> {
    let names = || {
        let states = model.local_states().iter().map(|state| state.name.as_str());
        let lines = model.results().iter().map(|line| line.name.as_str());
        model.actions().map(|(_, name)| name).chain(states).chain(lines)
    };
    match keep.into_iter().flatten().find(|kept| !names().any(|name| name == kept.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let help = did_you_mean(unknown, names());
            let help = help.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Err(Error::Unknown(format!(
                "the model has no action, local state or result `{unknown}` to keep{help}"
            )))
        }
    }
}

/// For each action a bound on the rate at which any state does it.
fn largest_rates(space: &StateSpace, bytes: u64, watch: &mut Watch<'_>) -> Result<Vec<f64>, Error> {
    let mut largest = vec![0.0_f64; space.model().actions().len()];
    if let Some((_, descriptor)) = Descriptor::of_space(space, bytes) {
        for enabled in &descriptor.enabled {
            largest[enabled.action.index()] += match &enabled.low {
                LowRates::Same(rate) => *rate,
                LowRates::At(places) => most_at_a_place(places),
            };
        }
        return Ok(largest);
    }
    let (mut of_state, mut last) = (vec![0.0; largest.len()], 0);
    let mut found: Vec<ActionId> = Vec::new();
    let add = |largest: &mut [f64], of_state: &mut [f64], found: &mut Vec<ActionId>| {
        for action in found.drain(..) {
            let rate = std::mem::take(&mut of_state[action.index()]);
            largest[action.index()] = largest[action.index()].max(rate);
        }
    };
    let pause = || Ok(watch.prepare()?);
    space.for_each_activity::<f64, Error>(0..space.states(), pause, |state, action, rate| {
        if state != last {
            add(&mut largest, &mut of_state, &mut found);
            last = state;
        }
        of_state[action.index()] += rate;
        found.push(action);
    })?;
    add(&mut largest, &mut of_state, &mut found);
    // One action of several that may change places has the activities of them all.
    if let Some(lumping) = space.lumping() {
        let of_representatives = largest.clone();
        for (action, _) in space.model().actions() {
            largest[action.index()] = of_representatives[lumping.representative(action).index()];
        }
    }
    Ok(largest)
}

/// The largest sum of rates at one place.
fn most_at_a_place(places: &[(u32, f64)]) -> f64 {
    let mut sums = std::collections::BTreeMap::<u32, f64>::new();
    for &(place, rate) in places {
        *sums.entry(place).or_default() += rate;
    }
    sums.into_values().fold(0.0, f64::max)
}
