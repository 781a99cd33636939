//! A fault-tolerant stage that passes on a result as soon as the majority have replied.
//!
//! The workers that have not replied by then go on with the item that they have. While they do, the team may receive the next one;
//! a worker that is done with its earlier item joins the one that the team has at that time, and leaves out those in between.

use super::counts::{Counts, Next, starts, steps, sum, total, with_one_in};
use super::{Draft, Place, Stands, Step, TooManyPlaces, explore};
use crate::number::Ratio;
use crate::skeleton::lowering::service::Phases;

/// In which phases the workers are.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Those that work on an earlier item.
    late: Counts,
    /// Where the team has an item: those that work on it. The others have replied.
    current: Option<Counts>,
}

/// The places of such a team, in which so many replies make an item complete.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn places(workers: u32, replies: u32, item: &Phases) -> Result<Vec<Place>, TooManyPlaces> {
    let first = Key { late: vec![0; item.exits.len()], current: None };
    explore(first, |key| {
        let Key { late, current } = key;
        let working = total(late) + current.as_ref().map_or(0, total);
        let mut drawn = late_steps(item, key);
        let Some(current) = current else {
            let begin = |(chance, counts)| (chance, Key { late: late.clone(), current: Some(counts) });
            let then = starts(item, workers - working)?.into_iter().map(begin).collect();
            return Ok(Draft { stands: Stands::Ready, working, steps: drawn, then });
        };
        let replied = workers - working;
        for (rate, next) in steps(item, current) {
            let (step, counts) = match next {
                Next::Phase(counts) => (Step::Phase, counts),
                Next::Done(counts) if replied + 1 == replies => (Step::Completion, counts),
                Next::Done(counts) => (Step::Reply, counts),
            };
            drawn.push((step, rate, Key { late: late.clone(), current: Some(counts) }));
        }
        if replied < replies {
            return Ok(Draft { stands: Stands::Serving, working, steps: drawn, then: Vec::new() });
        }
        let sent = Key { late: sum(late, current), current: None };
        Ok(Draft {
            stands: Stands::Complete,
            working,
            steps: drawn,
            then: vec![(Ratio::from_integer(1.into()), sent)],
        })
    })
}

/// What the workers with an earlier item do: one that is done with it joins the current item, or waits for the next.
#[cfg_attr(debug_assertions, inline)]
fn late_steps(item: &Phases, Key { late, current }: &Key) -> Vec<(Step, Ratio, Key)> {
    let mut found = Vec::new();
    for (rate, next) in steps(item, late) {
        match (next, current) {
            (Next::Phase(late), current) => {
                found.push((Step::Phase, rate, Key { late, current: current.clone() }));
            }
            (Next::Done(late), None) => found.push((Step::Late, rate, Key { late, current: None })),
            (Next::Done(late), Some(current)) => {
                found.extend(item.first().map(|(phase, probability)| {
                    let current = Some(with_one_in(current, phase));
                    (Step::Late, &rate * probability, Key { late: late.clone(), current })
                }));
            }
        }
    }
    found
}
