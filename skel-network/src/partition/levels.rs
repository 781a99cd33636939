//! Clusters of clusters.

use super::bound::Rho;
use super::cluster::Partition;
use super::matrix::{LatencyMatrix, pairs};
use super::merge;

impl LatencyMatrix {
    /// Clusters of clusters: first [`LatencyMatrix::partition`], and then the same again on the mean
    /// latencies between the clusters, until one cluster has all machines. Each level has at least one
    /// cluster fewer than the level before.
    ///
    /// It takes time `O(l n^2)` for `l` levels after the first.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Time;
    /// use skel_network::partition::{EqualMachines, LatencyMatrix, Rho};
    /// let us = |value| Some(Time::microseconds(value));
    /// let groups = ["a", "b", "c"].map(|name| EqualMachines::new(name, 2));
    /// let rows = [
    ///     vec![us(40.0), us(600.0), us(8000.0)],
    ///     vec![us(600.0), us(40.0), us(8100.0)],
    ///     vec![us(8000.0), us(8100.0), us(40.0)],
    /// ];
    /// let levels = LatencyMatrix::of_equal(&groups, &rows)?.levels(Rho::default());
    /// assert_eq!(levels[0].machines(), [vec![0, 1], vec![2, 3], vec![4, 5]]);
    /// assert_eq!(levels[1].machines(), [vec![0, 1, 2, 3], vec![4, 5]]);
    /// assert_eq!(levels[2].machines(), [vec![0, 1, 2, 3, 4, 5]]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn levels(&self, rho: Rho) -> Vec<Partition> {
        levels(self, rho)
    }

    /// The mean latencies between the clusters of a partition of these machines. Each cluster has the name of
    /// its first machine.
    ///
    /// # Panics
    /// If the partition is one of other machines.
    #[must_use]
    pub fn between_clusters(&self, partition: &Partition) -> LatencyMatrix {
        let clusters = partition.machines();
        Sums::of(self, &clusters).means(self, &clusters)
    }
}

/// The clusters of machines, the clusters of these, and so on up to one that has all.
fn levels(matrix: &LatencyMatrix, rho: Rho) -> Vec<Partition> {
    let mut clusters = merge::clusters(matrix, rho);
    let mut sums = Sums::of(matrix, &clusters);
    let mut levels = vec![Partition::of(matrix, rho, clusters.clone())];
    while clusters.len() > 1 {
        let groups = merge::clusters(&sums.means(matrix, &clusters), rho);
        sums = sums.merged(&groups);
        clusters = groups.iter().map(|group| united(&clusters, group)).collect();
        levels.push(Partition::of(matrix, rho, clusters.clone()));
    }
    levels
}

/// The machines of several clusters.
fn united(clusters: &[Vec<usize>], group: &[usize]) -> Vec<usize> {
    let mut machines: Vec<usize> =
        group.iter().flat_map(|&cluster| clusters[cluster].iter().copied()).collect();
    machines.sort_unstable();
    machines
}

/// For each cluster the sums of the latencies of all links to each cluster before it, one cluster after the
/// other.
struct Sums(Vec<f64>);

impl Sums {
    fn of(matrix: &LatencyMatrix, clusters: &[Vec<usize>]) -> Sums {
        let single =
            Sums((0..matrix.names().len()).flat_map(|machine| matrix.before(machine)).copied().collect());
        single.merged(clusters)
    }

    /// The sums between unions of clusters.
    fn merged(&self, groups: &[Vec<usize>]) -> Sums {
        let mut group_of = vec![0; groups.iter().map(Vec::len).sum()];
        for (number, group) in groups.iter().enumerate() {
            for &cluster in group {
                group_of[cluster] = number;
            }
        }
        let mut sums = vec![0.0; pairs(groups.len())];
        for (second, &group) in group_of.iter().enumerate() {
            for (first, &other) in group_of[..second].iter().enumerate() {
                if group != other {
                    sums[pairs(group.max(other)) + group.min(other)] += self.0[pairs(second) + first];
                }
            }
        }
        Sums(sums)
    }

    /// The mean latencies between the clusters.
    fn means(&self, matrix: &LatencyMatrix, clusters: &[Vec<usize>]) -> LatencyMatrix {
        let names = clusters.iter().map(|machines| matrix.names()[machines[0]].clone()).collect();
        let mut below = Vec::with_capacity(self.0.len());
        for (second, cluster) in clusters.iter().enumerate() {
            for (first, other) in clusters[..second].iter().enumerate() {
                let links = cluster.len() * other.len();
                below.push(self.0[pairs(second) + first] / links as f64);
            }
        }
        LatencyMatrix::of_checked(names, below)
    }
}
