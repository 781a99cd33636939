//! The best schedule of all, by a recursion over sets of clusters.
//!
//! Let `f(i, S)` be the least time that a cluster `i`, whose port is free, needs to bring the message to all
//! clusters of the set `S`, by itself and by way of those that it sends to. The first message goes to some
//! `j`, which has to bring it to a part `S'` of the others while `i` goes on with the rest:
//!
//! ```text
//! f(i, {}) = T_i
//! f(i, S)  = min over j in S and S' in S - j of max(g_ij + L_ij + f(j, S'), g_ij + f(i, S - j - S'))
//! ```
//!
//! With `T = 0` that is the last arrival. It takes `O(n^2 3^n)` steps and `n 2^(n-1)` numbers of 8 bytes for
//! `n` clusters.

use std::fmt;

use super::grid::{Grid, Link};
use super::timeline::{Schedule, Timeline};
use crate::quantity::Time;

/// What ends as soon as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// The last message between clusters.
    LastArrival,
    /// The last operation inside of a cluster.
    Completion,
}

/// The most clusters for which [`Grid::optimum`] is found: 3 million steps for 12 clusters, and 33 million
/// for 14.
pub const MOST_CLUSTERS: usize = 14;

/// The best schedule would take too many steps.
#[derive(Clone, Debug, PartialEq)]
pub struct TooManyClusters {
    /// How many clusters there are.
    pub clusters: usize,
    /// For how many there is a search.
    pub most: usize,
    /// How many steps the search would take.
    pub steps: f64,
    /// How much memory it would take in bytes.
    pub memory: f64,
}

impl fmt::Display for TooManyClusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooManyClusters { clusters, most, steps, memory } = self;
        write!(
            f,
            "the best schedule of {clusters} clusters is not searched for, because that takes {steps:.1e} steps and {memory:.1e} \
             bytes of memory: the limit is {most} clusters"
        )
    }
}

impl std::error::Error for TooManyClusters {}

impl Grid {
    /// A schedule than which none ends sooner. Its messages are in the order of their starts.
    ///
    /// It takes `O(n^2 3^n)` steps and `8 n 2^(n-1)` bytes for `n` clusters; both are known before it begins.
    ///
    /// # Errors
    /// There are more than [`MOST_CLUSTERS`]. The heuristics have no such limit.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Time;
    /// use skel_network::schedule::{Goal, Grid, Link};
    /// let us = Time::microseconds;
    /// let links = vec![vec![Link { latency: us(50.0), gap: us(8.0) }; 4]; 4];
    /// // The cluster whose local operation takes longest gets the message first.
    /// let inside = [0.0, 100.0, 900.0, 100.0].map(us);
    /// let grid = Grid::new(["a", "b", "c", "d"], links)?.with_inside(inside)?;
    /// let schedule = grid.optimum(Goal::Completion).unwrap();
    /// assert_eq!(schedule.transfers[0].to, 2);
    /// assert_eq!(schedule.completion, us(958.0));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn optimum(&self, goal: Goal) -> Result<Schedule, TooManyClusters> {
        if self.len() > MOST_CLUSTERS {
            return Err(TooManyClusters {
                clusters: self.len(),
                most: MOST_CLUSTERS,
                steps: steps(self.len()),
                memory: 8.0 * self.len() as f64 * 2_f64.powf(self.len() as f64 - 1.0),
            });
        }
        let inside = |cluster: usize| match goal {
            Goal::LastArrival => Time::ZERO,
            Goal::Completion => self.inside()[cluster],
        };
        Ok(Recursion::of(self, inside).schedule())
    }
}

/// How many pairs of a receiver and a set are compared.
fn steps(clusters: usize) -> f64 {
    // The root sends to sets of `n - 1` clusters, and each other cluster to sets of `n - 2`. A set of `s` of
    // them has `s 2^(s-1)` pairs of a first receiver and its part of the others. The sum of these over all
    // sets of `m` is `m 3^(m-1)`.
    let of = |m: f64| if m > 0.0 { m * 3_f64.powf(m - 1.0) } else { 0.0 };
    let others = clusters as f64 - 1.0;
    of(others) + others * of(others - 1.0)
}

/// A set of clusters without the root: a bit for each other cluster.
type Set = usize;

/// The least times of all senders and sets.
struct Recursion<'g> {
    grid: &'g Grid,
    /// The clusters by their numbers in the recursion: the root is last, so that the others have the bits
    /// from 0 on.
    clusters: Vec<usize>,
    /// The links between them.
    links: Vec<Vec<Link>>,
    /// `f(i, S)` in microseconds, for each sender the sets in ascending order.
    least: Vec<Vec<f64>>,
}

impl<'g> Recursion<'g> {
    fn of(grid: &'g Grid, inside: impl Fn(usize) -> Time) -> Self {
        let others = (0..grid.len()).filter(|&cluster| cluster != grid.root());
        let clusters: Vec<usize> = others.chain([grid.root()]).collect();
        let link = |&from: &usize| clusters.iter().map(|&to| grid.link(from, to)).collect();
        let links = clusters.iter().map(link).collect();
        let sets = 1 << (grid.len() - 1);
        let least = clusters.iter().map(|&cluster| vec![inside(cluster).as_microseconds(); sets]).collect();
        let mut recursion = Recursion { grid, clusters, links, least };
        // A set comes after all of its parts.
        for set in 1..sets {
            for from in (0..grid.len()).filter(|from| set >> from & 1 == 0) {
                recursion.least[from][set] = recursion.best(from, set).0;
            }
        }
        recursion
    }

    /// The least time in which a sender reaches a set that is not empty, the first receiver, and its part of
    /// the others.
    fn best(&self, from: usize, set: Set) -> (f64, usize, Set) {
        let mut best = (f64::INFINITY, usize::MAX, 0);
        for to in members(set) {
            let (gap, time) =
                (self.links[from][to].gap.as_microseconds(), self.links[from][to].time().as_microseconds());
            let others = set & !(1 << to);
            for part in subsets(others) {
                let value = (time + self.least[to][part]).max(gap + self.least[from][others & !part]);
                if value < best.0 {
                    best = (value, to, part);
                }
            }
        }
        best
    }

    fn schedule(&self) -> Schedule {
        let root = self.grid.len() - 1;
        let mut timeline = Timeline::new(self.grid.len(), self.grid.root());
        let mut open = vec![(root, (1 << root) - 1)];
        while let Some((from, set)) = open.pop() {
            if set == 0 {
                continue;
            }
            let (_, to, part) = self.best(from, set);
            timeline.send(self.clusters[from], self.clusters[to], self.links[from][to]);
            open.push((from, set & !(1 << to) & !part));
            open.push((to, part));
        }
        timeline.sort();
        timeline.finished(self.grid.inside().iter().copied())
    }
}

/// The clusters of a set.
fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |cluster| set >> cluster & 1 == 1)
}

/// All subsets of a set, the empty one last.
fn subsets(set: Set) -> impl Iterator<Item = Set> {
    std::iter::successors(Some(set), move |&part| (part != 0).then(|| (part - 1) & set))
}
