//! Runs that once lost items, changed their order, or did not end.

mod trial;

use std::sync::mpsc;
use std::time::Duration;

use skel_core::skeleton::StageId;
use skel_run::functions::{Fallible, Map, Plain, Shared, Start};
use skel_run::{Control, Engine, Refused, Run, from_channel};

use trial::run::{Action, Actor, Consumer, Trial, run};
use trial::shape::program;
use trial::watchdog::watch;

/// Runs a trial with several seeds and buffers.
fn holds(trial: &Trial) {
    for seed in 0..5 {
        for buffers in [0, 1, 4] {
            let trial = Trial { seed, buffers, ..trial.clone() };
            run(&trial).unwrap_or_else(|problem| panic!("{problem}\n{trial:?}"));
        }
    }
}

fn waits(mut trial: Trial, one_in: u64) -> Trial {
    trial.tasks.iter_mut().for_each(|task| task.waits = one_in);
    trial
}

fn sets(stage: u32, replicas: u32) -> Action {
    Action::SetReplicas(StageId(stage), replicas)
}

/// The thread that answers requests waited for more of them.
#[test]
fn a_consumer_that_panics_ends_the_run() {
    holds(&Trial { consumer: Consumer::PanicsAfter(5), ..Trial::quiet("pipe(task(1), farm(2, 1));", 40) });
}

/// The source, or the consumer that makes room, asked for replicas, and the request waited for the source, or
/// for room.
#[test]
fn who_feeds_or_empties_a_run_may_change_it() {
    for skeleton in ["farm(2, 1);", "deal(2, 1);", "farm(2, pipe(task(1), task(1)));", "deal(2, farm(2, 1));"]
    {
        for actor in [Actor::Consumer(3), Actor::Source(3), Actor::Source(30)] {
            let actions = vec![(actor, sets(0, 4)), (actor, sets(0, 1))];
            holds(&Trial { window: 1, actions, ..Trial::quiet(skeleton, 60) });
        }
    }
}

/// A replica that came got the number of one that had left, and its queues with what was still in them.
#[test]
fn replicas_leave_and_come_at_once() {
    for (skeleton, stage) in [
        ("farm(3, pipe(task(1), task(1)));", 0),
        ("pipe(task(1), deal(3, 1), task(1));", 2),
        ("deal(3, pipe(task(1), farm(2, 1)));", 0),
        ("pipe(farm(2, 1), deal(3, deal(2, 1)), task(1));", 3),
    ] {
        let change =
            |count| [(Actor::Consumer(count), sets(stage, 2)), (Actor::Consumer(count), sets(stage, 3))];
        let actions = (2..30).flat_map(change).collect();
        holds(&waits(Trial { actions, ..Trial::quiet(skeleton, 60) }, 3));
    }
}

/// A member that had no turn between two changes had two marks to pass on, and nobody who took them.
#[test]
fn members_of_a_deal_change_at_every_item() {
    for skeleton in
        ["pipe(task(1), deal(3, 1), task(1));", "pipe(task(1), deal(3, pipe(farm(2, 1), task(1))), task(1));"]
    {
        let change = |count: u64| (Actor::Consumer(count), sets(2, 1 + count as u32 % 4));
        holds(&waits(Trial { actions: (0..40).map(change).collect(), ..Trial::quiet(skeleton, 60) }, 5));
    }
}

/// A deal in a new replica waited for the members that it was written with.
#[test]
fn a_new_replica_has_the_deals_of_the_others() {
    for (skeleton, outer, inner) in [
        ("deal(2, deal(3, 1));", 0, 1),
        ("pipe(task(1), farm(2, deal(3, 1)));", 2, 3),
        ("pipe(farm(2, 1), deal(2, deal(3, 1)));", 3, 4),
        ("pipe(task(1), deal(2, deal(3, 1)));", 2, 3),
    ] {
        for replicas in [1, 2, 5] {
            let actions =
                vec![(Actor::Consumer(2), sets(inner, replicas)), (Actor::Consumer(2), sets(outer, 4))];
            holds(&Trial { window: 1, actions, ..Trial::quiet(skeleton, 80) });
        }
    }
}

/// The replicas of one farm were taken for those of the next, where order is restored in the replicas of
/// both.
#[test]
fn order_is_restored_in_each_replica_behind_a_farm() {
    for skeleton in [
        "pipe(farm(1, pipe(task(1), farm(1, 1))), farm(3, pipe(farm(2, 1), task(1))));",
        "pipe(deal(2, pipe(task(1), farm(2, 1))), farm(2, pipe(farm(2, 1), task(1))), task(1));",
        "pipe(task(1), farm(1, pipe(farm(2, 1), task(1))), deal(2, 1));",
    ] {
        holds(&waits(Trial { window: 1, ..Trial::quiet(skeleton, 60) }, 3));
    }
}

/// Discarded items, copies for another attempt and errors are dropped by threads of the run, which ended then
/// with what they had.
#[test]
fn items_panic_when_they_are_dropped() {
    for skeleton in ["pipe(task(1), farm(2, 1), task(1));", "farm(2, pipe(task(1), task(1)));"] {
        for consumer in [Consumer::TakesAll, Consumer::StopsAfter(4), Consumer::PanicsAfter(4)] {
            let mut trial = Trial { armed: 1, consumer, ..Trial::quiet(skeleton, 40) };
            (trial.tasks[1].retries, trial.tasks[1].fails) = (2, 4);
            holds(&trial);
            (trial.tasks[1].retries, trial.tasks[1].skips) = (0, true);
            holds(&trial);
        }
    }
}

/// The source, which is no item, was counted among those that are not wanted any more.
#[test]
fn the_source_fails_behind_an_item_that_fails() {
    let mut trial = Trial { source_panics_at: Some(5), ..Trial::quiet("pipe(task(1), farm(3, 1));", 40) };
    trial.tasks[1].fails = 4;
    holds(&waits(trial, 1));
}

/// A channel that was asked to give way to another engine counted as one that had ended.
#[test]
fn a_channel_feeds_one_engine_after_the_other() {
    let control = Control::new();
    let _watched = watch("a channel", Some(&control));
    let (sender, receiver) = mpsc::channel();
    let functions = Start.then(Shared::<u64, Plain<u64>, _>::new(|item| item + 1));
    let run = Run::from_generated_code(program("farm(2, 1);"), functions)
        .engine(Engine::Pull(2))
        .controlled_by(&control);
    let feeder = control.clone();
    let feeder = std::thread::spawn(move || {
        (0..10).for_each(|item| sender.send(item).unwrap());
        let served = || feeder.snapshot().map_or(0, |snapshot| snapshot.tasks[0].items());
        while served() < 10 {
            std::thread::yield_now();
        }
        feeder.set_replicas_of(StageId(0), 3).unwrap();
        std::thread::sleep(Duration::from_millis(60));
        (10..20).for_each(|item| sender.send(item).unwrap_or_default());
    });
    let (results, _) = run.collect(from_channel(receiver)).unwrap();
    feeder.join().unwrap();
    assert_eq!(results, (1..=20).collect::<Vec<_>>());
}

/// The end of one run took the handle away from the other.
#[test]
fn two_runs_with_one_handle() {
    let control = Control::new();
    let _watched = watch("two runs", Some(&control));
    let run = |control: &Control| {
        let functions = Start.then(Shared::<u64, Plain<u64>, _>::new(|item| item + 1));
        Run::from_generated_code(program("farm(2, 1);"), functions)
            .engine(Engine::Threads)
            .controlled_by(control)
    };
    let (started, starts) = mpsc::channel();
    let (second, ends) = (run(&control), mpsc::channel::<()>());
    std::thread::scope(|scope| {
        let first = run(&control).results(0..3, |results| {
            assert_eq!(results.next(), Some(1));
            scope.spawn(move || {
                let mut count = 0_u64;
                second.for_each(0.., |_| {
                    count += 1;
                    if count == 1 {
                        started.send(()).unwrap();
                    }
                })
            });
            starts.recv().unwrap();
        });
        first.unwrap();
        assert!(control.snapshot().is_some());
        control.cancel();
    });
    drop(ends);
}

/// An item that workers look at, their replies and the state before a new one are dropped by whoever has them
/// last. What their destructors threw was taken for the failure of a worker, of an item, or of the run.
#[test]
fn what_workers_drop_is_no_vote_and_no_failure() {
    for skeleton in [
        "fault_tolerant(3, 1);",
        "fault_tolerant(5, 1, early);",
        "farm(2, fault_tolerant(3, 1, early));",
        "map_with_state(3, 1, state(1, 4));",
        "pipe(task(1), map_with_state(1, 1, state(1, 4)), task(1));",
    ] {
        for consumer in [Consumer::TakesAll, Consumer::StopsAfter(7)] {
            let trial = Trial { armed: 1, consumer, ..Trial::quiet(skeleton, 60) };
            holds(&trial);
            holds(&waits(trial, 3));
        }
    }
}

/// What the other workers had made was dropped, and what that threw was reported in the place of the cause.
#[test]
fn the_cause_of_a_part_that_fails_is_reported() {
    struct Armed;
    impl Drop for Armed {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("item 0 is dropped");
            }
        }
    }
    let leaf: Map<std::ops::Range<u64>, Fallible<Armed, String>, _> = Map::new(
        |part: std::ops::Range<u64>| {
            if part.contains(&5) { Err("no five".to_owned()) } else { Ok(Armed) }
        },
    );
    let error = Run::from_generated_code(program("map(4, 1);"), Start.then(leaf))
        .over(std::iter::once(0..8_u64))
        .unwrap_err();
    let expected = "item 0, counted from 0: worker 2 of 4, counted from 0, failed: no five;";
    assert!(error.to_string().contains(expected), "{error}");
}

/// The thread that answers requests panicked, and the run with it.
#[test]
fn a_stage_that_is_not_there_is_refused() {
    let control = Control::new();
    let handle = control.clone();
    let functions = Start.then(Shared::<u64, Plain<u64>, _>::new(|item| item + 1));
    let run = Run::from_generated_code(program("farm(2, 1);"), functions).controlled_by(&control);
    let stage = StageId(2);
    run.for_each(0..3, |_| {
        assert_eq!(handle.set_replicas_of(stage, 2), Err(Refused::NoStage { stage, nodes: 2 }));
    })
    .unwrap();
}
