//! All transitions of a space as lists, for those who read them more than once.
//!
//! A list of states keeps the targets and the [labels](super::labels) of its transitions, which are borrowed.
//! The transitions of a bitset are listed once, in 6 bytes each.

use std::borrow::Cow;

use crate::limits::memory::{MemoryBudget, make_room};
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::space::bitset::transitions::Transitions;
use crate::space::{StateSet, StateSpace};

/// The most transitions that are listed for a bitset: in 192 MiB.
const MOST_LISTED: usize = 1 << 25;

/// The transitions of each state as they come: some may lead to the state itself, and several to the same
/// target.
pub(crate) struct Departures<'s> {
    /// Where the transitions of each state begin, and where those of the last one end.
    offsets: Cow<'s, [usize]>,
    targets: Cow<'s, [u32]>,
    /// A number for the rate of each transition.
    numbers: Cow<'s, [u16]>,
    /// The rates that numbers stand for.
    rates: Vec<f64>,
}

impl Departures<'_> {
    pub(crate) fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The targets of a state, and the numbers of the rates.
    #[inline]
    pub(crate) fn of_state(&self, state: usize) -> (&[u32], &[u16]) {
        let range = self.offsets[state]..self.offsets[state + 1];
        (&self.targets[range.clone()], &self.numbers[range])
    }

    /// Replaces a row by the rates from a state to others, by target: rates to the same target are added.
    pub(crate) fn merged(&self, state: usize, row: &mut Vec<(u32, f64)>) {
        let (targets, numbers) = self.of_state(state);
        let all =
            targets.iter().zip(numbers).map(|(&target, &number)| (target, self.rates[usize::from(number)]));
        row.clear();
        row.extend(all.filter(|(target, _)| *target as usize != state));
        add_to_same(row);
    }

    /// The rates that numbers stand for.
    pub(crate) fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// The bytes of what is not the space's own.
    pub(crate) fn memory(&self) -> u64 {
        let of_lists = match self.targets {
            Cow::Owned(_) => {
                size_of_val(&*self.offsets) + size_of_val(&*self.targets) + size_of_val(&*self.numbers)
            }
            Cow::Borrowed(_) => 0,
        };
        (of_lists + size_of_val(&self.rates[..])) as u64
    }
}

impl<M: ?Sized> StateSpace<M> {
    /// The transitions as lists; `None` where the model has to be evaluated for each, or where there is no
    /// room.
    pub(crate) fn departures(
        &self,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Departures<'_>>, Stopped> {
        let inner = &*self.inner;
        match &inner.explored.kept {
            StateSet::Explicit(explicit) => Ok(inner.labelled(&inner.compiled).map(|list| Departures {
                offsets: Cow::Borrowed(&explicit.offsets),
                targets: Cow::Borrowed(&explicit.targets),
                numbers: Cow::Borrowed(list.labels),
                rates: list.meaning.iter().map(|(_, rate)| *rate).collect(),
            })),
            StateSet::Bitset(bitset) => match Transitions::of(bitset, &inner.compiled) {
                Some(all) => listed(all, self.states(), budget, watch),
                None => Ok(None),
            },
        }
    }
}

/// Sorts rates by target, and adds up those to the same one.
pub(crate) fn add_to_same(row: &mut Vec<(u32, f64)>) {
    row.sort_by_key(|(target, _)| *target);
    row.dedup_by(|(target, rate), (first, sum)| {
        let is_same = target == first;
        *sum += if is_same { *rate } else { 0.0 };
        is_same
    });
}

/// The transitions of a bitset; `None` if they are too many.
fn listed(
    mut all: Transitions<'_, f64>,
    states: usize,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Option<Departures<'static>>, Stopped> {
    let rates: Vec<f64> = all.rates().copied().collect();
    if rates.len() > usize::from(u16::MAX) + 1 {
        return Ok(None);
    }
    let budget = budget.beside(8 * (states as u64 + rates.len() as u64));
    let (mut targets, mut numbers) = (Vec::new(), Vec::new());
    let mut offsets = Vec::with_capacity(states + 1);
    offsets.push(0);
    for state in 0..states {
        if state.is_multiple_of(BETWEEN_LOOKS) {
            watch.prepare()?;
        }
        let row = all.numbers_of(state);
        let taken = (targets.capacity() * size_of::<u32>() + numbers.capacity() * size_of::<u16>()) as u64;
        let left = budget.beside(taken).left();
        let has_room =
            make_room(&mut targets, row.len(), left / 2) && make_room(&mut numbers, row.len(), left / 2);
        if !has_room || targets.len() + row.len() > MOST_LISTED {
            return Ok(None);
        }
        targets.extend(row.iter().map(|(target, _)| target));
        numbers.extend(row.iter().map(|&(_, number)| number as u16));
        offsets.push(targets.len());
    }
    let (offsets, targets, numbers) = (offsets.into(), targets.into(), numbers.into());
    Ok(Some(Departures { offsets, targets, numbers, rates }))
}
