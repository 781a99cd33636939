use std::ops::ControlFlow;

use super::{Direction, Order, by_flow};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::{Rows, Survey, TransposedRates};
use crate::random_model::random_model;
use crate::space::{Storage, explored};

/// The rates out of each state.
type Lists = Vec<Vec<(u32, f64)>>;

fn operator(rows: &Lists, watch: &mut Watch<'_>) -> TransposedRates {
    let given: Rows<'_> = &|_, visit| {
        rows.iter().enumerate().for_each(|(state, row)| visit(state, row));
        Ok(())
    };
    let budget = MemoryBudget::new(&Limits::default());
    TransposedRates::new(rows.len(), given, budget, watch).unwrap_or_else(|error| panic!("{error}"))
}

/// States of a line, numbered by a permutation: from each a run is likely to go on, and unlikely to go back
/// to the first; from the last it goes to any other.
fn line(numbers: &[u32]) -> Lists {
    let mut rows = vec![Vec::new(); numbers.len()];
    for (at, &state) in numbers.iter().enumerate() {
        let mut row = match numbers.get(at + 1) {
            Some(&next) => vec![(numbers[0], 1e-3), (next, 1.0)],
            None => numbers.iter().map(|&other| (other, 1.0)).collect(),
        };
        row.retain(|&(target, _)| target != state);
        row.sort_unstable_by_key(|&(target, _)| target);
        rows[state as usize] = row;
    }
    rows
}

fn in_order(chain: &TransposedRates, order: &Order, watch: &mut Watch<'_>) -> TransposedRates {
    let budget = MemoryBudget::new(&Limits::default());
    TransposedRates::arranged(chain, order.places(), budget, watch)
        .unwrap_or_else(|stopped| panic!("{stopped}"))
        .expect("it fits")
}

#[test]
fn states_come_after_those_from_which_they_are_likely_to_be_entered() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let numbers: Vec<u32> = (0..60).map(|at| at * 37 % 60).collect();
    let chain = operator(&line(&numbers), &mut watch);
    let [order, by_several] = [1, 7]
        .map(|threads| by_flow(&chain, threads, &mut watch).unwrap_or_else(|stopped| panic!("{stopped}")))
        .map(|order| order.expect("it flows"));
    assert_eq!(order.states(), by_several.states());
    for pair in numbers.windows(2) {
        assert!(order.places()[pair[0] as usize] < order.places()[pair[1] as usize], "{pair:?}");
    }
    let Direction { unlikely: share, back } = Direction::of(&chain, 3).expect("some are unlikely");
    let arranged = in_order(&chain, &order, &mut watch);
    let of_arranged = Direction::of(&arranged, 3).expect("some are unlikely");
    assert!(0.4 < back && of_arranged.back < 0.05, "{back}");
    assert!((share - 117.0 / 176.0).abs() < 1e-12, "{share}");
}

/// Along a line that probability goes forth and back there is no direction, however unlikely jumps are. Where
/// it hardly goes back, there is.
#[test]
fn what_goes_forth_and_back_has_no_direction() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let mut has_order = |back: f64| {
        let row = |state: u32| {
            let (on, back) = if state == 59 { (0.1, 3.0) } else { (1.0, back) };
            let ways = [(1, on), (59, back), (7, 0.12), (49, 0.01)];
            let mut row: Vec<(u32, f64)> = ways.map(|(by, rate)| ((state + by) % 60, rate)).to_vec();
            row.sort_unstable_by_key(|&(target, _)| target);
            row
        };
        let line = operator(&(0..60).map(row).collect(), &mut watch);
        by_flow(&line, 1, &mut watch).unwrap_or_else(|stopped| panic!("{stopped}")).is_some()
    };
    assert!(has_order(0.2));
    assert!(!has_order(1.0));
}

#[test]
fn a_chain_in_another_order_has_the_same_rates_and_products() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let numbers: Vec<u32> = (0..50).map(|at| at * 7 % 50).collect();
    let chain = operator(&line(&numbers), &mut watch);
    let order = Order::of_states((0..50).map(|at| at * 23 % 50).collect());
    let arranged = in_order(&chain, &order, &mut watch);
    let values: Vec<f64> = (0..50).map(|state| f64::from(state) + 0.5).collect();
    assert_eq!(order.restored(&order.arranged(&values)), values);
    assert_eq!(order.restored(arranged.exits()), chain.exits());
    let (mut expected, mut found) = (vec![0.0; 50], vec![0.0; 50]);
    chain.inflow(&values, &mut expected);
    arranged.inflow(&order.arranged(&values), &mut found);
    for (found, expected) in order.restored(&found).iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-13 * expected, "{found} for {expected}");
    }
    // Rates come by ascending targets, and for each of them by ascending sources.
    let mut last = (0, 0);
    let mut count = 0;
    arranged.for_each_rate(&mut |from, to, _| {
        assert!((to, from) > last || count == 0, "{from} to {to}");
        (last, count) = ((to, from), count + 1);
        ControlFlow::Continue(())
    });
    assert_eq!(count, chain.rates());
    let small = MemoryBudget::new(&Limits { memory: 100, ..Limits::default() });
    assert!(matches!(TransposedRates::arranged(&chain, order.places(), small, &mut watch), Ok(None)));
}

#[test]
fn a_survey_shows_the_direction_of_its_list() {
    let limits = Limits::default();
    let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
    let mut directed = 0;
    for seed in 0..60 {
        // Jumps are unlikely.
        let text = random_model(seed).replace(".5)", "e-3)");
        for storage in [Storage::Explicit, Storage::Bitset] {
            let space = explored(&text, storage);
            let survey = Survey::of(&space, budget, &mut watch).unwrap_or_else(|stopped| panic!("{stopped}"));
            let survey = survey.expect("room");
            let list = TransposedRates::by_rows(&space, budget, &mut watch)
                .unwrap_or_else(|error| panic!("{error}"));
            let known = (survey.rates(), survey.least_rate());
            let found = Direction::of_rates(survey.exits(), known, |visit| survey.for_each_rate(visit));
            // The least rate is a lower bound for a survey, so that it may look where the list need not.
            let Some(expected) = Direction::of(&list, 1) else { continue };
            let found = found.expect("a direction");
            assert_eq!((found.unlikely, found.back), (expected.unlikely, expected.back), "{text}");
            directed += 1;
        }
    }
    assert!(directed > 60, "{directed}");
}
