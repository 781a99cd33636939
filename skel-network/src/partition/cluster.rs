//! Machines in clusters.

use super::bound::Rho;
use super::matrix::{LatencyMatrix, pairs};
use super::merge;
use crate::quantity::Time;

/// All machines of a platform, each in one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The bound with which it was found.
    pub rho: Rho,
    /// The clusters, in the order of their first machines.
    pub clusters: Vec<Cluster>,
}

/// Machines whose links are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The machines by their numbers in the matrix, in ascending order.
    pub machines: Vec<usize>,
    /// The latencies between them; there are none in a cluster of one machine.
    pub latency: Option<Spread>,
}

/// The latencies between all pairs of machines of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: Time,
    /// The mean over all pairs.
    pub mean: Time,
    /// The greatest. It may be beyond the bound, because machines can belong to a cluster by way of others.
    pub most: Time,
}

impl LatencyMatrix {
    /// The homogeneous clusters, by the rule that [the module](super) states.
    ///
    /// It takes time `O(n^2 log n)` and 16 bytes for each link that is near enough to be in a cluster.
    #[must_use]
    pub fn partition(&self, rho: Rho) -> Partition {
        Partition::of(self, rho, merge::clusters(self, rho))
    }
}

impl Partition {
    pub(super) fn of(matrix: &LatencyMatrix, rho: Rho, clusters: Vec<Vec<usize>>) -> Partition {
        let cluster = |machines: Vec<usize>| Cluster { latency: spread(matrix, &machines), machines };
        Partition { rho, clusters: clusters.into_iter().map(cluster).collect() }
    }

    /// The machines of each cluster.
    #[must_use]
    pub fn machines(&self) -> Vec<Vec<usize>> {
        self.clusters.iter().map(|cluster| cluster.machines.clone()).collect()
    }

    /// For each machine the number of its cluster, counted from 0.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Time;
    /// use skel_network::partition::{EqualMachines, LatencyMatrix, Rho};
    /// let us = |value| Some(Time::microseconds(value));
    /// let groups = [EqualMachines::new("a", 2), EqualMachines::new("b", 1)];
    /// let matrix = LatencyMatrix::of_equal(&groups, &[vec![us(40.0), us(900.0)], vec![us(900.0), None]])?;
    /// assert_eq!(matrix.partition(Rho::default()).cluster_of_each(), [0, 0, 1]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn cluster_of_each(&self) -> Vec<usize> {
        let count = self.clusters.iter().map(|cluster| cluster.machines.len()).sum();
        let mut cluster_of = vec![0; count];
        for (number, cluster) in self.clusters.iter().enumerate() {
            for &machine in &cluster.machines {
                cluster_of[machine] = number;
            }
        }
        cluster_of
    }
}

fn spread(matrix: &LatencyMatrix, machines: &[usize]) -> Option<Spread> {
    let latencies = || {
        let of = |(at, &second): (usize, &usize)| {
            machines[..at].iter().map(move |&first| matrix.between(first, second))
        };
        machines.iter().enumerate().flat_map(of)
    };
    let count = pairs(machines.len());
    if count == 0 {
        return None;
    }
    let (least, most, sum) = latencies()
        .fold((f64::INFINITY, 0.0_f64, 0.0), |(least, most, sum), latency| {
            (least.min(latency), most.max(latency), sum + latency)
        });
    // A sum of equal latencies is not quite their multiple.
    let mean = (sum / count as f64).clamp(least, most);
    let [least, mean, most] = [least, mean, most].map(Time::microseconds);
    Some(Spread { least, mean, most })
}
