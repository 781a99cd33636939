//! Workers that serve one item together, as one component.
//!
//! The workers of a team are equal, so that a state need not say which of them does what. It says how many
//! are in which phase of their service, and the component changes from one such count to the next. That is
//! the chain that lumping would make of one component for each worker, cooperating on what they receive and
//! send; it is made here at once. For `n` workers with `p` phases it has about `(n + p)! / (n! p!)` places,
//! where the components alone would have `(p + 2)^n` combinations to look at.
//!
//! ```text
//! map(3, mu):  Ready --receive--> 3 work --3 mu--> 2 work --2 mu--> 1 works --mu--> Complete --send--> Ready
//! ```

mod barrier;
mod counts;
mod majority;

use std::collections::HashMap;

use crate::number::Ratio;
use crate::skeleton::lowering::service::Phases;
use crate::skeleton::tree::{TeamKind, TeamStage};

/// A team as a component. The first place is the one in which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Team {
    pub(super) places: Vec<Place>,
    /// How many workers it has.
    pub(super) workers: u32,
}

/// A place of the component.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) stands: Stands,
    /// How many workers work.
    pub(super) working: u32,
    /// What happens in the course of time: what it is, its rate, and the place where it leads.
    pub(super) steps: Vec<(Step, Ratio, usize)>,
    /// Where it leads to receive an item if the team is ready, or to send one if it is complete; each place
    /// with its probability.
    pub(super) then: Vec<(Ratio, usize)>,
}

/// How a team stands to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stands {
    /// It can receive an item.
    Ready,
    /// It has an item, which is not complete.
    Serving,
    /// It has an item, which is complete.
    Complete,
    /// Its workers take a new state, and it has no item.
    Renewing,
}

/// What happens in the course of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The reply with which the item is complete.
    Completion,
    /// Another reply.
    Reply,
    /// A worker enters another phase.
    Phase,
    /// A worker is done with an earlier item.
    Late,
    /// A worker has taken a new state.
    Renewal,
}

/// More places than a team may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooManyPlaces;

/// The most places of a team: each is a local state of its component.
pub(super) const MOST_PLACES: usize = 10_000;

impl Team {
    /// The component of a team: `item` are the phases of a worker's service, `state` those of the time that
    /// it takes for a new state.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(
        stage: &TeamStage,
        item: &Phases,
        state: Option<&Phases>,
    ) -> Result<Team, TooManyPlaces> {
        let workers = stage.workers;
        let places = match (&stage.kind, state) {
            (TeamKind::FaultTolerant { early: true }, _) => majority::places(workers, stage.replies(), item)?,
            (_, state) => {
                let chance = stage.chance_of_state();
                barrier::places(workers, item, state.zip(chance.as_ref()))?
            }
        };
        Ok(Team { places, workers })
    }
}

/// A place by what tells it apart, before it has a number.
struct Draft<K> {
    stands: Stands,
    working: u32,
    steps: Vec<(Step, Ratio, K)>,
    then: Vec<(Ratio, K)>,
}

/// All places that are reached from the first, numbered as they are found.
#[cfg_attr(debug_assertions, inline)]
fn explore<K: Clone + Eq + std::hash::Hash>(
    first: K,
    draft: impl Fn(&K) -> Result<Draft<K>, TooManyPlaces>,
) -> Result<Vec<Place>, TooManyPlaces> {
    let (mut keys, mut numbers) = (vec![first.clone()], HashMap::from([(first, 0)]));
    let mut places = Vec::new();
    while let Some(key) = keys.get(places.len()) {
        let Draft { stands, working, steps, then } = draft(key)?;
        let mut number = |key: K| {
            *numbers.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                keys.len() - 1
            })
        };
        let steps = steps.into_iter().map(|(step, rate, to)| (step, rate, number(to))).collect();
        let then = then.into_iter().map(|(chance, to)| (chance, number(to))).collect();
        places.push(Place { stands, working, steps, then });
        if keys.len() > MOST_PLACES {
            return Err(TooManyPlaces);
        }
    }
    Ok(places)
}
