//! Symmetry: mappings that differ only in which of several equal processors or equal workers is used have
//! equal throughputs.
//!
//! Such mappings count once. Processors of a class come in the order of their numbers, and the copies of a
//! farm's worker in the order of their processors. A mapping that keeps both orders is *canonical*, and only
//! canonical mappings are searched. Occasionally two of them are equal by symmetry, and a duplicate remains.

mod processors;
mod replicas;

use super::link_rates::LinkRates;
use crate::platform::{Platform, ProcessorId};
use crate::program::Application;
use processors::InterchangeableProcessors;
use replicas::InterchangeableWorkers;

/// The processors and the workers that may be exchanged without a change of any throughput.
#[derive(Clone, Debug)]
pub(super) struct Symmetry {
    processors: InterchangeableProcessors,
    workers: InterchangeableWorkers,
}

impl Symmetry {
    /// Finds them. The `fixed` processors are not exchanged.
    pub(super) fn new(
        application: &Application,
        platform: &Platform,
        links: &LinkRates,
        fixed: &[ProcessorId],
    ) -> Symmetry {
        Symmetry {
            processors: InterchangeableProcessors::new(platform, links, fixed),
            workers: InterchangeableWorkers::new(application),
        }
    }

    /// The processors on which a canonical mapping may have the next task, where the first ones are placed.
    pub(super) fn choices<'e>(&'e self, placed: &'e [usize]) -> impl Iterator<Item = usize> + 'e {
        self.processors.choices(placed).filter(|&processor| self.workers.allows_next(placed, processor))
    }

    /// Whether a canonical mapping may have so many tasks on each processor.
    pub(super) fn allows_loads(&self, loads: &[u32]) -> bool {
        self.processors.allows_used(|processor| loads[processor] > 0)
    }

    /// A canonical mapping that is equal to this one by symmetry.
    pub(super) fn canonical(&self, placed: &[usize]) -> Vec<usize> {
        let mut placed = self.processors.canonical(placed);
        // Each of the two makes the list smaller, in the order of lists, or leaves it as it is. So this ends.
        while self.workers.sort(&mut placed) {
            placed = self.processors.canonical(&placed);
        }
        placed
    }
}
