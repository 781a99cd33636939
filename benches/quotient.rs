//! Quotients: items are transitions of the whole space, bytes what it takes. The clients and servers of
//! `models`, keeping how many think, and a farm, whose workers are told apart by what they are called alone.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use skel::quotient::Measure;

use crate::models;

#[divan::bench(args = [6, 10, 14], max_time = 3)]
fn refine_clients(bencher: Bencher<'_, '_>, clients: usize) {
    let measures = [Measure::population_named("Client")];
    refine(bencher, &models::client_server((clients, 2)), &measures);
}

#[divan::bench(args = [6, 8, 10], max_time = 3)]
fn refine_farm(bencher: Bencher<'_, '_>, workers: usize) {
    refine(bencher, &models::farm(workers), &[Measure::throughput_named("comp_0")]);
}

fn refine(bencher: Bencher<'_, '_>, text: &str, measures: &[Measure]) {
    let space = models::space(text);
    bencher
        .counter(ItemsCount::new(space.transitions()))
        .counter(BytesCount::new(space.memory()))
        .bench(|| space.quotient(measures));
}

/// With the fraction of every transition.
#[divan::bench(args = [6, 8], max_time = 3)]
fn refine_clients_exactly(bencher: Bencher<'_, '_>, clients: usize) {
    let space = models::space(&models::client_server((clients, 2)));
    let measures = [Measure::population_named("Client")];
    bencher.counter(ItemsCount::new(space.transitions())).bench(|| space.quotient_exact(&measures));
}
