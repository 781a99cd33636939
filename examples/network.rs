//! A broadcast over 78 machines in six clusters: W. Nasri, L. A. Steffenel and D. Trystram, *Adaptive
//! performance modeling on hierarchical grid computing environments*, CCGrid 2007, with the latencies of the
//! paper's Table 2. The paper prints no gaps of messages, so one table stands for all links: `g(m)` = 10 us
//! and 1 us for each 125 bytes.
//!
//! The program finds the six clusters again, chooses a model and an algorithm for each, schedules the
//! broadcast between them, and compares with the binomial tree of an MPI library that knows nothing of
//! clusters. Where the clusters are known, a broadcast of 8 KiB takes 9.2 ms in place of 16.2 ms.

use skel::network::collective::Operation;
use skel::network::partition::Rho;
use skel::network::schedule::{Goal, Grid, Heuristic, Link, grid_unaware_binomial};
use skel::network::select::Clusters;
use skel::network::{Bytes, Network, Time};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let network = Network::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/models/networks/grid5000.toml"))?;
    let clusters = network.clusters(Rho::default())?;
    println!("{} machines in {} clusters", network.machine_count(), clusters.all().len());
    for size in [8 << 10, 512 << 10].map(Bytes::new) {
        println!("\nbroadcast of {size}");
        broadcast(&clusters, size)?;
    }
    Ok(())
}

fn broadcast(clusters: &Clusters<'_>, size: Bytes) -> Result<(), Box<dyn std::error::Error>> {
    let mut inside = Vec::new();
    for (number, cluster) in clusters.all().iter().enumerate() {
        let selection = clusters.select(number, Operation::Broadcast, size)?;
        let time = selection.as_ref().map_or(Time::ZERO, |selection| selection.best().predicted.time);
        if let Some(selection) = selection {
            let best = selection.best();
            println!("  {:4} {} {:8} {:.3}", cluster.name, best.model, best.predicted.algorithm.name(), time);
        }
        inside.push(time);
    }
    let grid = grid(clusters, size)?.with_inside(inside)?;
    for heuristic in Heuristic::ALL {
        println!("  {heuristic:8} all done after {:.3}", grid.schedule(heuristic).completion);
    }
    let best = grid.optimum(Goal::Completion)?;
    println!("  optimum  all done after {:.3}", best.completion);
    let mut cluster_of = Vec::new();
    for (number, cluster) in clusters.all().iter().enumerate() {
        cluster_of.extend(cluster.machines.iter().map(|_| number));
    }
    let unaware = grid_unaware_binomial(cluster_of.len(), 0, |from, to| {
        link(clusters, cluster_of[from], cluster_of[to], size)
    })?;
    println!(
        "  without clusters {:.3}, {:.2} times as long",
        unaware.completion,
        unaware.completion / best.completion
    );
    assert!(unaware.completion > best.completion * 1.7);
    Ok(())
}

/// The links between the clusters for messages of a size.
fn grid(clusters: &Clusters<'_>, size: Bytes) -> Result<Grid, Box<dyn std::error::Error>> {
    let count = clusters.all().len();
    let row = |from| {
        let cell = |to| if from == to { Ok(Link::default()) } else { link(clusters, from, to, size) };
        (0..count).map(cell).collect::<Result<Vec<Link>, _>>()
    };
    Ok(Grid::new(clusters.names(), (0..count).map(row).collect::<Result<_, _>>()?)?)
}

fn link(
    clusters: &Clusters<'_>,
    from: usize,
    to: usize,
    size: Bytes,
) -> Result<Link, Box<dyn std::error::Error>> {
    let links = clusters.links(from, to).ok_or("a machine alone has no links")?;
    Ok(Link::of(&links.model(size)?.candidate.model, size)?)
}
