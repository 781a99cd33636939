//! The triangular solution within a block, most of it by whole runs of places.
//!
//! The block is solved in short *tiles*. Runs of transitions whose sources all lie before the tile of their first target are added
//! as vectors, when all their sources are known. Only what is left, which mostly leads from a place to one in the same tile,
//! is added place by place, in [ELLPACK format](super::ellpack).

use super::diagonals::{Diagonals, Run, add_scaled};
use super::ellpack::Ellpack;

/// Shorter runs cost more than their entries do.
const LEAST_RUN: u32 = 4;

/// The transitions of a small matrix from smaller sources.
#[derive(Clone, Debug)]
pub(crate) struct Substitution {
    tile: usize,
    /// By target.
    runs: Vec<Run>,
    /// The other entries.
    near: Ellpack,
}

impl Substitution {
    /// The entries from smaller sources, for tiles of a length. `None` if the places or the distinct rates are too many for the
    /// types of the ELLPACK format.
    pub(super) fn new(entries: &Diagonals, places: usize, tile: usize) -> Option<Substitution> {
        let mut long = Vec::new();
        let mut near = Vec::new();
        for run in entries.runs().filter(|run| run.source < run.target) {
            for part in parts(&run) {
                let tile_start = part.target / tile as u32 * tile as u32;
                if part.length >= LEAST_RUN && part.source + part.length <= tile_start {
                    long.push(part);
                } else {
                    let entries = (0..part.length).map(|at| (part.target + at, part.source + at, part.rate));
                    near.extend(entries);
                }
            }
        }
        long.sort_unstable_by_key(|run| (run.target, run.source));
        near.sort_unstable_by_key(|&(target, source, _)| (target, source));
        Some(Substitution { tile, runs: long, near: Ellpack::new(&near, places)? })
    }

    /// In place and in ascending order, `x(j) := (x(j) + sum of x(i) q(i, j) over i < j) * stay(j)`.
    pub(super) fn solve(&self, values: &mut [f64], stays: &[f64]) {
        let mut runs = &self.runs[..];
        let mut near = self.near.rows();
        for start in (0..values.len()).step_by(self.tile) {
            let end = values.len().min(start + self.tile);
            while let Some((run, later)) = runs.split_first()
                && (run.target as usize) < end
            {
                let (before, after) = values.split_at_mut(run.target as usize);
                let (source, length) = (run.source as usize, run.length as usize);
                add_scaled(run.rate, &before[source..source + length], &mut after[..length]);
                runs = later;
            }
            for (place, stay) in (start..end).zip(&stays[start..end]) {
                let sum = near.next_sum(place, values);
                values[place] = (values[place] + sum) * stay;
            }
        }
    }
}

/// A run in parts, each of which ends before its first target where that is possible.
fn parts(run: &Run) -> impl Iterator<Item = Run> {
    let distance = run.target - run.source;
    (0..run.length).step_by(distance as usize).map(move |at| Run {
        target: run.target + at,
        source: run.source + at,
        rate: run.rate,
        length: distance.min(run.length - at),
    })
}
