//! What is said of latencies that cannot be.

use skel_core::model::BuildErrors;
use skel_network::Time;
use skel_network::partition::{EqualMachines, LatencyMatrix, Rho};

fn us(value: f64) -> Option<Time> {
    Some(Time::microseconds(value))
}

fn messages(found: Result<LatencyMatrix, BuildErrors>) -> Vec<String> {
    let errors = found.unwrap_err().0;
    assert!(errors.iter().all(|error| !error.help.is_empty()));
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn every_pair_is_named() {
    let rows = [
        vec![None, us(-1.0), us(f64::NAN), us(40.0)],
        vec![us(5.0), None, None, us(f64::INFINITY)],
        vec![us(3.0), None, None, us(7.0)],
        vec![us(41.0), us(2.0), us(7.0), us(f64::NAN)],
    ];
    let found = messages(LatencyMatrix::new(["a", "b", "c", "d"], &rows));
    let expected = [
        "the latency from `a` to `b` is -1 us",
        "the latency from `a` to `c` is NaN us",
        "the latency from `b` to `c` is missing",
        "the latency from `c` to `b` is missing",
        "the latency from `a` to `d` is 40 us, but 41 us from `d` to `a`",
        "the latency from `b` to `d` is inf us",
    ];
    assert_eq!(found, expected);
}

#[test]
fn after_twenty_pairs_the_others_are_counted() {
    let names = (0..30).map(|machine| format!("m{machine}"));
    let rows = vec![vec![None; 30]; 30];
    let found = messages(LatencyMatrix::new(names, &rows));
    assert_eq!(found.len(), 21);
    // Each of 30 machines lacks 29 latencies.
    assert!(found[20].starts_with("850 more latencies"), "{}", found[20]);
    let one_more = |count: usize| {
        let mut rows = vec![vec![us(1.0); 30]; 30];
        rows[0][1..=count].fill(us(-1.0));
        messages(LatencyMatrix::new((0..30).map(|machine| format!("m{machine}")), &rows))
    };
    assert_eq!(one_more(20).len(), 20);
    assert!(one_more(21)[20].starts_with("1 more latency "), "{}", one_more(21)[20]);
}

#[test]
fn names_and_shapes_are_checked_as_well() {
    let none: [&str; 0] = [];
    assert_eq!(messages(LatencyMatrix::new(none, &[])), ["there is no machine"]);
    let rows = vec![vec![us(1.0); 3]; 3];
    let found = messages(LatencyMatrix::new(["a", "b", "a"], &rows));
    assert_eq!(found, ["two machines have the name `a`"]);
    let found = messages(LatencyMatrix::new(["a", "b"], &[vec![None, us(1.0)]]));
    assert_eq!(found, ["the number of rows of latencies is 1"]);
    let found = messages(LatencyMatrix::new(["a", "b"], &[vec![None, us(1.0)], vec![us(1.0)]]));
    assert_eq!(found, ["the number of latencies in the row of `b` is 1"]);
    let uneven = vec![vec![us(1.0); 2]; 8];
    let found = messages(LatencyMatrix::new(["a", "b", "c", "d", "e", "f", "g", "h"], &uneven));
    assert_eq!(found.len(), 6);
    assert_eq!(found[5], "3 more rows have another number of latencies");
}

#[test]
fn directions_may_differ_where_that_is_asked_for() {
    let rows = [vec![None, us(100.0)], vec![us(105.0), None]];
    let within = |tolerance| LatencyMatrix::averaged(["a", "b"], &rows, tolerance);
    assert_eq!(within(0.06).unwrap().latency(1, 0), us(102.5));
    assert_eq!(messages(within(0.04)), ["the latency from `a` to `b` is 100 us, but 105 us from `b` to `a`"]);
    for tolerance in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(messages(within(tolerance))[0].contains("tolerance"));
    }
}

#[test]
fn groups_of_equal_machines() {
    let rows = [vec![None, us(9.0)], vec![us(9.0), us(f64::NAN)]];
    let of = |first, second| {
        LatencyMatrix::of_equal(&[EqualMachines::new("a", first), EqualMachines::new("b", second)], &rows)
    };
    let found = messages(of(2, 2));
    assert_eq!(
        found,
        ["the latency from `a-1` to `a-2` is missing", "the latency from `b-1` to `b-2` is NaN us"]
    );
    assert_eq!(of(1, 1).unwrap().latency(0, 1), us(9.0));
    assert_eq!(messages(of(0, 1)), ["the number of machines of `a` is 0"]);
    assert_eq!(
        messages(of(1, usize::MAX)).last().unwrap().split_once(" is ").unwrap().0,
        "the number of machines of all groups"
    );
}

/// Groups named `a` and `a-1` could give two machines the same name.
#[test]
fn names_of_groups_do_not_give_two_machines_one_name() {
    let rows = [vec![us(1.0), us(9.0)], vec![us(9.0), us(1.0)]];
    let groups = [EqualMachines::new("a", 2), EqualMachines::new("a-1", 2)];
    let matrix = LatencyMatrix::of_equal(&groups, &rows).unwrap();
    assert_eq!(matrix.names(), ["a-1", "a-2", "a-1-1", "a-1-2"]);
}

#[test]
fn bounds_that_cannot_be() {
    for rho in [-0.01, f64::NAN, f64::INFINITY] {
        assert!(Rho::new(rho).unwrap_err().0[0].message.starts_with("the bound rho"));
    }
}
