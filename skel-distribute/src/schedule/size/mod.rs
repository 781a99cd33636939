//! How many items the next chunk has: a file for each kind of schedule.

mod adaptive;
mod factoring;
mod trapezoid;

use num_bigint::BigInt;
use skel_core::number::Ratio;

use super::definition::{LibraryVariant, Schedule};
use crate::arithmetic::{Arithmetic, ceiling_of_fraction};
use crate::performance::RelativePerformance;
use adaptive::Adaptive;
use factoring::{Base, Factoring};
use trapezoid::Trapezoid;

/// A schedule under way. Sizes are at least 1, except for shares that are 0, and they may be more than what
/// is left.
#[derive(Clone, Debug)]
pub(super) enum Sizes<N: Arithmetic> {
    /// The same for all.
    Constant(u64),
    /// The same whenever a machine asks.
    OfMachine(Vec<u64>),
    /// What is left of the share of each machine.
    Shares {
        left: Vec<u64>,
        performance: RelativePerformance,
    },
    /// `max(least, ceil(R/P))`
    Guided {
        machines: u64,
        least: u64,
    },
    /// `floor(R/2P)` while `R >= 2P(least + 1)`, then `least`
    LlvmGuided {
        machines: u64,
        least: u64,
    },
    Trapezoid(Trapezoid),
    Factoring(Factoring),
    /// The part of what is left that a machine gets.
    Weighted(Vec<N>),
    Adaptive(Adaptive<N>),
}

impl<N: Arithmetic> Sizes<N> {
    /// The schedule has been checked.
    pub(super) fn new(schedule: &Schedule, items: u64, performance: &RelativePerformance) -> Sizes<N> {
        let machines = performance.machines() as u64;
        match *schedule {
            Schedule::Vrp => {
                Sizes::Shares { left: performance.shares(items), performance: performance.clone() }
            }
            Schedule::SelfScheduling => Sizes::Constant(1),
            Schedule::Chunked { items } => Sizes::Constant(items),
            Schedule::Guided { least } => Sizes::Guided { machines, least },
            Schedule::Trapezoid { ends } => {
                let (first, last) = ends.unwrap_or((doubled_ceiling(items, machines), 1));
                Sizes::Trapezoid(Trapezoid::new(items, first, last))
            }
            Schedule::Factoring => Sizes::Factoring(Factoring::new(Base::HalfOfRest, items, machines)),
            Schedule::WeightedFactoring => Sizes::Weighted(halves(performance)),
            Schedule::AdaptiveBatch => Sizes::Adaptive(Adaptive::by_batch(performance.machines())),
            Schedule::AdaptiveChunk => Sizes::Adaptive(Adaptive::by_chunk(performance.machines())),
            Schedule::VrpSelfScheduling { phases } => Sizes::OfMachine(of_phase(items, performance, phases)),
            Schedule::OfLibrary(variant) => Sizes::of_library(variant, items, machines),
        }
    }

    fn of_library(variant: LibraryVariant, items: u64, machines: u64) -> Sizes<N> {
        match variant {
            LibraryVariant::LlvmGuided { least } => Sizes::LlvmGuided { machines, least },
            LibraryVariant::LlvmTrapezoid => {
                let first = (items / 2 / machines).max(1);
                Sizes::Trapezoid(Trapezoid::new(items, first, 1))
            }
            LibraryVariant::HalvedFactoring => {
                Sizes::Factoring(Factoring::new(Base::HalfOfLast, items, machines))
            }
            LibraryVariant::FactoringByFormula => {
                Sizes::Factoring(Factoring::new(Base::ByFormula, items, machines))
            }
        }
    }

    /// The size of the chunk for a machine, where so many items are left, at least one.
    pub(super) fn next(&mut self, machine: usize, left: u64) -> u64 {
        match self {
            Sizes::Constant(size) => *size,
            Sizes::OfMachine(sizes) => sizes[machine],
            Sizes::Shares { left, .. } => std::mem::take(&mut left[machine]),
            Sizes::Guided { machines, least } => left.div_ceil(*machines).max(*least),
            Sizes::LlvmGuided { machines, least } => {
                let enough = 2 * u128::from(*machines) * (u128::from(*least) + 1);
                if u128::from(left) >= enough { left / 2 / *machines } else { *least }
            }
            Sizes::Trapezoid(trapezoid) => trapezoid.next(),
            Sizes::Factoring(factoring) => factoring.next(left),
            Sizes::Weighted(parts) => (N::from_items(left) * parts[machine].clone()).ceiling().max(1),
            Sizes::Adaptive(adaptive) => adaptive.next(machine, left),
        }
    }

    /// A size that no chunk exceeds, where there is one below that of all items.
    pub(super) fn largest(&self) -> Option<u64> {
        match self {
            Sizes::Constant(size) => Some(*size),
            Sizes::OfMachine(sizes) => sizes.iter().max().copied(),
            _ => None,
        }
    }

    /// A machine finished so many items in a time above 0.
    pub(super) fn finished(&mut self, machine: usize, items: u64, time: N) {
        if let Sizes::Adaptive(adaptive) = self {
            adaptive.finished(machine, items, time);
        }
    }

    /// A machine is lost, and so many items came back.
    pub(super) fn lost(&mut self, is_lost: &[bool], machine: usize, came_back: u64) {
        let Sizes::Shares { left, performance } = self else { return };
        let items = came_back + std::mem::take(&mut left[machine]);
        let weights = performance.weights().iter().zip(is_lost);
        let remaining =
            weights.map(|(weight, &is_lost)| if is_lost { Ratio::default() } else { weight.clone() });
        let alive = is_lost.iter().map(|&is_lost| i64::from(!is_lost));
        // Those that remain may all have the weight 0. They do the work nevertheless.
        let remaining = RelativePerformance::of_weights(remaining)
            .or_else(|_| RelativePerformance::of_weights(alive.clone()));
        if let Ok(remaining) = remaining {
            left.iter_mut().zip(remaining.shares(items)).for_each(|(left, more)| *left += more);
        }
    }
}

/// `ceil(x / 2y)`
fn doubled_ceiling(x: u64, y: u64) -> u64 {
    x.div_ceil(2).div_ceil(y)
}

/// Half of the part of each machine in the sum of all.
fn halves<N: Arithmetic>(performance: &RelativePerformance) -> Vec<N> {
    let whole = performance.whole();
    let twice: BigInt = whole.sum * 2;
    whole.weights.into_iter().map(|weight| N::from_ratio(&Ratio::new(weight, twice.clone()))).collect()
}

/// The share of each machine in one of several phases, at least 1.
fn of_phase(items: u64, performance: &RelativePerformance, phases: u64) -> Vec<u64> {
    let whole = performance.whole();
    let sum: BigInt = whole.sum * phases;
    whole.weights.into_iter().map(|weight| ceiling_of_fraction(&(weight * items), &sum).max(1)).collect()
}
