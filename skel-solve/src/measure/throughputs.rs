//! Computes the throughputs of all actions under a distribution, in one pass over the transitions.

use skel_core::number::{Number, Ratio};

use crate::chain::Classification;
use crate::error::Error;
use crate::operator::kronecker;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::space::StateSpace;
use crate::vector::sums::Sums;

/// Whether all probabilities and throughputs are finite, and no throughput lost digits to probabilities that
/// are too small for `f64`. A throughput that is itself too small may be zero.
pub(crate) fn are_in_range(lost: &[f64], probabilities: &[f64], throughputs: &[f64]) -> bool {
    probabilities.iter().chain(throughputs).all(|value| value.is_finite())
        && lost.iter().zip(throughputs).all(|(&lost, &sum)| is_negligible(lost, sum))
}

/// Whether the amount that a sum may have lost is below its last digits, or negligible in itself.
pub(crate) fn is_negligible(lost: f64, sum: f64) -> bool {
    const DIGITS: f64 = 1e-12;
    const NOTHING: f64 = 1e-290;
    lost <= NOTHING || lost <= DIGITS * sum
}

/// The throughput of each action, and the amount that it may have lost to probabilities too small for `f64`.
/// A Kronecker descriptor may take at most `bytes`.
pub(crate) fn throughputs(
    space: &StateSpace,
    classes: &Classification,
    probabilities: &[f64],
    bytes: u64,
    mut pause: impl FnMut() -> Result<(), Error>,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let actions = space.model().actions().len();
    if probabilities.iter().all(|&probability| probability >= f64::MIN_POSITIVE)
        && let Some(throughputs) = by_terms(space, probabilities, bytes, &mut pause)?
    {
        return Ok((throughputs, vec![0.0; actions]));
    }
    let visited = classes.recurrent.iter().flatten().map(|&state| state as usize);
    by_activities(space, visited, probabilities, pause)
}

/// The throughput of each action under a distribution, whatever states it has. A Kronecker descriptor may
/// take at most `bytes`.
#[cfg(feature = "over-time")]
pub(crate) fn of_distribution(
    space: &StateSpace,
    probabilities: &[f64],
    bytes: u64,
    mut pause: impl FnMut() -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    if let Some(throughputs) = by_terms(space, probabilities, bytes, &mut pause)? {
        return Ok(throughputs);
    }
    let visited = (0..space.states()).filter(|&state| probabilities[state] != 0.0);
    Ok(by_activities(space, visited, probabilities, pause)?.0)
}

/// From the terms of a descriptor, if there is one.
fn by_terms(
    space: &StateSpace,
    probabilities: &[f64],
    bytes: u64,
    pause: impl FnMut() -> Result<(), Error>,
) -> Result<Option<Vec<f64>>, Error> {
    let Some((bitset, descriptor)) = Descriptor::of_space(space, bytes) else { return Ok(None) };
    let actions = space.model().actions().len();
    kronecker::throughputs((bitset, &descriptor), probabilities, actions, pause).map(Some)
}

/// From the activities of some states, with what may be lost.
fn by_activities(
    space: &StateSpace,
    visited: impl Iterator<Item = usize>,
    probabilities: &[f64],
    pause: impl FnMut() -> Result<(), Error>,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let actions = space.model().actions().len();
    let (mut sums, mut lost) = (Sums::new(actions), vec![0.0; actions]);
    space.for_each_activity::<f64, _>(visited, pause, |state, action, rate| {
        let probability = probabilities[state];
        sums.add(state, action.index(), probability * rate);
        if probability < f64::MIN_POSITIVE {
            lost[action.index()] += f64::MIN_POSITIVE * rate;
        }
    })?;
    Ok((of_representatives(space, sums.finish()), lost))
}

/// The throughput of each action, from sums in which one action represents all equivalent ones.
pub(crate) fn of_representatives<N: Number>(space: &StateSpace, sums: Vec<N>) -> Vec<N> {
    let Some(lumping) = space.lumping() else { return sums };
    let share = |(action, _)| {
        let sum = sums[lumping.representative(action).index()].clone();
        match lumping.equivalent_actions(action) {
            1 => sum,
            count => sum / N::from_ratio(&Ratio::from_integer(count.into())),
        }
    };
    space.model().actions().map(share).collect()
}
