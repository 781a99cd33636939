//! Heat on a square plate whose edges keep their temperatures: Jacobi's method. Rows are the items, and a
//! worker needs the rows at the borders of its neighbours' blocks.

use std::error::Error;
use std::hint::black_box;
use std::mem::swap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::loops::{Loops, repeated};

/// Temperatures of the points of a plate, with its edges.
#[derive(Debug)]
pub(crate) struct Plate {
    side: usize,
    /// How much of the difference from its four neighbours a point makes up in a sweep.
    alpha: f64,
    rows: Vec<Vec<f64>>,
    /// Where a sweep writes the inner rows, which are the plate after it: memory that is new in each sweep
    /// would cost more than the sweep.
    swept: Vec<Mutex<Vec<f64>>>,
}

/// Temperatures of the edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    pub(crate) top: f64,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// After so many sweeps.
    Sweeps(u32),
    /// When no point changes by as much as this.
    Change(f64),
}

/// What the sweeps ended with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    pub(crate) sweeps: u32,
    /// The largest change of a point in the last sweep.
    pub(crate) change: f64,
}

impl Plate {
    /// A plate with so many points on a side, edges included, that is cold inside.
    pub(crate) fn new(side: usize, alpha: f64, edges: Edges) -> Self {
        let last = side - 1;
        let point = |row: usize, column: usize| match (row, column) {
            (0, _) => edges.top,
            (row, _) if row == last => edges.bottom,
            (_, 0) => edges.left,
            (_, column) if column == last => edges.right,
            _ => 0.0,
        };
        let row = |row: usize| (0..side).map(|column| point(row, column)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = (0..side).map(row).collect();
        let swept = rows[1..last].iter().map(|row| Mutex::new(row.clone())).collect();
        Plate { side, alpha, rows, swept }
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.rows[row][column]
    }

    /// The sum over all points that are no edge.
    pub(crate) fn heat(&self) -> f64 {
        let inner = 1..self.side - 1;
        inner.clone().map(|row| inner.clone().map(|column| self.at(row, column)).sum::<f64>()).sum()
    }

    /// Sweeps until it is time to stop.
    pub(crate) fn settle(&mut self, loops: &mut impl Loops, until: Until) -> Result<Settled, Box<dyn Error>> {
        let mut settled = Settled { sweeps: 0, change: f64::INFINITY };
        while !until.is_reached(settled) {
            settled = Settled { sweeps: settled.sweeps + 1, change: self.sweep(loops)? };
        }
        Ok(settled)
    }

    /// One sweep over all points, each from the temperatures before it. The result is the largest change.
    fn sweep(&mut self, loops: &mut impl Loops) -> Result<f64, Box<dyn Error>> {
        // A worker sends its first and its last row to its neighbours, and gets theirs.
        let values = |_| [2 * self.side, 2 * self.side];
        let plate = &*self;
        let changes = loops.each(self.side - 2, values, |tenths, rows| plate.sweep_block(tenths, rows))?;
        for (row, swept) in self.rows[1..].iter_mut().zip(&mut self.swept) {
            swap(row, swept.get_mut().unwrap_or_else(PoisonError::into_inner));
        }
        Ok(changes.into_iter().fold(0.0, f64::max))
    }

    /// Sweeps a block of inner rows, which are counted from 0. The result is the largest change.
    fn sweep_block(&self, tenths: u32, rows: Range<usize>) -> f64 {
        let mut change = 0.0_f64;
        for row in rows {
            let mut swept = self.swept[row].lock().unwrap_or_else(PoisonError::into_inner);
            let [above, here, below] = [row, row + 1, row + 2].map(|row| &self.rows[row][..]);
            repeated(tenths, self.side - 2, |columns| {
                change =
                    change.max(sweep_row(self.alpha, [above, black_box(here), below], columns, &mut swept));
            });
        }
        change
    }
}

/// Some inner points of a row after a sweep, and the largest change.
fn sweep_row(alpha: f64, [above, here, below]: [&[f64]; 3], columns: Range<usize>, swept: &mut [f64]) -> f64 {
    let mut change = 0.0_f64;
    for column in columns.start + 1..columns.end + 1 {
        let neighbours = above[column] + below[column] + here[column - 1] + here[column + 1];
        let difference = alpha * (neighbours - 4.0 * here[column]);
        swept[column] = here[column] + difference;
        change = change.max(difference.abs());
    }
    change
}

impl Until {
    fn is_reached(self, settled: Settled) -> bool {
        match self {
            Until::Sweeps(sweeps) => settled.sweeps >= sweeps,
            Until::Change(change) => settled.change < change,
        }
    }
}
