//! Mappings that are equal because processors or workers are: of each kind one is looked at, now and then a few.

mod processors;
mod replicas;

use crate::platform::{Platform, ProcessorId};
use crate::program::Application;
use processors::InterchangeableProcessors;
use replicas::InterchangeableWorkers;

/// What may be exchanged without changing a throughput.
#[derive(Clone, Debug)]
pub(super) struct Symmetry {
    processors: InterchangeableProcessors,
    workers: InterchangeableWorkers,
}

impl Symmetry {
    /// Finds them; `fixed` processors are like no other.
    pub(super) fn new(application: &Application, platform: &Platform, fixed: &[ProcessorId]) -> Symmetry {
        Symmetry {
            processors: InterchangeableProcessors::new(platform, fixed),
            workers: InterchangeableWorkers::new(application),
        }
    }

    /// The processors on which the next task may be, where some tasks are placed.
    pub(super) fn choices<'e>(&'e self, placed: &'e [usize]) -> impl Iterator<Item = usize> + 'e {
        self.processors.choices(placed).filter(|&processor| self.workers.allows_next(placed, processor))
    }

    /// Whether a mapping that is looked at may have so many tasks on each processor.
    pub(super) fn allows_loads(&self, loads: &[u32]) -> bool {
        self.processors.allows_used(|processor| loads[processor] > 0)
    }

    /// An equal of a mapping that is looked at.
    pub(super) fn canonical(&self, placed: &[usize]) -> Vec<usize> {
        let mut placed = self.processors.canonical(placed);
        // Either makes the list less where it changes anything, so this ends.
        while self.workers.sort(&mut placed) {
            placed = self.processors.canonical(&placed);
        }
        placed
    }
}
