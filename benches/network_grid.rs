//! Clusters of a network and schedules between them: how fast they are found. Items are pairs of machines,
//! and messages.

use divan::Bencher;
use divan::counter::ItemsCount;
use skel_network::Time;
use skel_network::partition::{LatencyMatrix, Rho};
use skel_network::schedule::{Goal, Grid, Heuristic, Link, MOST_CLUSTERS};

/// Numbers from 0 to 1 that are the same each time (Marsaglia's xorshift).
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 88_172_645_463_325_252_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn us(value: f64) -> Time {
    Time::microseconds(value)
}

/// Machines in groups of fifty, with latencies that differ by up to 10 % inside of a group and by up to 100 %
/// between groups.
fn latencies(machines: usize) -> Vec<Vec<Option<Time>>> {
    let groups = machines.div_ceil(50);
    let mut number = numbers();
    let mut of_pair = vec![us(0.0); machines * machines];
    for (second, first) in (0..machines).flat_map(|second| (0..second).map(move |first| (second, first))) {
        let is_near = first % groups == second % groups;
        let latency = if is_near { 40.0 + 4.0 * number() } else { 5000.0 + 5000.0 * number() };
        of_pair[first * machines + second] = us(latency);
        of_pair[second * machines + first] = us(latency);
    }
    let row =
        |from: usize| (0..machines).map(|to| (from != to).then(|| of_pair[from * machines + to])).collect();
    (0..machines).map(row).collect()
}

fn matrix(rows: &[Vec<Option<Time>>]) -> LatencyMatrix {
    LatencyMatrix::new((0..rows.len()).map(|machine| machine.to_string()), rows).unwrap()
}

fn grid(clusters: usize) -> Grid {
    let mut number = numbers();
    let mut link = || Link { latency: us(9000.0 * number()), gap: us(3000.0 * number()) };
    let links = (0..clusters).map(|_| (0..clusters).map(|_| link()).collect()).collect();
    let names = (0..clusters).map(|cluster| cluster.to_string());
    Grid::new(names, links).unwrap().with_inside((0..clusters).map(|_| us(3000.0 * number()))).unwrap()
}

/// Latencies of both directions are checked.
#[divan::bench(args = [78, 2000])]
fn check_latencies(bencher: Bencher<'_, '_>, machines: usize) {
    let rows = latencies(machines);
    bencher.counter(ItemsCount::new(machines * (machines - 1))).bench(|| matrix(&rows));
}

#[divan::bench(args = [78, 2000])]
fn clusters_of(bencher: Bencher<'_, '_>, machines: usize) {
    let matrix = matrix(&latencies(machines));
    let pairs = ItemsCount::new(machines * (machines - 1));
    bencher.counter(pairs).bench(|| matrix.partition(Rho::default()));
}

/// All links are equally near, so that all of them are sorted.
#[divan::bench(args = [2000])]
fn clusters_of_equal(bencher: Bencher<'_, '_>, machines: usize) {
    let matrix = matrix(&vec![vec![Some(us(40.0)); machines]; machines]);
    let pairs = ItemsCount::new(machines * (machines - 1));
    bencher.counter(pairs).bench(|| matrix.partition(Rho::default()));
}

#[divan::bench(args = [2000])]
fn levels_of(bencher: Bencher<'_, '_>, machines: usize) {
    let matrix = matrix(&latencies(machines));
    let pairs = ItemsCount::new(machines * (machines - 1));
    bencher.counter(pairs).bench(|| matrix.levels(Rho::default()));
}

/// The best schedule, proved.
#[divan::bench(args = [6, 12, MOST_CLUSTERS])]
fn best_schedule_of(bencher: Bencher<'_, '_>, clusters: usize) {
    let grid = grid(clusters);
    bencher.counter(ItemsCount::new(clusters - 1)).bench(|| grid.optimum(Goal::Completion));
}

#[divan::bench(args = [6, 12, 100])]
fn heuristic_schedule_of(bencher: Bencher<'_, '_>, clusters: usize) {
    let grid = grid(clusters);
    bencher.counter(ItemsCount::new(clusters - 1)).bench(|| grid.schedule(Heuristic::EcefLAt));
}
