//! What holds of any text, read as a network: a network or findings, never both; what is read can be written
//! and read again, and has clusters and choices or a reason why not.

use skel_network::collective::Operation;
use skel_network::file::Parsed;
use skel_network::partition::Rho;
use skel_network::{Bytes, Network};

use super::places;

/// The most machines for which everything is computed.
const MOST_MACHINES: usize = 100;

/// Holds for what the reader made of a text.
pub(crate) fn is_lawful(parsed: &Parsed, text: &str) {
    places::are_within(&parsed.diagnostics, text);
    assert_eq!(parsed.contents.is_none(), !parsed.diagnostics.is_empty(), "{text:?}");
    match &parsed.contents {
        Some(network) => {
            reads_as_written(network);
            chooses(network);
        }
        None => assert!(!parsed.clone().into_contents().unwrap_err().to_string().is_empty(), "{text:?}"),
    }
}

fn reads_as_written(network: &Network) {
    let text = network.to_toml();
    let again = Network::from_toml(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(&again, network, "{text}");
}

/// Every machine is in one cluster, and a predicted time is a time.
fn chooses(network: &Network) {
    if network.machine_count() > MOST_MACHINES {
        return;
    }
    let clusters = network.clusters(Rho::default()).expect("every pair of machines has a latency");
    let machines: usize = clusters.all().iter().map(|cluster| cluster.machines.len()).sum();
    assert_eq!(machines, network.machine_count());
    for cluster in 0..clusters.all().len() {
        for size in [1, 8192] {
            if let Ok(Some(selection)) = clusters.select(cluster, Operation::Broadcast, Bytes::new(size)) {
                let time = selection.best().predicted.time.as_microseconds();
                assert!(time.is_finite() && time >= 0.0, "{time}");
            }
        }
    }
}
