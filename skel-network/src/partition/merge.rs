//! Clusters merge along the links, the nearest first.
//!
//! The rule asks for the least latency inside of a cluster over all links between its machines. That is the
//! least of the links along which it merged, so that no other link inside has to be looked at. Proof: let a
//! link of latency `v` between `a` in `A` and `b` in `B` have been refused, and let `A` and `B` merge later
//! along another link, of latency `w >= v`. If `v` was above the bound of the inside of what was then the
//! cluster of `a`, then `w` is above that of `A`, and they do not merge. If `v` was above the bound of
//! machine `a` itself, then `A` has more machines than `a`, since otherwise `w` would be above that bound
//! too; and `a` came into `A` along a link within that bound, which is less than `v`. So the least inside of
//! `A` is below `v` already. The same holds for `B`.
//!
//! It follows that links of equal latency may be taken in any order: whether one is accepted depends on the
//! two machines and, for each of the two clusters, on whether the latency is within the bound of its inside,
//! which a merger at the same latency does not change.

use super::bound::Rho;
use super::matrix::LatencyMatrix;

/// A link whose latency is within the bound of both of its machines.
struct Link {
    latency: f64,
    ends: [u32; 2],
}

/// The machines of each cluster in ascending order; the clusters are in the order of their first machines.
pub(super) fn clusters(matrix: &LatencyMatrix, rho: Rho) -> Vec<Vec<usize>> {
    let mut forest = Forest::of_single_machines(matrix.names().len());
    for link in near_links(matrix, rho) {
        if forest.trees == 1 {
            break;
        }
        forest.merge_along(&link, rho);
    }
    forest.clusters()
}

/// The links that are within the bound of both machines, the nearest first. No other link can ever merge
/// clusters, so it need not be sorted.
fn near_links(matrix: &LatencyMatrix, rho: Rho) -> Vec<Link> {
    let least = least_of_machines(matrix);
    let mut links = Vec::new();
    for (second, &least_of_second) in least.iter().enumerate() {
        for (first, &latency) in matrix.before(second).iter().enumerate() {
            if latency <= (1.0 + rho.get()) * least[first].min(least_of_second) {
                links.push(Link { latency, ends: [first as u32, second as u32] });
            }
        }
    }
    links.sort_unstable_by(|one, other| one.latency.total_cmp(&other.latency));
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

/// A tree for each cluster (the structure of disjoint sets).
struct Forest {
    /// The machine above each machine, or the machine itself at the top of a tree.
    above: Vec<usize>,
    /// How many machines are in the tree, for the machine at its top.
    count: Vec<usize>,
    /// The least latency inside of the cluster, for the machine at its top: infinite for a single machine.
    least_inside: Vec<f64>,
    trees: usize,
}

impl Forest {
    fn of_single_machines(machines: usize) -> Forest {
        Forest {
            above: (0..machines).collect(),
            count: vec![1; machines],
            least_inside: vec![f64::INFINITY; machines],
            trees: machines,
        }
    }

    /// The machine at the top of a machine's tree. The way there is halved for the next time.
    fn top(&mut self, mut machine: usize) -> usize {
        while self.above[machine] != machine {
            self.above[machine] = self.above[self.above[machine]];
            machine = self.above[machine];
        }
        machine
    }

    fn merge_along(&mut self, link: &Link, rho: Rho) {
        let [one, other] = link.ends.map(|machine| self.top(machine as usize));
        let least_inside = self.least_inside[one].min(self.least_inside[other]);
        if one == other || link.latency > (1.0 + rho.get()) * least_inside {
            return;
        }
        let (stays, goes) = if self.count[one] < self.count[other] { (other, one) } else { (one, other) };
        self.above[goes] = stays;
        self.count[stays] += self.count[goes];
        self.least_inside[stays] = least_inside.min(link.latency);
        self.trees -= 1;
    }

    fn clusters(mut self) -> Vec<Vec<usize>> {
        let mut clusters: Vec<Vec<usize>> = Vec::with_capacity(self.trees);
        let mut cluster_of_top = vec![None; self.above.len()];
        for machine in 0..self.above.len() {
            let cluster = *cluster_of_top[self.top(machine)].get_or_insert(clusters.len());
            if cluster == clusters.len() {
                clusters.push(Vec::new());
            }
            clusters[cluster].push(machine);
        }
        clusters
    }
}
