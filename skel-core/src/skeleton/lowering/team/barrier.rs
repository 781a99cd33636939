//! Teams that wait for all their workers: a map, a fault-tolerant stage that waits for all replies, a map
//! with state.

use num_traits::One;

use super::counts::{Counts, Next, starts, steps, total};
use super::{Draft, Place, Stands, Step, TooManyPlaces, explore};
use crate::number::Ratio;
use crate::skeleton::lowering::service::Phases;

/// What the team does, and in which phases of it the workers are that are not done.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Ready,
    Serving(Counts),
    Complete,
    Renewing(Counts),
}

/// The places of such a team. `state` has the phases of the time for a new state, and the probability that
/// one comes before the next item.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn places(
    workers: u32,
    item: &Phases,
    state: Option<(&Phases, &Ratio)>,
) -> Result<Vec<Place>, TooManyPlaces> {
    let begin_item = in_each(starts(item, workers)?, Key::Serving);
    // What comes between two items: with some probability a new state.
    let between = match state {
        None => vec![(Ratio::one(), Key::Ready)],
        Some((phases, chance)) => {
            let begin_state = in_each(starts(phases, workers)?, Key::Renewing);
            let mut between = vec![(Ratio::one() - chance, Key::Ready)];
            between.extend(begin_state.into_iter().map(|(weight, key)| (weight * chance, key)));
            between
        }
    };
    let serving = |counts: &Counts| {
        let step = |(rate, next)| match next {
            Next::Phase(counts) => (Step::Phase, rate, Key::Serving(counts)),
            Next::Done(counts) if total(&counts) == 0 => (Step::Completion, rate, Key::Complete),
            Next::Done(counts) => (Step::Reply, rate, Key::Serving(counts)),
        };
        steps(item, counts).into_iter().map(step).collect()
    };
    let renewing = |phases: &Phases, counts: &Counts| {
        let step = |(rate, next): (Ratio, Next)| match next {
            Next::Phase(counts) => vec![(Step::Phase, rate, Key::Renewing(counts))],
            Next::Done(counts) if total(&counts) == 0 => {
                let last = |(chance, key): &(Ratio, Key)| (Step::Renewal, &rate * chance, key.clone());
                between.iter().map(last).collect()
            }
            Next::Done(counts) => vec![(Step::Renewal, rate, Key::Renewing(counts))],
        };
        steps(phases, counts).into_iter().flat_map(step).collect()
    };
    explore(Key::Ready, |key| {
        Ok(match key {
            Key::Ready => draft(Stands::Ready, 0, Vec::new(), begin_item.clone()),
            Key::Complete => draft(Stands::Complete, 0, Vec::new(), between.clone()),
            Key::Serving(counts) => draft(Stands::Serving, total(counts), serving(counts), Vec::new()),
            Key::Renewing(counts) => {
                let steps = state.map_or_else(Vec::new, |(phases, _)| renewing(phases, counts));
                draft(Stands::Renewing, total(counts), steps, Vec::new())
            }
        })
    })
}

fn in_each(starts: Vec<(Ratio, Counts)>, key: fn(Counts) -> Key) -> Vec<(Ratio, Key)> {
    starts.into_iter().map(|(chance, counts)| (chance, key(counts))).collect()
}

fn draft(
    stands: Stands,
    working: u32,
    steps: Vec<(Step, Ratio, Key)>,
    then: Vec<(Ratio, Key)>,
) -> Draft<Key> {
    Draft { stands, working, steps, then }
}
