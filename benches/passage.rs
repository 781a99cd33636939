//! The curve of a passage time: a hundred points in one pass, and the last of them alone. Items are points.

use divan::Bencher;
use divan::counter::ItemsCount;
use skel::passage::{From, Passage, To};
use skel::prelude::*;

use crate::models;

/// Until the first item leaves the pipeline.
fn first_item(stages: usize) -> Passage<Model> {
    let space = models::space(&models::pipeline(stages));
    let to = format!("move{}", stages + 1);
    space.passage(From::initial(), To::action(to)).expect("items leave the pipeline")
}

const LAST: f64 = 20.0;

#[divan::bench(args = [6, 10], max_time = 10)]
fn passage_point(bencher: Bencher<'_, '_>, stages: usize) {
    let passage = first_item(stages);
    bencher.counter(ItemsCount::new(1_usize)).bench(|| passage.at(&[LAST]));
}

#[divan::bench(args = [6, 10], max_time = 10)]
fn passage_curve(bencher: Bencher<'_, '_>, stages: usize) {
    let passage = first_item(stages);
    let times: Vec<f64> = (1..=100).map(|at| LAST * f64::from(at) / 100.0).collect();
    bencher.counter(ItemsCount::new(times.len())).bench(|| passage.at(&times));
}
