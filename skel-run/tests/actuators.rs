//! What a handle changes in a run while it goes on: shares of a map, parcels, buffers. Nothing is lost,
//! doubled or out of order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use skel_core::skeleton::{MOST_TASKS, Program, Skeleton, StageId, Tree, text};
use skel_run::functions::{Alone, Fallible, Map, MapWithState, Plain, Shared, SharedWith, Start};
use skel_run::report::{Ending, Execution};
use skel_run::{Control, Engine, Error, Refused, Run, StateOr};

fn program(skeleton: &str) -> Program<Tree> {
    text::parse(skeleton).into_tree().expect("the skeleton is sound").communicating(1e6)
}

type Part = Vec<u64>;

fn parts() -> Map<Part, Plain<Part>, fn(Part) -> Part> {
    Map::new(|part| part)
}

fn alone<F: FnMut(u64) -> u64 + Send>(function: F) -> Alone<u64, Plain<u64>, F> {
    Alone::new(function)
}

fn shared<F: Fn(u64) -> u64 + Sync>(function: F) -> Shared<u64, Plain<u64>, F> {
    Shared::new(function)
}

/// The capacities of the buffers before all tasks but the first.
fn buffers(program: &Program<Tree>) -> Vec<u32> {
    program.capacities_before_tasks().unwrap()[1..].iter().map(|(_, capacity)| *capacity).collect()
}

#[test]
fn a_map_is_parted_anew_from_the_next_item_on() {
    let control = Control::new();
    let stage = StageId(0);
    let mut at = 0;
    let report = Run::from_generated_code(program("map(2, \"work\", 1);"), Start.then(parts()))
        .controlled_by(&control)
        .for_each((0..1000).map(|_| (0..12).collect()), |parts: Vec<Vec<u64>>| {
            assert_eq!(parts.concat(), (0..12).collect::<Vec<u64>>());
            let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
            match at {
                0 => control.set_shares_of(stage, &[1, 2, 3]).unwrap(),
                // Items that were inside may have been parted before.
                200 => {
                    assert_eq!((sizes, control.shares_of(stage)), (vec![2, 4, 6], Ok(vec![1, 2, 3])));
                    assert_eq!(control.split_worker_of(stage, 1, 2), Ok(vec![1, 1, 1, 3]));
                }
                400 => {
                    assert_eq!(sizes, [2, 2, 2, 6]);
                    control.set_shares_of(stage, &[0, 5]).unwrap();
                }
                600 => {
                    assert_eq!(sizes, [0, 12]);
                    control.set_replicas_of(stage, 3).unwrap();
                }
                800 => assert_eq!((sizes, control.shares_of(stage)), (vec![4, 4, 4], Ok(vec![1; 3]))),
                _ => {}
            }
            at += 1;
        })
        .unwrap();
    let task = &report.snapshot().tasks[0];
    let came: Vec<Option<usize>> = task.replicas.iter().map(|replica| replica.worker).collect();
    assert_eq!(came, [0, 1, 2, 3, 2].map(Some), "three, four, two, and again three");
    assert_eq!((task.items(), report.delivered()), (1000, 1000));
    assert_eq!(report.program_as_written().skeleton().to_string(), "map(3, \"work\", 1.0);\n");
}

#[test]
fn the_workers_of_a_team_are_told_apart() {
    let control = Control::new();
    let mut at = 0;
    let leaf: Map<_, Plain<_>, _> = Map::new(|part: Vec<u64>| {
        std::thread::sleep(Duration::from_millis(part.iter().sum()));
    });
    let functions = Start.then(leaf);
    Run::from_generated_code(program("map(3, 1);"), functions)
        .controlled_by(&control)
        .for_each((0..20).map(|_| vec![1, 10, 30]), |_| {
            at += 1;
            if at == 10 {
                let snapshot = control.snapshot().unwrap();
                let mean = |worker: usize| {
                    let mut present = snapshot.tasks[0].worker(worker);
                    let mean = present.next().unwrap().mean_service_time().unwrap();
                    assert!(present.next().is_none());
                    mean
                };
                // A sleep is never too short, however busy the machine is.
                let means = [0, 1, 2].map(mean);
                let is_long = |(mean, part): (&Duration, u64)| *mean >= Duration::from_millis(part);
                assert!(means.iter().zip([1, 10, 30]).all(is_long), "{means:?}");
                assert!(snapshot.tasks[0].worker(3).next().is_none());
            }
        })
        .unwrap();
}

#[test]
fn a_map_with_state_parts_its_next_state_anew() {
    let control = Control::new();
    let function = |part: &Vec<u64>, _: &()| part.len();
    let leaf: MapWithState<Vec<u64>, (), Plain<usize>, _, _> = MapWithState::new(function);
    let state = || StateOr::State((0..12).collect());
    let inputs = (0..600).map(|item| if item == 0 || item == 300 { state() } else { StateOr::Item(()) });
    let mut found = Vec::new();
    Run::from_generated_code(program("map_with_state(2, 1, state(1, 30));"), Start.then(leaf))
        .controlled_by(&control)
        .for_each(inputs, |sizes| {
            if found.is_empty() {
                control.set_shares_of(StageId(0), &[1, 3]).unwrap();
                assert_eq!(control.set_buffers(1), Err(Refused::KeepsState(StageId(0))));
            }
            found.push(sizes);
        })
        .unwrap();
    assert_eq!(found.len(), 598);
    assert!(found[..299].iter().all(|sizes| *sizes == [6, 6]), "{found:?}");
    assert!(found[299..].iter().all(|sizes| *sizes == [3, 9]), "{found:?}");
}

#[test]
fn maps_in_a_farm_are_parted_alike() {
    let control = Control::new();
    let mut at = 0;
    let report = Run::from_generated_code(program("farm(3, map(2, 1));"), Start.then(parts()))
        .controlled_by(&control)
        .for_each((0..800).map(|item| vec![item; 10]), |parts: Vec<Vec<u64>>| {
            assert_eq!(parts.concat(), vec![at; 10]);
            match at {
                0 => control.set_shares_of(StageId(1), &[3, 1, 1]).unwrap(),
                100 => control.set_replicas_of(StageId(0), 4).unwrap(),
                400.. => assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [6, 2, 2]),
                _ => {}
            }
            at += 1;
        })
        .unwrap();
    assert_eq!(report.program_as_written().skeleton().to_string(), "farm(4);\nmap(3, 1.0);\n");
}

#[test]
fn shares_that_cannot_be_are_refused() {
    let control = Control::new();
    let functions =
        Start.then(shared(|item| item)).then(Shared::<_, Plain<_>, _>::new(|item| vec![item])).then(parts());
    let map = StageId(3);
    let mut messages = Vec::new();
    Run::from_generated_code(program("pipe(task(1), task(1), map(2, 1));"), functions)
        .controlled_by(&control)
        .for_each([1], |_| {
            let mut refused = |answer: Result<(), Refused>| messages.push(answer.unwrap_err().to_string());
            refused(control.set_shares_of(StageId(1), &[1, 1]));
            refused(control.set_shares_of(map, &[]));
            refused(control.set_shares_of(map, &[0, 0]));
            refused(control.set_shares_of(StageId(9), &[1]));
            refused(control.set_shares_of(map, &[1; 3000]));
            refused(control.split_worker_of(map, 2, 2).map(drop));
            refused(control.split_worker_of(map, 1, 0).map(drop));
            refused(control.split_worker_of(map, 1, u32::MAX).map(drop));
            refused(control.set_batch(2));
            assert_eq!((control.set_batch(1), control.shares_of(map)), (Ok(()), Ok(vec![1, 1])));
        })
        .unwrap();
    messages.push(control.set_shares_of(map, &[1]).unwrap_err().to_string());
    insta::assert_snapshot!(messages.join("\n"), @r"
    stage 1 is no map and no map with state, so no item is parted among workers there: name a map, or set the replicas of a farm
    no weights: give one for each worker that the map should have
    all weights are 0, so no worker would get a part: give at least one of them a weight above 0
    there is no stage 9: the skeleton has 4 nodes, counted from 0; a handle or a node of its tree names a stage
    the program would have 3002 tasks and workers, more than 2000: ask for fewer, or remove others first
    there is no worker 2: the map has 2 workers, counted from 0
    a worker split into 0 workers: give at least 1, or set its weight to 0, so that it gets an empty part
    the program would have 4294967298 tasks and workers, more than 2000: ask for fewer, or remove others first
    a batch of 2 items: the workers of a map, a fault-tolerant stage or a map with state wait for each other at each item, so items travel one at a time
    the run has not begun, or has ended: ask while it goes on, as soon as `snapshot` has figures
    ");
}

#[test]
fn parcels_change_their_size() {
    for engine in [Engine::Threads, Engine::Pull(2)] {
        let control = Control::new();
        let functions = Start.then(shared(|item| item + 1)).then(alone(|item| item * 2));
        let mut seen = 0;
        let report = Run::from_generated_code(program("pipe(farm(2, 1), task(1));"), functions)
            .engine(engine)
            .controlled_by(&control)
            .batch(1)
            .for_each(0..5_000, |item| {
                assert_eq!(item, (seen + 1) * 2);
                seen += 1;
                match seen {
                    1 => assert_eq!((control.batch(), control.set_batch(8)), (Some(1), Ok(()))),
                    2_000 => {
                        let task = &control.snapshot().unwrap().tasks[0];
                        assert!(task.served() < task.items(), "{engine:?}");
                        assert_eq!((control.batch(), control.set_batch(1)), (Some(8), Ok(())));
                    }
                    _ => {}
                }
            })
            .unwrap();
        assert_eq!((seen, report.batch()), (5_000, 1));
        assert!(report.reason().ends_with("this batch was asked for"), "{}", report.reason());
        assert_eq!((control.batch(), control.set_batch(1)), (None, Err(Refused::NotRunning)));
    }
}

#[test]
fn a_size_of_parcels_that_is_said_is_not_chosen_any_more() {
    let control = Control::new();
    let mut seen = 0;
    let report = Run::from_generated_code(program("farm(2, 1);"), Start.then(shared(|item| item)))
        .engine(Engine::Threads)
        .controlled_by(&control)
        .for_each(0..20_000, |_| {
            if seen == 0 {
                control.set_batch(3).unwrap();
            }
            seen += 1;
        })
        .unwrap();
    assert_eq!((report.batch(), report.delivered()), (3, 20_000));
}

#[test]
fn batches_that_cannot_be_are_refused() {
    let control = Control::new();
    let mut messages = Vec::new();
    Run::from_generated_code(program("task(1);"), Start.then(shared(|item| item)))
        .controlled_by(&control)
        .for_each([1], |_| {
            messages.extend([0, 1 << 20].map(|items| control.set_batch(items).unwrap_err().to_string()));
            assert_eq!(control.set_batch((1 << 20) - 1), Ok(()));
        })
        .unwrap();
    insta::assert_snapshot!(messages.join("\n"), @r"
    a batch of 0 items: items travel one at a time with a batch of 1
    a batch of 1048576 items, more than 1048575: let fewer travel together
    ");
}

#[test]
fn buffers_change_while_items_flow() {
    for (skeleton, group) in [
        ("pipe(task(1), farm(3, 1), task(1));", StageId(2)),
        ("pipe(task(1), deal(3, 1), task(1));", StageId(2)),
    ] {
        let control = Control::new();
        let mut last = 0;
        // A task on one thread keeps what it captured.
        let functions = Start.then(shared(|item| item)).then(shared(|item| item + 1)).then(alone(|item| {
            last += 1;
            assert_eq!(item, last);
            item
        }));
        let mut seen = 0;
        let report = Run::from_generated_code(program(skeleton).buffers(2), functions)
            .engine(Engine::Threads)
            .batch(1)
            .controlled_by(&control)
            .for_each(0..3_000, |item| {
                seen += 1;
                assert_eq!(item, seen);
                match seen {
                    100 => control.set_buffers(0).unwrap(),
                    101 => control.set_replicas_of(group, 5).unwrap(),
                    600 => control.set_buffers_before_of(group, 7).unwrap(),
                    1_100 => control.set_buffers(3).unwrap(),
                    1_101 => control.set_buffers_before_of(group, 9).unwrap(),
                    2_000 => {
                        let program = control.program().unwrap();
                        assert_eq!((buffers(&program), program.skeleton().task_count()), (vec![9, 3], 7));
                        let replicas = control.snapshot().unwrap().tasks[1].running();
                        assert_eq!(replicas, 5);
                    }
                    2_001.. if seen % 50 == 0 => control.set_buffers((seen / 50 % 5) as u32).unwrap(),
                    _ => {}
                }
            })
            .unwrap();
        assert_eq!(
            (report.delivered(), report.taken(), seen, report.ending()),
            (3_000, 3_000, 3_000, Ending::Completed)
        );
        assert_eq!(buffers(report.program_as_written()), [0, 0], "of the last request");
        assert_eq!(report.execution(), Execution::Threads);
        assert_eq!(report.program().map(|program| buffers(&program)).unwrap(), [0, 0]);
    }
}

#[test]
fn buffers_of_a_map_change_and_its_shares_stay() {
    let control = Control::new();
    let functions = Start.then(Shared::<u64, Plain<_>, _>::new(|item| vec![item; 10])).then(parts());
    let mut seen = 0;
    let report = Run::from_generated_code(program("pipe(task(1), map(2, 1));"), functions)
        .controlled_by(&control)
        .for_each(0..500, |parts: Vec<Vec<u64>>| {
            assert_eq!(parts.concat(), vec![seen; 10]);
            match seen {
                0 => control.set_shares_of(StageId(2), &[7, 2, 1]).unwrap(),
                100 => control.set_buffers(1).unwrap(),
                101.. if control.shares_of(StageId(2)) != Ok(vec![7, 2, 1]) => panic!("other shares"),
                200.. => assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [7, 2, 1]),
                _ => {}
            }
            seen += 1;
        })
        .unwrap();
    assert_eq!(report.program_as_written().skeleton().to_string(), "pipe(2);\ntask(1.0);\nmap(3, 1.0);\n");
    // Threads that ended with the first engine have left.
    assert_eq!(report.snapshot().tasks[1].replicas.len(), 6);
}

#[test]
fn buffers_that_stay_begin_nothing_anew() {
    let control = Control::new();
    let made = AtomicUsize::new(0);
    let make = || {
        made.fetch_add(1, Ordering::Relaxed);
    };
    let leaf: SharedWith<u64, Plain<u64>, _, _, _> = SharedWith::new(make, |_: &mut (), item| item);
    let functions = Start.then(shared(|item| item)).then(leaf);
    let mut seen = 0;
    Run::from_generated_code(program("pipe(task(1), farm(1, 1));").buffers(2), functions)
        .engine(Engine::Threads)
        .batch(1)
        .controlled_by(&control)
        .for_each(0..1_000, |_| {
            seen += 1;
            match seen {
                1..100 => control.set_buffers(2).unwrap(),
                500 => {
                    assert_eq!(made.load(Ordering::Relaxed), 1);
                    control.set_buffers(3).unwrap();
                }
                _ => {}
            }
        })
        .unwrap();
    assert_eq!(made.into_inner(), 2, "a new replica makes its state");
}

#[test]
fn the_pull_engine_gives_way_to_threads_for_buffers() {
    let control = Control::new();
    let functions = Start.then(shared(|item| item)).then(shared(|item| item + 1));
    let mut seen = 0;
    let report = Run::from_generated_code(program("pipe(task(1), farm(2, 1));"), functions)
        .engine(Engine::Pull(2))
        .batch(1)
        .controlled_by(&control)
        .for_each(0..2_000, |item| {
            seen += 1;
            assert_eq!(item, seen);
            if seen == 10 {
                control.set_buffers(1).unwrap();
            }
        })
        .unwrap();
    assert_eq!((report.execution(), report.delivered()), (Execution::Threads, 2_000));
    let reason = "the replicas or buffers that were asked for need a thread for each replica";
    assert!(report.reason().starts_with(reason), "{}", report.reason());
}

#[test]
fn a_run_that_is_drained_or_cancelled_does_not_begin_again() {
    for cancels in [false, true] {
        let control = Control::new();
        let functions = Start.then(shared(|item| item)).then(shared(|item| item + 1));
        let mut seen = 0;
        let report = Run::from_generated_code(program("pipe(task(1), farm(2, 1));"), functions)
            .engine(Engine::Threads)
            .batch(1)
            .controlled_by(&control)
            .for_each(0.., |_| {
                seen += 1;
                if seen == 50 {
                    control.set_buffers(1).unwrap();
                    if cancels { control.cancel() } else { control.drain() }
                }
            })
            .unwrap();
        let ending = if cancels { Ending::Cancelled } else { Ending::Drained };
        assert_eq!((report.ending(), report.delivered()), (ending, seen));
        assert_eq!(report.taken(), report.delivered() + report.discarded());
    }
}

#[test]
fn buffers_that_cannot_be_are_refused() {
    let control = Control::new();
    let functions = Start.then(shared(|item| item)).then(shared(|item| item));
    let mut messages = Vec::new();
    Run::from_generated_code(program("pipe(task(\"read\", 1), farm(2, 1));"), functions)
        .controlled_by(&control)
        .for_each([1], |_| {
            let mut refused = |answer: Result<(), Refused>| messages.push(answer.unwrap_err().to_string());
            refused(control.set_buffers(2_000_000));
            refused(control.set_buffers_before_of(StageId(1), 4));
            refused(control.set_buffers_before_of(StageId(7), 4));
        })
        .unwrap();
    insta::assert_snapshot!(messages.join("\n"), @r"
    the capacity of the buffer is 2000000, more than 1000000; help: a model has a component for every place in a buffer: give a smaller capacity
    stage 0: a buffer before `read`, to which no stage sends; help: items enter the skeleton there; a buffer is before a later stage of a pipe
    there is no stage 7: the skeleton has 4 nodes, counted from 0; a handle or a node of its tree names a stage
    ");
}

#[test]
fn a_program_cannot_become_too_large() {
    let most = MOST_TASKS;
    for (skeleton, stage, asked, fits) in [
        ("farm(2, 1);", StageId(0), u32::MAX, 40),
        ("farm(2, pipe(task(1)));", StageId(0), 2001, 40),
        ("farm(2, 1);", StageId(1), 5000, 40),
    ] {
        let control = Control::new();
        Run::from_generated_code(program(skeleton), Start.then(shared(|item| item)))
            .engine(Engine::Threads)
            .controlled_by(&control)
            .for_each([1], |_| {
                let refused = control.set_replicas_of(stage, asked);
                assert_eq!(refused, Err(Refused::TooMany { asked: u64::from(asked), most }), "{skeleton}");
                assert_eq!(control.program().unwrap().skeleton().task_count(), 2, "{skeleton}");
                let _ = control.set_replicas_of(stage, fits);
            })
            .unwrap();
    }
    let control = Control::new();
    let mut message = String::new();
    Run::from_generated_code(program("farm(10, map(2, 1));"), Start.then(parts()))
        .controlled_by(&control)
        .for_each([vec![1]], |_| {
            message = control.set_replicas_of(StageId(1), 201).unwrap_err().to_string();
            assert_eq!(control.set_replicas_of(StageId(1), u32::MAX).map_err(|_| ()), Err(()));
            assert_eq!(control.set_replicas_of(StageId(0), 1001).map_err(|_| ()), Err(()));
        })
        .unwrap();
    insta::assert_snapshot!(message, @"the program would have 2010 tasks and workers, more than 2000: ask for fewer, or remove others first");
}

#[test]
fn the_program_of_now_is_there_while_the_run_is() {
    let control = Control::new();
    assert!(control.program().is_none());
    let functions = Start.then(shared(|item| item)).then(shared(|item| item));
    let mut texts = Vec::new();
    Run::from_generated_code(program("pipe(task(1), farm(2, 1));"), functions)
        .batch(1)
        .controlled_by(&control)
        .for_each(0..1000, |item| {
            if item > 0 {
                return;
            }
            let mut note = || {
                let program = control.program().unwrap();
                texts.push((program.skeleton().to_string(), buffers(&program)));
            };
            note();
            assert_eq!(control.add_replica_of(StageId(2)), Ok(3));
            control.set_buffers(6).unwrap();
            note();
            assert_eq!(control.remove_replica_of(StageId(3)), Ok(2));
            note();
        })
        .unwrap();
    assert!(control.program().is_none());
    let farm = |replicas: u32| format!("pipe(2);\ntask(1.0);\nfarm({replicas}, 1.0);\n");
    assert_eq!(texts, [(farm(2), vec![4]), (farm(3), vec![6]), (farm(2), vec![6])]);
}

#[cfg(feature = "affinity")]
#[test]
fn threads_move_to_other_processors() {
    let control = Control::new();
    let processors = control.processors();
    let functions = Start.then(shared(|item| item)).then(shared(|item| item + 1));
    let (mut seen, mut has_moved) = (0, false);
    Run::from_generated_code(program("pipe(task(1), farm(2, 1));"), functions)
        .engine(Engine::Threads)
        .batch(1)
        .controlled_by(&control)
        .for_each(0..20_000, |_| {
            let at = |control: &Control| {
                let snapshot = control.snapshot().unwrap();
                snapshot.tasks[1].replicas.iter().map(|replica| replica.processor).collect::<Vec<_>>()
            };
            match seen {
                0 => {
                    assert_eq!((at(&control), control.processors()), (vec![None, None], processors));
                    control.move_replica_of(StageId(2), 0, processors - 1).unwrap();
                    control.move_replica_of(StageId(3), 1, 0).unwrap();
                    let refused = control.move_replica_of(StageId(2), 0, processors);
                    assert_eq!(refused, Err(Refused::NoProcessor { processor: processors, processors }));
                    assert_eq!(
                        control.move_replica_of(StageId(2), 2, 0),
                        Err(Refused::NotThere { replica: 2 })
                    );
                    assert_eq!(control.move_replica_of(StageId(0), 0, 0), Err(Refused::NoTask(StageId(0))));
                }
                12_000 => control.set_replicas_of(StageId(2), 1).unwrap(),
                // A thread moves when it takes an item.
                1..12_000 if !has_moved => has_moved = at(&control) == [Some(processors - 1), Some(0)],
                15_000 => {
                    while control.snapshot().unwrap().tasks[1].running() > 1 {
                        std::thread::yield_now();
                    }
                    assert_eq!(
                        control.move_replica_of(StageId(2), 1, 0),
                        Err(Refused::NotThere { replica: 1 })
                    );
                }
                _ => {}
            }
            seen += 1;
        })
        .unwrap();
    assert!(has_moved);
    assert_eq!(control.move_replica_of(StageId(2), 0, 0), Err(Refused::NotRunning));
}

#[cfg(feature = "affinity")]
#[test]
fn pinned_threads_say_where_they_are() {
    for (skeleton, engine, threads) in [
        ("map(3, 1);", Engine::Threads, 3),
        ("farm(3, 1);", Engine::Threads, 3),
        ("farm(3, 1);", Engine::Pull(2), 2),
    ] {
        let control = Control::new();
        let functions = Start.then(parts());
        let plain = Start.then(Shared::<Vec<u64>, Plain<_>, _>::new(|item: Vec<u64>| vec![item]));
        let items = (0..500).map(|_| vec![0; 6]);
        let report = match skeleton.starts_with("map") {
            true => {
                Run::from_generated_code(program(skeleton), functions).engine(engine).pinned().over(items)
            }
            false => Run::from_generated_code(program(skeleton), plain).engine(engine).pinned().over(items),
        };
        let (report, processors) = (report.unwrap(), control.processors());
        let replicas = report.snapshot().tasks[0].replicas.iter();
        let at: Vec<Option<usize>> = replicas.map(|replica| replica.processor).collect();
        assert_eq!(
            at,
            (0..threads).map(|thread| Some(thread % processors)).collect::<Vec<_>>(),
            "{skeleton} {engine:?}"
        );
    }
}

/// What another thread asks for.
#[derive(Clone, Debug)]
enum Act {
    Replicas(usize, u32),
    Shares(usize, Vec<u32>),
    Split(usize, usize, u32),
    Batch(usize),
    Buffers(Option<usize>, u32),
}

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let act = prop_oneof![
        (0..8usize, 1..5u32).prop_map(|(stage, replicas)| Act::Replicas(stage, replicas)),
        (0..8usize, prop::collection::vec(0..5u32, 0..5))
            .prop_map(|(stage, weights)| Act::Shares(stage, weights)),
        (0..8usize, 0..3usize, 0..4u32).prop_map(|(stage, worker, into)| Act::Split(stage, worker, into)),
        (0..20usize).prop_map(Act::Batch),
        (prop::option::of(0..8usize), 0..5u32).prop_map(|(before, capacity)| Act::Buffers(before, capacity)),
    ];
    prop::collection::vec((0..300u64, act), 0..12)
}

fn act(control: &Control, act: &Act) {
    let stage = |number: usize| StageId(number as u32);
    // What cannot be is refused; here only what comes of the run is of interest.
    let _ = match act {
        Act::Replicas(number, replicas) => control.set_replicas_of(stage(*number), *replicas),
        Act::Shares(number, weights) => control.set_shares_of(stage(*number), weights),
        Act::Split(number, worker, into) => control.split_worker_of(stage(*number), *worker, *into).map(drop),
        Act::Batch(items) => control.set_batch(*items),
        Act::Buffers(Some(number), capacity) => control.set_buffers_before_of(stage(*number), *capacity),
        Act::Buffers(None, capacity) => control.set_buffers(*capacity),
    };
}

/// Runs three functions, and asks from three places: who takes the results, the source, and the second
/// function.
fn with_acts(skeleton: &str, engine: Engine, items: u64, acts: &[(u64, Act)]) -> Result<(), TestCaseError> {
    let control = Control::new();
    let at = |place: u64, of: u64| {
        let due =
            acts.iter().enumerate().filter(|(number, (when, _))| *when == place && *number as u64 % 3 == of);
        due.for_each(|(_, (_, what))| act(&control, what));
    };
    let first = Shared::<u64, Plain<_>, _>::new(|item: u64| vec![item; 9]);
    let last = Shared::<Vec<u64>, Fallible<_, String>, _>::new(|item: Vec<u64>| {
        at(item[0], 1);
        Ok(item)
    });
    let seen = Mutex::new(0);
    let source = (0..items).inspect(|item| at(*item, 2));
    let results = {
        let each = |results: &mut skel_run::Results<'_, Vec<u64>>| {
            results
                .inspect(|item| at(item[0], 0))
                .map(|item| {
                    *seen.lock().unwrap() += 1;
                    (item[0], item.len())
                })
                .collect::<Vec<_>>()
        };
        if skeleton.contains("map") {
            let middle =
                skel_run::functions::Reduced::new(parts(), |one: Vec<u64>, other| [one, other].concat());
            let run = Run::from_generated_code(program(skeleton), Start.then(first).then(middle).then(last));
            run.engine(engine).controlled_by(&control).results(source, each)
        } else {
            let run = Run::from_generated_code(
                program(skeleton),
                Start.then(first).then(Shared::<_, Plain<_>, _>::new(|item: Vec<u64>| item)).then(last),
            );
            run.engine(engine).controlled_by(&control).results(source, each)
        }
    };
    let (results, report) = results.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(results, (0..items).map(|item| (item, 9)).collect::<Vec<_>>());
    prop_assert_eq!((report.delivered(), report.taken()), (items, items));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn results_are_those_of_the_sequential_program(
        skeleton in prop::sample::select(vec![
            "pipe(task(1), map(2, 1), task(1));",
            "pipe(task(1), farm(2, map(2, 1)), farm(2, 1));",
            "farm(2, pipe(task(1), map(2, 1), task(1)));",
            "pipe(deal(2, 1), map(3, 1), farm(2, 1));",
            "pipe(task(1), farm(2, 1), task(1));",
            "pipe(farm(2, 1), deal(2, 1), farm(3, 1));",
            "farm(2, pipe(task(1), farm(2, 1), task(1)));",
        ]),
        engine in prop::sample::select(vec![Engine::Threads, Engine::Automatic]),
        items in 0..300u64,
        acts in acts(),
    ) {
        with_acts(skeleton, engine, items, &acts)?;
    }
}

/// Runs a test of this file in a process that cannot have the address space for many stacks.
#[cfg(target_os = "linux")]
fn with_little_space(test: &str) {
    let program = std::env::current_exe().unwrap();
    let status = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 2000000 && exec \"$0\" --ignored --exact --nocapture \"$1\""])
        .arg(program)
        .arg(test)
        .env("RUST_MIN_STACK", (64 << 20).to_string())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

#[test]
#[cfg(target_os = "linux")]
fn threads_that_the_system_refuses_are_an_answer() {
    with_little_space("in_little_space::replicas_are_refused_and_nothing_has_changed");
    with_little_space("in_little_space::a_run_without_threads_does_not_begin");
}

/// In a process where a stack takes 64 MiB of 2 GB.
#[cfg(target_os = "linux")]
mod in_little_space {
    use super::*;

    fn threads() -> usize {
        std::fs::read_dir("/proc/self/task").unwrap().count()
    }

    /// A thread that was started in vain ends, and gives its space back, a moment after that was said.
    fn until_there_are(before: usize) {
        while threads() > before {
            std::thread::yield_now();
        }
    }

    #[test]
    #[ignore = "needs a process without much space: another test starts it"]
    fn replicas_are_refused_and_nothing_has_changed() {
        let alone = threads();
        for (skeleton, stage) in [("farm(2, 1);", StageId(0)), ("farm(2, pipe(farm(2, 1)));", StageId(2))] {
            until_there_are(alone);
            let control = Control::new();
            let (results, report) =
                Run::from_generated_code(program(skeleton), Start.then(shared(|item| item)))
                    .engine(Engine::Threads)
                    .batch(1)
                    .controlled_by(&control)
                    .results(0..100, |results| {
                        let (first, before) = (results.next(), threads());
                        let refused = control.set_replicas_of(stage, 900).unwrap_err();
                        assert!(matches!(&refused, Refused::NoThread(_)), "{refused}");
                        println!("{refused}");
                        until_there_are(before);
                        control.set_replicas_of(stage, 3).unwrap();
                        first.into_iter().chain(results).collect::<Vec<u64>>()
                    })
                    .unwrap();
            assert_eq!(results, (0..100).collect::<Vec<u64>>());
            assert_eq!(report.ending(), Ending::Completed);
        }
        until_there_are(alone);
        let control = Control::new();
        let (sizes, _) = Run::from_generated_code(program("map(2, 1);"), Start.then(parts()))
            .controlled_by(&control)
            .results((0..100).map(|_| vec![0; 6]), |results| {
                let first = results.next();
                let refused = control.set_shares_of(StageId(0), &[1; 900]).unwrap_err();
                assert!(matches!(&refused, Refused::NoThread(_)), "{refused}");
                first.into_iter().chain(results).map(|parts| parts.len()).collect::<Vec<usize>>()
            })
            .unwrap();
        assert_eq!(sizes, [2; 100]);
    }

    #[test]
    #[ignore = "needs a process without much space: another test starts it"]
    fn a_run_without_threads_does_not_begin() {
        let run = Run::from_generated_code(program("farm(900, 1);"), Start.then(shared(|item| item)));
        let error = run.engine(Engine::Threads).over(0..100).unwrap_err();
        println!("{error}");
        assert!(matches!(&error, Error::NoThreads { .. }), "{error}");
        assert_eq!(error.report().unwrap().taken(), 0);
    }
}
