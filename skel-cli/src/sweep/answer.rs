//! The answer of a sweep as plain figures: a table of points.

use skel::number::{Number, Ratio};
use skel::sweep::{Point, Points};
use skel::{Error, limits::Limit};

use super::measure::{Cell, Unit};
use crate::errors::Problem;

/// What varies.
pub(super) struct Axis {
    pub(super) name: String,
    pub(super) is_logarithmic: bool,
    pub(super) what: What,
}

/// What kind of thing varies, where that is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Rate,
    Size,
    Number,
}

/// What is measured.
pub(super) struct Heading {
    pub(super) name: String,
    pub(super) unit: Unit,
}

/// The figures of a point.
pub(super) struct Figures {
    pub(super) cells: Vec<Cell>,
    /// The states that were solved.
    pub(super) states: usize,
    /// The relative error of a probability, as it is estimated.
    pub(super) error: f64,
}

/// One point.
pub(super) struct Row {
    pub(super) values: Vec<Ratio>,
    pub(super) outcome: Result<Figures, Error>,
    /// Whether the whole was stopped before it was solved.
    pub(super) is_left: bool,
}

/// All points.
pub(super) struct Answer {
    pub(super) axes: Vec<Axis>,
    pub(super) is_together: bool,
    pub(super) headings: Vec<Heading>,
    pub(super) rows: Vec<Row>,
    /// The limit by which the whole was stopped.
    pub(super) stopped: Option<Limit>,
    /// What there is to say of points without figures.
    pub(super) problems: Vec<Problem>,
}

/// Solves all points, and asks each.
pub(super) fn rows<A>(
    mut points: Points<A>,
    ask: impl Fn(&A) -> Result<Figures, Error>,
) -> (Vec<Row>, Option<Limit>) {
    let row = |point: Point<A>| {
        let outcome = point.answer.and_then(|answer| ask(&answer));
        Row { values: point.values, outcome, is_left: false }
    };
    let mut rows: Vec<Row> = points.by_ref().map(row).collect();
    let stopped = points.stopped();
    for row in &mut rows {
        row.is_left = matches!(&row.outcome, Err(Error::Stopped(found)) if Some(found.limit) == stopped);
    }
    (rows, stopped)
}

impl Answer {
    /// The points that the sweep came to.
    pub(super) fn reached(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.is_left)
    }

    /// How many points have figures.
    pub(super) fn solved(&self) -> usize {
        self.rows.iter().filter(|row| row.outcome.is_ok()).count()
    }
}

impl Row {
    /// The number in a column, if there is one.
    pub(super) fn number(&self, column: usize) -> Option<f64> {
        match self.outcome.as_ref().ok()?.cells.get(column)? {
            Cell::Number(number) => Some(*number),
            Cell::Word(_) => None,
        }
    }

    /// The value of an axis as a float.
    pub(super) fn value(&self, axis: usize) -> f64 {
        f64::from_ratio(&self.values[axis])
    }
}
