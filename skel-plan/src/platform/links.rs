//! The links between processors, as they are described before anything is checked.

use std::collections::BTreeMap;

use super::link::Link;
use super::processor::ProcessorId;

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
    pub(super) others: Option<Link>,
    pub(super) within: Option<Link>,
    pub(super) pairs: BTreeMap<(ProcessorId, ProcessorId), Link>,
}

impl Links {
    /// No links at all.
    #[must_use]
    pub fn none() -> Self {
        Links::default()
    }

    /// Such a link for every pair, and for each processor to itself.
    #[must_use]
    pub fn everywhere(link: impl Into<Link>) -> Self {
        Links { others: Some(link.into()), ..Links::default() }
    }

    /// Links from a matrix, in which row `i` and column `j` have the link from processor `i` to processor
    /// `j`.
    #[must_use]
    pub fn from_matrix(rows: impl IntoIterator<Item = impl IntoIterator<Item = impl Into<Link>>>) -> Self {
        let mut links = Links::default();
        for (from, row) in rows.into_iter().enumerate() {
            for (to, link) in row.into_iter().enumerate() {
                links.pairs.insert((ProcessorId::from_index(from), ProcessorId::from_index(to)), link.into());
            }
        }
        links
    }

    /// The same with such a link from each processor to itself. A single link that is given takes precedence.
    #[must_use]
    pub fn within(self, link: impl Into<Link>) -> Self {
        Links { within: Some(link.into()), ..self }
    }

    /// The same with this link from one processor to another, in one direction.
    #[must_use]
    pub fn one_way(
        mut self,
        from: impl Into<ProcessorId>,
        to: impl Into<ProcessorId>,
        link: impl Into<Link>,
    ) -> Self {
        self.pairs.insert((from.into(), to.into()), link.into());
        self
    }

    /// The same with this link between two processors, in both directions.
    #[must_use]
    pub fn between(
        self,
        one: impl Into<ProcessorId>,
        other: impl Into<ProcessorId>,
        link: impl Into<Link>,
    ) -> Self {
        let (one, other, link) = (one.into(), other.into(), link.into());
        self.one_way(one, other, link.clone()).one_way(other, one, link)
    }

    pub(super) fn get(&self, from: ProcessorId, to: ProcessorId) -> Option<&Link> {
        let within = self.within.as_ref().filter(|_| from == to);
        self.pairs.get(&(from, to)).or(within).or(self.others.as_ref())
    }
}
