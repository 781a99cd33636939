//! The triangular solution within a block, most of it by whole runs of places.
//!
//! The block is solved in short *tiles*. Runs of transitions whose sources all lie before the tile of their
//! first target are added as vectors, when all their sources are known. Only what is left, which mostly leads
//! from a place to one in the same tile, is added place by place, in [ELLPACK format](super::ellpack).

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
    /// The entries from smaller sources, for tiles of a length. `None` if the places or the distinct rates
    /// are too many for the types of the ELLPACK format.
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

    /// For some blocks, each in place and in ascending order,
    /// `x(j) := (x(j) + sum of x(i) q(i, j) over i < j) * stay(j)`. A place waits for those before it, and
    /// meanwhile the processor goes on with the other blocks.
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
pub(super) const AT_ONCE: usize = 4;

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
            if self.stop.is_due() {
                return;
            }
            match *numbers {
                [a, b, c, d] => self.substitute_at_once([a, b, c, d], blocks, memory),
                [a, b, c] => self.substitute_at_once([a, b, c], blocks, memory),
                [a, b] => self.substitute_at_once([a, b], blocks, memory),
                _ => numbers.iter().for_each(|&number| self.substitute_at_once([number], blocks, memory)),
            }
        }
    }

    fn substitute_at_once<'t, const BLOCKS: usize>(
        &'t self,
        numbers: [u32; BLOCKS],
        blocks: &[Chunk<'_>],
        memory: &mut [Block<'t>],
    ) {
        let numbers = numbers.map(|number| number as usize);
        let mut owns = numbers.map(|number| blocks[number].write().unwrap_or_else(PoisonError::into_inner));
        let mut values = [(); BLOCKS].map(|()| &mut [][..]);
        let mut stays = [&[][..]; BLOCKS];
        let mut are_alone = true;
        for (at, (own, block)) in owns.iter_mut().zip(&mut *memory).enumerate() {
            self.begin_substitution(numbers[at], own, blocks, block);
            are_alone &= self.within(numbers[at], &block.from).len() == 1;
            let Block { own: scattered, stays: of_scattered, .. } = block;
            let of_states = self.stays_of(numbers[at]);
            (values[at], stays[at]) = match own.len() == self.descriptor.low {
                true => (&mut own[..], of_states),
                false => (&mut scattered[..], &of_scattered[..]),
            };
        }
        match &self.descriptor.earlier {
            Some(earlier) if are_alone => earlier.solve(values, stays),
            _ => {
                for (at, values) in values.into_iter().enumerate() {
                    self.substitute_by_place(numbers[at], values, stays[at]);
                }
            }
        }
        for ((&number, own), block) in numbers.iter().zip(&mut owns).zip(&*memory) {
            if own.len() < self.descriptor.low {
                self.gather(number, &block.own, own);
            }
        }
    }

    /// Adds to a block's values what comes from blocks before it, where the values are or, if they have to
    /// be, scattered.
    fn begin_substitution<'t>(
        &'t self,
        number: usize,
        values: &mut [f64],
        blocks: &[Chunk<'_>],
        block: &mut Block<'t>,
    ) {
        self.descriptor.entering(number, &mut block.digits, &mut block.from);
        let others = |other: usize, add: &mut dyn FnMut(&[f64])| {
            if other < number {
                add(&blocks[other].read().unwrap_or_else(PoisonError::into_inner));
            }
        };
        let Block { from, own, stays, other, .. } = block;
        if values.len() == self.descriptor.low {
            return self.add_others(number, from, &others, values, other);
        }
        self.scatter(number, values, 0.0, own);
        self.add_others(number, from, &others, own, other);
        self.scatter(number, self.stays_of(number), 1.0, stays);
    }

    /// Solves a block place by place.
    fn substitute_by_place(&self, number: usize, values: &mut [f64], stays: &[f64]) {
        let (mut digits, mut from) = (Vec::new(), Vec::new());
        self.descriptor.entering(number, &mut digits, &mut from);
        let matrices = self.within(number, &from);
        let set = |place: usize, sum: f64, values: &mut [f64]| {
            values[place] = (values[place] + sum) * stays[place];
        };
        for_each_place(&matrices, values, |row| (row.start, row.middle), set);
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
