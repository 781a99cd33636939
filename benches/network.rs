//! Networks: how fast collective operations are predicted and played. Items are predictions, and messages.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use skel_network::collective::{Algorithm, Collective, Operation, Ranking};
use skel_network::simulate::{self, Plan};
use skel_network::{Bytes, GapTable, PLogP, Time};

/// A measured table of seven sizes.
fn link() -> PLogP {
    let gaps = [
        (1, 12.0),
        (1 << 10, 21.5),
        (1 << 13, 79.0),
        (1 << 16, 560.0),
        (1 << 20, 8500.0),
        (1 << 24, 135_200.0),
        (1 << 28, 2_161_000.0),
    ];
    let knots = gaps.map(|(bytes, gap)| (Bytes::new(bytes), Time::microseconds(gap)));
    PLogP::new(Time::microseconds(48.39), GapTable::new(knots).unwrap()).unwrap()
}

fn ranking(operation: Operation, processes: u32, size: u64, link: &PLogP) -> Ranking {
    let collective = Collective::new(operation, processes, Bytes::new(size)).unwrap();
    collective.combining(Time::microseconds(0.0008)).unwrap().fastest(link).unwrap()
}

/// All operations by all their algorithms, with the best segments, for twenty sizes up to 1 MiB; 78 is the
/// size of the paper's platform.
#[divan::bench(args = [78, 1_000_000])]
fn every_operation_of_twenty_sizes(bencher: Bencher<'_, '_>, processes: u32) {
    let link = link();
    let questions =
        || Operation::ALL.into_iter().flat_map(|operation| (1..=20).map(move |bits| (operation, 1 << bits)));
    let select = || -> Vec<Ranking> {
        questions().map(|(operation, size)| ranking(operation, black_box(processes), size, &link)).collect()
    };
    let predictions: usize = select().iter().map(|ranking| ranking.predictions.len()).sum();
    bencher.counter(ItemsCount::new(predictions)).bench_local(select);
}

/// The messages of a binomial tree and of a chain of 4 KiB segments.
#[divan::bench(args = [Algorithm::Binomial, Algorithm::Chain])]
fn played(bencher: Bencher<'_, '_>, algorithm: Algorithm) {
    let link = link();
    let broadcast = Collective::new(Operation::Broadcast, 1000, Bytes::new(1 << 18)).unwrap();
    let segment = (algorithm == Algorithm::Chain).then(|| Bytes::new(1 << 12));
    let plan = Plan::of(&broadcast, algorithm, segment).unwrap();
    let play = || simulate::run(black_box(&plan), &link).unwrap();
    bencher.counter(ItemsCount::new(plan.messages().len())).bench_local(play);
}
