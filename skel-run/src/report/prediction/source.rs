//! A source that is slower than the program.
//!
//! In the model the first task always has an item. In a run it waits for the source, and where it does so for
//! a noticeable part of the time, the model would be too fast. The threads of the first task take items from
//! the source themselves, one item after the other: so the time that they waited is made a part of their
//! service, and is told apart again in what the model answers. This part is taken from the measurement and
//! not predicted.

use super::shares::Shares;
use crate::report::calibration::Calibrated;
use crate::report::calibration::fits::fitted;
use crate::report::figures::TaskReport;

/// The wait of the first task for the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The mean wait for a parcel, in seconds.
    pub(super) wait: f64,
    /// The part of wait and service that is wait.
    part: f64,
}

/// The wait for the source, where it is noticeable.
pub(super) fn noticeable(tasks: &[TaskReport]) -> Option<Source> {
    let first = tasks.first()?;
    let mean = first.mean?;
    let wait = first.starved_for_each()?;
    Some(Source { wait, part: wait / (wait + mean) })
}

impl Source {
    /// The program with the wait, taken for exponential, as a part of the first task's service.
    pub(super) fn added_to(self, calibrated: &Calibrated) -> Calibrated {
        let mut calibrated = calibrated.clone();
        let Some(first) = calibrated.tasks.first_mut() else { return calibrated };
        let (service, scv) = (first.fitted.mean, first.fitted.scv.unwrap_or(1.0));
        let mean = self.wait + service;
        let variance = self.wait * self.wait + scv * service * service;
        first.fitted = fitted(mean, Some(variance / (mean * mean)), first.fitted.count);
        let (id, time) = (first.id, first.fitted.time.clone());
        let tree = calibrated.program.skeleton();
        let tree = tree.with_times(&|task, old| if task == id { time.clone() } else { old.clone() });
        calibrated.program = calibrated.program.with_skeleton(tree);
        calibrated
    }

    /// What the first task does, where its service has the wait in it: the wait is starvation.
    pub(super) fn told_apart(self, first: Shares) -> Shares {
        let starved = first.starved.map(|starved| starved + first.busy * self.part);
        Shares { busy: first.busy * (1.0 - self.part), starved, ..first }
    }
}
