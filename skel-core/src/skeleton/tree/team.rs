//! Teams: stages whose workers serve one item together.

use num_traits::One;

use super::TaskStage;
use crate::number::Ratio;
use crate::skeleton::word::TeamWord;
use crate::time::ServiceTime;

/// Workers that serve one item together, as one stage: they receive it jointly, and jointly they pass on what
/// they made of it.
///
/// Source: M. Danelutto and others, GridCOMP deliverable D.NFCF.03, sections 3 (the functional replication
/// skeletons) and 5.1 (a map with state).
#[derive(Clone, Debug, PartialEq)]
pub struct TeamStage {
    /// What the workers do together.
    pub kind: TeamKind,
    /// How many workers there are.
    pub workers: u32,
    /// What each worker does: its name, and the time for its part of an item.
    pub worker: TaskStage,
}

/// What the workers of a team do together.
#[derive(Clone, Debug, PartialEq)]
pub enum TeamKind {
    /// Each works on a part of every item; the parts are gathered when all are done.
    Map,
    /// Each computes the same from every item, in another way; the result of the majority is passed on.
    FaultTolerant {
        /// Whether the result is passed on as soon as the majority have replied. Else all replies are waited
        /// for.
        early: bool,
    },
    /// A map whose workers keep a state, which a second input replaces now and then. Items stop while it
    /// does.
    MapWithState(StateInput),
}

/// The second input of a map with state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateInput {
    /// How long a worker takes for a new state.
    pub time: ServiceTime,
    /// How many items there are for each state, on average.
    pub items: Ratio,
}

impl TeamStage {
    /// The word by which it is said.
    #[must_use]
    pub fn word(&self) -> TeamWord {
        match self.kind {
            TeamKind::Map => TeamWord::Map,
            TeamKind::FaultTolerant { .. } => TeamWord::FaultTolerant,
            TeamKind::MapWithState(_) => TeamWord::MapWithState,
        }
    }

    /// How many replies make an item complete: the majority in a fault-tolerant stage that passes on early,
    /// else all.
    #[must_use]
    pub fn replies(&self) -> u32 {
        match self.kind {
            TeamKind::FaultTolerant { early: true } => self.workers / 2 + 1,
            _ => self.workers,
        }
    }

    /// The mean time for which each worker works for an item at the least. The workers of a fault-tolerant
    /// stage that passes on early leave out some items; so many of them have to reply for each, as a part of
    /// all.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{text::parse, Stage}};
    /// let tree = parse("map_with_state(4, 1/5, state(1/2, 10));").into_tree()?;
    /// let Stage::Team(team) = tree.stage(tree.root()) else { unreachable!() };
    /// assert_eq!(team.least_work(), ratio(52, 10));
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn least_work(&self) -> Ratio {
        let time = self.worker.time.mean();
        match &self.kind {
            TeamKind::MapWithState(StateInput { time: of_state, items }) => time + of_state.mean() / items,
            _ => time * Ratio::new(self.replies().into(), self.workers.into()),
        }
    }

    /// The probability that a state comes before the next item: as many states come between two items as make
    /// the given mean, each time by chance.
    pub(in crate::skeleton) fn chance_of_state(&self) -> Option<Ratio> {
        match &self.kind {
            TeamKind::MapWithState(StateInput { items, .. }) => Some((items + Ratio::one()).recip()),
            _ => None,
        }
    }

    /// The service times of a worker: for its part of an item, and for a state.
    pub(super) fn times_mut(&mut self) -> impl Iterator<Item = &mut ServiceTime> {
        let of_state = match &mut self.kind {
            TeamKind::MapWithState(state) => Some(&mut state.time),
            _ => None,
        };
        std::iter::once(&mut self.worker.time).chain(of_state)
    }
}
