//! What one may ask of the steady state of a space, as sums over its states: all throughputs, populations and
//! results.

use skel_core::model::Position;

use super::distribution::wanted;
use crate::error::Error;
use crate::limits::Watch;
use crate::operator::kronecker;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::space::{Bitset, StateSpace};
use crate::vector::sums::Sums;

/// Smaller throughputs and results may have lost digits to probabilities that are too small for `f64`.
const LEAST: f64 = 1e-280;

/// Errors of smaller populations are relative to this: a local state in which hardly any copy ever is keeps
/// its absolute digits.
pub(crate) const SMALL_POPULATION: f64 = 1e-3;

/// How far the values of a state are from the sums that are asked for, relative to these and at most:
/// `max |f(state) - s| / s` over all sums `s` of values `f`.
///
/// Values are not negative, so the distance is one at least for a sum to which the state adds nothing.
struct Distances<'s> {
    space: &'s StateSpace,
    probabilities: &'s [f64],
    of_states: Vec<f64>,
}

/// The distances of all states under a distribution; `None` if a sum is too small to have digits. A Kronecker
/// descriptor may take at most `bytes`.
///
/// Time: as for two passes over the transitions, and two over the local states.
pub(crate) fn distances(
    space: &StateSpace,
    probabilities: &[f64],
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    let of_states = vec![1.0; space.states()];
    let mut distances = Distances { space, probabilities, of_states };
    let descriptor = Descriptor::of_space(space, bytes);
    let have_digits = match &descriptor {
        Some((bitset, descriptor)) => distances.of_terms((bitset, descriptor), watch)?,
        None => distances.of_activities(watch)?,
    };
    if !(have_digits && distances.of_results(watch)?) {
        return Ok(None);
    }
    distances.of_populations(watch)?;
    Ok(Some(distances.of_states))
}

/// A sum, and the unit of its errors.
#[derive(Clone, Copy)]
struct Asked {
    /// The sum in this unit.
    sum: f64,
    /// One divided by the unit.
    scale: f64,
}

impl Asked {
    /// A sum whose errors are relative to a unit no less than it.
    fn new(sum: f64, unit: f64) -> Asked {
        Asked { sum: sum / unit, scale: 1.0 / unit }
    }

    /// How far a value is above the sum. What is below it by more than a unit counts as one anyway.
    fn distance(self, value: f64) -> f64 {
        value * self.scale - self.sum
    }
}

impl Distances<'_> {
    fn add(&mut self, state: usize, distance: f64) {
        let known = &mut self.of_states[state];
        *known = known.max(distance);
    }

    /// Takes the throughputs of all actions from the terms of a descriptor; `false` if one is too small.
    fn of_terms(&mut self, terms: (&Bitset, &Descriptor), watch: &mut Watch<'_>) -> Result<bool, Error> {
        let actions = self.space.model().actions().len();
        let sums = kronecker::throughputs(terms, self.probabilities, actions, || Ok(watch.prepare()?))?;
        let asked: Vec<Asked> = sums.iter().map(|&sum| Asked::new(sum, sum)).collect();
        let mut have_digits = true;
        let of_block = |first: usize, action: usize, rates: &mut dyn Iterator<Item = f64>| {
            let mut largest = 0.0_f64;
            for (known, rate) in self.of_states[first..].iter_mut().zip(rates) {
                *known = known.max(asked[action].distance(rate));
                largest = largest.max(rate);
            }
            have_digits &= sums[action] >= LEAST || largest == 0.0;
        };
        kronecker::for_each_rates(terms, actions, || Ok(watch.prepare()?), of_block)?;
        Ok(have_digits)
    }

    /// Takes the throughputs of all actions from the activities of each state; `false` if one is too small.
    fn of_activities(&mut self, watch: &mut Watch<'_>) -> Result<bool, Error> {
        let (space, probabilities) = (self.space, self.probabilities);
        let actions = space.model().actions().len();
        let (mut sums, mut is_done) = (Sums::new(actions), vec![false; actions]);
        let all = 0..space.states();
        space.for_each_activity::<f64, Error>(
            all.clone(),
            || Ok(watch.prepare()?),
            |state, action, rate| {
                sums.add(state, action.index(), probabilities[state] * rate);
                is_done[action.index()] = true;
            },
        )?;
        let sums = sums.finish();
        if sums.iter().zip(&is_done).any(|(&sum, &is_done)| is_done && sum < LEAST) {
            return Ok(false);
        }
        let asked: Vec<Asked> = sums.iter().map(|&sum| Asked::new(sum, sum)).collect();
        // An action may arise in several ways, each of which has a rate.
        let (mut rates, mut here) = (vec![0.0; actions], Vec::new());
        let mut current = 0;
        space.for_each_activity::<f64, Error>(
            all,
            || Ok(watch.prepare()?),
            |state, action, rate| {
                if state != current {
                    self.add_activities(current, &asked, (&mut rates, &mut here));
                    current = state;
                }
                let sum = &mut rates[action.index()];
                if *sum == 0.0 {
                    here.push(action.index());
                }
                *sum += rate;
            },
        )?;
        self.add_activities(current, &asked, (&mut rates, &mut here));
        Ok(true)
    }

    /// Takes the rates of the actions that a state does, and forgets them.
    fn add_activities(
        &mut self,
        state: usize,
        asked: &[Asked],
        (rates, here): (&mut [f64], &mut Vec<usize>),
    ) {
        let of_actions =
            here.drain(..).map(|action| asked[action].distance(std::mem::take(&mut rates[action])));
        let distance = of_actions.fold(0.0, f64::max);
        self.add(state, distance);
    }

    /// Takes the probabilities of all result lines; `false` if one is too small. A line that has no value is
    /// an error for who asks for it, and nothing here.
    fn of_results(&mut self, watch: &mut Watch<'_>) -> Result<bool, Error> {
        let space = self.space;
        for line in space.model().results() {
            watch.prepare()?;
            let Ok(wanted) = wanted(&line.pattern, space, &line.name) else { continue };
            let number = |(position, state): (Position, _)| {
                Some((position.index(), space.local_number(position.index(), state)?))
            };
            let Some(wanted) = wanted.into_iter().map(number).collect::<Option<Vec<_>>>() else { continue };
            let (mut sum, mut is_met) = (0.0, false);
            space.for_each_matching(&wanted, |state| {
                sum += self.probabilities[state];
                is_met = true;
            });
            if is_met && sum < LEAST {
                return Ok(false);
            }
            let distance = Asked::new(sum, sum).distance(1.0);
            space.for_each_matching(&wanted, |state| self.add(state, distance));
        }
        Ok(true)
    }

    /// Takes the populations of all local states.
    fn of_populations(&mut self, watch: &mut Watch<'_>) -> Result<(), Error> {
        let (space, probabilities) = (self.space, self.probabilities);
        let mut starts = vec![0];
        for slot in space.slots() {
            starts.push(starts[starts.len() - 1] + slot.local_states() as usize);
        }
        let mut sums = vec![0.0; starts[starts.len() - 1]];
        space.for_each_count(|| watch.prepare(), &mut |state, slot, local, count| {
            sums[starts[slot] + local as usize] += f64::from(count) * probabilities[state];
        })?;
        let asked: Vec<Asked> =
            sums.into_iter().map(|sum| Asked::new(sum, sum.max(SMALL_POPULATION))).collect();
        space.for_each_count(|| watch.prepare(), &mut |state, slot, local, count| {
            self.add(state, asked[starts[slot] + local as usize].distance(f64::from(count)));
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::distances;
    use crate::limits::{Limits, Watch};
    use crate::operator::kronecker::descriptor::Descriptor;
    use crate::random_model::random_model;
    use crate::space::{Storage, explored};

    #[test]
    fn distances_by_terms_are_those_by_activities() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for seed in 0..60 {
            let text = random_model(seed);
            let space = explored(&text, Storage::Bitset);
            assert!(Descriptor::of_space(&space, u64::MAX).is_some(), "{text}");
            let mut pi: Vec<f64> = (0..space.states()).map(crate::vector::random).collect();
            let sum: f64 = pi.iter().sum();
            pi.iter_mut().for_each(|value| *value /= sum);
            let mut within = |bytes| distances(&space, &pi, bytes, &mut watch).unwrap().expect("digits");
            let (by_terms, by_activities) = (within(u64::MAX), within(0));
            for (found, expected) in by_terms.iter().zip(&by_activities) {
                assert!((found - expected).abs() <= 1e-12 * expected, "{found} for {expected}: {text}");
            }
            assert!(by_terms.iter().any(|distance| *distance > 1.0), "{text}");
        }
    }
}
