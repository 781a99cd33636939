//! The links between processors, as they are described before anything is checked.

use std::collections::BTreeMap;

use super::processor::ProcessorId;
use crate::quantity::Bandwidth;

/// The links of a platform, by pairs of processors.
///
/// # Examples
/// ```
/// use skel_plan::{Bandwidth, Links};
/// let bandwidth = Bandwidth::bytes_per_second;
/// // All links are equal, except for fast ones within a processor and slow ones between 1 and 2 in both directions.
/// let links = Links::everywhere(bandwidth(1000)).within(bandwidth(10_000)).between(1, 2, bandwidth(100));
/// assert_ne!(links, Links::none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    pub(super) others: Option<Bandwidth>,
    pub(super) within: Option<Bandwidth>,
    pub(super) pairs: BTreeMap<(ProcessorId, ProcessorId), Bandwidth>,
}

impl Links {
    /// No links at all.
    #[must_use]
    pub fn none() -> Self {
        Links::default()
    }

    /// A link of this bandwidth for every pair, and for each processor to itself.
    #[must_use]
    pub fn everywhere(bandwidth: Bandwidth) -> Self {
        Links { others: Some(bandwidth), ..Links::default() }
    }

    /// Links from a matrix, in which row `i` and column `j` have the link from processor `i` to processor `j`.
    #[must_use]
    pub fn from_matrix(rows: impl IntoIterator<Item = impl IntoIterator<Item = Bandwidth>>) -> Self {
        let mut links = Links::default();
        for (from, row) in rows.into_iter().enumerate() {
            for (to, bandwidth) in row.into_iter().enumerate() {
                links.pairs.insert((ProcessorId::from_index(from), ProcessorId::from_index(to)), bandwidth);
            }
        }
        links
    }

    /// The same with a link of this bandwidth from each processor to itself. A single link that is given takes precedence.
    #[must_use]
    pub fn within(self, bandwidth: Bandwidth) -> Self {
        Links { within: Some(bandwidth), ..self }
    }

    /// The same with this link from one processor to another, in one direction.
    #[must_use]
    pub fn one_way(
        mut self,
        from: impl Into<ProcessorId>,
        to: impl Into<ProcessorId>,
        bandwidth: Bandwidth,
    ) -> Self {
        self.pairs.insert((from.into(), to.into()), bandwidth);
        self
    }

    /// The same with this link between two processors, in both directions.
    #[must_use]
    pub fn between(
        self,
        one: impl Into<ProcessorId>,
        other: impl Into<ProcessorId>,
        bandwidth: Bandwidth,
    ) -> Self {
        let (one, other) = (one.into(), other.into());
        self.one_way(one, other, bandwidth.clone()).one_way(other, one, bandwidth)
    }

    pub(super) fn get(&self, from: ProcessorId, to: ProcessorId) -> Option<&Bandwidth> {
        let within = self.within.as_ref().filter(|_| from == to);
        self.pairs.get(&(from, to)).or(within).or(self.others.as_ref())
    }
}
