//! The memory of a run does not grow with the number of its items, nor with the number of replicas that have
//! come and gone.

use std::fs;

use skel_core::skeleton::{Program, Skeleton, StageId, Tree, text};
use skel_run::functions::{Alone, Plain, Shared, Start};
use skel_run::{Control, Engine, Run};

fn program(skeleton: &str) -> Program<Tree> {
    text::parse(skeleton).into_tree().expect("the skeleton is sound").communicating(1e6)
}

/// A number of kilobytes from what Linux says of this process.
fn kilobytes(line: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find(|known| known.starts_with(line)).expect("the line is there");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("it has a number")
}

const NESTED: &str = "pipe(task(1), farm(2, pipe(farm(2, 1), task(1))), deal(2, farm(2, 1)), task(1));";

fn plain(function: impl Fn(u64) -> u64 + Sync) -> Shared<u64, Plain<u64>, impl Fn(u64) -> u64 + Sync> {
    Shared::new(function)
}

#[test]
#[ignore = "takes a minute: ten million items"]
fn ten_million_items_in_bounded_memory() {
    for batch in [None, Some(64)] {
        let mut peaks = Vec::new();
        for items in [100_000, 1_000_000, 10_000_000] {
            let mut next = 0;
            let last = Alone::<u64, Plain<u64>, _>::new(|item| {
                assert_eq!(item, next + 3);
                next += 1;
                item
            });
            let functions = Start
                .then(plain(|item| item))
                .then(plain(|item| item + 1))
                .then(plain(|item| item + 1))
                .then(plain(|item| item + 1))
                .then(last);
            let mut run = Run::from_generated_code(program(NESTED), functions).engine(Engine::Threads);
            if let Some(batch) = batch {
                run = run.batch(batch);
            }
            let report = run.over(0..items).unwrap();
            assert_eq!(report.delivered(), items);
            peaks.push(kilobytes("VmHWM"));
            println!(
                "batch {batch:?}, {items} items: peak {} kB, {:.1?}",
                peaks[peaks.len() - 1],
                report.elapsed()
            );
        }
        assert!(peaks[2] < peaks[0] + 16 * 1024, "{peaks:?} kB");
    }
}

#[test]
#[ignore = "takes a minute: thousands of replicas"]
fn replicas_that_have_gone_leave_little_behind() {
    let control = Control::new();
    let other = control.clone();
    let functions = Start.then(plain(|item| item)).then(plain(|item| item)).then(plain(|item| item));
    let run =
        Run::from_generated_code(program("pipe(task(1), farm(1, pipe(farm(2, 1), task(1))));"), functions);
    let mut sizes = Vec::new();
    run.engine(Engine::Threads)
        .batch(1)
        .controlled_by(&control)
        .results(0.., |results| {
            for round in 0..=4_000 {
                if round % 1_000 == 0 {
                    sizes.push(kilobytes("VmRSS"));
                    println!("after {round} replicas: {} kB", sizes[sizes.len() - 1]);
                }
                other.set_replicas_of(StageId(2), 2).unwrap();
                results.take(20).for_each(drop);
                other.set_replicas_of(StageId(2), 1).unwrap();
            }
            other.drain();
            results.for_each(drop);
        })
        .unwrap();
    let grown = sizes[4] - sizes[1];
    println!("{:.1} kB for each replica that has gone", grown as f64 / 3_000.0);
}
