//! The five questions, their formulas in exact fractions, and the table of the guide.

use skel_core::number::{Ratio, ratio};
use skel_core::skeleton::{StageId, text::parse};
use skel_core::time::TimeUnits;
use skel_manage::Contract;
use skel_manage::behaviour::{Behaviour, Pattern, Times, table};

/// `UPDATE=1` writes it anew.
#[test]
fn the_table_of_the_guide_is_what_the_skeletons_answer() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/guide/behaviours.md");
    let skeletons: Vec<&dyn Behaviour> =
        Pattern::ALL.iter().map(|pattern| pattern as &dyn Behaviour).collect();
    let table = table(&skeletons);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), table);
}

#[test]
fn formulas_are_exact() {
    let of = |pattern: Pattern, times: &Times| pattern.service_time(times).unwrap();
    let ends = |times: Times| times.dispatch(1).collect(ratio(3, 2));
    assert_eq!(of(Pattern::Farm, &Times::equal(7, 4)), ratio(4, 7));
    assert_eq!(of(Pattern::Deal, &ends(Times::equal(2, 4))), ratio(2, 1));
    assert_eq!(of(Pattern::Farm, &ends(Times::equal(4, 4))), ratio(3, 2));
    let workers = || Times::of([ratio(5, 2), ratio(1, 1), ratio(4, 1)]);
    assert_eq!(of(Pattern::Map, &ends(workers())), ratio(4, 1));
    assert_eq!(of(Pattern::FaultTolerant, &workers()), ratio(4, 1));
    assert_eq!(of(Pattern::EarlyMajority, &workers()), ratio(5, 2));
    assert_eq!(of(Pattern::MapWithState, &Times::of([5]).state(2, 10)), ratio(57, 10));
    assert_eq!(of(Pattern::Pipe, &workers()), ratio(4, 1));
}

#[test]
fn enough_workers_are_as_many_as_the_slowest_other_part_needs() {
    let enough = |pattern: Pattern, times: Times| pattern.enough_workers(&times).unwrap();
    let half = || Times::equal(1, 4).dispatch(ratio(1, 2)).collect(ratio(1, 2));
    assert_eq!(enough(Pattern::Farm, half()), Some(8));
    assert_eq!(enough(Pattern::Farm, half().arrival(ratio(3, 5))), Some(7));
    assert_eq!(enough(Pattern::Deal, half().output(9)), Some(1));
    assert_eq!(enough(Pattern::Farm, Times::equal(3, 4)), None);
    // Four workers of a map take 1 each for their parts: one alone would take 4.
    assert_eq!(enough(Pattern::Map, Times::equal(4, 1).dispatch(ratio(1, 2))), Some(8));
    assert_eq!(enough(Pattern::FaultTolerant, Times::equal(3, 4).dispatch(1)), None);
    let best = |times: Times| Pattern::Farm.optimal_service_time(&times).unwrap();
    assert_eq!((best(half().arrival(2).output(3)), best(half())), (ratio(3, 1), Ratio::default()));
}

#[test]
fn bad_times_are_named_all_at_once() {
    let wrong = |pattern: Pattern, times: Times| pattern.service_time(&times).unwrap_err().to_string();
    assert_eq!(
        wrong(Pattern::Farm, Times::of([1.0, f64::NAN, -2.0]).dispatch(f64::INFINITY)),
        "the time of worker 2 is NaN: a time is a number of seconds, 0 or more\n\
         the time of worker 3 is -2: a time is a number of seconds, 0 or more\n\
         the dispatch time T_S is inf: a time is a number of seconds, 0 or more"
    );
    assert_eq!(wrong(Pattern::Farm, Times::equal(0, 1)), "there are no workers: a skeleton has at least one");
    assert_eq!(
        wrong(Pattern::MapWithState, Times::of([5]).state(2, 0)),
        "there are 0 items for each state: there have to be more than 0, on average"
    );
    assert_eq!(
        wrong(Pattern::MapWithState, Times::of([5])),
        "a map with state needs the time for a state, and how many items there are for each"
    );
    assert_eq!(
        wrong(Pattern::EarlyMajority, Times::equal(4, 1)),
        "a fault-tolerant stage of 4 workers: it needs an odd number of them, 3 or more, so that there is a majority"
    );
}

#[test]
fn a_contract_is_split_over_the_parts() {
    let text = "pipe(task(\"read\", 100), deal(2, farm(3, \"sharpen\", 20)), map(4, \"blur\", 90), \
        fault_tolerant(3, \"vote\", 90, early), map_with_state(2, \"match\", 90, state(1, 10)));";
    let tree = parse(text).into_tree().unwrap();
    let split = Contract::service_time(50.ms()).split(&tree);
    insta::assert_snapshot!(split);
    assert_eq!(split.service_time_of(StageId(4)).unwrap().to_string(), "300 ms");
}
