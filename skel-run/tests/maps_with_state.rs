//! Maps with state: a state is scattered over the workers, and items in between are shown to all of them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use skel_core::skeleton::{Program, Skeleton, StageId, Tree, text};
use skel_run::functions::{Alone, Fallible, MapWithState, Plain, Reduced, Start, StateOr};
use skel_run::{Control, Run};

fn program(skeleton: &str) -> Program<Tree> {
    text::parse(skeleton).into_tree().expect("the skeleton is sound").communicating(1e6)
}

type Inputs = Vec<StateOr<Vec<u64>, u64>>;

fn inputs() -> impl Strategy<Value = Inputs> {
    let state = proptest::collection::vec(0..1000u64, 0..10).prop_map(StateOr::State);
    proptest::collection::vec(prop_oneof![1 => state, 4 => (0..1000u64).prop_map(StateOr::Item)], 0..60)
}

/// For each item behind a state: how much of the state is larger.
fn sequential(inputs: &Inputs) -> Vec<usize> {
    let mut state: Option<&Vec<u64>> = None;
    let mut results = Vec::new();
    for input in inputs {
        match input {
            StateOr::State(new) => state = Some(new),
            StateOr::Item(item) => {
                results.extend(state.map(|state| state.iter().filter(|&element| element > item).count()));
            }
        }
    }
    results
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Items before a state are served with the state before, and those behind it with the new one.
    #[test]
    fn the_results_are_those_of_the_sequential_program(inputs in inputs(), workers in 1..5u32, buffers in 0..3u32) {
        let leaf: MapWithState<Vec<u64>, u64, Plain<usize>, _, _> =
            MapWithState::new(|part: &Vec<u64>, item: &u64| part.iter().filter(|&element| element > item).count());
        let functions = Start
            .then(Alone::<_, Plain<_>, _>::new(|input: StateOr<Vec<u64>, u64>| input))
            .then(Reduced::new(leaf, |a, b| a + b))
            .skip_failures()
            .then(Alone::<usize, Plain<_>, _>::new(|count| count));
        let program = program(&format!("pipe(task(1), map_with_state({workers}, \"count\", 1, state(1, 4)), task(1));"));
        let (results, report) =
            Run::from_generated_code(program.buffers(buffers), functions).collect(inputs.clone()).unwrap();
        prop_assert_eq!(&results, &sequential(&inputs));
        let states = inputs.iter().filter(|input| matches!(input, StateOr::State(_))).count() as u64;
        prop_assert_eq!(report.states(), states);
        prop_assert_eq!(report.taken(), report.delivered() + report.skipped() + report.states());
        prop_assert_eq!(report.tasks()[1].items, inputs.len() as u64 - states);
    }
}

#[expect(clippy::type_complexity, reason = "a type with closures has no shorter name")]
fn sums<'c>(
    calls: &'c AtomicUsize,
) -> MapWithState<
    Vec<u64>,
    u64,
    Plain<u64>,
    skel_run::functions::Built<impl Fn(Vec<u64>) -> u64 + 'c>,
    impl Fn(&u64, &u64) -> u64,
> {
    let sum = |part: Vec<u64>| {
        calls.fetch_add(1, Ordering::Relaxed);
        assert!(!part.contains(&99), "ninety-nine");
        part.iter().sum()
    };
    MapWithState::with(sum, |sum: &u64, item: &u64| sum + item)
}

#[test]
fn an_item_before_any_state_is_an_error_that_says_so() {
    let calls = AtomicUsize::new(0);
    let error = Run::from_generated_code(
        program("map_with_state(2, \"sum\", 1, state(1, 4));"),
        Start.then(sums(&calls)),
    )
    .over([StateOr::Item(1)])
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the stage `sum` could not serve item 0, counted from 0: there is no state yet: a map with state takes one, \
         `StateOr::State(..)`, before its first item; no item was delivered before"
    );
}

#[test]
fn each_worker_makes_what_it_keeps_once_for_each_state() {
    let calls = AtomicUsize::new(0);
    let inputs = [
        StateOr::State(vec![1, 2, 3]),
        StateOr::Item(10),
        StateOr::Item(20),
        StateOr::State(vec![5]),
        StateOr::Item(30),
    ];
    let (results, _) =
        Run::from_generated_code(program("map_with_state(2, 1, state(1, 4));"), Start.then(sums(&calls)))
            .collect(inputs)
            .unwrap();
    assert_eq!(results, [[13, 13], [23, 23], [35, 30]]);
    assert_eq!(calls.into_inner(), 4);
}

/// No item is served with the parts of two states, nor with those of one that is not the last.
#[test]
fn a_state_that_cannot_be_taken_leaves_none() {
    let calls = AtomicUsize::new(0);
    let inputs = [
        StateOr::State(vec![1, 2]),
        StateOr::Item(10),
        StateOr::State(vec![3, 99]),
        StateOr::Item(20),
        StateOr::State(vec![4, 5]),
        StateOr::Item(30),
    ];
    let functions = Start.then(sums(&calls)).skip_failures();
    let (results, report) =
        Run::from_generated_code(program("map_with_state(2, 1, state(1, 4));"), functions)
            .collect(inputs)
            .unwrap();
    assert_eq!(results, [[11, 12], [34, 35]]);
    assert_eq!((report.skipped(), report.states(), report.tasks()[0].replaced), (2, 2, 1));
}

#[test]
fn a_panic_at_an_item_leaves_the_state() {
    let leaf: MapWithState<Vec<u64>, u64, Fallible<u64, String>, _, _> =
        MapWithState::new(|part: &Vec<u64>, item: &u64| match item {
            7 if part.contains(&1) => panic!("seven"),
            8 => Err("eight".to_owned()),
            _ => Ok(part.iter().sum::<u64>() + item),
        });
    let functions = Start.then(leaf).skip_failures();
    let inputs = [StateOr::State(vec![1, 2]), StateOr::Item(7), StateOr::Item(8), StateOr::Item(9)];
    let (results, report) =
        Run::from_generated_code(program("map_with_state(2, 1, state(1, 4));"), functions)
            .collect(inputs)
            .unwrap();
    assert_eq!((results, report.skipped()), (vec![vec![10, 11]], 2));
}

#[test]
fn workers_come_and_go_with_a_state() {
    let leaf: MapWithState<std::ops::Range<u64>, u64, Plain<u64>, _, _> =
        MapWithState::new(|part: &std::ops::Range<u64>, item: &u64| {
            part.clone().map(|element| element * item).sum()
        });
    let control = Control::new();
    let handle = control.clone();
    let inputs =
        (0..5_000).map(|place| if place % 50 == 0 { StateOr::State(0..place) } else { StateOr::Item(place) });
    let mut numbers = HashSet::new();
    let mut expected = inputs
        .clone()
        .scan(0, |end, input| {
            Some(match input {
                StateOr::State(state) => {
                    *end = state.end;
                    None
                }
                StateOr::Item(item) => Some((0..*end).map(|element| element * item).sum::<u64>()),
            })
        })
        .flatten();
    let mut seen = 0;
    let report =
        Run::from_generated_code(program("pipe(map_with_state(3, 1, state(1, 49)));"), Start.then(leaf))
            .controlled_by(&control)
            .for_each(inputs, |sums| {
                if seen % 200 == 0 {
                    handle.set_replicas_of(StageId(1), 1 + seen / 200 % 4).unwrap();
                }
                seen += 1;
                numbers.insert(sums.len());
                assert_eq!(Some(sums.iter().sum()), expected.next());
            })
            .unwrap();
    assert_eq!((report.delivered(), report.states()), (4_900, 100));
    assert!(numbers.is_superset(&HashSet::from([1, 2, 3, 4])), "{numbers:?}");
}

#[test]
fn a_map_with_state_inside_of_a_farm_is_refused() {
    let calls = AtomicUsize::new(0);
    let error = Run::from_generated_code(
        program("farm(2, map_with_state(2, \"sum\", 1, state(1, 4)));"),
        Start.then(sums(&calls)),
    )
    .over([StateOr::Item(1)])
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the map with state `sum` is inside of a farm or a deal, where a state would reach only one of its replicas: take it out, and \
         give it more workers"
    );
}
