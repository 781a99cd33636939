//! What a window says: made-up snapshots, of which every figure is known.

mod made;

use std::time::Duration;

use made::{SERVICES, program, window};
use skel_manage::{Measures, NoMeasures, ServiceTime};
use skel_run::monitor::{ReplicaFigures, Snapshot};

const FARM: &str = "pipe(task(1), farm(4, 2), task(1)); buffers(4); communication(none);";

/// A window of a program whose tasks serve a million items in a million seconds.
fn farm() -> (skel_core::skeleton::Program<skel_core::skeleton::Tree>, Snapshot) {
    let program = program(FARM);
    let mut window = window(&program, &[(1.0, 1.0), (4.0, 0.5), (0.5, 0.0)]);
    for replica in &mut window.tasks[1].replicas {
        *replica = part_of(replica, 4);
    }
    (program, window)
}

/// What a replica does that serves one of several items.
fn part_of(replica: &ReplicaFigures, part: u64) -> ReplicaFigures {
    let (time, squares) = (replica.service / part as u32, replica.squares / u128::from(part));
    let items = SERVICES / part;
    ReplicaFigures {
        served: items,
        items,
        taken: items,
        given: items,
        busy: time,
        service: time,
        timed: items,
        timed_service: time,
        squares,
        ..*replica
    }
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 2e-6, "{found}, not {expected}");
}

#[test]
fn a_window_says_what_was_done_for_each_item() {
    let (program, window) = farm();
    let measures = Measures::of(&window, &program).unwrap();
    assert_eq!((measures.span, measures.items, measures.at), (1e6, SERVICES, 1e6));
    assert_eq!(measures.service_time, ServiceTime::of_seconds(1.0));
    let stages: Vec<_> = measures
        .stages
        .iter()
        .map(|stage| (stage.replicas, stage.workers, stage.services, stage.time))
        .collect();
    assert_eq!(stages, [(1, 1, SERVICES, 1.0), (4, 1, SERVICES, 4.0), (1, 1, SERVICES, 0.5)]);
    close(measures.stages[1].scv.unwrap(), 0.5);
    assert!(measures.stages.iter().all(|stage| stage.visits == 1.0 && stage.busy == 1.0));
    assert_eq!((measures.arrival_time, measures.output_time), (None, None));
    // A million exponential times are known to a thousandth.
    close(measures.error, 1e-3);
}

#[test]
fn replicas_that_have_left_do_not_count() {
    let (program, mut window) = farm();
    let before = Measures::of(&window, &program).unwrap();
    // It left before the window, and its figures are those of a window in which it did nothing.
    let left = ReplicaFigures { left: Some(Duration::from_secs(1)), ..ReplicaFigures::default() };
    window.tasks[1].replicas.insert(0, left);
    assert_eq!(Measures::of(&window, &program).unwrap(), before);
}

#[test]
fn parcels_of_several_items_are_told_by_item() {
    let (program, mut window) = farm();
    for replica in window.tasks.iter_mut().flat_map(|task| &mut task.replicas) {
        replica.items *= 10;
        replica.given *= 10;
    }
    let measures = Measures::of(&window, &program).unwrap();
    assert_eq!((measures.items_in_a_parcel, measures.service_time), (10.0, ServiceTime::of_seconds(0.1)));
    close(measures.stages[1].time, 0.4);
    close(measures.stages[1].scv.unwrap(), 0.5);
}

#[test]
fn tasks_behind_one_that_leaves_items_out_serve_fewer() {
    let (program, mut window) = farm();
    for replica in &mut window.tasks[1].replicas {
        replica.skipped = replica.given / 5;
        replica.given -= replica.skipped;
    }
    let last = &mut window.tasks[2].replicas[0];
    *last = ReplicaFigures {
        given: last.given / 5 * 4,
        items: last.items / 5 * 4,
        served: last.served / 5 * 4,
        ..*last
    };
    let measures = Measures::of(&window, &program).unwrap();
    assert_eq!(measures.stages.iter().map(|stage| stage.visits).collect::<Vec<_>>(), [1.25, 1.25, 1.0]);
    // The first task takes a second for each item that comes, and one of five is left out.
    let predicted = skel_manage::Model::calibrated(&program, &measures).predict(&[]);
    close(predicted.formula.seconds(), 1.25);
    assert!(predicted.chain > predicted.formula);
}

/// The first task of a program waits for the source for half of its time, and is blocked for a fourth.
#[test]
fn a_task_that_waits_for_the_source_tells_its_pace() {
    let (program, mut window) = farm();
    let first = &mut window.tasks[0].replicas[0];
    *first = part_of(first, 4);
    first.items = SERVICES;
    first.served = SERVICES;
    first.timed = SERVICES;
    first.given = SERVICES;
    let quarter = first.busy;
    (first.starved, first.blocked) = (quarter * 2, quarter);
    let measures = Measures::of(&window, &program).unwrap();
    close(measures.stages[0].time, 0.25);
    close(measures.arrival_time.unwrap().seconds(), 0.75);
    // The source sets the pace of a program whose stages are all faster.
    let model = skel_manage::Model::calibrated(&program, &measures);
    let many = model.predict(&[(skel_core::skeleton::StageId(2), 30)]);
    close(many.formula.seconds(), 0.75);
    assert!(many.chain.seconds() > 0.75 && many.chain.seconds() < 0.85, "{many:?}");
}

#[test]
fn a_task_that_waits_for_the_output_tells_its_pace() {
    let (program, mut window) = farm();
    let last = &mut window.tasks[2].replicas[0];
    last.blocked = last.busy / 2;
    let measures = Measures::of(&window, &program).unwrap();
    close(measures.output_time.unwrap().seconds(), 0.75);
}

#[test]
fn workers_of_a_map_are_told_apart() {
    let program = program("map(3, 1); communication(none);");
    let mut window = window(&program, &[(1.0, 0.1)]);
    let slow = &mut window.tasks[0].replicas[1];
    slow.service *= 2;
    // A thread that hands out the parts serves nothing.
    window.tasks[0].replicas.insert(0, ReplicaFigures::default());
    let measures = Measures::of(&window, &program).unwrap();
    assert_eq!((measures.stages[0].replicas, measures.stages[0].workers), (1, 3));
    assert_eq!(measures.stages[0].worker_times, [1.0, 2.0, 1.0]);
}

#[test]
fn windows_that_say_nothing() {
    let (program, window) = farm();
    let error = |window: &Snapshot| Measures::of(window, &program).unwrap_err().to_string();
    let none = "no item left the program in this window, so nothing is known of its service time";
    assert_eq!(error(&window.since(&window)), none);
    let mut short = window.clone();
    short.from = short.at;
    assert_eq!(error(&short), none);
    let mut idle = window.clone();
    idle.tasks[1].replicas.clear();
    assert_eq!(error(&idle), "the task `task` served nothing in this window, so its time is not known");
    idle.tasks[0].replicas.clear();
    assert_eq!(
        error(&idle),
        "the tasks `task` and `task` served nothing in this window, so their times are not known"
    );
    let other = made::program("pipe(task(1), task(1)); communication(none);");
    assert_eq!(Measures::of(&window, &other), Err(NoMeasures::OtherProgram));
    assert_eq!(NoMeasures::OtherProgram.to_string(), "the tasks of this window are not those of the program");
}
