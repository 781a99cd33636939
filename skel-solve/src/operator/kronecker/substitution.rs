//! The triangular solution within a block, most of it by whole runs of places.
//!
//! The block is solved in short *tiles*. Runs of transitions whose sources all lie before the tile of their first target are added
//! as vectors, when all their sources are known. Only what is left, which mostly leads from a place to one in the same tile,
//! is added place by place, in [ELLPACK format](super::ellpack).

use std::sync::PoisonError;

use super::diagonals::{Diagonals, Run, add_scaled};
use super::ellpack::Ellpack;
use super::{Block, KroneckerRates, for_each_place};
use crate::team::Chunk;

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

    /// For some blocks, each in place and in ascending order, `x(j) := (x(j) + sum of x(i) q(i, j) over i < j) * stay(j)`. A place
    /// waits for those before it, and meanwhile the processor goes on with the other blocks.
    pub(super) fn solve<const BLOCKS: usize>(
        &self,
        mut values: [&mut [f64]; BLOCKS],
        stays: [&[f64]; BLOCKS],
    ) {
        let mut runs = &self.runs[..];
        let mut near = self.near.rows();
        let count = stays.first().map_or(0, |stays| stays.len());
        for start in (0..count).step_by(self.tile) {
            let end = count.min(start + self.tile);
            while let Some((run, later)) = runs.split_first()
                && (run.target as usize) < end
            {
                let (source, length) = (run.source as usize, run.length as usize);
                for values in &mut values {
                    let (before, after) = values.split_at_mut(run.target as usize);
                    add_scaled(run.rate, &before[source..source + length], &mut after[..length]);
                }
                runs = later;
            }
            for place in start..end {
                let sums = near.next_sums(place, &values);
                for ((values, stays), sum) in values.iter_mut().zip(&stays).zip(sums) {
                    values[place] = (values[place] + sum) * stays[place];
                }
            }
        }
    }
}

/// So many blocks that do not need one another are solved at once.
const AT_ONCE: usize = 4;

impl KroneckerRates<'_> {
    /// Solves blocks that do not need one another, in place.
    pub(super) fn substitute_in<'t>(
        &'t self,
        numbers: &[u32],
        blocks: &[Chunk<'_>],
        memory: &mut Vec<Block<'t>>,
    ) {
        memory.resize_with(AT_ONCE, Block::default);
        for numbers in numbers.chunks(AT_ONCE) {
            for (&number, block) in numbers.iter().zip(&mut *memory) {
                // Whoever stops still comes to all barriers.
                if self.stop.is_due() {
                    return;
                }
                self.begin_substitution(number as usize, blocks, block);
            }
            match (numbers, &mut memory[..]) {
                (&[a, b, c, d], [one, two, three, four]) => {
                    self.solve_at_once([(a, one), (b, two), (c, three), (d, four)]);
                }
                (&[a, b, c], [one, two, three, ..]) => {
                    self.solve_at_once([(a, one), (b, two), (c, three)]);
                }
                (&[a, b], [one, two, ..]) => self.solve_at_once([(a, one), (b, two)]),
                _ => numbers.iter().zip(&mut *memory).for_each(|(&a, one)| self.solve_at_once([(a, one)])),
            }
            for (&number, block) in numbers.iter().zip(&*memory) {
                let mut own = blocks[number as usize].write().unwrap_or_else(PoisonError::into_inner);
                self.gather(number as usize, &block.own, &mut own);
            }
        }
    }

    /// Adds to a block's values what comes from blocks before it.
    fn begin_substitution<'t>(&'t self, number: usize, blocks: &[Chunk<'_>], block: &mut Block<'t>) {
        self.descriptor.entering(number, &mut block.digits, &mut block.from);
        let read = |number: usize| blocks[number].read().unwrap_or_else(PoisonError::into_inner);
        self.scatter(number, &read(number), 0.0, &mut block.own);
        let others = |other: usize, add: &mut dyn FnMut(&[f64])| {
            if other < number {
                add(&read(other));
            }
        };
        let Block { from, own, stays, other, .. } = block;
        self.add_others(number, from, &others, own, other);
        let of_states = &self.stays[self.states_alike(number)];
        if of_states.len() < self.descriptor.low {
            self.scatter(number, of_states, 1.0, stays);
        }
    }

    /// Solves blocks, each with its number.
    fn solve_at_once<'t, const BLOCKS: usize>(&'t self, blocks: [(u32, &mut Block<'t>); BLOCKS]) {
        let are_alone = blocks.iter().all(|(number, block)| self.within(*number as usize, block).len() == 1);
        let alone = self.descriptor.earlier.as_ref().filter(|_| are_alone);
        let Some(earlier) = alone else {
            for (number, block) in blocks {
                let matrices = self.within(number as usize, block);
                let stays = self.stays_at(number, &block.stays);
                let set = |place: usize, sum: f64, values: &mut [f64]| {
                    values[place] = (values[place] + sum) * stays[place];
                };
                for_each_place(&matrices, &mut block.own, |row| (row.start, row.middle), set);
            }
            return;
        };
        let mut stays = [&[][..]; BLOCKS];
        let mut places = stays.iter_mut();
        let values = blocks.map(|(number, block)| {
            if let Some(place) = places.next() {
                *place = self.stays_at(number, &block.stays);
            }
            &mut block.own[..]
        });
        earlier.solve(values, stays);
    }

    /// The mean sojourn times at the places of a block; those that were scattered, unless all places are states.
    fn stays_at<'b>(&'b self, number: u32, scattered: &'b [f64]) -> &'b [f64] {
        let stays = &self.stays[self.states_alike(number as usize)];
        if stays.len() == self.descriptor.low { stays } else { scattered }
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
