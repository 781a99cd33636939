//! Tables of how much less the slowest of several threads does than one alone, for models in files.
//!
//! `COUNTED="polling.pepa lumped:kanban.pepa" cargo test -p skel-solve --lib gains_of_lists -- --ignored --nocapture`

use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::operator::RateOperator;
use crate::operator::kronecker::KroneckerRates;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::operator::transposed::{TransposedRates, WithinLevels};
use crate::order::{Direction, Order, by_flow};
use crate::space::{Explore, StateSpace};
use crate::team::counted::{Counted, gains};

/// The spaces of the models in the files that the environment lists, each of which may be marked as lumped.
fn for_each_file(mut visit: impl FnMut(&str, &StateSpace)) {
    let files = std::env::var("COUNTED").expect("COUNTED names files");
    for file in files.split_whitespace() {
        let path = file.strip_prefix("lumped:").unwrap_or(file);
        let text = std::fs::read_to_string(path).expect("a file");
        let model = skel_core::text::parse(&text).into_model().expect("a model");
        let explorer = model.explorer();
        let space = if path == file { explorer.explore() } else { explorer.lumped().explore() };
        visit(path, &space.expect("a space").untyped());
    }
}

/// The rates as the solver arranges them: by level, in the order of the flow if there is one.
fn as_solved(space: &StateSpace) -> TransposedRates {
    let limits = Limits::default();
    let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
    let list = TransposedRates::of_space(space, budget, &mut watch).expect("a list");
    if !Direction::of(&list, 1).is_some_and(|direction| direction.unlikely >= 0.25) {
        return list.by_levels_of(0, &mut watch).unwrap();
    }
    let Some(order) = by_flow(&list, 1, &mut watch).unwrap() else {
        return list.by_levels_of(0, &mut watch).unwrap();
    };
    let by_level = list
        .large_levels_in((order.states(), order.places()), WithinLevels::ByNumber, 0, &mut watch)
        .unwrap();
    let order = Order::of_states(by_level.expect("it has levels"));
    TransposedRates::arranged(&list, order.places(), budget, &mut watch).unwrap().expect("it fits")
}

fn row(gains: [f64; 5]) -> String {
    assert!(gains[0] == 1.0, "one thread does everything");
    gains.map(|gain| format!("{gain:.2}")).join(" | ")
}

#[test]
#[ignore = "it counts the work for models in files, and prints a table"]
fn gains_of_lists() {
    for_each_file(|path, space| {
        let list = as_solved(space);
        let (states, rates, levels) = (list.states(), list.rates(), list.count_levels());
        let (gains, between) = (row(gains(|threads| list.counted(threads))), list.between_threads(2));
        let is_shared = if list.has_shared_sweeps() { "yes" } else { "no" };
        println!("| {path} | {states} | {rates} | {levels} | {is_shared} | {gains} | {between:.2} |");
    });
}

#[test]
#[ignore = "it counts the work for models in files, and prints a table"]
fn gains_of_blocks() {
    for_each_file(|path, space| {
        let terms = Descriptor::of_space(space, u64::MAX).expect("blocks");
        let kronecker = KroneckerRates::new(terms, 1, &mut Watch::start(&Limits::default())).unwrap();
        let ((blocks, levels), states) = (kronecker.count_blocks(), kronecker.states());
        let gains = row(gains(|threads: usize| -> Counted { kronecker.counted(threads) }));
        println!("| {path} | {states} | {} | {blocks} | {levels} | {gains} |", kronecker.rates());
    });
}
