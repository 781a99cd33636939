//! Maps, fault-tolerant stages and maps with state as expressions that have their functions as last
//! arguments.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "a user writes closures, whose types have to be found"
)]

use std::ops::Range;

use proptest::prelude::*;
use skel::prelude::*;
use skel::run::{Engine, StateOr};

#[test]
fn a_map_takes_parts_of_what_the_task_before_makes() {
    let program = pipe!(
        task("split", 1e6, |line: &'static str| line.split(' ').map(str::to_owned).collect::<Vec<_>>()),
        map(3, "count", 1e6, |words| words.into_iter().map(|word| word.len()).sum::<usize>()),
        task("show", 1e6, |counts| counts.iter().map(usize::to_string).collect::<Vec<_>>().join("+")),
    );
    let (again, count) = (program.clone(), program.stage::<1>());
    let (shown, report) = program.run().collect(["a bb ccc", "a bb ccc dddd", ""]).unwrap();
    assert_eq!(shown, ["1+2+3", "3+3+4", "0+0+0"]);
    assert_eq!(again.run().collect(["a"]).unwrap().0, ["1+0+0"]);
    assert_eq!(report.task(count).replicas, 3);
}

#[test]
fn stages_alone_run() {
    let (sums, _) =
        map!(2, 1e6, |part: Range<u64>| part.sum::<u64>()).run().collect([0..10, 5..5_u64]).unwrap();
    assert_eq!(sums, [[10, 35], [0, 0]]);
    let vote = fault_tolerant!(3, 1.0, (|n: &u64| *n, |n| n + 1, |n| *n));
    assert_eq!(vote.run().collect([4, 5]).unwrap().0, [4, 5]);
    let inputs = [StateOr::State(0..4_u8), StateOr::Item(1)];
    let find = map_with_state!(2, 1.0, state(1.0, 10), |part: &Range<u8>, item: &u8| part.contains(item));
    assert_eq!(find.run().collect(inputs).unwrap().0, [[true, false]]);
}

#[test]
fn functions_vote() {
    let offset = 0;
    let program = pipe!(
        task("read", 1e6, |text: &str| text.parse::<u64>().unwrap()),
        fault_tolerant(
            3,
            "root",
            1e6,
            early,
            (
                |number| number.isqrt(),
                |number| (0..).take_while(|root| root * root <= *number).count() as u64 - 1 + offset,
                |_| 7,
            )
        ),
        task("write", 1e6, |root| root.to_string()),
    );
    assert_eq!(program.run().collect(["16", "49", "90"]).unwrap().0, ["4", "7", "9"]);
}

fn same(number: &u32) -> u32 {
    *number
}

fn next(number: &u32) -> u32 {
    number + 1
}

#[test]
fn functions_that_vote_may_be_a_list() {
    let array = fault_tolerant!(3, "vote", 1.0, [same, next, same]);
    assert_eq!(array.run().collect([1, 2]).unwrap().0, [1, 2]);
    let functions: Vec<fn(&u32) -> u32> =
        (0..11).map(|place| if place < 6 { next as fn(&u32) -> u32 } else { same }).collect();
    let many = fault_tolerant!(functions.len(), "vote", 1.0, early, functions.clone());
    assert_eq!(many.run().collect([1, 2]).unwrap().0, [2, 3]);
    let task_apart =
        pipe!(task(1.0, |n: u32| n), fault_tolerant(5, task("vote", 1.0, (same, same, next, next, same))));
    assert_eq!(task_apart.run().collect([1, 2]).unwrap().0, [1, 2]);
    macro_rules! voting {
        ($count:literal: $($function:expr),*) => { fault_tolerant!($count, "vote", 1.0, ($($function),*)) };
    }
    assert_eq!(voting!(7: same, same, next, next, same, next, next).run().collect([1]).unwrap().0, [2]);
    assert_eq!(
        voting!(9: same, same, next, next, same, next, next, same, same).run().collect([1]).unwrap().0,
        [1]
    );
}

#[test]
fn the_number_of_functions_is_checked_when_the_program_runs() {
    let functions = vec![same as fn(&u32) -> u32; 5];
    let error =
        fault_tolerant!(functions.len() - 2, "vote", 1.0, functions.clone()).run().over([1]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the fault-tolerant stage `vote` has 3 workers, but 5 functions: give each worker one"
    );
}

#[test]
fn teams_are_workers_of_farms_and_deals() {
    let program = pipe!(
        farm(2, pipe(task("range", 1e6, |n: u64| 0..n), map(2, "add", 1e6, |part| part.sum::<u64>()))),
        deal(
            2,
            fault_tolerant(
                3,
                "vote",
                1e6,
                (|sums| sums.iter().sum(), |sums| sums.iter().sum::<u64>(), |_| 0)
            )
        ),
    );
    let (sums, _) = program.run().collect(0..100).unwrap();
    assert_eq!(sums, (0..100).map(|n: u64| (0..n).sum()).collect::<Vec<u64>>());
}

#[test]
fn a_program_with_functions_is_predicted_as_one_without() {
    let with = pipe!(
        task("read", 20.0, |n: u32| StateOr::Item::<Range<u32>, u32>(n)),
        map_with_state(2, "find", 5.0, state(2.0, 10), |part, item| part.start + item),
        map(3, "add", 5.0, |part| part.len()),
        fault_tolerant(3, "vote", 30.0, early, (|n| n.len(), |n| n.len(), |n| n.len())),
    );
    let without = pipe!(
        task("read", 20.0),
        map_with_state(2, "find", 5.0, state(2.0, 10)),
        map(3, "add", 5.0),
        fault_tolerant(3, "vote", 30.0, early),
    );
    assert_eq!(with.tree().unwrap(), without.tree().unwrap());
    let shown = format!("{with:?}");
    assert!(shown.contains("-> alloc::vec::Vec<usize>"), "{shown}");
}

pipe! {
    skeleton Parts {
        task("read", 1e6),
        map_with_state(2, "find", 1e6, state(1e5, 10)),
        farm(2, pipe(map(3, "add", 1e6), task("sum", 1e6))),
        fault_tolerant(3, "vote", 1e6, early),
    }
}

/// What the stages do: a state is a range of numbers, and an item asks for how many of them are below it.
mod work {
    use super::{Range, StateOr};

    pub(super) fn read(number: u64) -> StateOr<Range<u64>, u64> {
        if number.is_multiple_of(5) { StateOr::State(number..2 * number + 7) } else { StateOr::Item(number) }
    }

    pub(super) fn find(part: &Range<u64>, item: &u64) -> u64 {
        part.clone().filter(|number| number % 17 < item % 17).count() as u64
    }

    pub(super) fn add(part: &[u64]) -> u64 {
        part.iter().map(|found| found * found + 1).sum()
    }

    pub(super) fn vote(worker: u64, sum: u64) -> u64 {
        // The first worker is wrong now and then.
        sum + u64::from(worker == 0 && sum.is_multiple_of(3))
    }
}

/// What the program makes of its items, one after the other.
fn sequential(items: &[u64]) -> Vec<u64> {
    let mut state = 0..0;
    let mut results = Vec::new();
    for &item in items {
        match work::read(item) {
            StateOr::State(next) => state = next,
            StateOr::Item(item) => {
                // Of two parts the first has the element that is left over.
                let middle = state.start + (state.end - state.start).div_ceil(2);
                let found = [state.start..middle, middle..state.end].map(|part| work::find(&part, &item));
                let sum = found.iter().map(|&found| work::add(&[found])).sum();
                results.push(sum);
            }
        }
    }
    results
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn results_are_those_of_the_named_form_and_of_the_sequential_program(
        items in prop::collection::vec(0..100_u64, 0..60),
        buffers in 0..3_u32,
        engine in prop_oneof![Just(Engine::Threads), Just(Engine::Automatic)],
    ) {
        // The first is a state.
        let items: Vec<u64> = std::iter::once(0).chain(items).collect();
        let inline = pipe!(
            task("read", 1e6, work::read),
            map_with_state(2, "find", 1e6, state(1e5, 10), work::find),
            farm(2, pipe(
                map(3, "add", 1e6, |part| work::add(&part)),
                task("sum", 1e6, |sums| sums.into_iter().sum::<u64>()),
            )),
            fault_tolerant(3, "vote", 1e6, early, (
                |sum| work::vote(0, *sum),
                |sum| work::vote(1, *sum),
                |sum| work::vote(2, *sum),
            )),
        );
        let inline = inline.communicating(1e6).buffers(buffers).run();
        let (inline, _) = inline.engine(engine).collect(items.iter().copied()).unwrap();
        let named = Parts::new().communicating(1e6).buffers(buffers).run()
            .read(work::read)
            .find(work::find)
            .add(|part| work::add(&part))
            .sum(|sums| sums.into_iter().sum::<u64>())
            .vote(|sum| work::vote(0, *sum), |sum| work::vote(1, *sum), |sum| work::vote(2, *sum));
        let (named, _) = named.engine(engine).collect(items.iter().copied()).unwrap();
        prop_assert_eq!(&inline, &named);
        prop_assert_eq!(inline, sequential(&items));
    }
}
