//! What is said of clusters and links that cannot be, and of clusters that are too many.

use skel_core::model::BuildErrors;
use skel_network::Time;
use skel_network::schedule::{Goal, Grid, Heuristic, Link, MOST_CLUSTERS};

fn messages(found: Result<Grid, BuildErrors>) -> Vec<String> {
    let errors = found.unwrap_err().0;
    assert!(errors.iter().all(|error| !error.help.is_empty()));
    errors.into_iter().map(|error| error.message).collect()
}

fn grid(clusters: usize) -> Grid {
    let link = Link { latency: Time::microseconds(50.0), gap: Time::microseconds(8.0) };
    Grid::new((0..clusters).map(|cluster| format!("c{cluster}")), vec![vec![link; clusters]; clusters])
        .unwrap()
}

#[test]
fn every_impossible_time_is_named() {
    let link = |latency, gap| Link { latency: Time::microseconds(latency), gap: Time::microseconds(gap) };
    let links = vec![
        vec![link(f64::NAN, -1.0), link(-1.0, f64::NAN)],
        vec![link(1.0, f64::INFINITY), link(0.0, 0.0)],
    ];
    let found = messages(Grid::new(["a", "b"], links));
    let expected = [
        "the latency from `a` to `b` is -1 us",
        "the gap from `a` to `b` is NaN us",
        "the gap from `b` to `a` is inf us",
    ];
    assert_eq!(found, expected);
    let found = messages(grid(2).with_inside([Time::microseconds(-2.0), Time::ZERO]));
    assert_eq!(found, ["the time of the operation in `c0` is -2 us"]);
}

#[test]
fn shapes_and_roots_are_checked() {
    let none: [&str; 0] = [];
    assert_eq!(messages(Grid::new(none, Vec::new())), ["there is no cluster"]);
    let found = messages(Grid::new(["a", "b"], vec![vec![Link::default(); 2]]));
    assert_eq!(found, ["the links are not a table of 2 rows and 2 columns"]);
    assert_eq!(messages(grid(2).with_inside([Time::ZERO])), ["the number of times of local operations is 1"]);
    assert_eq!(messages(grid(2).with_root(2)), ["there is no cluster 2 that could be the root"]);
}

#[test]
fn one_cluster_has_nothing_to_send() {
    let alone = grid(1).with_inside([Time::microseconds(7.0)]).unwrap();
    let schedules = [alone.schedule(Heuristic::EcefLAT), alone.optimum(Goal::Completion).unwrap()];
    for schedule in schedules {
        assert!(schedule.transfers.is_empty());
        assert_eq!([schedule.last_arrival, schedule.completion], [0.0, 7.0].map(Time::microseconds));
    }
}

#[test]
fn too_many_clusters_have_heuristics_only() {
    assert!(grid(12).optimum(Goal::Completion).is_ok());
    let refusal = grid(MOST_CLUSTERS + 1).optimum(Goal::Completion).unwrap_err();
    let expected = "the best schedule of 15 clusters is not searched for, because that takes 1.2e8 steps and 2.0e6 bytes of memory: \
                    the limit is 14 clusters";
    assert_eq!(refusal.to_string(), expected);
    assert_eq!(grid(40).schedule(Heuristic::Ecef).transfers.len(), 39);
}
