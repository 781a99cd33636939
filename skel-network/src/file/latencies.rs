//! What may be wrong with a matrix of latencies between groups of machines.

use skel_core::diagnostic::Code;
use skel_core::model::BuildError;

use super::group::Group;
use crate::quantity::Time;

/// A fault, and the place in the matrix where it is.
pub(super) struct Fault {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) error: BuildError,
}

/// The most faults of one matrix that are reported one by one.
const MOST_REPORTED: usize = 20;

/// Rows of another length than there are groups.
pub(super) fn wrong_shape(groups: &[Group], rows: &[Vec<Option<Time>>]) -> Vec<BuildError> {
    let count = groups.len();
    let mut errors = Vec::new();
    if rows.len() != count {
        errors.push(shape(&format!("the matrix of latencies has {} rows", rows.len()), count));
    }
    for (group, row) in groups.iter().zip(rows).filter(|(_, row)| row.len() != count) {
        let message = format!("the row of latencies of `{}` has {} entries", group.name(), row.len());
        errors.push(shape(&message, count));
    }
    errors
}

/// The fault that a matrix, or a row of it, has another length than there are groups.
pub(super) fn shape(message: &str, count: usize) -> BuildError {
    let help = format!(
        "it needs {count}: one for each machine or cluster, in their order, \"-\" where there is none"
    );
    BuildError { code: Code::BadLatency, message: message.to_owned(), help }
}

/// All values that no latency can have, and all pairs with two latencies. A value that is left out is no
/// fault yet.
pub(super) fn faults(groups: &[Group], at: &dyn Fn(usize, usize) -> Option<Time>) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut more = 0;
    let mut push = |fault: Fault| {
        if found.len() < MOST_REPORTED { found.push(fault) } else { more += 1 }
    };
    for row in 0..groups.len() {
        for column in 0..groups.len() {
            if let Some(error) = fault(groups, at, row, column) {
                push(Fault { row, column, error });
            }
        }
    }
    if let Some(last) = found.last_mut().filter(|_| more > 0) {
        last.error.message += &format!(", and {more} more latencies are wrong");
    }
    found
}

fn fault(
    groups: &[Group],
    at: &dyn Fn(usize, usize) -> Option<Time>,
    row: usize,
    column: usize,
) -> Option<BuildError> {
    let value = at(row, column)?;
    let [from, to] = [row, column].map(|at| groups[at].name());
    let wrong = |message: String, help: String| Some(BuildError { code: Code::BadLatency, message, help });
    let microseconds = value.as_microseconds();
    let pair = match row == column {
        true => format!("inside `{from}`"),
        false => format!("from `{from}` to `{to}`"),
    };
    if !is_time(value) {
        return wrong(
            format!("the latency {pair} is {microseconds} us"),
            "a latency is 0 or more, and finite".into(),
        );
    }
    if row == column {
        let is_none = groups[row].machines().len() > 1 || microseconds == 0.0;
        let message = format!("`{from}` is one machine, so there is no latency {pair}");
        return if is_none { None } else { wrong(message, "write \"-\"".into()) };
    }
    match at(column, row) {
        None => wrong(
            format!("the latency {pair} is {value}, and that from `{to}` to `{from}` is missing"),
            "write the same in both places".into(),
        ),
        // One of the two places is enough, and a value that is no latency is reported at its own.
        Some(back) if column > row && back != value && is_time(back) => wrong(
            format!("the latency {pair} is {value}, and that from `{to}` to `{from}` is {back}"),
            "a link has one latency: write the same in both places, their mean, say".into(),
        ),
        Some(_) => None,
    }
}

/// Whether a time can be a latency.
pub(super) fn is_time(time: Time) -> bool {
    (0.0..=LONGEST).contains(&time.as_microseconds())
}

/// The longest latency in microseconds: about 30,000 years.
const LONGEST: f64 = 1e18;
