//! Mappings in the order of their throughputs.

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
    /// The order in which the mapping with the higher throughput comes first.
    pub(crate) fn compare(&self, other: &Ranked) -> Ordering {
        let by_throughput = to_nine_digits(other.throughput).total_cmp(&to_nine_digits(self.throughput));
        by_throughput.then_with(|| self.mapping.cmp(&other.mapping))
    }
}

/// Mappings, the best first. There is at least one.
///
/// Throughputs that agree in nine digits count as equal. Of mappings with equal throughputs, the one with the
/// lower numbers of processors comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking(Vec<Ranked>);

impl Ranking {
    /// Puts mappings in order. There must be at least one.
    pub(crate) fn from_unsorted(mut ranked: Vec<Ranked>) -> Ranking {
        ranked.sort_by(Ranked::compare);
        Ranking(ranked)
    }

    /// The best mapping.
    #[must_use]
    pub fn best(&self) -> &Ranked {
        &self.0[0]
    }

    /// All mappings, the best first.
    #[must_use]
    pub fn mappings(&self) -> &[Ranked] {
        &self.0
    }

    /// The best of the mappings whose throughputs are not equal to the highest, if there is one.
    #[must_use]
    pub fn runner_up(&self) -> Option<&Ranked> {
        let best = to_nine_digits(self.best().throughput);
        self.0.iter().find(|ranked| to_nine_digits(ranked.throughput) < best)
    }

    /// How many mappings have the highest throughput, the best one included.
    #[must_use]
    pub fn ties(&self) -> usize {
        let best = to_nine_digits(self.best().throughput);
        self.0.iter().take_while(|ranked| to_nine_digits(ranked.throughput) == best).count()
    }

    /// The same with no more than the first `most` mappings, but with at least one.
    #[must_use]
    pub fn truncated(mut self, most: usize) -> Ranking {
        self.0.truncate(most.max(1));
        self
    }
}

/// A throughput, rounded to nine digits. Solutions are right to ten, so equal throughputs become equal
/// numbers.
pub(crate) fn to_nine_digits(throughput: Throughput) -> f64 {
    format!("{:.8e}", throughput.value()).parse().unwrap_or(f64::NAN)
}
