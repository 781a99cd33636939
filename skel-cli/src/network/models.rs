//! The models of the links: inside of each cluster and between each two, as they are shown.

use skel::network::select::{Clusters, Links};

/// Links that have the same models, and how they are called.
pub(super) struct Shown<'c> {
    /// `inside C1`, `C1 - C21`; of several with the same models, the first and how many more there are.
    pub(super) name: String,
    pub(super) links: &'c Links,
}

/// All links, first those inside of clusters. Links between clusters that differ in their latency alone are
/// one entry.
pub(super) fn shown<'c>(clusters: &'c Clusters<'_>) -> Vec<Shown<'c>> {
    let all = clusters.all();
    let inside = all.iter().filter_map(|cluster| {
        Some(Shown { name: format!("inside {}", cluster.name), links: cluster.links.as_ref()? })
    });
    let mut shown: Vec<Shown<'c>> = inside.collect();
    let pairs = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |other| (one, other)));
    for (one, other) in pairs {
        if let Some(links) = clusters.links(one, other) {
            shown.push(Shown { name: format!("{} - {}", all[one].name, all[other].name), links });
        }
    }
    shown
}
