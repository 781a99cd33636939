//! Reads a space as the input of the refinement: its transitions by target, with residues as rates, and a
//! partition of its states by their rewards.
//!
//! In `f64` a rate is identified by its bits, and its exact value is computed from the model once for each
//! distinct float. For exact answers the exact value is computed at each transition.

use std::ops::Range;

use skel_core::model::ActionId;
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

/// Reads a space in the number type of its quotient. Threads read consecutive parts of it, whose rates and
/// classes get the numbers that one thread would have given them.
pub(super) fn read<N: QuotientNumber>(
    space: &StateSpace,
    rewards: &[Reward],
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<RefinementInput, Error> {
    let states = space.states();
    let counts: Vec<&Quantity> =
        rewards.iter().flat_map(|reward| &reward.parts).map(|(count, _)| count).collect();
    let budget = MemoryBudget::new(limits).beside(space.memory()).beside(memory(space));
    if budget.left() == 0 {
        return Err(no_memory(budget, 0, states));
    }
    let threads = limits.threads().min(states / STATES_PER_THREAD).max(1);
    let reader = Reader { space, counts: &counts, budget, most: budget.left() / threads as u64 };
    Ok(joined(reader.parts::<N>(threads, watch)?))
}

/// The number of states for which another thread is worth starting.
const STATES_PER_THREAD: usize = 1 << 14;

/// What the threads that read a space know of it.
struct Reader<'r> {
    space: &'r StateSpace,
    counts: &'r [&'r Quantity],
    budget: MemoryBudget,
    /// The bytes that the rates and the classes of one part may take.
    most: u64,
}

/// Some states that were read, one after the other.
struct Part<N> {
    outgoing: Outgoing,
    rates: DistinctRates<N>,
    /// The distinct rewards, and for each state the number of its own.
    classes: Tuples,
    class_of: Vec<u32>,
    /// The rewards of the state that was read last, as words.
    words: Vec<u64>,
}

impl Reader<'_> {
    /// Reads as many parts as there are threads. This one, which looks at the limits, reads the first.
    fn parts<N: QuotientNumber>(&self, threads: usize, watch: &mut Watch<'_>) -> Result<Vec<Part<N>>, Error> {
        let states = self.space.states();
        let share = |part: usize| states * part / threads;
        let stop = watch.stop();
        let read = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|part| {
                    let stop = &stop;
                    // Whoever began the work sees why it is to stop.
                    let goes_on = move |_| Ok(!stop.is_due());
                    scope.spawn(move || self.read::<N>(share(part)..share(part + 1), goes_on))
                })
                .collect();
            let goes_on = |classes| check_limits(watch, classes, states).map(|()| true);
            let first = self.read::<N>(0..share(1), goes_on);
            let others = others.into_iter().map(|other| match other.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            std::iter::once(first).chain(others).collect::<Result<Vec<_>, Error>>()
        });
        check_limits(watch, 0, states)?;
        read
    }

    /// Reads some states. Asks now and then whether to go on, with the number of classes so far.
    fn read<N: QuotientNumber>(
        &self,
        states: Range<usize>,
        mut goes_on: impl FnMut(usize) -> Result<bool, Error>,
    ) -> Result<Part<N>, Error> {
        let Reader { space, counts, .. } = *self;
        let transitions =
            (space.transitions() as u128 * states.len() as u128 / space.states() as u128) as usize;
        let mut part = Part::with_capacity(states.len(), transitions, counts.len());
        let (exact, mut fractions) = (RowReader::<Ratio>::new(space), Vec::new());
        let mut sums = vec![Residue::default(); counts.len()];
        let rated = |(at, count): (usize, &&Quantity)| count.action().map(|action| (at, action));
        let rated: Vec<(usize, ActionId)> = counts.iter().enumerate().filter_map(rated).collect();
        let (first, mut is_stopped) = (states.start, false);
        let without_pause = || Ok(());
        space.for_each_row_of::<N, Error>(states, without_pause, |state, row| {
            if (state - first).is_multiple_of(BETWEEN_LOOKS) {
                is_stopped = is_stopped || !goes_on(part.classes.count())?;
                if part.memory(transitions) > self.most {
                    return Err(no_memory(self.budget, part.classes.count(), space.states()));
                }
            }
            if is_stopped {
                return Ok(());
            }
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum = count.number(space, state).into();
            }
            let exact = |at: usize| {
                exact.read(state, &mut fractions);
                Residue::from_ratio(&fractions[at].rate)
            };
            part.add(state, row, exact, (&rated, &mut sums));
            Ok(())
        })?;
        Ok(part)
    }
}

impl<N: QuotientNumber> Part<N> {
    /// No states, with room for so many, and for so many transitions and rewards.
    fn with_capacity(states: usize, transitions: usize, counts: usize) -> Part<N> {
        Part {
            outgoing: Outgoing::with_capacity(states, transitions),
            rates: DistinctRates::new(),
            classes: Tuples::new(2 * counts),
            class_of: Vec::with_capacity(states),
            words: Vec::new(),
        }
    }

    /// The bytes of rates and classes, and of the transitions that the part has beyond its share.
    fn memory(&self, share: usize) -> u64 {
        let more = self.outgoing.transitions.capacity().saturating_sub(share) as u64;
        self.rates.memory() + self.classes.memory() + 8 * more
    }

    /// Adds a state with its row. A function gives the exact rate of an activity in the row. The sums have
    /// the state's rewards; those of actions are added to them here.
    fn add(
        &mut self,
        state: usize,
        row: &[Labelled<N>],
        mut exact: impl FnMut(usize) -> Residue,
        (rated, sums): (&[(usize, ActionId)], &mut [Residue]),
    ) {
        let Part { outgoing, rates, classes, class_of, words } = self;
        let mut exit = Residue::default();
        for (at, Labelled { target, action, rate }) in row.iter().enumerate() {
            let number = rates.find(rate).unwrap_or_else(|| rates.add(rate, exact(at)));
            let weight = rates.weight(number);
            for (at, _) in rated.iter().filter(|(_, wanted)| wanted == action) {
                sums[*at] = sums[*at].plus(weight);
            }
            if *target as usize != state {
                outgoing.transitions.push((*target, number));
                exit = exit.plus(weight);
            }
        }
        outgoing.offsets.push(outgoing.transitions.len());
        outgoing.diagonal.push(exit.negative());
        words.clear();
        sums.iter().for_each(|sum| words.extend(sum.words()));
        class_of.push(classes.number(words));
    }
}

/// Puts parts together, one after the other.
fn joined<N: QuotientNumber>(parts: Vec<Part<N>>) -> RefinementInput {
    let (mut rates, mut numbered) = (DistinctRates::new(), Vec::with_capacity(parts.len()));
    let (mut classes, mut class_of) = (None::<Tuples>, Vec::new());
    for part in parts {
        numbered.push((part.outgoing, rates.numbers_of(&part.rates)));
        let Some(known) = &mut classes else {
            (classes, class_of) = (Some(part.classes), part.class_of);
            continue;
        };
        let numbers: Vec<u32> = part.classes.all().map(|rewards| known.number(rewards)).collect();
        class_of.extend(part.class_of.iter().map(|&class| numbers[class as usize]));
    }
    let transposed = transposed(numbered, rates.into_weights());
    RefinementInput { transposed, classes: class_of, count: classes.map_or(0, |classes| classes.count()) }
}

/// The transitions of some states by source, one state after the other.
struct Outgoing {
    offsets: Vec<usize>,
    /// For each transition its target, and the number of its rate.
    transitions: Vec<(u32, u32)>,
    diagonal: Vec<Residue>,
}

impl Outgoing {
    fn with_capacity(states: usize, transitions: usize) -> Outgoing {
        let mut offsets = Vec::with_capacity(states + 1);
        offsets.push(0);
        Outgoing {
            offsets,
            transitions: Vec::with_capacity(transitions),
            diagonal: Vec::with_capacity(states),
        }
    }

    /// Calls `found` for each transition: the source, counted from a first one, the target, and the number of
    /// the rate.
    fn for_each(&self, first: usize, mut found: impl FnMut(u32, u32, u32)) {
        for (source, row) in (first..).zip(self.offsets.windows(2)) {
            for &(target, rate) in &self.transitions[row[0]..row[1]] {
                found(source as u32, target, rate);
            }
        }
    }
}

/// The transitions of consecutive parts by target; each part comes with the numbers that its rates get.
fn transposed(parts: Vec<(Outgoing, Vec<u32>)>, weights: Vec<Residue>) -> TransposedChain<Residue> {
    let states: usize = parts.iter().map(|(part, _)| part.diagonal.len()).sum();
    let mut offsets = vec![0; states + 1];
    for (part, _) in &parts {
        part.transitions.iter().for_each(|&(target, _)| offsets[target as usize] += 1);
    }
    let mut before = 0;
    for offset in &mut offsets {
        before += std::mem::replace(offset, before);
    }
    let mut transitions = vec![(0, 0); before];
    let mut diagonal: Vec<Residue> = Vec::with_capacity(states);
    for (part, numbers) in parts {
        part.for_each(diagonal.len(), |source, target, rate| {
            let free = &mut offsets[target as usize];
            transitions[*free] = (source, numbers[rate as usize]);
            *free += 1;
        });
        diagonal.extend(part.diagonal);
    }
    // Each offset is now where the next state's transitions begin.
    offsets.rotate_right(1);
    offsets[0] = 0;
    TransposedChain { offsets, transitions, weights, diagonal }
}
