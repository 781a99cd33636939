//! Mappings in the order of their throughput.

use std::cmp::Ordering;

use crate::program::Mapping;
use crate::quantity::Throughput;

/// A mapping and its throughput.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ranked {
    /// The mapping.
    pub mapping: Mapping,
    /// Items per second.
    pub throughput: Throughput,
}

impl Ranked {
    /// The better one first.
    pub(crate) fn compare(&self, other: &Ranked) -> Ordering {
        let by_throughput = to_nine_digits(other.throughput).total_cmp(&to_nine_digits(self.throughput));
        by_throughput.then_with(|| self.mapping.cmp(&other.mapping))
    }
}

/// Mappings, best first; there is one at least.
///
/// Throughputs that are equal to nine digits are the same, and the mapping with the lower numbers is first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking(Vec<Ranked>);

impl Ranking {
    /// Puts mappings in order; there must be one.
    pub(crate) fn from_unsorted(mut ranked: Vec<Ranked>) -> Ranking {
        ranked.sort_by(Ranked::compare);
        Ranking(ranked)
    }

    /// The best mapping.
    #[must_use]
    pub fn best(&self) -> &Ranked {
        &self.0[0]
    }

    /// All, best first.
    #[must_use]
    pub fn mappings(&self) -> &[Ranked] {
        &self.0
    }

    /// The best of those that are worse than the best, to the digits that are compared.
    #[must_use]
    pub fn runner_up(&self) -> Option<&Ranked> {
        let best = to_nine_digits(self.best().throughput);
        self.0.iter().find(|ranked| to_nine_digits(ranked.throughput) < best)
    }

    /// How many are as good as the best, itself among them.
    #[must_use]
    pub fn ties(&self) -> usize {
        let best = to_nine_digits(self.best().throughput);
        self.0.iter().take_while(|ranked| to_nine_digits(ranked.throughput) == best).count()
    }

    /// The same with the first few alone; at least one.
    #[must_use]
    pub fn truncated(mut self, most: usize) -> Ranking {
        self.0.truncate(most.max(1));
        self
    }
}

/// A throughput to nine digits: solutions are right to ten, so equal ones become the same.
pub(crate) fn to_nine_digits(throughput: Throughput) -> f64 {
    format!("{:.8e}", throughput.value()).parse().unwrap_or(f64::NAN)
}
