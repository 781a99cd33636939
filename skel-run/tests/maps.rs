//! Maps: each item is parted among workers, and what they make of the parts is gathered.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::ThreadId;

use proptest::prelude::*;
use skel_core::skeleton::{Program, Skeleton, StageId, Tree, text};
use skel_run::functions::{Alone, Fallible, Map, MapWith, Plain, Reduced, Start};
use skel_run::{Control, Engine, Error, Refused, Run};

fn program(skeleton: &str) -> Program<Tree> {
    text::parse(skeleton).into_tree().expect("the skeleton is sound").communicating(1e6)
}

fn map<F: Fn(Vec<u64>) -> u64 + Sync>(function: F) -> Map<Vec<u64>, Plain<u64>, F> {
    Map::new(function)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The parts are those of `chunks` where the items can be divided, and differ by at most one element
    /// where they cannot.
    #[test]
    fn the_results_are_those_of_the_sequential_program(
        items in proptest::collection::vec(proptest::collection::vec(0..1000u64, 0..12), 0..20),
        workers in 1..6usize,
        buffers in 0..3u32,
    ) {
        let expected: Vec<Vec<Vec<u64>>> = items.iter().map(|item| parts(item, workers)).collect();
        let program = program(&format!("map({workers}, \"work\", 1);")).buffers(buffers);
        let leaf: Map<_, Plain<_>, _> = Map::new(|part: Vec<u64>| part);
        let (results, report) = Run::from_generated_code(program, Start.then(leaf)).collect(items.clone()).unwrap();
        prop_assert_eq!(&results, &expected);
        prop_assert_eq!(report.taken(), items.len() as u64);
        prop_assert_eq!(report.tasks()[0].items, items.len() as u64);
        let mut gathered = results.into_iter().map(|parts| parts.concat());
        prop_assert!(items.into_iter().all(|item| gathered.next() == Some(item)));
    }
}

/// The first of the parts have one element more than the others.
fn parts(item: &[u64], workers: usize) -> Vec<Vec<u64>> {
    let (size, rest) = (item.len() / workers, item.len() % workers);
    let mut from = 0;
    let part = |worker: usize| {
        let to = from + size + usize::from(worker < rest);
        item[std::mem::replace(&mut from, to)..to].to_vec()
    };
    (0..workers).map(part).collect()
}

#[test]
fn ranges_are_summed_up_between_two_tasks_and_inside_of_a_farm() {
    for skeleton in [
        "pipe(task(1), map(4, 1), task(1));",
        "pipe(task(1), farm(3, map(4, 1)), task(1));",
        "farm(2, pipe(task(1), map(2, 1), task(1)));",
    ] {
        let range = |item: u64| 0..item * 10;
        let last = |item: u64| item + 1;
        let functions = Start
            .then(skel_run::functions::Shared::<u64, Plain<_>, _>::new(range))
            .then(Reduced::new(
                Map::<_, Plain<_>, _>::new(|part: std::ops::Range<u64>| part.sum::<u64>()),
                |a, b| a + b,
            ))
            .then(skel_run::functions::Shared::<u64, Plain<_>, _>::new(last));
        let (results, _) = Run::from_generated_code(program(skeleton), functions).collect(0..500).unwrap();
        let expected: Vec<u64> = (0..500).map(|item| (0..item * 10).sum::<u64>() + 1).collect();
        assert_eq!(results, expected, "{skeleton}");
    }
}

#[test]
fn each_worker_has_a_thread_and_a_state_of_its_own() {
    let threads = Mutex::new(HashSet::<(ThreadId, usize)>::new());
    let made = AtomicUsize::new(0);
    let leaf: MapWith<_, Plain<_>, _, _, _> = MapWith::new(
        || (made.fetch_add(1, Ordering::Relaxed), 0),
        |state: &mut (usize, u64), part: Vec<u64>| {
            threads.lock().unwrap().insert((std::thread::current().id(), state.0));
            state.1 += part.len() as u64;
            state.1
        },
    );
    let items = (0..100).map(|_| vec![0; 8]);
    let (results, _) =
        Run::from_generated_code(program("map(4, 1);"), Start.then(leaf)).collect(items).unwrap();
    assert_eq!(results[99], [200; 4]);
    assert_eq!((threads.into_inner().unwrap().len(), made.into_inner()), (4, 4));
}

#[test]
fn a_part_that_panics_is_the_failure_of_its_item() {
    let function = |part: Vec<u64>| {
        assert!(!part.contains(&30), "thirty");
        part.len() as u64
    };
    let items = || (0..20u64).map(|item| (item * 4..item * 4 + 4).collect::<Vec<u64>>());
    let error = Run::from_generated_code(program("map(4, \"work\", 1);"), Start.then(map(function)))
        .collect(items())
        .unwrap_err();
    let Error::Failed(failure) = &error else { panic!("{error}") };
    assert_eq!(failure.place(), 7);
    assert_eq!(
        error.to_string(),
        "the stage `work` could not serve item 7, counted from 0: worker 2 of 4, counted from 0, failed: it panicked: \
         thirty; 7 items were delivered before"
    );

    let functions = Start.then(map(function)).skip_failures();
    let (results, report) =
        Run::from_generated_code(program("map(4, \"work\", 1);"), functions).collect(items()).unwrap();
    assert_eq!((results.len(), report.skipped(), report.tasks()[0].replaced), (19, 1, 1));
}

#[test]
fn a_state_is_made_anew_after_a_panic_and_an_item_is_tried_again() {
    let calls = AtomicUsize::new(0);
    let leaf: MapWith<_, Plain<_>, _, _, _> = MapWith::new(
        || 0,
        |seen: &mut u64, part: Vec<u64>| {
            *seen += 1;
            assert!(part != [21] || calls.fetch_add(1, Ordering::Relaxed) > 0, "once");
            *seen
        },
    );
    let functions = Start.then(leaf).retry(1);
    let items = (0..20).map(|item| vec![item * 2, item * 2 + 1]);
    let (results, report) =
        Run::from_generated_code(program("map(2, 1);"), functions).collect(items).unwrap();
    // The other worker serves its part of the item twice.
    assert_eq!((&results[9], &results[10], &results[19]), (&vec![10, 10], &vec![12, 1], &vec![21, 10]));
    assert_eq!((report.tasks()[0].retried, report.tasks()[0].replaced), (1, 1));
}

#[test]
fn an_error_of_a_part_is_that_of_the_first_worker_that_failed() {
    let leaf: Map<_, Fallible<_, String>, _> = Map::new(|part: Vec<u64>| match part[..] {
        [part] if part < 3 => Ok(part),
        _ => Err(format!("no {part:?}")),
    });
    let error = Run::from_generated_code(program("map(5, 1);"), Start.then(leaf))
        .over([vec![0, 1, 2, 0, 1], vec![0, 9, 2, 8, 1]])
        .unwrap_err();
    assert!(
        error.to_string().contains("item 1, counted from 0: worker 1 of 5, counted from 0, failed: no [9]"),
        "{error}"
    );
}

/// Counts how often it is dropped.
struct Counted<'c>(&'c AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn each_element_is_dropped_once_whatever_happens() {
    for fails_at in [None, Some(0), Some(3), Some(29)] {
        let dropped = AtomicUsize::new(0);
        let calls = AtomicUsize::new(0);
        let leaf: Map<_, Plain<_>, _> = Map::new(|part: Vec<Counted<'_>>| {
            assert_ne!(Some(calls.fetch_add(1, Ordering::Relaxed)), fails_at, "at this call");
            part.len()
        });
        let functions = Start.then(leaf).skip_failures();
        let items = (0..10).map(|_| (0..7).map(|_| Counted(&dropped)).collect::<Vec<_>>());
        let report = Run::from_generated_code(program("map(3, 1);"), functions).over(items).unwrap();
        assert_eq!(report.delivered() + report.skipped(), 10);
        assert_eq!(dropped.load(Ordering::Relaxed), 70, "{fails_at:?}");
    }
}

#[test]
fn workers_come_and_go_while_a_map_is_under_load() {
    let control = Control::new();
    let run = Run::from_generated_code(
        program("pipe(task(1), map(2, \"work\", 1));"),
        Start
            .then(Alone::<u64, Plain<_>, _>::new(|item| vec![item; 12]))
            .then(Map::<_, Plain<_>, _>::new(|part: Vec<u64>| part)),
    );
    let handle = control.clone();
    let stage = StageId(2);
    let mut sizes = HashSet::new();
    let mut seen = 0;
    let report = run
        .controlled_by(&control)
        .for_each(0..20_000, |parts| {
            if seen % 100 == 0 {
                handle.set_replicas_of(stage, 1 + (seen / 100 % 5) as u32).unwrap();
            }
            assert_eq!(parts.concat(), [seen; 12]);
            sizes.insert(parts.len());
            seen += 1;
        })
        .unwrap();
    assert_eq!((report.delivered(), sizes), (20_000, HashSet::from([1, 2, 3, 4, 5])));
    assert_eq!(
        report.program_as_written().skeleton().to_string(),
        "pipe(2);\ntask(1.0);\nmap(5, \"work\", 1.0);\n"
    );
    assert_eq!(handle.set_replicas_of(stage, 2), Err(Refused::NotRunning));
}

#[test]
fn what_the_workers_did_adds_up() {
    let at_once = AtomicU64::new(0);
    let leaf = map(|part| {
        match part[0] {
            0 => _ = at_once.fetch_add(1, Ordering::Relaxed),
            // The other worker is ready first, however busy the machine is.
            item => {
                while at_once.load(Ordering::Relaxed) < item {
                    std::thread::yield_now();
                }
                std::thread::sleep(std::time::Duration::from_millis(3));
            }
        }
        1
    });
    let (_, report) = Run::from_generated_code(program("map(2, 1);"), Start.then(leaf))
        .collect((1..=40).map(|item| vec![0, item]))
        .unwrap();
    let task = &report.snapshot().tasks[0];
    let whole = task.busy_fraction()
        + task.starved_fraction()
        + task.blocked_fraction()
        + task.waiting_fraction()
        + task.overhead_fraction();
    assert!((whole - 1.0).abs() < 1e-9, "{whole}");
    assert_eq!((task.items(), task.served(), task.replicas.len()), (40, 80, 2));
    // The first waits for the second, longer than the other way round.
    assert!(task.replicas[0].awaiting > task.replicas[1].awaiting, "{task:?}");
}

#[test]
fn what_cannot_be_is_said_before_the_run() {
    let run = |skeleton: &str| {
        Run::from_generated_code(program(skeleton), Start.then(map(|part| part.len() as u64)))
    };
    let error = run("map(2, \"work\", 1);").engine(Engine::Pull(2)).batch(3).over([vec![1]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the pull engine cannot run a map, a fault-tolerant stage or a map with state, whose workers serve an item together: take \
         `Engine::Threads`\n\
         a batch of 3 items: the workers of a map, a fault-tolerant stage or a map with state wait for each other at each item, so items \
         travel one at a time; leave `batch` out"
    );
    let error = run("task(\"work\", 1);").over([vec![1]]).unwrap_err();
    assert_eq!(error.to_string(), "the stage `work` is a task, but its function is that of a map");
    let control = Control::new();
    let handle = control.clone();
    run("map(2, 1);")
        .controlled_by(&control)
        .for_each([vec![1]], |_| assert_eq!(handle.set_replicas_of(StageId(0), 0), Err(Refused::NoReplica)))
        .unwrap();
}
