//! Products and sweeps by several threads, to the same bits as by one.
//!
//! A product gives each thread a range of the states. A forward substitution needs the results of the states before. So states
//! have *levels*: that of a state is one above the highest of the earlier states from which rates lead to it. The states of
//! one level do not need one another, and threads share them (level scheduling: Y. Saad, Iterative Methods for Sparse Linear
//! Systems, 11.6). Each state is computed from the same numbers in the same order as by one thread, whatever the number of
//! threads, so that answers do not depend on it.
//!
//! While threads work, the numbers of the states are in a list by level, and so are the rates from earlier states, so that each
//! level is read from one end to the other. Without that, every level touches nearly all of the memory: polling with 15 stations
//! took six times as long.
//!
//! Where levels have few states, waiting for one another at the end of each takes longer than the work. Then only products are
//! shared. Memory: 32 bytes a state, which are counted even where there is one thread, so that the choice of methods does
//! not depend on the number of threads either.

mod levels;
mod shared;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::{BETWEEN_STOPS, Context, RateCode, Rates, Table, TransposedRates, Triangle, TriangularParts};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::team::{CHUNK, Chunk, Member, SharedNumbers, chunk_ends, in_chunks, together};
use levels::Levels;
pub(super) use shared::SharedList;

/// From how many states on work is shared, and how many of them a level must have on average.
const LEAST_STATES: usize = 50_000;
const LEAST_LEVEL: usize = 500;

/// The bytes of a state in the levels, and of its number in the list that threads share.
const PER_STATE: u64 = 4 + 4 + 8 + 8 + 8;

/// How threads share the states of a chain.
pub(super) struct Schedule {
    /// The first states of each thread, and the number of all states.
    cuts: Vec<Cut>,
    levels: Option<Levels>,
    /// Numbers of all states, while threads work with them.
    numbers: Mutex<SharedNumbers>,
}

/// A state, and how many entries from earlier and from later states the states before it have.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    state: usize,
    earlier: usize,
    later: usize,
}

impl Schedule {
    pub(super) fn levels(&self) -> Option<&Levels> {
        self.levels.as_ref()
    }

    fn threads(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The states of a thread.
    fn range(&self, thread: usize) -> Range<usize> {
        self.cuts[thread].state..self.cuts[thread + 1].state
    }

    /// For each thread its number and its part of a vector.
    fn parts<'x>(&self, mut x: &'x mut [f64]) -> Vec<(usize, &'x mut [f64])> {
        let mut parts = Vec::with_capacity(self.threads());
        for thread in 0..self.threads() {
            let (own, rest) = x.split_at_mut(self.range(thread).len());
            parts.push((thread, own));
            x = rest;
        }
        parts
    }

    /// Where threads find the number of a state.
    #[inline]
    fn place(&self, state: usize) -> usize {
        self.levels.as_ref().map_or(state, |levels| levels.places[state] as usize)
    }

    /// The state that a column stands for.
    #[inline]
    pub(super) fn state(&self, column: u32) -> u32 {
        self.levels.as_ref().map_or(column, |levels| levels.order[column as usize])
    }

    /// The chunks of a thread.
    fn chunks_of(&self, thread: usize) -> Range<usize> {
        let Range { start, end } = self.range(thread);
        start / CHUNK..end.div_ceil(CHUNK)
    }

    /// Writes the numbers of the states from one on where the others see them.
    fn keep(&self, numbers: &SharedNumbers, first: usize, own: &[f64]) {
        (first..).zip(own).for_each(|(state, &value)| numbers.set(self.place(state), value));
    }

    /// Reads the numbers of the states from one on.
    fn take(&self, numbers: &SharedNumbers, first: usize, own: &mut [f64]) {
        (first..).zip(own).for_each(|(state, value)| *value = numbers.get(self.place(state)));
    }

    fn with_numbers(&self, work: impl FnOnce(&SharedNumbers)) {
        work(&self.numbers.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl TransposedRates {
    /// The same rates, with a schedule for several threads where these are allowed and have enough to do.
    pub(crate) fn shared(
        self,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let bytes = self.exits.len() as u64 * PER_STATE;
        // The entries are there twice while they are brought into the order of the levels. This is to be a small part of what is
        // left, so that it does not take away the memory of a method.
        let most = self.bytes + bytes;
        if self.exits.len() < LEAST_STATES || budget.beside(self.bytes).left() / 4 < most {
            return Ok(self);
        }
        let counted = TransposedRates { bytes: self.bytes + bytes, ..self };
        let threads = watch.threads();
        if threads > 1 { counted.shared_by(threads, LEAST_LEVEL, watch) } else { Ok(counted) }
    }

    /// The same rates with a schedule for so many threads. Sweeps are shared where levels have enough states.
    pub(super) fn shared_by(
        self,
        threads: usize,
        least_level: usize,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let [(counts, columns), _] = self.lists();
        let levels = Levels::find(counts, columns, &self.exits, watch)?;
        let levels = (self.exits.len() / levels.ends.len().max(1) >= least_level).then_some(levels);
        let cuts = self.cuts(threads);
        let rates = match (self.rates, &levels) {
            (rates, None) => rates,
            (Rates::Byte(parts), Some(levels)) => Rates::Byte(parts.by_level(levels)),
            (Rates::Short(parts), Some(levels)) => Rates::Short(parts.by_level(levels)),
            (Rates::Float(parts), Some(levels)) => Rates::Float(parts.by_level(levels)),
        };
        let numbers = Mutex::new(SharedNumbers::zeros(self.exits.len()));
        Ok(TransposedRates { rates, schedule: Some(Schedule { cuts, levels, numbers }), ..self })
    }

    /// Where threads begin, so that all have about the same number of entries.
    fn cuts(&self, threads: usize) -> Vec<Cut> {
        // A state takes as long as a few entries.
        const OF_STATE: usize = 3;
        let [(earlier, columns), (later, others)] = self.lists();
        let all = columns.len() + others.len() + OF_STATE * self.exits.len();
        let mut at = Cut { state: 0, earlier: 0, later: 0 };
        let mut cuts = Vec::with_capacity(threads + 1);
        for (&earlier, &later) in earlier.iter().zip(later) {
            // A chunk of a vector belongs to one thread.
            while at.state.is_multiple_of(CHUNK)
                && (at.earlier + at.later + OF_STATE * at.state) * threads >= all * cuts.len()
            {
                cuts.push(at);
            }
            at = Cut {
                state: at.state + 1,
                earlier: at.earlier + earlier as usize,
                later: at.later + later as usize,
            };
        }
        cuts.resize(threads + 1, at);
        cuts
    }
}

/// Adds the inflow by the entries of a row to `sum`.
#[inline]
fn sum<V: RateCode>(
    mut sum: f64,
    (columns, values): (&[u32], &[V]),
    table: &Table,
    x: &SharedNumbers,
) -> f64 {
    for (&column, &value) in columns.iter().zip(values) {
        sum += value.rate(table) * x.get(column as usize);
    }
    sum
}

/// Sets the numbers of some states to the inflow by their rows.
fn set_to_inflow<'r, V: RateCode + 'r>(
    rows: &mut impl Iterator<Item = (&'r [u32], &'r [V])>,
    context: &Context<'_>,
    numbers: &SharedNumbers,
    values: &mut [f64],
) {
    if context.stop.is_due() {
        return;
    }
    for (value, row) in values.iter_mut().zip(rows) {
        *value = sum(0.0, row, context.table, numbers);
    }
}

/// A schedule with levels, and what a pass over the rates needs.
#[derive(Clone, Copy)]
pub(super) struct Leveled<'s> {
    schedule: &'s Schedule,
    levels: &'s Levels,
    context: &'s Context<'s>,
}

impl<'s> Leveled<'s> {
    /// If the rates have levels.
    pub(super) fn of(context: &'s Context<'s>) -> Option<Leveled<'s>> {
        let schedule = context.schedule?;
        Some(Leveled { schedule, levels: schedule.levels()?, context })
    }
}

impl<V: RateCode> Triangle<V> {
    /// The entries in a range.
    #[inline]
    fn entries(&self, range: Range<usize>) -> (&[u32], &[V]) {
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The rows of some states, which are stored one after the other from an entry on.
    fn rows_from(&self, states: Range<usize>, first: usize) -> impl Iterator<Item = (&[u32], &[V])> {
        let mut start = first;
        self.counts[states].iter().map(move |&count| {
            let range = start..start + count as usize;
            start = range.end;
            self.entries(range)
        })
    }
}

impl<V: RateCode> TriangularParts<V> {
    /// The same rates, with those from earlier states stored by level, so that threads read them one after the other, and with
    /// places as columns.
    fn by_level(self, levels: &Levels) -> TriangularParts<V> {
        let TriangularParts { earlier, mut later } = self;
        let place = |column: &mut u32| *column = levels.places[*column as usize];
        later.columns.iter_mut().for_each(place);
        let mut columns = vec![0; earlier.columns.len()];
        let mut values = vec![V::default(); earlier.values.len()];
        for (state, (of_row, rates)) in earlier.rows().enumerate() {
            let start = levels.starts[levels.places[state] as usize];
            columns[start..start + of_row.len()].copy_from_slice(of_row);
            columns[start..start + of_row.len()].iter_mut().for_each(place);
            values[start..start + of_row.len()].copy_from_slice(rates);
        }
        TriangularParts { earlier: Triangle { columns, values, ..earlier }, later }
    }

    /// The rows of some states from earlier states and from later ones; what is known of the first of them is given.
    pub(super) fn rows<'r>(
        &'r self,
        states: Range<usize>,
        first: Cut,
        levels: Option<&'r Levels>,
    ) -> impl Iterator<Item = [(&'r [u32], &'r [V]); 2]> {
        let mut next = first.earlier;
        let later = self.later.rows_from(states.clone(), first.later);
        states.zip(later).map(move |(state, later)| {
            let start = levels.map_or(next, |levels| levels.starts[levels.places[state] as usize]);
            next = start + self.earlier.counts[state] as usize;
            [self.earlier.entries(start..next), later]
        })
    }

    /// The rows of all states.
    pub(super) fn all_rows<'r>(
        &'r self,
        schedule: Option<&'r Schedule>,
    ) -> impl Iterator<Item = [(&'r [u32], &'r [V]); 2]> {
        let first = Cut { state: 0, earlier: 0, later: 0 };
        self.rows(0..self.earlier.counts.len(), first, schedule.and_then(Schedule::levels))
    }

    pub(super) fn inflow_together(
        &self,
        schedule: &Schedule,
        context: &Context<'_>,
        x: &[f64],
        inflow: &mut [f64],
    ) {
        let add = |mut sum: f64, (columns, values): (&[u32], &[V])| {
            for (&column, &value) in columns.iter().zip(values) {
                sum += value.rate(context.table) * x[schedule.state(column) as usize];
            }
            sum
        };
        together(schedule.parts(inflow), |(thread, own), _| {
            let mut rows = self.rows(schedule.range(thread), schedule.cuts[thread], schedule.levels());
            for own in own.chunks_mut(BETWEEN_STOPS) {
                if context.stop.is_due() {
                    return;
                }
                for (inflow, [earlier, later]) in own.iter_mut().zip(&mut rows) {
                    *inflow = add(add(0.0, earlier), later);
                }
            }
        });
    }

    pub(super) fn later_inflow_together(&self, schedule: &Schedule, context: &Context<'_>, x: &mut [f64]) {
        schedule.with_numbers(|numbers| {
            together(schedule.parts(x), |(thread, own), member| {
                schedule.keep(numbers, schedule.range(thread).start, own);
                member.meet();
                let mut rows = self.later_rows(schedule, thread);
                own.chunks_mut(BETWEEN_STOPS).for_each(|own| set_to_inflow(&mut rows, context, numbers, own));
            });
        });
    }

    /// The rows of a thread's states from later states.
    fn later_rows<'r>(
        &'r self,
        schedule: &Schedule,
        thread: usize,
    ) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
        self.later.rows_from(schedule.range(thread), schedule.cuts[thread].later)
    }

    pub(super) fn substitute_together(&self, leveled: Leveled<'_>, x: &mut [f64], is_for_later: bool) {
        let ends = chunk_ends(x.len());
        let chunks = in_chunks(x, &ends);
        let threads = vec![(); leveled.schedule.threads()];
        leveled.schedule.with_numbers(|numbers| {
            together(threads, |(), member| {
                self.substitute_by(member, leveled, numbers, &chunks, is_for_later);
            });
        });
    }

    /// A thread's part of a substitution.
    pub(super) fn substitute_by(
        &self,
        member: Member<'_>,
        leveled: Leveled<'_>,
        numbers: &SharedNumbers,
        chunks: &[Chunk<'_>],
        is_for_later: bool,
    ) {
        let Leveled { schedule, levels, context } = leveled;
        let own = schedule.chunks_of(member.number());
        member.meet();
        for chunk in own.clone() {
            let values = chunks[chunk].read().unwrap_or_else(PoisonError::into_inner);
            schedule.keep(numbers, chunk * CHUNK, &values);
        }
        member.meet();
        levels.for_each(member, context, |place| {
            let row = self.earlier.entries(levels.starts[place]..levels.starts[place + 1]);
            let inflow = sum(numbers.get(place), row, context.table, numbers);
            numbers.set(place, inflow * (1.0 / levels.exits[place]));
        });
        let mut rows = self.later_rows(schedule, member.number());
        for chunk in own {
            let mut values = chunks[chunk].write().unwrap_or_else(PoisonError::into_inner);
            match is_for_later {
                true => set_to_inflow(&mut rows, context, numbers, &mut values),
                false => schedule.take(numbers, chunk * CHUNK, &mut values),
            }
        }
    }

    /// Gauss-Seidel, with the values before the sweep in one list and those after it in another: later states are to be taken
    /// from the first, though they may be in a lower level.
    pub(super) fn sweep_together(&self, leveled: Leveled<'_>, pi: &mut [f64], weight: f64) {
        let Leveled { schedule, levels, context } = leveled;
        let after = SharedNumbers::zeros(pi.len());
        schedule.with_numbers(|before| {
            together(schedule.parts(pi), |(thread, own), member| {
                let first = schedule.range(thread).start;
                schedule.keep(before, first, own);
                member.meet();
                let rows = self.later_rows(schedule, thread);
                for (state, row) in schedule.range(thread).zip(rows) {
                    after.set(schedule.place(state), sum(0.0, row, context.table, before));
                }
                member.meet();
                levels.for_each(member, context, |place| {
                    let row = self.earlier.entries(levels.starts[place]..levels.starts[place + 1]);
                    let inflow = sum(after.get(place), row, context.table, &after);
                    let old = before.get(place);
                    after.set(place, old + weight * (inflow * (1.0 / levels.exits[place]) - old));
                });
                schedule.take(&after, first, own);
            });
        });
    }
}

#[cfg(test)]
mod tests;
