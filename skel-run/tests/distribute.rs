//! Loops on threads: every index has its result exactly once, whichever workers are lost or slow.
#![cfg(feature = "distribute")]

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::Duration;

use proptest::prelude::*;
use skel_distribute::{RelativePerformance, Schedule};
use skel_run::Control;
use skel_run::distribute::{Distributed, Learned, Loop, LoopError, LossCause, distribute};

/// When workers count as lost for being slow.
#[derive(Clone, Copy, Debug)]
enum Patience {
    Endless,
    /// In microseconds.
    After(u64),
    Beyond(f64),
}

/// A loop and what goes wrong in it.
#[derive(Clone, Debug)]
struct Case {
    schedule: Schedule,
    weights: Vec<u32>,
    items: u64,
    patience: Patience,
    attempts: u32,
    /// Workers that panic, each at which of its calls.
    deaths: Vec<(usize, u32)>,
    /// An item at which every worker panics.
    bad_item: Option<u64>,
    /// Decides which calls are slow.
    delays: u64,
}

impl Case {
    /// A few calls take some time.
    fn delay(&self, worker: usize, range: &Range<u64>) {
        let mixed =
            (self.delays ^ range.start ^ (worker as u64) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
        match mixed {
            0..8 => std::thread::sleep(Duration::from_micros(mixed * 20)),
            8..64 => std::thread::yield_now(),
            _ => {}
        }
    }

    fn set<'l>(&self, settings: Loop<'l, u64>) -> Loop<'l, u64> {
        let settings = match self.patience {
            Patience::Endless => settings,
            Patience::After(time) => settings.lost_after(Duration::from_micros(time)),
            Patience::Beyond(factor) => settings.lost_beyond(factor),
        };
        let performance = RelativePerformance::of_weights(self.weights.iter().copied()).unwrap();
        settings.by(self.schedule).over(&performance).attempts(self.attempts)
    }

    fn run(&self) -> Result<Distributed<u64, u64>, LoopError<u64, u64>> {
        let calls: Vec<AtomicU32> = self.weights.iter().map(|_| AtomicU32::new(0)).collect();
        self.set(distribute(0..self.items)).run_by(|worker, range| {
            let call = calls[worker].fetch_add(1, Relaxed);
            self.delay(worker, &range);
            let is_bad = self.bad_item.is_some_and(|bad| range.contains(&bad));
            if is_bad || self.deaths.contains(&(worker, call)) {
                // Without the hook, which would print a message.
                resume_unwind(Box::new("the worker dies"));
            }
            range.sum()
        })
    }

    /// Runs it, and looks at what came out.
    fn check(&self) {
        let ended = self.run();
        let (pieces, missing, report) = match &ended {
            Ok(all) => (all.pieces(), &[][..], all.report()),
            Err(error) => {
                let partial = error.partial().expect("the loop began");
                (partial.pieces(), partial.missing(), partial.report())
            }
        };
        assert!(pieces.iter().all(|(range, sum)| range.clone().sum::<u64>() == *sum), "{self:?}");
        let mut parts: Vec<Range<u64>> = pieces.iter().map(|(range, _)| range.clone()).collect();
        parts.extend(missing.iter().cloned());
        parts.sort_by_key(|range| range.start);
        let end = parts.iter().fold(0, |at, range| {
            assert!(range.start == at && range.end > at, "{range:?} comes behind {at}: {self:?}");
            range.end
        });
        assert_eq!(end, self.items, "{self:?}");
        let finished: u64 = report.workers().iter().map(|worker| worker.items).sum();
        assert_eq!(
            finished,
            pieces.iter().map(|(range, _)| range.end - range.start).sum::<u64>(),
            "{self:?}"
        );
        assert_eq!(report.timeline().iter().filter(|call| call.counts).count(), pieces.len());
        match &ended {
            Ok(_) => {
                assert!(self.items == 0 || self.bad_item.is_none_or(|bad| bad >= self.items), "{self:?}");
            }
            Err(LoopError::AllLost(_)) => assert_eq!(report.losses().count(), self.weights.len(), "{self:?}"),
            Err(LoopError::Failed { range, workers, .. }) => {
                assert_eq!(*workers, self.attempts, "{self:?}");
                // A slow worker may panic on items that another one has in its hands, and finishes.
                let is_missing = missing.iter().any(|gap| gap.start <= range.start && range.end <= gap.end);
                assert!(is_missing || !matches!(self.patience, Patience::Endless), "{self:?}");
            }
            Err(other) => panic!("{other}: {self:?}"),
        }
    }
}

fn schedule() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        8 => proptest::sample::select(Schedule::PLAIN.to_vec()),
        1 => (1_u64..40).prop_map(|items| Schedule::Chunked { items }),
        2 => (1_u64..20).prop_map(|phases| Schedule::VrpSelfScheduling { phases }),
    ]
}

fn weights() -> impl Strategy<Value = Vec<u32>> {
    let some = |weights: &Vec<u32>| weights.iter().any(|weight| *weight > 0);
    proptest::collection::vec(0_u32..5, 1..6).prop_filter("some weight is above 0", some)
}

prop_compose! {
    fn case()(
        schedule in schedule(),
        weights in weights(),
        items in 0_u64..200,
        patience in prop_oneof![
            3 => Just(Patience::Endless),
            1 => Just(Patience::After(0)),
            2 => (1_u64..200).prop_map(Patience::After),
            1 => Just(Patience::Beyond(1.5)),
        ],
        attempts in prop_oneof![2 => Just(u32::MAX), 1 => Just(2_u32), 1 => Just(1_u32)],
        deaths in proptest::collection::vec((0_usize..6, 0_u32..6), 0..6),
        bad_item in proptest::option::weighted(0.1, 0_u64..200),
        delays in any::<u64>(),
    ) -> Case {
        Case { schedule, weights, items, patience, attempts, deaths, bad_item, delays }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_index_has_its_result_once(case in case()) {
        case.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "the same, ten times as often"]
    fn every_index_has_its_result_once_in_10_000_loops(case in case()) {
        case.check();
    }
}

/// One worker waits inside of its chunk until the others have done it, and comes too late.
#[test]
fn a_result_that_comes_second_does_not_count() {
    let (is_done, done) = channel();
    let done = Mutex::new(done);
    let chunks = distribute(0..20_usize)
        .by(Schedule::Chunked { items: 10 })
        .over(2)
        .lost_after(Duration::from_millis(1))
        .run_by(|worker, range| {
            if worker == 0 && range.start == 0 {
                done.lock().unwrap().recv().expect("another worker takes the items");
            } else if range.start == 0 {
                is_done.send(()).unwrap();
                // The result of this call is handed over before the other worker's function returns, or soon
                // after: either may count.
            }
            (worker, range)
        });
    let chunks = chunks.unwrap();
    assert_eq!(chunks.pieces().iter().map(|(range, _)| range.clone()).collect::<Vec<_>>(), [0..10, 10..20]);
    for (range, (_, worked_on)) in chunks.pieces() {
        assert_eq!(range, worked_on);
    }
}

#[test]
fn a_panic_on_the_same_indices_is_an_error_of_the_program() {
    let error = distribute(100..200_u32)
        .by(Schedule::Chunked { items: 10 })
        .over(3)
        .run(|range| {
            if range.contains(&142) {
                resume_unwind(Box::new("no root of -1"));
            }
        })
        .unwrap_err();
    let words = error.to_string();
    assert!(words.starts_with("the function panicked on 140..150 in 2 workers: no root of -1; "), "{words}");
    let LoopError::Failed { range, workers, message, partial } = error else { panic!("{words}") };
    assert_eq!((range.clone(), workers, message.as_str()), (140..150, 2, "no root of -1"));
    assert!(partial.missing().iter().any(|gap| gap.start <= 140 && gap.end >= 150));
}

#[test]
fn the_first_panic_may_end_the_loop() {
    let error = distribute(0..5_i64).by(Schedule::SelfScheduling).over(1).attempts(1).run(|range| {
        if range.start == 3 {
            resume_unwind(Box::new("three"));
        }
        range.start
    });
    let error = error.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the function panicked on index 3: three; 2 of 5 indices have no result: 3..5"
    );
    assert_eq!(error.into_partial().unwrap().into_pieces(), [(0..1, 0), (1..2, 1), (2..3, 2)]);
}

#[test]
fn all_workers_may_be_lost() {
    let error = distribute(0..10_usize).by(Schedule::Chunked { items: 2 }).over(1).run(|range| {
        if range.start == 4 {
            resume_unwind(Box::new("gone"));
        }
    });
    let words = error.unwrap_err().to_string();
    let (first, second) = words.split_once('\n').expect("two lines");
    assert_eq!(first, "every worker was lost; 6 of 10 indices have no result: 4..10");
    assert!(
        second.starts_with("worker 0 was lost after ") && second.ends_with(": it panicked: gone"),
        "{second}"
    );
}

#[test]
fn a_lost_worker_is_in_the_report() {
    let calls = AtomicU32::new(0);
    let squares = distribute(0..50_u64).by(Schedule::Guided { least: 1 }).over(2).run(|range| {
        if calls.fetch_add(1, Relaxed) == 0 {
            resume_unwind(Box::new("the first one"));
        }
        range.map(|index| index * index).sum::<u64>()
    });
    let squares = squares.unwrap();
    let lost: Vec<LossCause> = squares.report().losses().map(|(_, loss)| loss.cause.clone()).collect();
    assert_eq!(lost, [LossCause::Panicked("the first one".to_owned())]);
    assert!(squares.report().to_string().contains(": it panicked: the first one\n"));
    let scenario = squares.report().scenario().expect("items were finished");
    assert_eq!((scenario.items(), scenario.machines(), scenario.losses().len()), (50, 2, 1));
    assert_eq!(squares.into_values().sum::<u64>(), 40_425);
}

#[test]
fn loops_are_cancelled() {
    let control = Control::new();
    let stop = control.clone();
    let error =
        distribute(0..1000_u64).by(Schedule::SelfScheduling).over(2).controlled_by(&control).run(|range| {
            if range.start == 20 {
                stop.cancel();
            }
            range.start
        });
    let error = error.unwrap_err();
    assert!(error.to_string().starts_with("the loop was cancelled; 9"), "{error}");
    assert!(matches!(error, LoopError::Cancelled(_)));
    let partial = error.into_partial().unwrap();
    assert!((21..100).contains(&partial.pieces().len()), "chunks in the hands of workers are finished");
    // The handle stays cancelled.
    let error = distribute(0..10_u64).over(2).controlled_by(&control).run(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the loop was cancelled; 10 of 10 indices have no result: 0..10");
}

#[test]
fn everything_that_is_wrong_is_said() {
    let settings =
        distribute(0..10_u64).by(Schedule::Chunked { items: 0 }).over(0).attempts(0).lost_beyond(0.5);
    let error = settings.run(|_| ()).unwrap_err();
    assert!(error.partial().is_none());
    assert_eq!(
        error.to_string(),
        "there are 0 workers; help: there may be from 1 to 4096, each of which is a thread\n\
         `CSS(0)` gives out chunks of 0 items; help: a chunk has at least one item: `CSS(1)`\n\
         the loop would end after 0 panics on the same indices; help: at least 1: the first panic ends the loop\n\
         workers would be lost beyond 0.5 times the expected time; help: the factor must be above 1 and finite: 10, say"
    );
    let many = distribute(0..10_u64).over(usize::MAX).run(|_| ()).unwrap_err().to_string();
    assert!(many.ends_with("from 1 to 4096, each of which is a thread"), "{many}");
}

#[test]
fn a_loop_may_have_no_index() {
    let nothing = distribute(5..5_i32).over(3).run(|_| ()).unwrap();
    assert!(nothing.pieces().is_empty() && nothing.report().scenario().is_none());
    assert_eq!((nothing.report().chunks(), nothing.report().seconds()), (0, 0.0));
    assert!(nothing.report().to_string().starts_with("0 items in 0 ns by AWF-C: 0 chunks, "));
    let mut learned = Learned::new();
    for _ in 0..2 {
        distribute(0..0_u64).learning(&mut learned).over(2).run(|_| ()).unwrap();
    }
}

#[test]
fn reports_are_json() {
    let sums = distribute(0..7_u64).by(Schedule::Chunked { items: 3 }).over(1).run(Iterator::sum::<u64>);
    let report: serde_json::Value = serde_json::from_str(&sums.unwrap().report().to_json()).unwrap();
    assert_eq!((&report["schedule"], &report["chunks"]), (&"CSS(3)".into(), &3.into()));
    assert_eq!(report["workers"][0]["items"], 7);
    assert_eq!(report["timeline"][2]["items"], serde_json::json!([6, 7]));
    assert_eq!(report["timeline"][2]["counts"], true);
}
