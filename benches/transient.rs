//! Transient distributions. Items are products with the rates, or answers.

use divan::Bencher;
use divan::counter::ItemsCount;

use crate::models;

/// The pipeline at `t = 10`: uniformisation takes some 1,100 steps.
#[divan::bench(args = [6, 8, 10], max_time = 5)]
fn pipeline_at_10(bencher: Bencher<'_, '_>, stages: usize) {
    let space = models::space(&models::pipeline(stages));
    let solver = || space.transient_solver(&[10.0]).keep(&["process1"]).solve();
    let steps = solver().map_or(0, |transient| transient.report().steps);
    bencher.counter(ItemsCount::new(steps)).bench(solver);
}

/// The pipeline at `t = 100`, where the long run is near after a third of the steps.
#[divan::bench(args = [8, 10], max_time = 10)]
fn pipeline_at_100(bencher: Bencher<'_, '_>, stages: usize) {
    let space = models::space(&models::pipeline(stages));
    let solver = || space.transient_solver(&[100.0]).keep(&["process1"]).solve();
    let steps = solver().map_or(0, |transient| transient.report().steps);
    bencher.counter(ItemsCount::new(steps)).bench(solver);
}

/// A hundred times of the pipeline in one pass.
#[divan::bench(args = [8], max_time = 5)]
fn pipeline_at_100_times(bencher: Bencher<'_, '_>, stages: usize) {
    let space = models::space(&models::pipeline(stages));
    let times: Vec<f64> = (1..=100).map(|step| 0.1 * f64::from(step)).collect();
    bencher.counter(ItemsCount::new(times.len())).bench(|| {
        let mut sum = 0.0;
        let solver = space.transient_solver(&times).keep(&["process1"]);
        let report = solver.for_each(|point| {
            sum += point.throughput_named("process1")?;
            Ok(())
        });
        report.map(|_| sum)
    });
}

/// A measure at the last of these times alone, and at all of them, without the distributions.
#[divan::bench(args = [(8, 1), (8, 100), (10, 1), (10, 100)], max_time = 10)]
fn pipeline_curve(bencher: Bencher<'_, '_>, (stages, times): (usize, u32)) {
    let space = models::space(&models::pipeline(stages));
    let times: Vec<f64> = (1..=times).map(|step| 10.0 * f64::from(step) / f64::from(times)).collect();
    bencher
        .counter(ItemsCount::new(times.len()))
        .bench(|| space.transient_solver(&times).keep(&["process1"]).curves());
}

/// Slow states in a row, and fast ones behind them: adaptive uniformisation takes about 60 steps instead of
/// `1e10`.
#[divan::bench(args = [1_000, 100_000], max_time = 5)]
fn fast_and_far_away(bencher: Bencher<'_, '_>, slow: usize) {
    let mut text = String::new();
    (0..slow).for_each(|at| text += &format!("S{at} = (go, 1).S{};\n", at + 1));
    text += &format!("S{slow} = (go, 1).Fast; Fast = (forth, 1000000000).S{slow}; S0");
    let space = models::space(&text);
    bencher.bench(|| space.transient_solver(&[10.0]).keep(&["S0"]).solve());
}

/// Four states and `q t = 1e8`, which no step by step method answers.
#[divan::bench(max_time = 2)]
fn four_stiff_states(bencher: Bencher<'_, '_>) {
    let text = "Start = (left, 500).First + (right, 500).Second; First = (drift, 0.00001).Third; Second = (stay, 1000).Third;
        Third = (back, 1000).Second; Start";
    let space = models::space(text);
    bencher.bench(|| space.transient(&[1e5]));
}
