//! The watch by a clock that is moved by hand, and laws of what is recorded.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use quanta::Mock;
use skel_core::skeleton::StageId;

use super::clock::Clock;
use super::{For, Monitors, ReplicaFigures, Snapshot, TaskFigures, Timing, Watch};

/// A task by how long each replica was busy, starved and blocked, in nanoseconds.
pub(super) fn task(name: &str, replicas: &[(u64, u64, u64)]) -> TaskFigures {
    let replica = |&(busy, starved, blocked)| ReplicaFigures {
        busy: ns(busy),
        starved: ns(starved),
        blocked: ns(blocked),
        left: Some(ns(busy + starved + blocked)),
        ..ReplicaFigures::default()
    };
    let replicas = replicas.iter().map(replica).collect();
    TaskFigures {
        id: StageId(name.len() as u32),
        name: name.to_owned(),
        queue: None,
        queued: ns(0),
        replicas,
    }
}

/// A run of 100 nanoseconds.
pub(super) fn ended(tasks: &[TaskFigures]) -> Snapshot {
    Snapshot { from: ns(0), at: ns(100), tasks: tasks.to_vec() }
}

fn monitors(timing: Timing, tasks: usize) -> (Monitors, Arc<Mock>) {
    let (clock, hand) = Clock::manual();
    let tasks = (0..tasks).map(|task| (StageId(task as u32 + 1), format!("task{task}")));
    (Monitors::with_clock(clock, timing, tasks), hand)
}

fn ns(nanoseconds: u64) -> Duration {
    Duration::from_nanos(nanoseconds)
}

fn parts(figures: &ReplicaFigures) -> [u64; 4] {
    [figures.busy, figures.starved, figures.blocked, figures.overhead].map(|part| part.as_nanos() as u64)
}

/// One parcel: moved without waiting in `hop`, and served in `service`.
fn parcel(watch: &mut Watch, hand: &Mock, hop: u64, service: u64) {
    hand.increment(hop);
    watch.took(1, false);
    hand.increment(service);
    watch.served(1);
    watch.gave(1, false);
}

#[test]
fn what_is_between_services_is_overhead_and_the_rest_is_service() {
    let (monitors, hand) = monitors(Timing::Every, 1);
    let recorder = monitors.replica(0);
    let mut watch = Watch::new(&recorder);
    for _ in 0..1000 {
        parcel(&mut watch, &hand, 30, 1000);
    }
    let replica = &monitors.snapshot().tasks[0].replicas[0];
    assert_eq!(parts(replica), [1_000_000, 0, 0, 30_000]);
    assert_eq!((replica.service, replica.mean_service_time()), (ns(1_000_000), Some(ns(1000))));
    // One in 16 is timed from beginning to end.
    assert!((50..80).contains(&replica.timed), "{}", replica.timed);
    assert_eq!((replica.timed_service, replica.scv), (ns(1000 * replica.timed), Some(0.0)));
}

#[test]
fn long_services_are_all_timed() {
    for timing in [Timing::Every, Timing::Sampled] {
        let (monitors, hand) = monitors(timing, 1);
        let recorder = monitors.replica(0);
        let mut watch = Watch::new(&recorder);
        for round in 0..1000 {
            parcel(&mut watch, &hand, 5_000, if round % 2 == 0 { 10_000 } else { 30_000 });
        }
        let replica = &monitors.snapshot().tasks[0].replicas[0];
        assert_eq!(parts(replica), [20_000_000, 0, 0, 5_000_000], "{timing:?}");
        assert_eq!((replica.timed, replica.service), (1000, ns(20_000_000)));
        // The variance is 10,000 squared, of a sample 1000 / 999 of that.
        assert!((replica.scv.unwrap() - 0.25 * 1000.0 / 999.0).abs() < 1e-12);
    }
}

#[test]
fn waits_are_counted_where_they_are_told() {
    for says_so in [true, false] {
        let (monitors, hand) = monitors(Timing::Every, 1);
        let recorder = monitors.replica(0);
        let mut watch = Watch::new(&recorder);
        for _ in 0..10 {
            let wait = |watch: &mut Watch, what, time| {
                if says_so {
                    watch.waiting(what);
                }
                hand.increment(time);
            };
            wait(&mut watch, For::Items, 50);
            watch.took(2, true);
            hand.increment(100_u64);
            watch.served(2);
            wait(&mut watch, For::Room, 7);
            watch.gave(2, true);
        }
        let replica = &monitors.snapshot().tasks[0].replicas[0];
        assert_eq!(parts(replica), [1000, 500, 70, 0]);
        assert_eq!((replica.served, replica.items, replica.taken, replica.given), (10, 20, 20, 20));
        assert_eq!(replica.held, ns(20 * 107));
        assert_eq!((replica.first_arrival, replica.last_departure), (Some(ns(50)), Some(ns(1570))));
    }
}

#[test]
fn a_wait_and_a_service_that_go_on_count_until_now() {
    let (monitors, hand) = monitors(Timing::Every, 1);
    let recorder = monitors.replica(0);
    let mut watch = Watch::new(&recorder);
    watch.waiting(For::Items);
    hand.increment(40_000_u64);
    let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
    assert_eq!((parts(&replica), replica.waiting), ([0, 40_000, 0, 0], Some((For::Items, ns(0)))));
    watch.took(1, true);
    hand.increment(60_000_u64);
    let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
    assert_eq!((parts(&replica), replica.waiting), ([60_000, 40_000, 0, 0], None));
    assert_eq!((replica.held, replica.served), (ns(60_000), 0));
}

#[test]
fn who_looks_sees_a_wait_that_nobody_announced() {
    let (monitors, hand) = monitors(Timing::Every, 1);
    let recorder = monitors.replica(0);
    let mut watch = Watch::new(&recorder);
    let look = |after: u64| {
        hand.increment(after);
        let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
        (parts(&replica), replica.waiting.map(|(what, _)| what))
    };
    assert_eq!(look(20_000), ([0, 20_000, 0, 0], Some(For::Items)));
    watch.took(1, true);
    assert_eq!(look(30_000), ([30_000, 20_000, 0, 0], None));
    watch.served(1);
    assert_eq!(look(40_000), ([30_000, 20_000, 40_000, 0], Some(For::Room)));
    watch.gave(1, true);
    assert_eq!(look(50_000), ([30_000, 70_000, 40_000, 0], Some(For::Items)));
    drop(watch);
    assert_eq!(look(60_000), ([30_000, 70_000, 40_000, 0], None));
}

#[test]
fn a_replica_that_left_stands_still_and_one_that_takes_its_place_was_starved_meanwhile() {
    let (monitors, hand) = monitors(Timing::Every, 1);
    let recorder = monitors.replica(0);
    hand.increment(5_u64);
    let mut watch = Watch::new(&recorder);
    parcel(&mut watch, &hand, 0, 10);
    watch.replaced();
    drop(watch);
    hand.increment(100_u64);
    let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
    assert_eq!((replica.began, replica.left, replica.replaced), (ns(5), Some(ns(15)), 1));
    assert_eq!(parts(&replica), [10, 0, 0, 0]);
    let watch = Watch::new(&recorder);
    hand.increment(1_u64);
    drop(watch);
    let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
    assert_eq!((parts(&replica), replica.left), ([10, 100, 0, 1], Some(ns(116))));
}

#[test]
fn the_queue_is_what_one_task_gave_and_the_next_has_not_taken() {
    let (monitors, hand) = monitors(Timing::Every, 2);
    let (first, second) = (monitors.replica(0), monitors.replica(1));
    let (mut first, mut second) = (Watch::new(&first), Watch::new(&second));
    second.waiting(For::Items);
    for _ in 0..3 {
        parcel(&mut first, &hand, 0, 10);
    }
    second.took(1, true);
    hand.increment(5_u64);
    let snapshot = monitors.snapshot();
    let queues: Vec<_> = snapshot.tasks.iter().map(|task| (task.queue, task.queued)).collect();
    // The items came at 10, 20 and 30, the first left at 30, and it is 35.
    assert_eq!(queues, [(None, ns(0)), (Some(2), ns(20 + 15 + 5))]);
    first.took(2, false);
    first.skipped();
    first.served(2);
    first.gave(1, false);
    let queue = monitors.snapshot().tasks[1].queue;
    assert_eq!(queue, Some(3));
}

#[test]
fn samples_tell_the_mean_and_waits_are_whole() {
    let (monitors, hand) = monitors(Timing::Sampled, 1);
    let recorder = monitors.replica(0);
    let mut watch = Watch::new(&recorder);
    for round in 0..16_000_u64 {
        if round % 100 == 99 {
            watch.waiting(For::Items);
            hand.increment(5_000_u64);
            watch.took(1, true);
            hand.increment(1_000_u64);
            watch.served(1);
            watch.gave(1, false);
        } else {
            // A rhythm of 16 parcels.
            parcel(&mut watch, &hand, 30, 1000 + 10 * (round % 16));
        }
    }
    let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
    assert!((800..1200).contains(&replica.timed), "{}", replica.timed);
    let mean = replica.mean_service_time().unwrap().as_nanos();
    assert!((1070..1080).contains(&mean), "{mean}");
    let [busy, starved, blocked, overhead] = parts(&replica);
    assert_eq!((starved, blocked), (160 * 5_000, 0));
    let all = monitors.snapshot().at.as_nanos() as u64;
    assert_eq!(busy + starved + overhead, all);
    assert!((450_000..480_000).contains(&overhead), "{overhead}");
}

#[test]
fn a_thread_that_serves_several_tasks_is_starved_of_one_while_it_serves_another() {
    let (monitors, hand) = monitors(Timing::Every, 2);
    let (first, second) = (monitors.replica(0), monitors.replica(1));
    let (mut first, mut second) = (Watch::new(&first), Watch::new(&second));
    for _ in 0..10 {
        first.took_from(1, &second);
        hand.increment(100_u64);
        first.served(1);
        first.gave(1, false);
        second.took_from(1, &first);
        hand.increment(300_u64);
        second.served(1);
        second.gave(1, false);
    }
    let snapshot = monitors.snapshot();
    let figures: Vec<_> = snapshot.tasks.iter().map(|task| parts(&task.replicas[0])).collect();
    assert_eq!(figures, [[1000, 3000, 0, 0], [3000, 1000, 0, 0]]);
}

#[test]
fn readers_see_what_belongs_together() {
    let monitors = Monitors::of([(StageId(1), "task".to_owned())]);
    let recorder = monitors.replica(0);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut watch = Watch::new(&recorder);
            for _ in 0..200_000 {
                watch.took(3, false);
                watch.served(3);
                watch.gave(3, false);
            }
        });
        let mut before = monitors.snapshot();
        while !writer.is_finished() {
            let now = monitors.snapshot();
            let (figures, earlier) = (&now.tasks[0].replicas[0], &before.tasks[0].replicas[0]);
            assert_eq!(figures.items, 3 * figures.served);
            assert!(figures.timed <= figures.served && figures.served >= earlier.served);
            assert!(
                figures.service >= figures.timed_service && figures.timed_service >= earlier.timed_service
            );
            let sum = figures.timed_service.as_nanos();
            assert!(figures.squares * u128::from(figures.timed) >= sum * sum);
            before = now;
        }
    });
    assert_eq!(monitors.snapshot().tasks[0].items(), 600_000);
}

#[test]
fn a_window_ends_when_each_task_had_its_services_or_every_replica_left() {
    let (monitors, hand) = monitors(Timing::Every, 2);
    assert_eq!(
        monitors.window(0).unwrap_err().to_string(),
        "a window of no services has no mean service time; ask for at least 1, or 400 for a mean within 5 %"
    );
    let (first, second) = (monitors.replica(0), monitors.replica(1));
    let (mut first, mut second) = (Watch::new(&first), Watch::new(&second));
    parcel(&mut first, &hand, 0, 1_000_000);
    let window = monitors.window(3).unwrap();
    (0..5).for_each(|_| parcel(&mut first, &hand, 0, 1_000_000));
    (0..2).for_each(|_| parcel(&mut second, &hand, 0, 1_000_000));
    let few = window.wait(Duration::from_millis(3)).unwrap_err();
    assert_eq!(few.to_string(), "in 0.007 s the task `task1` had 2 of 3 services");
    parcel(&mut second, &hand, 0, 1_000_000);
    let done = window.wait(Duration::ZERO).unwrap();
    assert_eq!((done.tasks[0].served(), done.tasks[1].served(), done.span()), (5, 3, ns(8_000_000)));
    let window = monitors.window(1).unwrap();
    drop((first, second));
    let few = window.wait(Duration::from_secs(3600)).unwrap_err();
    assert_eq!(
        few.to_string(),
        "in 0.000 s the task `task0` had 0 of 1 services, and then every replica had left"
    );
}

/// What a thread does with a parcel in a random run: nanoseconds before it is taken, of service, and before
/// it is handed over. The waits may be announced.
type Step = ((u64, bool), u64, (u64, bool));

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let wait = || (prop_oneof![Just(0), 1..20_000_u64], any::<bool>());
    proptest::collection::vec((wait(), 1..30_000_u64, wait()), 1..60)
}

fn wait(watch: &mut Watch, hand: &Mock, what: For, (time, is_announced): (u64, bool)) -> bool {
    if time > 0 && is_announced {
        watch.waiting(what);
    }
    hand.increment(time);
    time > 0
}

fn step(watch: &mut Watch, hand: &Mock, (before, service, after): Step) {
    let has_waited = wait(watch, hand, For::Items, before);
    watch.took(1, has_waited);
    hand.increment(service);
    watch.served(1);
    let has_waited = wait(watch, hand, For::Room, after);
    watch.gave(1, has_waited);
}

fn summed(one: &ReplicaFigures, other: &ReplicaFigures) -> Vec<u128> {
    let figures = |it: &ReplicaFigures| {
        let times = [it.busy, it.starved, it.blocked, it.overhead, it.service, it.timed_service, it.held];
        let counts = [it.served, it.items, it.taken, it.given, it.timed].map(u128::from);
        times.map(|time| time.as_nanos()).into_iter().chain(counts).chain([it.squares]).collect::<Vec<_>>()
    };
    figures(one).into_iter().zip(figures(other)).map(|(one, other)| one + other).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever a replica does, every moment of its time is in one of the four parts, and the parts are what
    /// it did.
    #[test]
    fn every_moment_is_counted_once(steps in steps()) {
        let (monitors, hand) = monitors(Timing::Every, 1);
        let recorder = monitors.replica(0);
        let mut watch = Watch::new(&recorder);
        steps.iter().for_each(|&one| step(&mut watch, &hand, one));
        let replica = monitors.snapshot().tasks.remove(0).replicas.remove(0);
        let sum = |part: fn(&Step) -> u64| steps.iter().map(part).sum::<u64>();
        let (starved, busy, blocked) = (sum(|one| one.0.0), sum(|one| one.1), sum(|one| one.2.0));
        prop_assert_eq!(parts(&replica), [busy, starved, blocked, 0]);
        prop_assert_eq!(replica.service, ns(busy));
        prop_assert_eq!(replica.held, ns(busy + blocked));
        prop_assert_eq!(replica.served, steps.len() as u64);
    }

    /// However time is sampled, the four parts are all of it, and what one window and the next have is what
    /// both together have.
    #[test]
    fn windows_add_up(steps in steps(), more in steps(), is_sampled in any::<bool>()) {
        let timing = if is_sampled { Timing::Sampled } else { Timing::Every };
        let (monitors, hand) = monitors(timing, 1);
        let recorder = monitors.replica(0);
        let beginning = monitors.snapshot();
        let mut watch = Watch::new(&recorder);
        steps.iter().for_each(|&one| step(&mut watch, &hand, one));
        let middle = monitors.snapshot();
        more.iter().for_each(|&one| step(&mut watch, &hand, one));
        let end = monitors.snapshot();
        prop_assert_eq!(end.tasks[0].replicas[0].present(), end.at);
        let whole = end.since(&beginning).tasks.remove(0).replicas.remove(0);
        let first = middle.since(&beginning).tasks.remove(0).replicas.remove(0);
        let second = end.since(&middle).tasks.remove(0).replicas.remove(0);
        let both = summed(&first, &second);
        let whole = summed(&whole, &ReplicaFigures::default());
        // After the second service parcels may only be counted, and when they were handed over is then
        // estimated later.
        let is_counting = is_sampled && steps.len() + more.len() > 1;
        let is_estimated = is_counting || end.tasks[0].replicas[0].timed < end.tasks[0].replicas[0].served;
        prop_assert!(is_estimated || both == whole, "{:?} {:?}", both, whole);
        // Estimates get better in time, so that parts of the first window may have been too long; but no
        // count is an estimate.
        prop_assert_eq!(&both[7..], &whole[7..]);
        let fractions = |task: &TaskFigures| {
            task.busy_fraction() + task.starved_fraction() + task.blocked_fraction() + task.overhead_fraction()
        };
        for window in [end.since(&middle), middle.since(&beginning), end] {
            prop_assert!((fractions(&window.tasks[0]) - 1.0).abs() < 1e-12);
        }
    }
}
