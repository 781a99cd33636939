//! The latencies between all pairs of machines.

use std::collections::BTreeSet;

use skel_core::diagnostic::Code;
use skel_core::model::BuildErrors;

use super::faults::{Fault, Faults};
use crate::quantity::Time;

/// The latencies between all pairs of machines, checked: each is there, none is negative, and both directions
/// are equal.
///
/// It takes 8 bytes for each pair: 16 MB for 2,000 machines.
///
/// # Examples
/// ```
/// use skel_network::Time;
/// use skel_network::partition::{LatencyMatrix, Rho};
/// let us = |value| Some(Time::microseconds(value));
/// let rows = [
///     vec![None, us(48.0), us(6577.0)],
///     vec![us(48.0), None, us(6580.0)],
///     vec![us(6577.0), us(6580.0), None],
/// ];
/// let matrix = LatencyMatrix::new(["orsay-1", "orsay-2", "sophia-1"], &rows)?;
/// let partition = matrix.partition(Rho::default());
/// assert_eq!(partition.machines(), [vec![0, 1], vec![2]]);
///
/// let rows = [vec![None, us(48.0)], vec![us(51.0), None]];
/// let errors = LatencyMatrix::new(["orsay-1", "orsay-2"], &rows).unwrap_err();
/// assert_eq!(errors.0[0].message, "the latency from `orsay-1` to `orsay-2` is 48 us, but 51 us from `orsay-2` to `orsay-1`");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyMatrix {
    names: Vec<String>,
    /// For each machine the latencies to those before it, in microseconds, one machine after the other.
    below: Vec<f64>,
}

impl LatencyMatrix {
    /// Checks names and latencies. Row `i` has in column `j` the latency from machine `i` to machine `j`;
    /// `None` is a latency that is not known. What stands on the diagonal is not looked at: a machine needs
    /// no latency to itself.
    ///
    /// # Errors
    /// There is no machine, a name is there twice, or the matrix is not square; or a latency is missing,
    /// negative, infinite, not a number, or different in its two directions. The first 20 such latencies are
    /// named by their machines, and the others are counted.
    pub fn new(
        names: impl IntoIterator<Item = impl Into<String>>,
        rows: &[Vec<Option<Time>>],
    ) -> Result<LatencyMatrix, BuildErrors> {
        LatencyMatrix::averaged(names, rows, 0.0)
    }

    /// The same for measured latencies, whose two directions are never quite equal: where they differ by at
    /// most this part of the lesser one, such as 0.05, their mean is taken.
    ///
    /// # Errors
    /// Those of [`LatencyMatrix::new`], or the tolerance is negative or not a number.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Time;
    /// use skel_network::partition::LatencyMatrix;
    /// let us = |value| Some(Time::microseconds(value));
    /// let rows = [vec![None, us(48.0)], vec![us(50.0), None]];
    /// let matrix = LatencyMatrix::averaged(["a", "b"], &rows, 0.05)?;
    /// assert_eq!(matrix.latency(0, 1), us(49.0));
    /// assert!(LatencyMatrix::averaged(["a", "b"], &rows, 0.01).is_err());
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn averaged(
        names: impl IntoIterator<Item = impl Into<String>>,
        rows: &[Vec<Option<Time>>],
        tolerance: f64,
    ) -> Result<LatencyMatrix, BuildErrors> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut faults = Faults::default();
        check_names(&names, &mut faults);
        check_tolerance(tolerance, &mut faults);
        let is_square = check_shape(&names, rows, &mut faults);
        let mut below = Vec::new();
        if is_square {
            below.reserve_exact(pairs(names.len()));
            for (second, row) in rows.iter().enumerate() {
                for (first, (&back, other)) in row.iter().zip(rows).take(second).enumerate() {
                    let both = [other[second], back];
                    below.push(checked(&names, [first, second], both, tolerance, &mut faults));
                }
            }
        }
        faults.none_or(|| LatencyMatrix { names, below })
    }

    /// Latencies that are known to be right.
    pub(super) fn of_checked(names: Vec<String>, below: Vec<f64>) -> LatencyMatrix {
        debug_assert_eq!(below.len(), pairs(names.len()));
        LatencyMatrix { names, below }
    }

    /// The names of the machines, in their order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The latency between two machines; a machine has none to itself.
    ///
    /// # Panics
    /// If there is no such machine.
    #[must_use]
    pub fn latency(&self, one: usize, other: usize) -> Option<Time> {
        assert!(one.max(other) < self.names.len(), "there is no machine {}", one.max(other));
        (one != other).then(|| Time::microseconds(self.between(one, other)))
    }

    /// The latency between two different machines in microseconds.
    pub(super) fn between(&self, one: usize, other: usize) -> f64 {
        self.below[pairs(one.max(other)) + one.min(other)]
    }

    /// The latencies of a machine to those before it in microseconds.
    pub(super) fn before(&self, machine: usize) -> &[f64] {
        &self.below[pairs(machine)..][..machine]
    }
}

/// How many pairs there are of so many machines.
pub(super) fn pairs(machines: usize) -> usize {
    machines * machines.saturating_sub(1) / 2
}

fn check_names(names: &[String], faults: &mut Faults) {
    if names.is_empty() {
        let message = "there is no machine".into();
        faults.shape(Code::OutOfRange, message, "a platform has at least one machine".into());
    }
    let mut known = BTreeSet::new();
    let mut repeated: Vec<&String> = names.iter().filter(|name| !known.insert(*name)).collect();
    repeated.sort();
    repeated.dedup();
    for name in repeated {
        let message = format!("two machines have the name `{name}`");
        faults.shape(Code::DuplicateDefinition, message, "give each machine a name of its own".into());
    }
}

/// Whether each machine has a row with a latency to each.
fn check_shape(names: &[String], rows: &[Vec<Option<Time>>], faults: &mut Faults) -> bool {
    let count = names.len();
    let help = format!("the number of machines is {count}, and each has a row with a latency for each");
    if rows.len() != count {
        faults.shape(
            Code::OutOfRange,
            format!("the number of rows of latencies is {}", rows.len()),
            help.clone(),
        );
    }
    let uneven: Vec<(&String, usize)> =
        names.iter().zip(rows.iter().map(Vec::len)).filter(|&(_, length)| length != count).collect();
    const NAMED: usize = 5;
    for (name, length) in uneven.iter().take(NAMED) {
        let message = format!("the number of latencies in the row of `{name}` is {length}");
        faults.shape(Code::OutOfRange, message, help.clone());
    }
    if let Some(others @ 1..) = uneven.len().checked_sub(NAMED) {
        let message = format!("{others} more rows have another number of latencies");
        faults.shape(Code::OutOfRange, message, help);
    }
    rows.len() == count && uneven.is_empty()
}

fn check_tolerance(tolerance: f64, faults: &mut Faults) {
    if !(tolerance.is_finite() && tolerance >= 0.0) {
        let message =
            format!("the tolerance for latencies that differ in their two directions is {tolerance}");
        let help = "it is a part of the latency, as `0.05`, or `0` for none".into();
        faults.shape(Code::QuantityNotPositive, message, help);
    }
}

/// The latency of a pair in microseconds, from its two directions.
fn checked(
    names: &[String],
    [first, second]: [usize; 2],
    [there, back]: [Option<Time>; 2],
    tolerance: f64,
    faults: &mut Faults,
) -> f64 {
    let (first, second) = (&names[first], &names[second]);
    let mut has_fault = false;
    for (from, to, latency) in [(first, second, there), (second, first, back)] {
        let fault = match latency {
            None => Fault::Missing,
            Some(latency) if !Faults::is_possible(latency) => Fault::Impossible(latency),
            Some(_) => continue,
        };
        faults.pair(from, to, fault);
        has_fault = true;
    }
    let (Some(there), Some(back), false) = (there, back, has_fault) else { return 0.0 };
    let (less, more) = (there.min(back).as_microseconds(), there.max(back).as_microseconds());
    if more - less > tolerance * less {
        faults.pair(first, second, Fault::Asymmetric(there, back));
    }
    if less == more { less } else { less + (more - less) / 2.0 }
}
