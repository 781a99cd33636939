//! Finds out whether a chain whose rates are not stored is irreducible.

use crate::operator::kronecker::descriptor::LowFactor;
use crate::operator::kronecker::sparse::Sparse;
use crate::operator::kronecker::{Block, KroneckerRates};

impl KroneckerRates<'_> {
    /// Whether the first state can be reached from every other. The search goes backwards from the first state, over
    /// the blocks in alternating order, until it finds nothing more. This takes few passes if the numbering roughly
    /// follows the paths of the chain. It needs 1 byte for each combination.
    pub(crate) fn all_lead_to_the_first(&self) -> bool {
        let low = self.descriptor.low;
        let mut leads_there = vec![false; low * self.descriptor.blocks];
        leads_there[0] = true;
        let mut block = Block::default();
        let mut has_changed = true;
        let mut is_descending = false;
        while has_changed {
            has_changed = false;
            is_descending = !is_descending;
            for at in 0..self.descriptor.blocks {
                let number = if is_descending { self.descriptor.blocks - 1 - at } else { at };
                self.descriptor.entering(number, &mut block.digits, &mut block.from);
                has_changed |= mark_sources_within(
                    &self.within(number, &block),
                    &mut leads_there[number * low..][..low],
                );
                for &(from, term) in block.from.iter().filter(|&&(from, _)| from != number) {
                    let [own, other] = leads_there
                        .get_disjoint_mut([number * low..(number + 1) * low, from * low..(from + 1) * low])
                        .unwrap_or_else(|_| unreachable!("blocks do not overlap"));
                    has_changed |= mark_sources_in(&term.low, own, other);
                }
            }
        }
        self.bitset.places(0, leads_there.len()).all(|place| leads_there[place])
    }
}

/// Marks the sources of marked places within a block until none is left. Returns whether it marked any.
fn mark_sources_within(matrices: &[&Sparse], marks: &mut [bool]) -> bool {
    let mut has_ever_changed = false;
    loop {
        let mut has_changed = false;
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
        has_ever_changed |= has_changed;
        if !has_changed {
            return has_ever_changed;
        }
    }
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
