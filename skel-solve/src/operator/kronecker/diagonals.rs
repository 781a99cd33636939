//! Small matrices by diagonals, for products that the compiler turns into vector instructions.
//!
//! An activity fixes the local states of a few slots and leaves the others free. Its transitions between the
//! places of a block therefore lie on one diagonal, where source and target always have the same distance,
//! and all have the same rate. They come in runs of neighbouring places, as long as the stride of the lowest
//! slot that is fixed, and these runs mostly have equal distances. Such a *piece* of a diagonal takes a few
//! numbers and no list. This is the storage by diagonals (DIA) of sparse matrices (Y. Saad, *Iterative
//! Methods for Sparse Linear Systems*, 2003, section 3.4), with only the parts of diagonals that have
//! entries.

use std::ops::Range;

/// Fewer entries than this are no piece: they are listed.
const LEAST_PIECE: u32 = 4;

/// The entries of a small matrix, or of a part of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Diagonals {
    pieces: Vec<Piece>,
    /// Target, source and rate of each other entry.
    others: Vec<(u32, u32, f64)>,
}

/// Runs of entries with the same rate, on one diagonal.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// The target and the source of the first entry.
    target: u32,
    source: u32,
    rate: f64,
    /// The number of entries of a run.
    length: u32,
    /// The number of runs, and the distance of their first entries.
    runs: u32,
    period: u32,
}

/// Entries of neighbouring targets with the same rate, on one diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) target: u32,
    pub(super) source: u32,
    pub(super) rate: f64,
    pub(super) length: u32,
}

impl Diagonals {
    /// Stores entries `(target, source, rate)`. Those of an activity come one after the other, in ascending
    /// order.
    pub(super) fn new(entries: &[(u32, u32, f64)]) -> Diagonals {
        let mut diagonals = Diagonals::default();
        let mut open: Option<Piece> = None;
        for run in entries.chunk_by(are_neighbours) {
            let (target, source, rate) = run[0];
            let length = run.len() as u32;
            if open.as_mut().is_some_and(|piece| piece.takes(&Run { target, source, rate, length })) {
                continue;
            }
            let begun = Piece { target, source, rate, length, runs: 1, period: length };
            diagonals.close(open.replace(begun));
        }
        diagonals.close(open);
        diagonals.pieces.shrink_to_fit();
        diagonals.others.shrink_to_fit();
        diagonals
    }

    /// The entries from larger sources.
    pub(super) fn later(&self) -> Diagonals {
        let pieces = self.pieces.iter().filter(|piece| piece.source > piece.target).copied().collect();
        let others = self.others.iter().filter(|&&(target, source, _)| source > target).copied().collect();
        Diagonals { pieces, others }
    }

    /// All runs of entries.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run> {
        let of_piece = |piece: &Piece| {
            let Piece { target, source, rate, length, runs, period } = *piece;
            let starts = (0..runs).map(move |run| run * period);
            starts.map(move |at| Run { target: target + at, source: source + at, rate, length })
        };
        let of_other = |&(target, source, rate): &(u32, u32, f64)| Run { target, source, rate, length: 1 };
        self.pieces.iter().flat_map(of_piece).chain(self.others.iter().map(of_other))
    }

    /// Stores a piece to which nothing is added any more.
    fn close(&mut self, piece: Option<Piece>) {
        let Some(piece) = piece else { return };
        if piece.length * piece.runs >= LEAST_PIECE {
            self.pieces.push(piece);
            return;
        }
        for run in 0..piece.runs {
            let moved = run * piece.period;
            self.others.extend(
                (moved..moved + piece.length).map(|at| (piece.target + at, piece.source + at, piece.rate)),
            );
        }
    }

    /// Adds the product with the values of a block's places to some sums.
    pub(super) fn add(&self, values: &[f64], sums: &mut [f64]) {
        for piece in &self.pieces {
            piece.add(&values[piece.span(piece.source)], &mut sums[piece.span(piece.target)]);
        }
        for &(target, source, rate) in &self.others {
            sums[target as usize] += rate * values[source as usize];
        }
    }
}

/// Whether an entry is followed by that of the next place, with the same rate and on the same diagonal.
fn are_neighbours(one: &(u32, u32, f64), next: &(u32, u32, f64)) -> bool {
    (next.0, next.1) == (one.0 + 1, one.1 + 1) && next.2.to_bits() == one.2.to_bits()
}

impl Piece {
    /// Adds the next run of the diagonal, if it has the same length and distance as those before.
    fn takes(&mut self, run: &Run) -> bool {
        let is_same_diagonal = run.target >= self.target + self.runs * self.period
            && run.target - self.target == run.source.wrapping_sub(self.source)
            && run.rate.to_bits() == self.rate.to_bits();
        if !is_same_diagonal || run.length != self.length {
            return false;
        }
        let distance = run.target - self.target;
        if self.runs == 1 {
            self.period = distance;
        }
        let fits = distance == self.runs * self.period;
        self.runs += u32::from(fits);
        fits
    }

    /// The places from the first to the last entry, where these begin.
    fn span(&self, first: u32) -> Range<usize> {
        let places = (self.runs - 1) * self.period + self.length;
        first as usize..(first + places) as usize
    }

    fn add(&self, values: &[f64], sums: &mut [f64]) {
        match self.length {
            _ if self.runs == 1 => add_scaled(self.rate, values, sums),
            1 => self.add_runs::<1>(values, sums),
            2 => self.add_runs::<2>(values, sums),
            3 => self.add_runs::<3>(values, sums),
            4 => self.add_runs::<4>(values, sums),
            5 => self.add_runs::<5>(values, sums),
            8 => self.add_runs::<8>(values, sums),
            9 => self.add_runs::<9>(values, sums),
            length => {
                let (length, period) = (length as usize, self.period as usize);
                for start in (0..self.runs as usize).map(|run| run * period) {
                    let run = start..start + length;
                    add_scaled(self.rate, &values[run.clone()], &mut sums[run]);
                }
            }
        }
    }

    /// Adds runs of a length that the compiler knows.
    #[inline]
    fn add_runs<const LENGTH: usize>(&self, values: &[f64], sums: &mut [f64]) {
        for start in (0..self.runs as usize).map(|run| run * self.period as usize) {
            let run = start..start + LENGTH;
            add_scaled(self.rate, &values[run.clone()], &mut sums[run]);
        }
    }
}

/// Adds a multiple of some values to as many sums.
#[inline]
pub(super) fn add_scaled(rate: f64, values: &[f64], sums: &mut [f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += rate * value);
}
