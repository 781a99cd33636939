//! Reads a space as the input of the refinement: its transitions by target, with residues as rates, and a partition of
//! its states by their rewards.
//!
//! In `f64` a rate is identified by its bits, and its exact value is computed from the model once for each distinct
//! float. For exact answers the exact value is computed at each transition.

use skel_core::number::Ratio;

use crate::error::{Error, Reached, Stopped};
use crate::limits::BETWEEN_LOOKS;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::quotient::measure::{Quantity, Reward};
use crate::quotient::number_type::QuotientNumber;
use crate::quotient::numbering::{DistinctRates, Tuples};
use crate::quotient::refinement::{TransposedChain, Weight, check_limits};
use crate::quotient::residue::Residue;
use crate::space::{Labelled, RowReader, StateSpace};

/// A chain to be refined, and the initial partition.
pub(super) struct RefinementInput {
    pub(super) transposed: TransposedChain<Residue>,
    /// For each state its class; two states are in one class if all their rewards are equal.
    pub(super) classes: Vec<u32>,
    /// The number of classes.
    pub(super) count: usize,
}

/// An upper bound on the bytes for refining a space, without its distinct rates and rewards.
pub(super) fn memory(space: &StateSpace) -> u64 {
    const PER_STATE: u64 = 110;
    const PER_TRANSITION: u64 = 16;
    space.states() as u64 * PER_STATE + space.transitions() as u64 * PER_TRANSITION
}

/// The error for a lack of memory.
pub(super) fn no_memory(budget: MemoryBudget, blocks: usize, states: usize) -> Error {
    let reached = Reached::Refining { blocks: blocks as u64, states: states as u64 };
    Error::Stopped(Stopped { limit: budget.limit(), reached })
}

/// Reads a space in the number type of its quotient.
pub(super) fn read<N: QuotientNumber>(
    space: &StateSpace,
    rewards: &[Reward],
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<RefinementInput, Error> {
    let states = space.states();
    let mut counts: Vec<&Quantity> = Vec::new();
    for reward in rewards {
        counts.extend(reward.parts.iter().map(|(count, _)| count));
    }
    let budget = MemoryBudget::new(limits).beside(space.memory()).beside(memory(space));
    if budget.left() == 0 {
        return Err(no_memory(budget, 0, states));
    }
    let mut outgoing = Outgoing::with_capacity(states, space.transitions());
    let mut rates = DistinctRates::<N>::new();
    let mut classes = Tuples::new(2 * counts.len());
    let (exact, mut fractions) = (RowReader::<Ratio>::new(space), Vec::new());
    let (mut sums, mut words) = (vec![Residue::default(); counts.len()], Vec::new());
    let mut class_of = Vec::with_capacity(states);
    let without_pause = || Ok(());
    space.for_each_row::<N, Error>(without_pause, |state, row| {
        if state.is_multiple_of(BETWEEN_LOOKS) {
            check_limits(watch, classes.count(), states)?;
            if rates.memory() + classes.memory() > budget.left() {
                return Err(no_memory(budget, classes.count(), states));
            }
        }
        for (sum, count) in sums.iter_mut().zip(&counts) {
            *sum = count.number(space, state).into();
        }
        let mut exit = Residue::default();
        for (at, Labelled { target, action, rate }) in row.iter().enumerate() {
            let number = rates.find(rate).unwrap_or_else(|| {
                exact.read(state, &mut fractions);
                rates.add(rate, &fractions[at].rate)
            });
            let weight = rates.weight(number);
            for (sum, count) in sums.iter_mut().zip(&counts) {
                if count.action() == Some(*action) {
                    *sum = sum.plus(weight);
                }
            }
            if *target as usize != state {
                outgoing.transitions.push((*target, number));
                exit = exit.plus(weight);
            }
        }
        outgoing.offsets.push(outgoing.transitions.len());
        outgoing.diagonal.push(exit.negative());
        words.clear();
        for &sum in &sums {
            words.extend(sum.words());
        }
        class_of.push(classes.number(&words));
        Ok(())
    })?;
    let transposed = outgoing.transposed(rates.into_weights());
    Ok(RefinementInput { transposed, classes: class_of, count: classes.count() })
}

/// The transitions by source, one state after the other.
struct Outgoing<W> {
    offsets: Vec<usize>,
    /// For each transition its target, and the number of its rate.
    transitions: Vec<(u32, u32)>,
    diagonal: Vec<W>,
}

impl<W> Outgoing<W> {
    fn with_capacity(states: usize, transitions: usize) -> Outgoing<W> {
        let mut offsets = Vec::with_capacity(states + 1);
        offsets.push(0);
        Outgoing {
            offsets,
            transitions: Vec::with_capacity(transitions),
            diagonal: Vec::with_capacity(states),
        }
    }

    /// The same transitions by target.
    fn transposed(self, weights: Vec<W>) -> TransposedChain<W> {
        let states = self.diagonal.len();
        let mut offsets = vec![0; states + 1];
        for &(target, _) in &self.transitions {
            offsets[target as usize] += 1;
        }
        let mut before = 0;
        for offset in &mut offsets {
            before += std::mem::replace(offset, before);
        }
        let mut transitions = vec![(0, 0); self.transitions.len()];
        for (source, row) in self.offsets.windows(2).enumerate() {
            for &(target, rate) in &self.transitions[row[0]..row[1]] {
                let free = &mut offsets[target as usize];
                transitions[*free] = (source as u32, rate);
                *free += 1;
            }
        }
        // Each offset is now where the next state's transitions begin.
        offsets.rotate_right(1);
        offsets[0] = 0;
        TransposedChain { offsets, transitions, weights, diagonal: self.diagonal }
    }
}
