//! Runs on threads, with the prediction beside what was measured. Tasks sleep, so that two processors are enough for all workers.

use std::cell::Cell;
use std::time::Duration;

use skel_core::skeleton::text::parse;
use skel_core::skeleton::{Program, StageOf, Tree};
use skel_run::functions::{Alone, Shared, Start};
use skel_run::report::{Ending, Execution, Method, Report};

use skel_run::{Engine, Run};

fn program(text: &str) -> Program<Tree> {
    parse(text).program().unwrap_or_else(|| panic!("{text}"))
}

thread_local! {
    static RANDOM: Cell<u64> = const { Cell::new(0) };
}

/// Sleeps for an exponential time, which follows from the item and the stage.
fn sleep_exponentially(mean: Duration, item: u64, stage: u64) {
    let mut bits = (item << 8 | stage).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let uniform = ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    std::thread::sleep(mean.mul_f64(-uniform.ln()));
}

/// A pipe of a task, a farm of three and a task, each with exponential sleeps of these means.
fn run(text: &str, means: [Duration; 3], items: u64, is_ordered: bool) -> Report<Tree> {
    let [first, middle, last] = means;
    let functions = Start
        .then(Alone::new(move |item: u64| {
            sleep_exponentially(first, item, 0);
            item
        }))
        .then(Shared::new(move |item: u64| {
            sleep_exponentially(middle, item, 1);
            item
        }))
        .then(Alone::new(move |item: u64| sleep_exponentially(last, item, 2)));
    let run = Run::from_generated_code(program(text), functions);
    let run = if is_ordered { run } else { run.unordered(StageOf::<Tree, ()>::from_generated_code(2)) };
    run.engine(Engine::Threads).batch(1).over(0..items).unwrap()
}

#[test]
fn prediction_beside_measurement() {
    let text = "pipe(task(read, 1), farm(3, sharpen, 1), task(write, 1)); communication(1); buffers(4);";
    let means = [2, 6, 2].map(Duration::from_millis);
    let report = run(text, means, 300, true);
    let shown = report.with_prediction().unwrap();
    println!("{shown}\n{}", report.to_skel().unwrap());
    assert_eq!(
        (report.ending(), report.execution(), report.delivered()),
        (Ending::Completed, Execution::Threads, 300)
    );
    let prediction = shown.prediction();
    assert_eq!(prediction.method, Method::Chain);
    for (task, mean) in report.tasks().iter().zip(means) {
        assert_eq!((task.items, task.parcels), (300, 300));
        // A machine may be late, but not early: 300 exponential times have a mean of 0.8 of theirs or more.
        assert!(task.mean.unwrap() > 0.8 * mean.as_secs_f64(), "{shown}");
        let parts = task.busy + task.starved + task.blocked + task.overhead;
        assert!((parts - 1.0).abs() < 1e-9, "{shown}");
    }
    assert!((prediction.throughput / report.throughput().rate - 1.0).abs() < 0.3, "{shown}");
    assert!(prediction.formula >= prediction.throughput, "{shown}");
    let read = parse(&report.to_skel().unwrap()).program().expect("it reads back");
    assert_eq!(read.skeleton(), report.program().unwrap().skeleton());
}

#[test]
#[ignore]
fn long() {
    std::thread::scope(|scope| {
        for is_ordered in [true, false] {
            for buffers in [0, 1, 4] {
                scope.spawn(move || {
        let text = format!("pipe(task(read, 1), farm(3, sharpen, 1), task(write, 1)); communication(1); buffers({buffers});");
        let report = run(&text, [10, 30, 10].map(Duration::from_millis), 4_000, is_ordered);
        println!("{buffers} {is_ordered} {}", report.with_prediction().unwrap());
        });
            }
        }
    });
}
