//! Buffers: how many items can wait between two stages.

use crate::skeleton::count::Count;
use crate::skeleton::tree::StageId;

/// The capacities of the buffers between the stages of a program, in items. 0 stands for no buffer: a sender
/// then keeps its item until a receiver takes it.
///
/// A farm has one buffer before all its workers, and one behind them; each worker of a deal has a buffer of
/// its own, before and behind it. Of several statements about one buffer the narrowest holds: that about a
/// link, else that about a stage, else that about all; of two that are equally narrow, the later one.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{farm, pipe, task, Buffers, Skeleton, Structured};
/// let stages = pipe((task(2.0), farm(3, 1.0), task(2.0)));
/// let before_the_farm = stages.stage::<1>().id();
/// let program = stages.communicating(100.0).with_buffers(Buffers::everywhere(1).before(before_the_farm, 4));
/// let text = program.lower()?.to_string();
/// assert!(text.contains("Buffer_0_any1[4]") && text.contains("Buffer_any1_4[1]"), "{text}");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    everywhere: Option<i128>,
    before: Vec<(StageId, i128)>,
    links: Vec<((usize, usize), i128)>,
}

impl Buffers {
    /// The same capacity between any two stages.
    #[must_use]
    pub fn everywhere(capacity: impl Into<Count>) -> Self {
        Buffers { everywhere: Some(capacity.into().0), ..Buffers::default() }
    }

    /// The same, with another capacity where nothing narrower is said.
    #[must_use]
    pub fn with_capacity_of_all(self, capacity: impl Into<Count>) -> Self {
        Buffers { everywhere: Some(capacity.into().0), ..self }
    }

    /// The same, with another capacity before one stage: before the workers of a farm or a deal, if that is
    /// the stage or the stage is a worker.
    #[must_use]
    pub fn before(mut self, stage: StageId, capacity: impl Into<Count>) -> Self {
        self.before.push((stage, capacity.into().0));
        self
    }

    /// The same, with another capacity on the link from one task to another. It must be a link with a buffer
    /// of its own: the links to the workers of a farm share one.
    #[must_use]
    pub fn between(mut self, from: usize, to: usize, capacity: impl Into<Count>) -> Self {
        self.links.push(((from, to), capacity.into().0));
        self
    }

    /// Whether nothing is said of any buffer. There are none then in the model.
    #[must_use]
    pub fn are_unstated(&self) -> bool {
        *self == Buffers::default()
    }

    /// Whether something is said of a buffer between two tasks by their numbers.
    #[must_use]
    pub fn names_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// The same for a skeleton with other numbers of its stages: `number` has those that something is still
    /// said of.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn renumbered(&self, number: &dyn Fn(StageId) -> Option<StageId>) -> Buffers {
        let before = self.before.iter().filter_map(|&(stage, capacity)| Some((number(stage)?, capacity)));
        Buffers { before: before.collect(), ..self.clone() }
    }

    /// The capacity where nothing narrower is said.
    pub(super) fn of_all(&self) -> i128 {
        self.everywhere.unwrap_or(0)
    }

    /// The capacities before stages, in the order in which they were said.
    pub(super) fn of_stages(&self) -> &[(StageId, i128)] {
        &self.before
    }

    /// The capacities on links, in the order in which they were said.
    pub(super) fn of_links(&self) -> &[((usize, usize), i128)] {
        &self.links
    }
}
