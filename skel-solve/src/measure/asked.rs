//! What one may ask of the steady state of a space, as sums over its states: all throughputs, populations and results.

use skel_core::model::Position;

use super::distribution::wanted;
use crate::error::Error;
use crate::limits::Watch;
use crate::space::StateSpace;
use crate::vector::sums::Sums;

/// Smaller throughputs and results may have lost digits to probabilities that are too small for `f64`.
const LEAST: f64 = 1e-280;

/// Errors of smaller populations are relative to this: a local state in which hardly any copy ever is keeps its absolute digits.
pub(crate) const SMALL_POPULATION: f64 = 1e-3;

/// How far the values of a state are from the sums that are asked for, relative to these and at most:
/// `max |f(state) - s| / s` over all sums `s` of values `f`.
///
/// Values are not negative, so the distance is one at least for a sum to which the state adds nothing.
pub(crate) struct Distances<'s> {
    space: &'s StateSpace,
    probabilities: &'s [f64],
    of_states: Vec<f64>,
}

/// The distances of all states under a distribution; `None` if a sum is too small to have digits.
pub(crate) fn distances(
    space: &StateSpace,
    probabilities: &[f64],
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    let of_states = vec![1.0; space.states()];
    let mut distances = Distances { space, probabilities, of_states };
    let have_digits = distances.of_throughputs(watch)? && distances.of_results(watch)?;
    if !have_digits {
        return Ok(None);
    }
    distances.of_populations(watch)?;
    Ok(Some(distances.of_states))
}

impl Distances<'_> {
    /// Of a state that adds so much to a sum, of which errors are relative to a unit no less than it.
    fn add(&mut self, state: usize, value: f64, (sum, unit): (f64, f64)) {
        let distance = &mut self.of_states[state];
        *distance = distance.max((value - sum) / unit);
    }

    /// Takes the throughputs of all actions; `false` if one is too small.
    fn of_throughputs(&mut self, watch: &mut Watch<'_>) -> Result<bool, Error> {
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
        // An action may arise in several ways, which come one after the other.
        let mut here: Vec<(usize, f64)> = Vec::new();
        let mut current = 0;
        space.for_each_activity::<f64, Error>(
            all,
            || Ok(watch.prepare()?),
            |state, action, rate| {
                if state != current {
                    here.drain(..)
                        .for_each(|(action, rate)| self.add(current, rate, (sums[action], sums[action])));
                    current = state;
                }
                match here.iter_mut().find(|(known, _)| *known == action.index()) {
                    Some((_, sum)) => *sum += rate,
                    None => here.push((action.index(), *rate)),
                }
            },
        )?;
        here.into_iter().for_each(|(action, rate)| self.add(current, rate, (sums[action], sums[action])));
        Ok(true)
    }

    /// Takes the probabilities of all result lines; `false` if one is too small. A line that has no value is an error for who
    /// asks for it, and nothing here.
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
            space.for_each_matching(&wanted, |state| self.add(state, 1.0, (sum, sum)));
        }
        Ok(true)
    }

    /// Takes the populations of all local states.
    fn of_populations(&mut self, watch: &mut Watch<'_>) -> Result<(), Error> {
        let (space, probabilities) = (self.space, self.probabilities);
        let mut sums: Vec<Vec<f64>> =
            space.slots().iter().map(|slot| vec![0.0; slot.local_states() as usize]).collect();
        space.for_each_count(|| watch.prepare(), &mut |state, slot, local, count| {
            sums[slot][local as usize] += f64::from(count) * probabilities[state];
        })?;
        space.for_each_count(|| watch.prepare(), &mut |state, slot, local, count| {
            let sum = sums[slot][local as usize];
            self.add(state, f64::from(count), (sum, sum.max(SMALL_POPULATION)));
        })?;
        Ok(())
    }
}
