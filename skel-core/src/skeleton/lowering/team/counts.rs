//! How many workers are in which phase.

use num_bigint::BigInt;
use num_traits::One;

use super::{MOST_PLACES, TooManyPlaces};
use crate::number::Ratio;
use crate::skeleton::lowering::service::Phases;

/// The number of workers in each phase.
pub(super) type Counts = Vec<u32>;

/// What one worker among several does next in its service.
pub(super) enum Next {
    /// It is done; the counts of the others.
    Done(Counts),
    /// It enters another phase.
    Phase(Counts),
}

/// How many workers there are in all phases.
pub(super) fn total(counts: &Counts) -> u32 {
    counts.iter().sum()
}

/// The sum of two counts.
pub(super) fn sum(one: &Counts, other: &Counts) -> Counts {
    one.iter().zip(other).map(|(one, other)| one + other).collect()
}

/// One more worker in a phase.
pub(super) fn with_one_in(counts: &Counts, phase: usize) -> Counts {
    let mut counts = counts.clone();
    counts[phase] += 1;
    counts
}

/// What the workers in these phases do next, each at its rate.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn steps(phases: &Phases, counts: &Counts) -> Vec<(Ratio, Next)> {
    let mut steps = Vec::new();
    for phase in (0..counts.len()).filter(|&phase| counts[phase] > 0) {
        let workers = Ratio::from_integer(counts[phase].into());
        let mut others = counts.clone();
        others[phase] -= 1;
        for (_, to, rate) in phases.moves.iter().filter(|(from, ..)| *from == phase) {
            steps.push((rate * &workers, Next::Phase(with_one_in(&others, *to))));
        }
        if phases.can_end_in(phase) {
            steps.push((&phases.exits[phase] * &workers, Next::Done(others)));
        }
    }
    steps
}

/// The phases in which so many workers begin, with their probabilities: those of the multinomial
/// distribution.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn starts(phases: &Phases, workers: u32) -> Result<Vec<(Ratio, Counts)>, TooManyPlaces> {
    let first: Vec<(usize, &Ratio)> = phases.first().collect();
    let mut found = vec![(Ratio::one(), vec![0; phases.exits.len()], workers)];
    for (number, &(phase, probability)) in first.iter().enumerate() {
        let is_last = number + 1 == first.len();
        let mut more = Vec::new();
        for (chance, counts, left) in &found {
            let (least, mut weight) =
                if is_last { (*left, chance * probability.pow(*left as i32)) } else { (0, chance.clone()) };
            for here in least..=*left {
                let mut counts: Counts = counts.clone();
                counts[phase] = here;
                more.push((weight.clone(), counts, left - here));
                // The next binomial coefficient: of the workers that are left, one more begins in this phase.
                weight = weight * probability * Ratio::new(BigInt::from(left - here), BigInt::from(here + 1));
            }
            if more.len() > MOST_PLACES {
                return Err(TooManyPlaces);
            }
        }
        found = more;
    }
    Ok(found.into_iter().map(|(chance, counts, _)| (chance, counts)).collect())
}
