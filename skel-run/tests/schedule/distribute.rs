//! Loops over indices whose workers are lost, slow, or told to end.

use std::panic::resume_unwind;

use shuttle::sync::atomic::{AtomicU32, Ordering};
use skel_distribute::{RelativePerformance, Schedule};
use skel_run::Control;
use skel_run::distribute::{LoopError, distribute};

use super::try_schedules_of;

/// A loop of four workers at most.
#[derive(Clone, Copy, Debug)]
struct Loop {
    schedule: Schedule,
    workers: usize,
    items: u64,
    /// The calls of the function, counted over all workers, at which it panics.
    panics: &'static [u32],
    /// Whether every worker that works while another one has nothing to do counts as lost.
    is_impatient: bool,
    /// The call that cancels the loop.
    cancels: Option<u32>,
}

const LOOP: Loop = Loop {
    schedule: Schedule::Guided { least: 1 },
    workers: 2,
    items: 6,
    panics: &[],
    is_impatient: false,
    cancels: None,
};

impl Loop {
    fn run(&self) {
        let calls = AtomicU32::new(0);
        let control = Control::new();
        let workers = RelativePerformance::equal(self.workers).unwrap();
        let settings = distribute(0..self.items).by(self.schedule).over(workers).attempts(u32::MAX);
        let settings =
            if self.is_impatient { settings.lost_after(std::time::Duration::ZERO) } else { settings };
        let ended = settings.controlled_by(&control).run(|range| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            if self.cancels == Some(call) {
                control.cancel();
            }
            if self.panics.contains(&call) {
                resume_unwind(Box::new("the worker dies"));
            }
            range.sum::<u64>()
        });
        let pieces = match ended {
            Ok(all) => all.into_pieces(),
            Err(error) => {
                let is_expected = match &error {
                    LoopError::AllLost(partial) => partial.report().losses().count() == self.workers,
                    LoopError::Cancelled(_) => self.cancels.is_some(),
                    _ => false,
                };
                assert!(is_expected, "{error}");
                let partial = error.into_partial().unwrap();
                assert!(!partial.missing().is_empty());
                let missing = partial.missing().to_vec();
                let missing = missing.into_iter().map(|range| (range.clone(), range.sum()));
                let mut all: Vec<_> = missing.chain(partial.into_pieces()).collect();
                all.sort_by_key(|(range, _)| range.start);
                all
            }
        };
        let end = pieces.iter().fold(0, |at, (range, sum)| {
            assert_eq!((range.start, range.clone().sum::<u64>()), (at, *sum));
            range.end
        });
        assert_eq!(end, self.items, "every index once");
    }
}

fn explore(loops: &[Loop]) {
    for one in loops.iter().copied() {
        try_schedules_of(&format!("{one:?}"), move || one.run());
    }
}

#[test]
fn chunks_are_given_out() {
    explore(&[
        LOOP,
        Loop { schedule: Schedule::Vrp, workers: 3, ..LOOP },
        Loop { schedule: Schedule::AdaptiveChunk, workers: 3, items: 8, ..LOOP },
        Loop { cancels: Some(1), ..LOOP },
        Loop { cancels: Some(0), panics: &[1], workers: 3, ..LOOP },
    ]);
}

#[test]
fn workers_of_loops_die() {
    explore(&[
        Loop { panics: &[0], ..LOOP },
        Loop { panics: &[0, 1], ..LOOP },
        Loop { panics: &[1, 2], workers: 3, schedule: Schedule::Vrp, ..LOOP },
        Loop { panics: &[2, 3], workers: 3, schedule: Schedule::SelfScheduling, ..LOOP },
    ]);
}

#[test]
fn workers_of_loops_are_slow() {
    let slow = Loop { is_impatient: true, ..LOOP };
    explore(&[
        slow,
        Loop { schedule: Schedule::Vrp, workers: 3, ..slow },
        Loop { schedule: Schedule::Factoring, workers: 3, panics: &[1], ..slow },
        Loop { schedule: Schedule::Vrp, workers: 3, panics: &[0, 3], ..slow },
        Loop { workers: 3, cancels: Some(2), ..slow },
    ]);
}
