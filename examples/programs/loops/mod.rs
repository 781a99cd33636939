//! Loops of parallel programs over workers of unequal speeds: on threads, or in turn on one processor.
//!
//! The workers' speeds are unequal on purpose: an item takes 1, 1.6 or 8 times as long, since its work is
//! repeated. What a loop computes does not depend on who computes it.

mod in_turn;
mod on_threads;
mod wire;

use std::error::Error;
use std::ops::Range;

use skel::distribute::RelativePerformance;

pub(crate) use in_turn::{InTurn, Manner};
pub(crate) use on_threads::OnThreads;
pub(crate) use wire::Wire;

/// A type of machine, and how long it takes for an item: in tenths of the time of the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) tenths: u32,
}

pub(crate) const FAST: Machine = Machine { name: "fast", tenths: 10 };
pub(crate) const MIDDLE: Machine = Machine { name: "middle", tenths: 16 };
pub(crate) const SLOW: Machine = Machine { name: "slow", tenths: 80 };
pub(crate) const TYPES: [Machine; 3] = [FAST, MIDDLE, SLOW];

/// Workers, each on a machine, and the relative performance that schedules are told.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    pub(crate) machines: Vec<Machine>,
    pub(crate) performance: RelativePerformance,
}

impl Team {
    /// So many workers on machines of each type, whose relative performance is what it was made to be.
    pub(crate) fn of(counts: [usize; 3]) -> Result<Team, Box<dyn Error>> {
        let machines: Vec<Machine> =
            TYPES.iter().zip(counts).flat_map(|(&machine, count)| vec![machine; count]).collect();
        let performance = RelativePerformance::of_times(machines.iter().map(|machine| machine.tenths))?;
        Ok(Team { machines, performance })
    }
}

/// What runs a loop.
pub(crate) trait Loops {
    /// Calls `work` with ranges that together have each of so many items once, and with how many tenths of
    /// the work each item is to take. The pieces are in order.
    ///
    /// `values` says how many numbers a program without common memory would send to a worker with a chunk of
    /// so many items, and get back.
    fn each<R: Send + 'static>(
        &mut self,
        items: usize,
        values: impl Fn(usize) -> [usize; 2],
        work: impl Fn(u32, Range<usize>) -> R + Sync,
    ) -> Result<Vec<R>, Box<dyn Error>>;
}

/// Does some work on parts of a length: all of them once, and again until so many tenths are done. The first
/// call is for all parts.
pub(crate) fn repeated(tenths: u32, length: usize, mut work: impl FnMut(Range<usize>)) {
    for _ in 0..tenths / 10 {
        work(0..length);
    }
    let rest = length * (tenths % 10) as usize / 10;
    if rest > 0 {
        work(0..rest);
    }
}
