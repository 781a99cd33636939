//! Exploring, building the generator and solving: items are distinct transitions, bytes what the states and
//! transitions take.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use skel::chain::Generator;
use skel::prelude::*;
use skel::steady::{Method, Options};

use crate::models;

#[divan::bench(args = [6, 8, 10], max_time = 3)]
fn explore_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    explore(bencher, &models::pipeline(stages));
}

#[divan::bench(args = [6, 8, 10], max_time = 3)]
fn explore_farm(bencher: Bencher<'_, '_>, workers: usize) {
    explore(bencher, &models::farm(workers));
}

#[divan::bench(args = [6, 8, 10], max_time = 3)]
fn solve_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    solve(bencher, &models::pipeline(stages));
}

#[divan::bench(args = [6, 8, 10], max_time = 3)]
fn solve_farm(bencher: Bencher<'_, '_>, workers: usize) {
    solve(bencher, &models::farm(workers));
}

/// Independent copies of a process of two states: as many transitions of a state as there are copies.
#[divan::bench(args = [10, 14, 18], max_time = 3)]
fn explore_copies(bencher: Bencher<'_, '_>, copies: usize) {
    explore(bencher, &format!("P = (on, 1).Q; Q = (off, 2).P; P[{copies}]"));
}

/// Clients and servers, the copies told apart.
const WHOLE: [(usize, usize); 2] = [(8, 2), (10, 2)];

#[divan::bench(args = WHOLE, max_time = 3)]
fn explore_client_server(bencher: Bencher<'_, '_>, copies: (usize, usize)) {
    explore(bencher, &models::client_server(copies));
}

/// Copies are counted while exploring.
#[divan::bench(args = [(10, 2), (14, 2), (100, 10)], max_time = 3)]
fn explore_client_server_lumped(bencher: Bencher<'_, '_>, copies: (usize, usize)) {
    let model = models::model(&models::client_server(copies));
    let space = model.explorer().lumped().explore().expect("the space is within the limits");
    bencher
        .counter(ItemsCount::new(space.transitions()))
        .counter(BytesCount::new(space.memory()))
        .bench(|| model.explorer().lumped().explore());
}

#[divan::bench(args = [6, 8, 10], max_time = 3)]
fn build_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    build(bencher, &models::pipeline(stages));
}

#[divan::bench(args = WHOLE, max_time = 3)]
fn build_client_server(bencher: Bencher<'_, '_>, copies: (usize, usize)) {
    build(bencher, &models::client_server(copies));
}

#[divan::bench(args = WHOLE, max_time = 3)]
fn solve_client_server(bencher: Bencher<'_, '_>, copies: (usize, usize)) {
    solve(bencher, &models::client_server(copies));
}

/// From the transitions to the generator's matrix.
fn build(bencher: Bencher<'_, '_>, text: &str) {
    let space = models::space(text);
    bencher
        .counter(ItemsCount::new(space.transitions()))
        .counter(BytesCount::new(space.memory()))
        .bench(|| Generator::<f64>::of(&space));
}

fn explore(bencher: Bencher<'_, '_>, text: &str) {
    let model = models::model(text);
    let space = models::space(text);
    bencher
        .counter(ItemsCount::new(space.transitions()))
        .counter(BytesCount::new(space.memory()))
        .bench(|| model.explore());
}

/// The iterative methods alone: the direct one is for small chains.
fn solve(bencher: Bencher<'_, '_>, text: &str) {
    let space = models::space(text);
    let options = Options { direct_up_to: 0, ..Options::default() };
    bencher
        .counter(ItemsCount::new(space.transitions()))
        .counter(BytesCount::new(space.memory()))
        .bench(|| space.solver().options(&options).solve());
}

/// Each method on one chain of 6,561 states.
#[divan::bench(
    args = [
        Method::BiCgStab,
        Method::BiCgStabIlu,
        Method::BiCgStabDilu,
        Method::Gmres,
        Method::GmresIlu,
        Method::Multilevel,
        Method::GaussSeidel,
        Method::Power,
    ],
    max_time = 3
)]
fn solve_pipeline_by(bencher: Bencher<'_, '_>, method: Method) {
    let space = models::space(&models::pipeline(8));
    let options = Options { method, ..Options::default() };
    bencher.counter(ItemsCount::new(space.transitions())).bench(|| space.solver().options(&options).solve());
}

/// The direct method in `f64`: items are states.
#[divan::bench(args = [4, 5], max_time = 3)]
fn eliminate_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let space = models::space(&models::pipeline(stages));
    bencher.counter(ItemsCount::new(space.states())).bench(|| space.steady_state());
}

/// Exact fractions: items are states.
#[divan::bench(args = [4, 5, 6, 7], max_time = 3)]
fn solve_pipeline_exactly(bencher: Bencher<'_, '_>, stages: usize) {
    let space = models::space(&models::pipeline(stages));
    bencher.counter(ItemsCount::new(space.states())).bench(|| space.steady_state_exact());
}
