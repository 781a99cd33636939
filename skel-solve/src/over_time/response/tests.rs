//! The tagged chain against known numbers of states, and Little's law in fractions.

use num_traits::Zero;
use skel_core::number::Ratio;
use skel_core::skeleton::{Program, Tree, text};

use super::exchange::Exchanges;
use super::explore::Explorer;
use super::flow::Flow;
use super::start;
use crate::over_time::absorption::{BeforeEnd, fractions};
use crate::limits::Watch;
use crate::{Limits, Perform};

fn program(text: &str) -> Program<Tree> {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

/// How many states there are without and with a tag.
fn states(program: &Program<Tree>, exchanges: fn(&skel_core::skeleton::ItemFlow) -> Exchanges) -> (usize, usize) {
    let items = program.lower_with_immediate_moves().unwrap().item_flow();
    let (flow, limits, exchanges) = (Flow::<f64>::new(&items), Limits::default(), exchanges(&items));
    let mut explorer = Explorer::new(&flow, &exchanges, &limits);
    let untagged = explorer.untagged().unwrap().generator.states();
    (untagged, explorer.tagged().unwrap().ends.len())
}

fn mean(program: &Program<Tree>, exchanges: fn(&skel_core::skeleton::ItemFlow) -> Exchanges) -> (Ratio, Ratio) {
    let items = program.lower_with_immediate_moves().unwrap().item_flow();
    let (flow, limits, exchanges) = (Flow::<Ratio>::new(&items), Limits::default(), exchanges(&items));
    let mut explorer = Explorer::new(&flow, &exchanges, &limits);
    let untagged = explorer.untagged().unwrap();
    let tagged = explorer.tagged().unwrap();
    let budget = explorer.budget();
    let start = start::in_fractions(&untagged, tagged.ends.len(), budget, &limits).unwrap();
    let chain = BeforeEnd::new(tagged.rates, tagged.ends);
    let ones = vec![skel_core::number::ratio(1, 1); chain.states()];
    let times = fractions::backwards(&chain, &ones, budget, &mut Watch::start(&limits)).unwrap();
    let mean = start.weights.iter().zip(&times).fold(Ratio::zero(), |sum, (weight, time)| sum + weight * time);
    (start.throughput, mean)
}

#[test]
fn numbers_of_states() {
    for (text, untagged, tagged) in [
        ("pipe(3); task(1); task(1); task(1); communication(1);", 12, 26),
        ("pipe(2); task(2.0); task(3.0); communication(5);", 4, 6),
        ("pipe(5); task(1); task(3); task(1); task(2); task(1); communication(1);", 108, 378),
        ("pipe(3); task(1); farm(2, 1); task(1); communication(1);", 36, 102),
        ("pipe(3); task(1); deal(2, 1); task(1); communication(1);", 56, 164),
    ] {
        assert_eq!(states(&program(text), |_| Exchanges::none()), (untagged, tagged), "{text}");
    }
    let many = program("pipe(3); task(1); farm(10, 1); task(1); communication(none); buffers(3);");
    assert_eq!(states(&many, Exchanges::of), (170, 1081));
}

#[test]
fn littles_law() {
    for text in [
        "pipe(3); task(1); task(1); task(1); communication(1);",
        "pipe(3); task(1); farm(2, 1); task(1); communication(1);",
        "pipe(3); task(1); deal(2, 1); task(1); communication(1);",
        "pipe(task(1), farm(3, 1/2), task(2)); communication(none); buffers(2);",
        "pipe(task(1), farm(3, 1/2), task(2)); communication(3); one_port;",
        "pipe(task(1), farm(2, erlang(2, 1)), task(2)); communication(3); buffers(1);",
        "pipe(farm(2, hyperexponential([1/4, 3/4], [1/10, 5])), deal(2, 1)); communication(none);",
        "pipe(farm(2, pipe(task(1), task(2))), task(2)); communication(2); buffers(1);",
        "pipe(map(2, 1), task(2)); communication(2); buffers(1);",
        "pipe(task(3), fault_tolerant(3, 1, early), map_with_state(2, 1/5, state(1/2, 10))); communication(2);",
        "pipe(map_with_state(2, 1/5, state(1/2, 10)), task(1)); communication(none);",
        "farm(3, 1);",
        "farm(2, erlang(2, 1));",
    ] {
        let program = program(text);
        let performance = program.performance_exact().unwrap();
        for exchanges in [|_: &_| Exchanges::none(), Exchanges::of as fn(&_) -> Exchanges] {
            let (throughput, mean) = mean(&program, exchanges);
            assert_eq!(throughput, *performance.throughput(), "{text}");
            assert_eq!(mean, performance.response_time(), "{text}");
        }
    }
}
