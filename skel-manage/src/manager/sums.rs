//! The service times of a task until a moment, as sums: what tells whether the load has changed.

use std::time::Duration;

use skel_run::monitor::{Snapshot, TaskFigures};

/// Sums of the service times of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) count: u64,
    sum: f64,
    squares: f64,
}

/// Of each task of a snapshot, in their order.
pub(super) fn of(snapshot: &Snapshot) -> Vec<Sums> {
    snapshot.tasks.iter().map(Sums::of).collect()
}

impl Sums {
    fn of(task: &TaskFigures) -> Self {
        task.replicas.iter().fold(Sums::default(), |sums, replica| Sums {
            count: sums.count + replica.timed,
            sum: sums.sum + seconds(replica.timed_service),
            squares: sums.squares + replica.squares as f64 * 1e-18,
        })
    }

    pub(super) fn since(self, earlier: Sums) -> Sums {
        Sums {
            count: self.count.saturating_sub(earlier.count),
            sum: self.sum - earlier.sum,
            squares: self.squares - earlier.squares,
        }
    }

    fn mean(self) -> f64 {
        self.sum / self.count as f64
    }

    /// The squared coefficient of variation.
    fn scv(self) -> f64 {
        let mean = self.mean();
        (self.squares / self.count as f64 / (mean * mean) - 1.0).max(0.0)
    }

    /// By how many standard errors the logarithms of two means differ; 0 where one of them has too few
    /// services. Logarithms, because the error of a mean time is in proportion to it.
    pub(super) fn differs(self, later: Sums, least: u64) -> f64 {
        if self.count < least || later.count < least || self.sum <= 0.0 || later.sum <= 0.0 {
            return 0.0;
        }
        let weight = |sums: Sums| sums.count as f64;
        let scv = (self.scv() * weight(self) + later.scv() * weight(later)) / (weight(self) + weight(later));
        let variance = scv.max(LEAST_SCV) * (1.0 / weight(self) + 1.0 / weight(later));
        (later.mean() / self.mean()).ln().abs() / variance.sqrt()
    }
}

/// Times that hardly vary still vary by what the clock and the machine add: 1 %.
const LEAST_SCV: f64 = 1e-4;

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
