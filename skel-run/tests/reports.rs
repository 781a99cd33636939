//! Runs on threads, with the prediction beside what was measured. Tasks sleep, so that two processors are
//! enough for all workers.

use std::time::Duration;

use skel_core::skeleton::text::parse;
use skel_core::skeleton::{Program, StageOf, Tree};
use skel_run::functions::{Alone, Shared, Start};
use skel_run::report::{Ending, Execution, Method, Report};
use skel_run::{Engine, Run};

/// Sleeps for an exponential time, which follows from the item and the stage. G. Steele, D. Lea and C. Flood,
/// *Fast splittable pseudorandom number generators*, 2014.
fn sleep_exponentially(mean: Duration, item: u64, stage: u64) {
    let mut bits = (item * 8 + stage + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let uniform = ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    std::thread::sleep(mean.mul_f64(-uniform.ln()));
}

fn program(buffers: u32) -> Program<Tree> {
    let text = format!(
        "pipe(task(read, 1), farm(3, sharpen, 1), task(write, 1)); communication(1); buffers({buffers});"
    );
    parse(&text).program().expect("the text is a program")
}

/// A pipe of a task, a farm of three and a task, each with exponential sleeps of these means. Results pass on
/// as they come.
fn run(buffers: u32, means: [u64; 3], items: u64) -> Report<Tree> {
    let [read, sharpen, write] = means.map(Duration::from_millis);
    let functions = Start
        .then(Alone::new(move |item: u64| {
            sleep_exponentially(read, item, 0);
            item
        }))
        .then(Shared::new(move |item: u64| {
            sleep_exponentially(sharpen, item, 1);
            item
        }))
        .then(Alone::new(move |item: u64| sleep_exponentially(write, item, 2)));
    let run = Run::from_generated_code(program(buffers), functions);
    let farm = StageOf::<Tree, ()>::from_generated_code(2);
    run.engine(Engine::Threads).batch(1).unordered(farm).over(0..items).unwrap()
}

#[test]
fn prediction_beside_measurement() {
    let report = run(4, [2, 6, 2], 300);
    let shown = report.with_prediction().unwrap();
    println!("{shown}\n{}", report.to_skel().unwrap());
    assert_eq!((report.ending(), report.execution()), (Ending::Completed, Execution::Threads));
    assert_eq!((report.delivered(), report.taken()), (300, 300));
    let prediction = shown.prediction();
    assert_eq!(prediction.method, Method::Chain);
    for (task, mean) in report.tasks().iter().zip([0.002, 0.006, 0.002]) {
        assert_eq!((task.items, task.parcels), (300, 300));
        // A machine may be late, but not early: 300 exponential times have a mean of 0.8 of theirs or more.
        assert!(task.mean.unwrap() > 0.8 * mean, "{shown}");
        let parts = task.busy + task.starved + task.blocked + task.overhead;
        assert!((parts - 1.0).abs() < 1e-9, "{shown}");
    }
    // As good as 300 items on a busy machine can tell.
    assert!((prediction.throughput / report.throughput().rate - 1.0).abs() < 0.4, "{shown}");
    assert!(prediction.formula >= prediction.throughput, "{shown}");
    let read = parse(&report.to_skel().unwrap()).program().expect("it reads back");
    assert_eq!(read.skeleton(), report.program().unwrap().skeleton());
}

/// A minute of sleep: `cargo test --package skel-run --test reports -- --ignored --nocapture`.
#[test]
#[ignore = "it takes a minute"]
fn buffers_as_predicted() {
    let measure = |buffers| {
        let report = run(buffers, [10, 30, 10], 4_000);
        println!("{}", report.with_prediction().unwrap());
        report.prediction().unwrap().throughput / report.throughput().rate - 1.0
    };
    let apart: Vec<f64> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            [0, 1, 4].into_iter().map(|buffers| scope.spawn(move || measure(buffers))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(apart.iter().all(|apart| apart.abs() < 0.03), "{apart:?}");
}
