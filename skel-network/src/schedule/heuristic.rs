//! Heuristics: repeatedly a cluster that has the message is chosen to send it to one that has not.

use std::fmt;

use super::grid::Grid;
use super::timeline::{Schedule, Timeline};
use crate::quantity::Time;

/// By what the next message is chosen. Of equal ones, that of the first sender is chosen, and of its messages
/// that to the first receiver.
///
/// `RT_i` is when the port of `i` is free, and `k` is any receiver that is left after `j`; where none is
/// left, the look-ahead is 0.
///
/// | | least |
/// |---|---|
/// | [`Fef`](Heuristic::Fef) | `g_ij + L_ij` |
/// | [`Ecef`](Heuristic::Ecef) | `RT_i + g_ij + L_ij` |
/// | [`EcefLookAhead`](Heuristic::EcefLookAhead) | the same plus the minimum over `k` of `g_jk + L_jk` |
/// | [`EcefLAt`](Heuristic::EcefLAt) | the same plus the minimum over `k` of `g_jk + L_jk + T_k` |
/// | [`EcefLAT`](Heuristic::EcefLAT) | the same plus the maximum over `k` of `g_jk + L_jk + T_k` |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heuristic {
    /// Fastest edge first. Where the literature is ambiguous whether the gap of the message counts, here it
    /// does.
    Fef,
    /// Earliest completing edge first.
    Ecef,
    /// Earliest completing edge first, with a look-ahead to the nearest cluster that the receiver could send
    /// to.
    EcefLookAhead,
    /// Earliest completing edge first, with a look-ahead that has the times inside of the clusters, to the
    /// cluster that is done first.
    EcefLAt,
    /// The same with a look-ahead to the cluster that is done last.
    EcefLAT,
}

impl Heuristic {
    /// All of them.
    pub const ALL: [Heuristic; 5] =
        [Heuristic::Fef, Heuristic::Ecef, Heuristic::EcefLookAhead, Heuristic::EcefLAt, Heuristic::EcefLAT];

    /// The name in the literature.
    ///
    /// # Examples
    /// ```
    /// use skel_network::schedule::Heuristic;
    /// let names = Heuristic::ALL.map(Heuristic::name);
    /// assert_eq!(names, ["FEF", "ECEF", "ECEF-LA", "ECEF-LAt", "ECEF-LAT"]);
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Heuristic::Fef => "FEF",
            Heuristic::Ecef => "ECEF",
            Heuristic::EcefLookAhead => "ECEF-LA",
            Heuristic::EcefLAt => "ECEF-LAt",
            Heuristic::EcefLAT => "ECEF-LAT",
        }
    }

    /// What is added for a receiver, with the clusters that would be left after it.
    fn look_ahead(self, grid: &Grid, receiver: usize, left: impl Iterator<Item = usize>) -> Time {
        let times = left.map(|next| (grid.link(receiver, next).time(), grid.inside()[next]));
        let found = match self {
            Heuristic::Fef | Heuristic::Ecef => None,
            Heuristic::EcefLookAhead => times.map(|(time, _)| time).reduce(Time::min),
            Heuristic::EcefLAt => times.map(|(time, inside)| time + inside).reduce(Time::min),
            Heuristic::EcefLAT => times.map(|(time, inside)| time + inside).reduce(Time::max),
        };
        found.unwrap_or(Time::ZERO)
    }
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Grid {
    /// The schedule that a heuristic finds, in time `O(n^3)` for `n` clusters.
    ///
    /// # Examples
    /// From the first of three clusters it is sooner to send to the far one first, which a look at the next
    /// message alone does not see.
    /// ```
    /// use skel_network::Time;
    /// use skel_network::schedule::{Goal, Grid, Heuristic, Link};
    /// let us = Time::microseconds;
    /// let link = |latency| Link { latency: us(latency), gap: us(75.0) };
    /// let links = vec![
    ///     vec![Link::default(), link(5000.0), link(8600.0)],
    ///     vec![link(5000.0), Link::default(), link(5400.0)],
    ///     vec![link(8600.0), link(5400.0), Link::default()],
    /// ];
    /// let grid = Grid::new(["C1", "C3", "C4"], links)?;
    /// assert_eq!(grid.schedule(Heuristic::Fef).last_arrival, us(10_550.0));
    /// assert_eq!(grid.schedule(Heuristic::Ecef).last_arrival, us(8750.0));
    /// assert_eq!(grid.optimum(Goal::LastArrival).unwrap().last_arrival, us(8675.0));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn schedule(&self, heuristic: Heuristic) -> Schedule {
        let mut timeline = Timeline::new(self.len(), self.root());
        let mut left: Vec<usize> = (0..self.len()).filter(|&cluster| cluster != self.root()).collect();
        while !left.is_empty() {
            let (from, to) = self.next(heuristic, &timeline, &left);
            timeline.send(from, to, self.link(from, to));
            left.retain(|&cluster| cluster != to);
        }
        timeline.finished(self.inside().iter().copied())
    }

    /// The ends of the next message.
    fn next(&self, heuristic: Heuristic, timeline: &Timeline, left: &[usize]) -> (usize, usize) {
        let others = |receiver: usize| left.iter().copied().filter(move |&cluster| cluster != receiver);
        let ahead: Vec<Time> =
            left.iter().map(|&receiver| heuristic.look_ahead(self, receiver, others(receiver))).collect();
        let mut best = None;
        for from in 0..self.len() {
            let Some(ready) = timeline.ready(from) else { continue };
            let ready = if heuristic == Heuristic::Fef { Time::ZERO } else { ready };
            for (&to, &ahead) in left.iter().zip(&ahead) {
                let link = self.link(from, to);
                let value = ready + link.gap + link.latency + ahead;
                if best.is_none_or(|(least, _)| value < least) {
                    best = Some((value, (from, to)));
                }
            }
        }
        best.expect("the root has the message, and a cluster is left").1
    }
}
