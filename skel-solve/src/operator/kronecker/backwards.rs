//! Finds out whether a chain whose rates are not stored is irreducible.

use crate::limits::{Stopped, Watch};
use crate::operator::kronecker::descriptor::LowFactor;
use crate::operator::kronecker::sparse::Sparse;
use crate::operator::kronecker::{Block, KroneckerRates};

impl KroneckerRates<'_> {
    /// Whether a run comes back to the first state from every other, by searching backwards: forth and back over the
    /// blocks until nothing more is found, which takes few turns where runs are nearly in the order of the states. 1 byte a
    /// combination.
    pub(crate) fn all_lead_to_the_first(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        let low = self.descriptor.low;
        let mut leads_there = vec![false; low * self.descriptor.blocks];
        leads_there[0] = true;
        let mut block = Block::default();
        // Blocks with marks from which the search has not gone on yet.
        let mut is_open = vec![false; self.descriptor.blocks];
        is_open[0] = true;
        // Blocks whose places are all marked: nothing is left to do in them, nor for each of their places.
        let mut is_full = vec![false; self.descriptor.blocks];
        let mut is_descending = false;
        while is_open.contains(&true) {
            is_descending = !is_descending;
            for at in 0..self.descriptor.blocks {
                watch.prepare()?;
                let number = if is_descending { self.descriptor.blocks - 1 - at } else { at };
                if !std::mem::take(&mut is_open[number]) {
                    continue;
                }
                self.descriptor.entering(number, &mut block.digits, &mut block.from);
                let own = &mut leads_there[number * low..][..low];
                is_full[number] =
                    is_full[number] || mark_sources_within(&self.within(number, &block.from), own);
                for &(from, term) in block.from.iter().filter(|&&(from, _)| from != number) {
                    if is_full[from] {
                        continue;
                    }
                    let [own, other] = leads_there
                        .get_disjoint_mut([number * low..(number + 1) * low, from * low..(from + 1) * low])
                        .unwrap_or_else(|_| unreachable!("blocks do not overlap"));
                    is_open[from] |= match term.low {
                        LowFactor::Identity(_) if is_full[number] => {
                            other.fill(true);
                            is_full[from] = true;
                            true
                        }
                        _ => mark_sources_in(&term.low, own, other),
                    };
                }
            }
        }
        Ok(self.bitset.places(0, leads_there.len()).all(|place| leads_there[place]))
    }
}

/// Marks the sources of marked places within a block until none is left; whether all places are marked then.
fn mark_sources_within(matrices: &[&Sparse], marks: &mut [bool]) -> bool {
    let mut has_changed = true;
    while has_changed {
        if !marks.contains(&false) {
            return true;
        }
        has_changed = false;
        for matrix in matrices {
            for row in matrix.rows.iter().rev() {
                if !marks[row.target as usize] {
                    continue;
                }
                for (source, _) in matrix.range(row.start, row.end) {
                    has_changed |= !std::mem::replace(&mut marks[source], true);
                }
            }
        }
    }
    false
}

/// Marks the sources of marked places in another block. Returns whether it marked any.
fn mark_sources_in(low: &LowFactor, targets: &[bool], sources: &mut [bool]) -> bool {
    let mut has_changed = false;
    let mut mark = |source: &mut bool, is_marked: bool| {
        has_changed |= is_marked & !*source;
        *source |= is_marked;
    };
    match low {
        LowFactor::Identity(_) => {
            sources.iter_mut().zip(targets).for_each(|(source, &target)| mark(source, target));
        }
        LowFactor::Matrix(matrix) => {
            for row in &matrix.rows {
                for (source, _) in matrix.range(row.start, row.end) {
                    mark(&mut sources[source], targets[row.target as usize]);
                }
            }
        }
    }
    has_changed
}
