//! Fitted models: searches, least squares, crossovers, and reading of runs and graphs.

use std::fmt::Write;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use skel_fit::graph::Graph;
use skel_fit::runs::Runs;
use skel_fit::{Function, LinearModel, NormalForm, Power, TwoSteps, Weighting, crossovers};

/// Noise of a percent that is the same in each run.
fn noisy(value: f64, place: usize) -> f64 {
    value * (1.0 + 0.01 * ((place * 7919 % 101) as f64 / 50.0 - 1.0))
}

#[divan::bench(args = [5, 10, 50])]
fn normal_form_of_one(bencher: Bencher<'_, '_>, points: usize) {
    let of = |place: usize| 100.0 * (place + 1) as f64;
    let points: Vec<(f64, f64)> = (0..points)
        .map(|place| (of(place), noisy(0.5 + 1e-6 * of(place) * of(place).log2(), place)))
        .collect();
    bencher.bench(|| NormalForm::new().fit("n", black_box(&points)));
}

/// A square of sizes and numbers of processes.
fn square(side: usize) -> Vec<([f64; 2], f64)> {
    let at = |place: usize| [100.0 * (1 + place % side) as f64, (2 + place / side) as f64];
    (0..side * side)
        .map(|place| (at(place), noisy(0.3 + 1e-5 * at(place)[0].powi(2) / at(place)[1], place)))
        .collect()
}

#[divan::bench(args = [5, 10])]
fn normal_form_of_two(bencher: Bencher<'_, '_>, side: usize) {
    let points = square(side);
    bencher.bench(|| NormalForm::new().fit_two(["n", "p"], black_box(&points)));
}

#[divan::bench(args = [10, 1000, 100_000])]
fn least_squares_of_four_terms(bencher: Bencher<'_, '_>, points: usize) {
    let points: Vec<([f64; 1], f64)> =
        (0..points).map(|place| ([1.0 + place as f64], noisy(2.0 + place as f64, place))).collect();
    let terms: Vec<[Power; 1]> = (0..4).map(|degree| [Power::new(degree, 1)]).collect();
    bencher
        .counter(ItemsCount::new(points.len()))
        .bench(|| LinearModel::fit(["n"], &terms, black_box(&points), Weighting::Relative));
}

#[divan::bench]
fn two_steps(bencher: Bencher<'_, '_>) {
    let (points, terms) = (square(7), [Power::ONE, Power::new(1, 1), Power::new(2, 1)]);
    bencher.bench(|| TwoSteps::fit(&terms, black_box(&points)));
}

/// The three crossovers of Eqs 16 and 17 of the paper.
#[divan::bench]
fn crossovers_of_cubics(bencher: Bencher<'_, '_>) {
    let functions = [
        "2.42258 - 6.5303e-3 n + 4.5e-6 n^2 + 2.29e-9 n^3",
        "-4.48182 + 1.64541e-2 n - 1.61e-5 n^2 + 7.38e-9 n^3",
    ];
    let [ss, vrp] = functions.map(|text| text.parse::<Function>().expect("it is a function"));
    bencher.bench(|| crossovers(black_box(&ss), &vrp, 250.0..=20_000.0));
}

const RUNS: [usize; 2] = [100_000, 1_000_000];

/// So many runs of points with five runs each.
fn table(runs: usize) -> String {
    let mut text = "segment,machine,n,p,seconds,run\n".to_owned();
    for run in 0..runs {
        let (point, seconds) = (run / 5, noisy(0.5, run));
        writeln!(text, "rows,bio,{},{},{seconds},{}", 100 + point / 16, 1 + point % 16, 1 + run % 5)
            .expect("a string takes all that is written");
    }
    text
}

#[divan::bench(args = RUNS, max_time = 5)]
fn read_csv(bencher: Bencher<'_, '_>, runs: usize) {
    let text = table(runs);
    bencher
        .counter(BytesCount::of_str(&text))
        .counter(ItemsCount::new(runs))
        .bench(|| Runs::from_csv(black_box(&text)));
}

#[divan::bench(args = RUNS, max_time = 5)]
fn read_json_lines(bencher: Bencher<'_, '_>, runs: usize) {
    let text = Runs::from_csv(&table(runs)).expect("they are runs").to_json_lines();
    bencher
        .counter(BytesCount::of_str(&text))
        .counter(ItemsCount::new(runs))
        .bench(|| Runs::from_json_lines(black_box(&text)));
}

#[divan::bench(args = RUNS, max_time = 5)]
fn points_of_runs(bencher: Bencher<'_, '_>, runs: usize) {
    let read = Runs::from_csv(&table(runs)).expect("they are runs");
    bencher.counter(ItemsCount::new(runs)).bench(|| black_box(&read).points());
}

/// A graph of so many segments.
fn long_graph(segments: usize) -> String {
    let mut text = "graph long(n, p) {\n".to_owned();
    for segment in 0..segments {
        writeln!(text, "loop p {{ send part{segment} [8*n] : 1e-5 + 1e-9*m; }}")
            .expect("a string takes all that is written");
    }
    text + "}\n"
}

#[divan::bench(args = [1000, 100_000], max_time = 5)]
fn read_graph(bencher: Bencher<'_, '_>, segments: usize) {
    let text = long_graph(segments);
    bencher.counter(BytesCount::of_str(&text)).bench(|| Graph::from_text(black_box(&text)));
}

#[divan::bench(args = [1000, 100_000], max_time = 5)]
fn times_of_graph(bencher: Bencher<'_, '_>, segments: usize) {
    let graph = Graph::from_text(&long_graph(segments)).expect("it is a graph");
    bencher
        .counter(ItemsCount::new(segments))
        .bench(|| black_box(&graph).times(&[("n", 1000.0), ("p", 4.0)]));
}
