//! A fault-tolerant stage that passes on a result as soon as the majority have replied.
//!
//! The workers that have not replied by then go on with the item that they have. While they do, the team
//! hands over the result and may receive the next item. A worker that is done with its earlier item joins the
//! one that the team serves at that time, if it serves one. Else it waits for the next: it leaves out an item
//! that is decided, also if that has not been handed over.

use super::counts::{Counts, Next, starts, steps, sum, total, with_one_in};
use super::{Draft, Place, Stands, Step, TooManyPlaces, explore};
use crate::number::Ratio;
use crate::skeleton::lowering::service::Phases;

/// What the team has, and in which phases the workers are.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// The workers that work on an earlier item, or on one that is decided.
    late: Counts,
    item: Item,
}

/// What the team has.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Item {
    None,
    /// An item that is not decided, and the workers that work on it. Those that are not late either have
    /// replied.
    Current(Counts),
    /// An item that is decided, and not handed over.
    Decided,
}

/// The places of such a team, in which so many replies make an item complete.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn places(workers: u32, replies: u32, service: &Phases) -> Result<Vec<Place>, TooManyPlaces> {
    let first = Key { late: vec![0; service.exits.len()], item: Item::None };
    explore(first, |key| {
        let late = &key.late;
        let mut drawn = late_steps(service, key);
        let (stands, on_item, then) = match &key.item {
            Item::None => {
                let begin =
                    |(chance, counts)| (chance, Key { late: late.clone(), item: Item::Current(counts) });
                let begun = starts(service, workers - total(late))?.into_iter().map(begin).collect();
                (Stands::Ready, 0, begun)
            }
            Item::Current(current) => {
                let missing = replies - (workers - total(late) - total(current));
                drawn.extend(replies_to(service, late, current, missing));
                (Stands::Serving, total(current), Vec::new())
            }
            Item::Decided => {
                let free = Key { late: late.clone(), item: Item::None };
                (Stands::Complete, 0, vec![(Ratio::from_integer(1.into()), free)])
            }
        };
        Ok(Draft { stands, working: total(late) + on_item, steps: drawn, then })
    })
}

/// What the workers with the current item do, where so many replies are missing. With the last of these, the
/// other workers are late.
#[cfg_attr(debug_assertions, inline)]
fn replies_to(service: &Phases, late: &Counts, current: &Counts, missing: u32) -> Vec<(Step, Ratio, Key)> {
    let step = |(rate, next)| match next {
        Next::Phase(counts) => (Step::Phase, rate, Key { late: late.clone(), item: Item::Current(counts) }),
        Next::Done(others) if missing == 1 => {
            (Step::Completion, rate, Key { late: sum(late, &others), item: Item::Decided })
        }
        Next::Done(others) => (Step::Reply, rate, Key { late: late.clone(), item: Item::Current(others) }),
    };
    steps(service, current).into_iter().map(step).collect()
}

/// What the late workers do: one that is done joins the current item, or waits for the next.
#[cfg_attr(debug_assertions, inline)]
fn late_steps(service: &Phases, Key { late, item }: &Key) -> Vec<(Step, Ratio, Key)> {
    let mut found = Vec::new();
    for (rate, next) in steps(service, late) {
        match (next, item) {
            (Next::Phase(late), _) => found.push((Step::Phase, rate, Key { late, item: item.clone() })),
            (Next::Done(late), Item::Current(current)) => {
                found.extend(service.first().map(|(phase, probability)| {
                    let item = Item::Current(with_one_in(current, phase));
                    (Step::Late, &rate * probability, Key { late: late.clone(), item })
                }));
            }
            (Next::Done(late), _) => found.push((Step::Late, rate, Key { late, item: item.clone() })),
        }
    }
    found
}
