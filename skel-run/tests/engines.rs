//! Skeletons run, and their results are those of the sequential program.

use skel_core::skeleton::{Program, Skeleton, Tree, text};
use skel_run::functions::{Alone, Plain, Shared, Start};
use skel_run::{Engine, Run};

fn program(skeleton: &str) -> Program<Tree> {
    text::parse(skeleton).into_tree().expect("the skeleton is sound").communicating(1e6)
}

fn alone<F: FnMut(u64) -> u64 + Send>(function: F) -> Alone<u64, Plain<u64>, F> {
    Alone::new(function)
}

fn shared<F: Fn(u64) -> u64 + Sync>(function: F) -> Shared<u64, Plain<u64>, F> {
    Shared::new(function)
}

#[test]
fn a_pipe_with_a_farm() {
    for engine in [Engine::Threads, Engine::Pull(2), Engine::Automatic] {
        for batch in [None, Some(1), Some(7)] {
            let mut seen = Vec::new();
            let functions =
                Start.then(alone(|item| item + 1)).then(shared(|item| item * 2)).then(alone(|item| {
                    seen.push(item);
                    item + 3
                }));
            let mut run = Run::from_generated_code(program("pipe(task(1), farm(3, 1), task(1));"), functions)
                .engine(engine);
            if let Some(batch) = batch {
                run = run.batch(batch);
            }
            let (results, report) = run.collect(0..10_000).unwrap();
            let expected: Vec<u64> = (0..10_000).map(|item| (item + 1) * 2 + 3).collect();
            assert_eq!(results, expected, "{engine:?} {batch:?}");
            assert_eq!(report.delivered(), 10_000);
            println!("{engine:?} {batch:?}\n{report}");
        }
    }
}

#[test]
fn deals_and_nested_farms() {
    for skeleton in [
        "deal(3, 1);",
        "farm(3, 1);",
        "pipe(task(1), deal(3, 1));",
        "pipe(deal(3, 1), task(1));",
        "pipe(farm(2, 1), deal(3, 1));",
        "pipe(deal(2, 1), farm(3, 1));",
        "pipe(deal(2, 1), deal(3, 1));",
        "pipe(farm(2, 1), farm(3, 1));",
        "farm(2, pipe(task(1), task(1)));",
        "deal(2, pipe(task(1), task(1)));",
        "deal(2, pipe(task(1), farm(2, 1)));",
        "farm(2, pipe(farm(2, 1), task(1)));",
        "deal(2, pipe(farm(2, 1), task(1)));",
        "pipe(task(1), farm(2, deal(3, 1)));",
        "pipe(task(1), deal(2, farm(3, 1)));",
        "pipe(farm(2, deal(2, 1)), task(1));",
        "pipe(deal(2, deal(2, 1)), task(1));",
        "pipe(task(1), deal(2, deal(2, 1)));",
    ] {
        let tree = program(skeleton);
        let tasks = tree
            .skeleton()
            .stages()
            .iter()
            .filter(|stage| matches!(stage, skel_core::skeleton::Stage::Task(_)))
            .count();
        let expected: Vec<u64> =
            (0..2_000).map(|item| if tasks == 1 { item * 2 } else { item * 2 + 1 }).collect();
        for buffers in [0, 1, 4] {
            let program = tree.clone().buffers(buffers);
            let results = match tasks {
                1 => Run::from_generated_code(program, Start.then(shared(|item| item * 2)))
                    .engine(Engine::Threads)
                    .collect(0..2_000),
                2 => Run::from_generated_code(
                    program,
                    Start.then(shared(|item| item * 2)).then(shared(|item| item + 1)),
                )
                .engine(Engine::Threads)
                .collect(0..2_000),
                _ => unreachable!(),
            };
            assert_eq!(results.unwrap().0, expected, "{skeleton} {buffers}");
        }
    }
}

#[test]
fn replicas_come_and_go() {
    use std::sync::atomic::{AtomicU64, Ordering};
    for (skeleton, tasks) in [
        ("pipe(task(1), farm(3, 1), task(1));", 3),
        ("pipe(task(1), deal(3, 1), task(1));", 3),
        ("pipe(farm(2, pipe(task(1), task(1))), task(1));", 3),
        ("pipe(deal(2, pipe(task(1), task(1))), task(1));", 3),
        ("pipe(farm(3, 1), deal(2, 1), farm(2, 1));", 3),
    ] {
        eprintln!("{skeleton}");
        let program = program(skeleton).buffers(2);
        let groups: Vec<_> = (0..program.skeleton().stages().len() as u32)
            .map(skel_core::skeleton::StageId)
            .filter(|&id| {
                matches!(program.skeleton().stage(id), skel_core::skeleton::Stage::Replicated { .. })
            })
            .collect();
        assert_eq!(tasks, 3);
        let control = skel_run::Control::new();
        let served = AtomicU64::new(0);
        let functions =
            Start.then(shared(|item| item + 1)).then(shared(|item| item * 2)).then(shared(|item| {
                served.fetch_add(1, Ordering::Relaxed);
                item + 3
            }));
        let run = Run::from_generated_code(program, functions)
            .engine(Engine::Threads)
            .batch(1)
            .controlled_by(&control);
        let (results, report) = run
            .results(0..20_000, |results| {
                let mut all = Vec::new();
                for result in results {
                    all.push(result);
                    if all.len() % 50 == 0 {
                        let group = groups[all.len() / 50 % groups.len()];
                        let replicas = 1 + (all.len() as u32 / 50 * 7) % 5;
                        control
                            .set_replicas_of(group, replicas)
                            .or_else(|refused| match refused {
                                skel_run::Refused::Ended => Ok(()),
                                other => Err(other),
                            })
                            .unwrap();
                    }
                }
                all
            })
            .unwrap();
        assert!(results.iter().copied().eq((0..20_000).map(|item| (item + 1) * 2 + 3)), "{skeleton}");
        assert_eq!((report.delivered(), served.load(Ordering::Relaxed)), (20_000, 20_000));
    }
}
