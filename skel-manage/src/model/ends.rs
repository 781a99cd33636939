//! The source and the output of a program: how long they make it wait.
//!
//! A single thread waits for the source between two services: so what is missing to `T_A` is a part of the
//! first task's service. Where several threads take items in turn, each of them waits for `T_A` at the least.
//! The output makes the last task wait likewise. These waits are taken for exponential.

use skel_core::skeleton::Tree;

use super::leaf::Leaf;
use super::numbers::Numbers;
use crate::measure::Measures;
use crate::quantity::ServiceTime;

/// The source and the output, in seconds for each item that leaves the program; 0 where they do not set the
/// pace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub(super) arrival: f64,
    pub(super) output: f64,
}

impl Ends {
    /// The ends as measured. The first and the last leaf get their waits.
    pub(super) fn of(leaves: &mut [Leaf], tree: &Tree, numbers: &Numbers, measures: &Measures) -> Ends {
        let is_single = |leaf: &Leaf| numbers.replicas(tree, leaf.id) == 1;
        let time = |time: Option<ServiceTime>| time.map_or(0.0, ServiceTime::seconds).max(0.0);
        let (arrival, output) = (time(measures.arrival_time), time(measures.output_time));
        let wait = |leaf: Option<&mut Leaf>, pace: f64| {
            let Some(leaf) = leaf.filter(|_| pace > 0.0) else { return 0.0 };
            let served = leaf.moments(numbers.at(leaf.id), u64::MAX).mean;
            leaf.wait += if is_single(leaf) { (pace - served).max(0.0) } else { pace };
            pace * leaf.visits
        };
        let arrival = wait(leaves.first_mut(), arrival);
        Ends { arrival, output: wait(leaves.last_mut(), output) }
    }

    pub(super) fn slowest(self) -> f64 {
        self.arrival.max(self.output)
    }
}
