//! Choices in the clusters of a network: how fast all operations of many sizes are selected. Items are
//! operations of one size in one cluster.

use divan::Bencher;
use divan::counter::ItemsCount;
use skel_network::collective::{Collective, Operation};
use skel_network::file::{Experiment, GivenModel};
use skel_network::partition::Rho;
use skel_network::select::Clusters;
use skel_network::{Bytes, Hockney, LogGp, Network, Time};

const PAPER: &str = include_str!("../models/networks/grid5000.toml");

fn sizes() -> impl Iterator<Item = Bytes> {
    (0..20).map(|power| Bytes::new(1 << power))
}

/// The paper's 78 machines, whose links may have three models.
fn network() -> Network {
    let us = Time::microseconds;
    let hockney = Hockney::new(us(0.0), 110.0).expect("it is a model");
    let loggp = LogGp::new(us(0.0), us(5.0), us(14.0), us(0.0089)).expect("it is a model");
    let given = [GivenModel::everywhere(hockney), GivenModel::everywhere(loggp)];
    let network = Network::from_toml(PAPER).expect("the file is right");
    network.with_models(given.map(GivenModel::with_latency_of_links)).expect("they are for all links")
}

/// Five runs of each operation by each algorithm in each cluster, of each size.
fn experiments(network: &Network) -> Vec<Experiment> {
    let clusters = network.clusters(Rho::default()).expect("all latencies are there");
    let mut runs = Vec::new();
    for (number, cluster) in clusters.all().iter().enumerate().filter(|(_, cluster)| cluster.links.is_some())
    {
        let model = &clusters.links(number, number).expect("it has links").candidates()[0].model;
        let at = network.machines().nth(cluster.machines[0]).map(str::to_owned);
        for operation in Operation::ALL {
            for size in sizes() {
                let collective = Collective::new(operation, cluster.machines.len() as u32, size);
                let ranking =
                    collective.expect("there are machines").fastest(model).expect("all sizes are covered");
                runs.extend(ranking.predictions.iter().flat_map(|predicted| {
                    let run = |percent: u32| Experiment {
                        operation,
                        algorithm: predicted.algorithm,
                        processes: cluster.machines.len() as u32,
                        size,
                        segment: predicted.segment,
                        time: predicted.time * (1.0 + f64::from(percent) / 100.0),
                        at: at.clone(),
                    };
                    (0..5).map(run)
                }));
            }
        }
    }
    runs
}

fn select_all(clusters: &Clusters<'_>) -> usize {
    let mut chosen = 0;
    for cluster in 0..clusters.all().len() {
        for operation in Operation::ALL {
            chosen += sizes()
                .filter(|&size| matches!(clusters.select(cluster, operation, size), Ok(Some(_))))
                .count();
        }
    }
    chosen
}

/// By the given models alone.
#[divan::bench]
fn select_by_models(bencher: Bencher<'_, '_>) {
    let network = network();
    let clusters = network.clusters(Rho::default()).expect("all latencies are there");
    bencher.counter(ItemsCount::new(select_all(&clusters))).bench(|| select_all(&clusters));
}

/// By timed runs of the operations.
#[divan::bench]
fn select_by_experiments(bencher: Bencher<'_, '_>) {
    let network = network();
    let runs = experiments(&network);
    let network = network.with_experiments(runs).expect("they are at machines of the network");
    let clusters = network.clusters(Rho::default()).expect("all latencies are there");
    bencher.counter(ItemsCount::new(select_all(&clusters))).bench(|| select_all(&clusters));
}

/// The clusters with their models, before anything is selected.
#[divan::bench]
fn clusters_of_78_machines(bencher: Bencher<'_, '_>) {
    let network = network();
    bencher.bench(|| network.clusters(Rho::default()).expect("all latencies are there").all().len());
}
