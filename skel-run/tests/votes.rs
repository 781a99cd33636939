//! Fault-tolerant stages: each worker computes the same in another way, and the majority decides.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};

use proptest::prelude::*;
use skel_core::skeleton::{Program, Skeleton, StageId, Tree, text};
use skel_run::functions::{Alone, Fallible, NoMajority, Plain, Start, Vote};
use skel_run::{Control, Error, Refused, Run};

/// A worker that may fail.
type Voter = fn(&u64) -> Result<u64, String>;

fn program(skeleton: &str) -> Program<Tree> {
    text::parse(skeleton).into_tree().expect("the skeleton is sound").communicating(1e6)
}

const WORDS: [&str; 2] = ["", ", early"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Each item says what each of five workers replies; 9 stands for a panic.
    #[test]
    fn the_results_are_those_of_the_sequential_vote(
        items in proptest::collection::vec([0..3u8, 0..3u8, 0..10u8, 0..3u8, 0..10u8], 0..30),
    ) {
        for early in WORDS {
            let reply = |worker: usize| move |item: &[u8; 5]| {
                assert_ne!(item[worker], 9, "no reply");
                item[worker]
            };
            let leaf: Vote<_, Plain<u8>, _> = Vote::new([0, 1, 2, 3, 4].map(reply));
            let program = program(&format!("fault_tolerant(5, \"vote\", 1{early});"));
            let functions = Start.then(leaf).skip_failures();
            let (results, report) = Run::from_generated_code(program, functions).collect(items.clone()).unwrap();
            let expected: Vec<u8> = items.iter().filter_map(majority).collect();
            prop_assert_eq!(&results, &expected);
            prop_assert_eq!(report.skipped() + report.delivered(), items.len() as u64);
        }
    }
}

fn majority(item: &[u8; 5]) -> Option<u8> {
    (0..9).find(|&said| item.iter().filter(|&&reply| reply == said).count() >= 3)
}

#[test]
fn functions_of_different_types_vote() {
    let offset = 1;
    let slow = |item: &u64| (0..*item).map(|_| 1).sum::<u64>() + offset;
    let wrong = |_: &u64| 0;
    let leaf: Vote<u64, Plain<u64>, _> = Vote::new((slow, |item: &u64| item + 1, wrong));
    let (results, _) = Run::from_generated_code(program("pipe(fault_tolerant(3, 1));"), Start.then(leaf))
        .collect(0..100)
        .unwrap();
    assert_eq!(results, (1..101).collect::<Vec<u64>>());
}

#[test]
fn no_majority_is_an_error_of_the_item() {
    for early in WORDS {
        let functions: [Voter; 3] = [
            |item| Ok(*item),
            |item| Ok(item + item / 5),
            |item| if *item < 5 { Ok(*item) } else { Err("too much".to_owned()) },
        ];
        let leaf: Vote<_, Fallible<u64, String>, _> = Vote::new(functions);
        let program = program(&format!("fault_tolerant(3, \"vote\", 1{early});"));
        let error = Run::from_generated_code(program, Start.then(leaf)).over(0..10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the stage `vote` could not serve item 5, counted from 0: no majority: no two of 3 workers agree, where 2 \
             have to; worker 2, counted from 0, failed: too much; 5 items were delivered before"
        );
        let Error::Failed(failure) = error else { unreachable!() };
        let skel_run::functions::Cause::Error(cause) = failure.cause() else { unreachable!() };
        assert_eq!(cause.downcast_ref::<NoMajority>().map(|error| error.agreed), Some(1));
    }
}

/// A worker that hangs at its first item blocks nobody. Once it is released, it joins.
#[test]
fn early_results_do_not_wait_for_a_worker_that_hangs() {
    let (release, released) = mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let calls = AtomicUsize::new(0);
    let joined = Barrier::new(2);
    let hangs = |item: &u64| {
        match calls.fetch_add(1, Ordering::SeqCst) {
            0 => released.lock().unwrap().recv().unwrap(),
            1 => drop(joined.wait()),
            _ => {}
        }
        *item
    };
    let waits_for_the_hung = |item: &u64| {
        if *item == 500 {
            joined.wait();
        }
        *item
    };
    let leaf: Vote<u64, Plain<u64>, _> = Vote::new((hangs, |item: &u64| *item, waits_for_the_hung));
    let mut seen = 0;
    let report =
        Run::from_generated_code(program("fault_tolerant(3, 1, early);").buffers(0), Start.then(leaf))
            .for_each(
                (0..501).inspect(|&item| {
                    if item == 500 {
                        // 500 items went through while it hung.
                        assert_eq!(calls.load(Ordering::SeqCst), 1);
                        release.send(()).unwrap();
                    }
                }),
                |item| {
                    assert_eq!(item, seen);
                    seen += 1;
                },
            )
            .unwrap();
    assert_eq!(report.delivered(), 501);
    // What it hung at, and the current one: those in between are left out.
    assert_eq!(calls.into_inner(), 2);
    let figures = &report.snapshot().tasks[0];
    assert_eq!(figures.items(), 501);
    assert_eq!(
        figures.replicas.iter().map(|replica| replica.served).filter(|&served| served == 2).count(),
        1,
        "{figures:?}"
    );
}

#[test]
fn workers_of_a_vote_leave_and_come_back() {
    for early in WORDS {
        let calls = AtomicUsize::new(0);
        let count = |item: &u64| {
            calls.fetch_add(1, Ordering::Relaxed);
            *item
        };
        let leaf: Vote<u64, Plain<u64>, _> = Vote::new([&count; 5]);
        let control = Control::new();
        let handle = control.clone();
        let stage = StageId(1);
        let program = program(&format!("pipe(fault_tolerant(5, 1{early}));"));
        let mut seen = 0;
        let report = Run::from_generated_code(program, Start.then(leaf))
            .controlled_by(&control)
            .for_each(0..3_000, |item| {
                assert_eq!(item, seen);
                seen += 1;
                match seen {
                    1_000 => {
                        assert_eq!(handle.set_replicas_of(stage, 1), Err(Refused::NoMajority(1)));
                        assert_eq!(handle.set_replicas_of(stage, 4), Err(Refused::NoMajority(4)));
                        let refused = Refused::NoFunctions { workers: 7, functions: 5 };
                        assert_eq!(handle.set_replicas_of(stage, 7), Err(refused));
                        handle.set_replicas_of(stage, 3).unwrap();
                    }
                    2_000 => handle.set_replicas_of(stage, 5).unwrap(),
                    2_500 => handle.set_replicas_of(stage, 3).unwrap(),
                    _ => {}
                }
            })
            .unwrap();
        let text = report.program_as_written().skeleton().to_string();
        assert_eq!(text, format!("pipe(1);\nfault_tolerant(3, 1.0{early});\n"));
        if early.is_empty() {
            let calls = calls.into_inner();
            assert!((3 * 3_000..5 * 3_000).contains(&calls), "{calls}");
        }
    }
}

#[test]
fn the_number_of_functions_is_that_of_the_workers() {
    let leaf: Vote<u64, Plain<u64>, _> = Vote::new([|item: &u64| *item; 3]);
    let error = Run::from_generated_code(program("fault_tolerant(5, \"vote\", 1);"), Start.then(leaf))
        .over(0..3)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the fault-tolerant stage `vote` has 5 workers, but 3 functions: give each worker one"
    );
}

/// Items are shared by the workers, and dropped once, by whichever is done last.
#[test]
fn each_item_is_dropped_once() {
    struct Counted<'c>(&'c AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    for early in WORDS {
        let dropped = AtomicUsize::new(0);
        let leaf: Vote<Counted<'_>, Plain<u8>, _> = Vote::new([|_: &Counted<'_>| 1; 5]);
        let program = program(&format!("fault_tolerant(5, 1{early});"));
        Run::from_generated_code(program, Start.then(leaf))
            .over((0..200).map(|_| Counted(&dropped)))
            .unwrap();
        assert_eq!(dropped.into_inner(), 200);
    }
}

/// Whoever is late leaves out an item that is decided, also while it waits to be handed over.
#[test]
fn a_late_worker_leaves_out_an_item_that_is_decided() {
    let (release, released) = mpsc::channel::<()>();
    let (make_room, room) = mpsc::channel::<()>();
    let (released, room) = (std::sync::Mutex::new(released), std::sync::Mutex::new(room));
    let seen = std::sync::Mutex::new(Vec::new());
    let late = |item: &u64| {
        seen.lock().unwrap().push(*item);
        if *item == 0 {
            released.lock().unwrap().recv().unwrap();
        }
        *item
    };
    let leaf: Vote<u64, Plain<u64>, _> = Vote::new((
        |item: &u64| {
            // The first item is decided without the worker that is late, which has begun with it.
            while *item == 0 && seen.lock().unwrap().is_empty() {
                std::thread::yield_now();
            }
            *item
        },
        |item: &u64| *item,
        late,
    ));
    let last = Alone::<u64, Plain<u64>, _>::new(|item| {
        if item == 0 {
            room.lock().unwrap().recv().unwrap();
        }
        item
    });
    let control = Control::new();
    let handle = control.clone();
    let program = program("pipe(fault_tolerant(3, \"vote\", 1, early), task(1));").buffers(0);
    let run = Run::from_generated_code(program, Start.then(leaf).then(last)).controlled_by(&control);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let until = |is_so: &dyn Fn(&skel_run::monitor::TaskFigures) -> bool| {
                while !handle.snapshot().is_some_and(|snapshot| is_so(&snapshot.tasks[0])) {
                    std::thread::yield_now();
                }
            };
            // Item 1 is decided, and cannot be handed over, since the task behind has item 0.
            until(&|task| task.items() >= 2);
            release.send(()).unwrap();
            until(&|task| task.served() >= 5);
            make_room.send(()).unwrap();
        });
        let (results, _) = run.collect(0..4).unwrap();
        assert_eq!(results, [0, 1, 2, 3]);
    });
    let seen = seen.into_inner().unwrap();
    assert!(seen[0] == 0 && !seen.contains(&1), "{seen:?}");
}
