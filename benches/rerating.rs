//! The same states with other rates: making them, solving them, and the derivatives by all rates. Items are
//! solutions.

use divan::Bencher;
use divan::counter::ItemsCount;
use skel::prelude::*;
use skel::quotient::Measure;

use crate::models;

/// The pipeline with a rate of its own for each processor and link, and some values for them.
fn pipeline(stages: usize) -> (StateSpace, Vec<(String, Rate)>) {
    let mut text = models::pipeline(stages).replace("mu = 10; la = 10;\n", "");
    let mut values = Vec::new();
    for (kind, action, count) in [("mu", "process", stages), ("la", "move", stages + 1)] {
        for at in 1..=count {
            text = text.replace(&format!("({action}{at}, {kind})"), &format!("({action}{at}, {kind}{at})"));
            text.insert_str(0, &format!("{kind}{at} = 10;\n"));
            values.push((format!("{kind}{at}"), (5 + at as i64 * 7 % 11).into()));
        }
    }
    (models::space(&text), values)
}

fn borrowed(values: &[(String, Rate)]) -> Vec<(&str, Rate)> {
    values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

#[divan::bench(args = [3, 8], max_time = 3)]
fn rerate_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let (space, values) = pipeline(stages);
    let values = borrowed(&values);
    bencher.counter(ItemsCount::new(1_usize)).bench(|| space.with_rates(&values));
}

#[divan::bench(args = [3, 8], max_time = 3)]
fn rerate_and_solve_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let (space, values) = pipeline(stages);
    let values = borrowed(&values);
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| space.with_rates(&values).and_then(|space| space.steady_state()));
}

/// One rate changes by a thousandth.
#[divan::bench(args = [8], max_time = 3)]
fn solve_pipeline_from_nearby(bencher: Bencher<'_, '_>, stages: usize) {
    let (space, values) = pipeline(stages);
    let space = space.with_rates(&borrowed(&values)).expect("the rates are positive");
    let start = space.steady_state().expect("the pipeline comes back");
    let changed = space.with_rates(&[("mu1", 12.012.into())]).expect("the rate is positive");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| changed.solver().start_from(&start).solve());
}

#[divan::bench(args = [3, 8], max_time = 3)]
fn derivatives_of_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let (space, values) = pipeline(stages);
    let space = space.with_rates(&borrowed(&values)).expect("the rates are positive");
    let pi = space.steady_state().expect("the pipeline comes back");
    let measure = Measure::throughput_named("move1");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| pi.derivatives(&measure));
}

#[divan::bench(args = [3, 4, 5], max_time = 3)]
fn derivatives_of_pipeline_exactly(bencher: Bencher<'_, '_>, stages: usize) {
    let (space, values) = pipeline(stages);
    let space = space.with_rates(&borrowed(&values)).expect("the rates are positive");
    let pi = space.steady_state_exact().expect("the pipeline comes back");
    let measure = Measure::throughput_named("move1");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| pi.derivatives(&measure));
}
