//! The binomial tree over all machines that knows nothing of clusters.

use super::grid::Link;
use super::timeline::{Schedule, Timeline};
use crate::quantity::Time;

/// A broadcast over the ranks of all machines by a binomial tree, as MPI libraries do it that know nothing of
/// clusters. The machines have the ranks in their order, from the root on. A machine at distance `r` from the
/// root sends to those at distance `r + 2^k`, for each `2^k` below the lowest bit that is set in `r`, the
/// largest first.
///
/// The schedule is one of machines instead of clusters, without operations inside.
///
/// Reference: R. Thakur, R. Rabenseifner and W. Gropp, *Optimization of collective communication operations
/// in MPICH*, International Journal of High Performance Computing Applications 19, 2005.
///
/// # Errors
/// That of the function that gives the link from one machine to another.
///
/// # Panics
/// If the root is not one of the machines.
///
/// # Examples
/// ```
/// use std::convert::Infallible;
/// use skel_network::Time;
/// use skel_network::schedule::{Link, grid_unaware_binomial};
/// let us = Time::microseconds;
/// let link = |_, _| Ok::<_, Infallible>(Link { latency: us(48.39), gap: us(4204.0) });
/// let Ok(schedule) = grid_unaware_binomial(20, 0, link);
/// assert_eq!(schedule.transfers.len(), 19);
/// assert!((schedule.last_arrival.as_microseconds() - 21_213.56).abs() < 1e-9);
/// ```
pub fn grid_unaware_binomial<E>(
    machines: usize,
    root: usize,
    mut link: impl FnMut(usize, usize) -> Result<Link, E>,
) -> Result<Schedule, E> {
    assert!(root < machines, "machine {root} is none of {machines}");
    let mut timeline = Timeline::new(machines, root);
    for distance in 0..machines {
        let from = (root + distance) % machines;
        for step in steps(distance, machines) {
            let to = (root + distance + step) % machines;
            timeline.send(from, to, link(from, to)?);
        }
    }
    timeline.sort();
    Ok(timeline.finished(std::iter::repeat(Time::ZERO)))
}

/// How much farther from the root those are to which a machine sends, the farthest first.
fn steps(distance: usize, machines: usize) -> impl Iterator<Item = usize> {
    let below = if distance == 0 { machines.next_power_of_two() } else { 1 << distance.trailing_zeros() };
    std::iter::successors(Some(below / 2), |step| Some(step / 2))
        .take_while(|&step| step > 0)
        .filter(move |step| distance + step < machines)
}
