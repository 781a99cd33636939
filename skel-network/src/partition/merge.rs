//! Clusters merge along the links, the nearest first.

use super::bound::Rho;
use super::matrix::LatencyMatrix;

/// A link whose latency is within the bound of both of its machines.
struct Link {
    latency: f64,
    first: u32,
    second: u32,
}

/// The machines of each cluster in ascending order; the clusters are in the order of their first machines.
pub(super) fn clusters(matrix: &LatencyMatrix, rho: Rho) -> Vec<Vec<usize>> {
    let mut clusters = Clusters::of_single_machines(matrix);
    for link in near_links(matrix, rho) {
        if clusters.count == 1 {
            break;
        }
        clusters.merge_along(&link, rho);
    }
    let mut found: Vec<Vec<usize>> =
        clusters.machines.into_iter().filter(|machines| !machines.is_empty()).collect();
    for machines in &mut found {
        machines.sort_unstable();
    }
    found.sort_unstable();
    found
}

/// The links that are within the bound of both machines. No other link can ever merge clusters, so it need not be sorted.
fn near_links(matrix: &LatencyMatrix, rho: Rho) -> Vec<Link> {
    let least = least_of_machines(matrix);
    let mut links = Vec::new();
    for (second, &least_of_second) in least.iter().enumerate() {
        for (first, &latency) in matrix.before(second).iter().enumerate() {
            if latency <= (1.0 + rho.get()) * least[first].min(least_of_second) {
                links.push(Link { latency, first: first as u32, second: second as u32 });
            }
        }
    }
    links.sort_unstable_by(|one, other| {
        let machines = |link: &Link| (link.first, link.second);
        one.latency.total_cmp(&other.latency).then_with(|| machines(one).cmp(&machines(other)))
    });
    links
}

/// The latency of the nearest link of each machine.
fn least_of_machines(matrix: &LatencyMatrix) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; matrix.names().len()];
    for second in 0..least.len() {
        for (first, &latency) in matrix.before(second).iter().enumerate() {
            least[first] = least[first].min(latency);
            least[second] = least[second].min(latency);
        }
    }
    least
}

struct Clusters<'m> {
    matrix: &'m LatencyMatrix,
    /// The number of the cluster of each machine.
    cluster_of: Vec<usize>,
    /// The machines of each cluster; those of one that became a part of another are empty.
    machines: Vec<Vec<usize>>,
    /// The least latency between two machines of each cluster: infinite for a single machine.
    least_inside: Vec<f64>,
    /// How many clusters there are.
    count: usize,
}

impl<'m> Clusters<'m> {
    fn of_single_machines(matrix: &'m LatencyMatrix) -> Self {
        let count = matrix.names().len();
        Clusters {
            matrix,
            cluster_of: (0..count).collect(),
            machines: (0..count).map(|machine| vec![machine]).collect(),
            least_inside: vec![f64::INFINITY; count],
            count,
        }
    }

    fn merge_along(&mut self, link: &Link, rho: Rho) {
        let [one, other] = [link.first, link.second].map(|machine| self.cluster_of[machine as usize]);
        let least_inside = self.least_inside[one].min(self.least_inside[other]);
        if one == other || link.latency > (1.0 + rho.get()) * least_inside {
            return;
        }
        // The larger one stays, so that each machine moves a logarithmic number of times.
        let (stays, goes) =
            if self.machines[one].len() < self.machines[other].len() { (other, one) } else { (one, other) };
        self.least_inside[stays] = least_inside.min(self.least_between(stays, goes));
        let moved = std::mem::take(&mut self.machines[goes]);
        for &machine in &moved {
            self.cluster_of[machine] = stays;
        }
        self.machines[stays].extend(moved);
        self.count -= 1;
    }

    /// The least latency between machines of two clusters. Each pair of machines is looked at once until all have merged.
    fn least_between(&self, one: usize, other: usize) -> f64 {
        let pairs = self.machines[one].iter().flat_map(|&first| {
            self.machines[other].iter().map(move |&second| self.matrix.between(first, second))
        });
        pairs.fold(f64::INFINITY, f64::min)
    }
}
