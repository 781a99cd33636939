//! The running example of the paper, Fig. 1 (Yaikhom, Cole, Gilmore, Hillston 2007), from the drawing to its
//! throughput.
//!
//! Six stages: a task, a farm of three, a deal of two, a farm of three, a deal of three, a task. Of its 13
//! tasks the model has 74,183,040 states and 483,618,600 transitions. The replicas of a farm are
//! interchangeable, so the engine explores one state for up to 36 that differ in nothing else, and solves
//! 3,435,648.
//!
//! The whole takes half a minute and 1.6 GiB:
//!
//! ```text
//! cargo run --release --example running_example -- whole
//! ```
//!
//! Without the argument two replicas do instead of three: the same structure with 86,148 states.

use skel::performance::Performance;
use skel::prelude::*;

/// The skeleton with its numbers of replicas.
fn stages(farms: u32, first_deal: u32, second_deal: u32) -> impl Structured {
    pipe!(
        task(1.0),
        farm(farms, 3.0),
        deal(first_deal, 2.0),
        farm(farms, 3.0),
        deal(second_deal, 3.0),
        task(1.0),
    )
}

struct Expected {
    states: u128,
    transitions: Option<u128>,
    throughput: f64,
}

fn main() -> skel::Result<()> {
    let whole = stages(3, 2, 3);
    let lowered = whole.clone().communicating(1.0).lower()?;
    println!("the skeleton:\n{}", lowered.tree());
    println!("the data flow of its {} tasks:\n{}", lowered.graph().tasks(), lowered.graph());
    assert_eq!(lowered.graph().tasks(), 13);

    if std::env::args().any(|argument| argument == "whole") {
        let expected =
            Expected { states: 74_183_040, transitions: Some(483_618_600), throughput: 0.462_601_446_2 };
        return solve(whole, &expected);
    }
    println!("solved with two replicas everywhere; for the whole:");
    println!("    cargo run --release --example running_example -- whole\n");
    solve(stages(2, 2, 2), &Expected { states: 86_148, transitions: None, throughput: 0.436_045_329_5 })
}

fn solve(stages: impl Structured, expected: &Expected) -> skel::Result<()> {
    let performance = stages.communicating(1.0).performance()?;
    let (space, report) = (performance.steady_state().space(), performance.steady_state().report());
    let lumping = space.lumping().expect("a farm's replicas are interchangeable");
    println!("{} states for {} (expected {})", space.states(), number(lumping.states()), expected.states);
    println!("{} transitions for {}", space.transitions(), number(lumping.transitions()));
    println!(
        "explored in {:.1?}, {:.0} MiB",
        space.explored_in(),
        space.memory() as f64 / f64::from(1 << 20)
    );
    println!("solved in {:.1?} by {}\n", report.solved_in, report.method);
    print_stages(&performance);
    let throughput = performance.throughput();
    println!("\nthroughput of the whole: {throughput:.10} (expected {:.10})", expected.throughput);
    assert_eq!(lumping.states(), Some(expected.states));
    assert!(expected.transitions.is_none() || lumping.transitions() == expected.transitions);
    assert!((throughput - expected.throughput).abs() < 1e-10);
    Ok(())
}

fn number(of: Option<u128>) -> String {
    of.map_or_else(|| "more than 128 bits can count".to_owned(), |number| number.to_string())
}

fn print_stages<S>(performance: &Performance<S, f64>) {
    let tree = performance.system().tree();
    for stage in tree.top_level() {
        let utilisation = performance.busy_at(stage);
        println!("utilisation {utilisation:.4}: {}, {}", tree.path_to(stage), tree.name(stage));
    }
    let bottleneck = performance.bottleneck();
    println!("bottleneck: task {}, {}", bottleneck.task, tree.path_to(bottleneck.stage));
}
