//! Machines that come in groups of equal ones.

use skel_core::diagnostic::Code;
use skel_core::model::BuildErrors;

use super::faults::{Fault, Faults};
use super::matrix::{LatencyMatrix, pairs};
use crate::quantity::Time;

/// Several machines whose latencies are all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EqualMachines {
    /// The name of the group. Its machines are named after it and numbered from 1.
    pub name: String,
    /// How many there are.
    pub count: usize,
}

impl EqualMachines {
    /// So many machines of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, count: usize) -> EqualMachines {
        EqualMachines { name: name.into(), count }
    }
}

impl LatencyMatrix {
    /// The latencies of machines that come in groups of equal ones, as tables of the literature give them.
    /// Row `i` has in column `j` the latency between machines of group `i` and of group `j`; the latency
    /// inside of a group is on the diagonal, which is `None` for a group of one machine. The machines are
    /// named after their group: `C1-1`, `C1-2`, and so on.
    ///
    /// # Errors
    /// Those of [`LatencyMatrix::new`], for groups instead of machines.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Time;
    /// use skel_network::partition::{EqualMachines, LatencyMatrix, Rho};
    /// let us = |value| Some(Time::microseconds(value));
    /// let groups = [EqualMachines::new("C1", 20), EqualMachines::new("C23", 1)];
    /// let rows = [vec![us(48.39), us(6592.51)], vec![us(6592.51), None]];
    /// let matrix = LatencyMatrix::of_equal(&groups, &rows)?;
    /// assert_eq!(matrix.names()[20], "C23-1");
    /// assert_eq!(matrix.partition(Rho::default()).clusters.len(), 2);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn of_equal(
        groups: &[EqualMachines],
        rows: &[Vec<Option<Time>>],
    ) -> Result<LatencyMatrix, BuildErrors> {
        let between = LatencyMatrix::new(groups.iter().map(|group| group.name.as_str()), rows)?;
        expanded(groups, rows, &between)
    }
}

/// The most machines of all groups: the latencies of their pairs take 1.6 GB.
const MOST_MACHINES: usize = 20_000;

/// The latencies of all machines.
fn expanded(
    groups: &[EqualMachines],
    rows: &[Vec<Option<Time>>],
    between: &LatencyMatrix,
) -> Result<LatencyMatrix, BuildErrors> {
    let mut faults = Faults::default();
    let inside: Vec<f64> = groups
        .iter()
        .zip(rows)
        .enumerate()
        .map(|(at, (group, row))| inside(group, row[at], &mut faults))
        .collect();
    check_count(groups, &mut faults);
    faults.none_or(|| {
        let group_of: Vec<usize> =
            groups.iter().enumerate().flat_map(|(at, group)| std::iter::repeat_n(at, group.count)).collect();
        let latency = |one: usize, other: usize| match (group_of[one], group_of[other]) {
            (group, same) if group == same => inside[group],
            (group, another) => between.between(group, another),
        };
        let mut below = Vec::with_capacity(pairs(group_of.len()));
        for second in 1..group_of.len() {
            below.extend((0..second).map(|first| latency(first, second)));
        }
        let names =
            groups.iter().flat_map(|group| (1..=group.count).map(move |at| format!("{}-{at}", group.name)));
        LatencyMatrix::of_checked(names.collect(), below)
    })
}

/// The latency inside of a group in microseconds. A single machine has none, and what is given for it is not
/// used.
fn inside(group: &EqualMachines, latency: Option<Time>, faults: &mut Faults) -> f64 {
    if group.count < 2 {
        return 0.0;
    }
    let fault = match latency {
        Some(latency) if Faults::is_possible(latency) => return latency.as_microseconds(),
        Some(latency) => Fault::Impossible(latency),
        None => Fault::Missing,
    };
    let name = |at: u32| format!("{}-{at}", group.name);
    faults.pair(&name(1), &name(2), fault);
    0.0
}

fn check_count(groups: &[EqualMachines], faults: &mut Faults) {
    for group in groups.iter().filter(|group| group.count == 0) {
        let message = format!("the number of machines of `{}` is 0", group.name);
        faults.shape(Code::OutOfRange, message, "a group has at least one machine".into());
    }
    let count = groups.iter().fold(0, |sum: usize, group| sum.saturating_add(group.count));
    if count > MOST_MACHINES {
        let message = format!("the number of machines of all groups is {count}");
        faults.shape(
            Code::OutOfRange,
            message,
            format!("at most {MOST_MACHINES} machines have their pairs written out"),
        );
    }
}
