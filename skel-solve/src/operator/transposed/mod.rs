//! The rates of a chain, stored by target state, in little memory.
//!
//! The rates into a state are in two lists: from earlier states, which a forward substitution uses, and from
//! later states. An entry is a 32-bit column and a rate. Models have few distinct rates, so the rate is
//! stored as its number in a table, in 8 or 16 bits. With more than 65,536 distinct rates each entry holds
//! the rate itself. For each row two counts are stored.
//!
//! Time: two passes over the transitions, one to count the entries and one to fill the lists. If memory
//! allows, the rows of the first pass are stored for the second, in 6 bytes a rate, since computing them
//! takes longer than all else here. Memory, in addition to the entries: 8 bytes for the counts of each state,
//! 8 for its exit rate, and 16 more during the construction.

mod among;
mod arranged;
mod copied;
mod dual;
mod exactly;
mod factors;
mod first_pass;
mod levels;
mod of_space;
mod onward;
mod together;
mod within_parts;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Stop, Stopped, Watch};
use crate::operator::{RateOperator, SharedPass, TriangularSweep, VisitRates};
use crate::team::{chunk_ends, share};
use first_pass::{FirstPass, Merged, StoredRows};
pub(crate) use of_space::Survey;
use together::{Cut, Schedule, SharedFactors, SharedList};

/// The largest number of distinct rates that are numbered.
const MOST_CODES: usize = 1 << 16;

/// States after which a product sees whether the work is to stop.
const BETWEEN_STOPS: usize = 1 << 13;

type Table = [f64; MOST_CODES];

/// The distinct rates by their numbers, which lists of the same rates share.
struct Numbered(Box<Table>);

/// Calls a function with each state in ascending order and the rates out of it, in any order and without
/// those to the state itself. Rates to the same target are added.
pub(crate) type Rows<'r> = &'r dyn Fn(&mut Watch<'_>, Visit<'_>) -> Result<(), Error>;

/// Receives a state and its row.
type Visit<'v> = &'v mut dyn FnMut(usize, &[(u32, f64)]);

/// The rates into each state.
pub(crate) struct TransposedRates {
    exits: Vec<f64>,
    table: Arc<Numbered>,
    rates: Rates,
    bytes: u64,
    /// The numbers that states have where they come from, if these are other ones.
    order: Option<Vec<u32>>,
    /// How the work is divided; none where it is short.
    schedule: Option<Schedule>,
    /// Ends products.
    stop: Stop,
}

enum Rates {
    Byte(TriangularParts<u8>),
    Short(TriangularParts<u16>),
    Float(TriangularParts<f64>),
}

impl Rates {
    /// The bytes of a stored rate, beside its column.
    fn bytes_of_value(&self) -> u64 {
        match self {
            Rates::Byte(_) => size_of::<u8>() as u64,
            Rates::Short(_) => size_of::<u16>() as u64,
            Rates::Float(_) => size_of::<f64>() as u64,
        }
    }
}

/// The form in which a rate is stored.
trait RateCode: Copy + Default + Sync {
    fn of(rate: f64, codes: &mut Codes) -> Self;

    /// The form of a rate that has a number.
    fn known(rate: f64, codes: &Codes) -> Self;

    /// The form of the rate of a number.
    fn of_number(number: u16, codes: &Codes) -> Self;

    fn rate(self, table: &Table) -> f64;
}

impl RateCode for u8 {
    fn of(rate: f64, codes: &mut Codes) -> u8 {
        codes.number(rate) as u8
    }

    fn known(rate: f64, codes: &Codes) -> u8 {
        codes.find(rate).unwrap_or_default() as u8
    }

    fn of_number(number: u16, _: &Codes) -> u8 {
        number as u8
    }

    fn rate(self, table: &Table) -> f64 {
        table[usize::from(self)]
    }
}

impl RateCode for u16 {
    fn of(rate: f64, codes: &mut Codes) -> u16 {
        codes.number(rate) as u16
    }

    fn known(rate: f64, codes: &Codes) -> u16 {
        codes.find(rate).unwrap_or_default() as u16
    }

    fn of_number(number: u16, _: &Codes) -> u16 {
        number
    }

    fn rate(self, table: &Table) -> f64 {
        table[usize::from(self)]
    }
}

impl RateCode for f64 {
    fn of(rate: f64, _: &mut Codes) -> f64 {
        rate
    }

    fn known(rate: f64, _: &Codes) -> f64 {
        rate
    }

    fn of_number(number: u16, codes: &Codes) -> f64 {
        number.rate(&codes.table)
    }

    fn rate(self, _: &Table) -> f64 {
        self
    }
}

/// The entries from earlier states, and those from later states.
struct TriangularParts<V> {
    earlier: Triangle<V>,
    later: Triangle<V>,
}

/// The entries of one strict triangle: columns and values, row by row.
struct Triangle<V> {
    counts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<V>,
}

impl<V: RateCode> Triangle<V> {
    fn empty(counts: Vec<u32>) -> (Triangle<V>, Vec<usize>) {
        let mut entries = 0;
        let starts = counts.iter().map(|&count| {
            let start = entries;
            entries += count as usize;
            start
        });
        let starts = starts.collect();
        (Triangle { counts, columns: vec![0; entries], values: vec![V::default(); entries] }, starts)
    }

    /// The entries of all rows, in the order of the rows.
    fn rows(&self) -> impl Iterator<Item = (&[u32], &[V])> {
        rows(&self.counts, &self.columns, &self.values)
    }

    /// The entries of all rows, the last row first.
    fn rows_backwards(&self) -> impl Iterator<Item = (&[u32], &[V])> {
        rows_backwards(&self.counts, &self.columns, &self.values)
    }
}

/// The counts and the columns of both triangles.
type Lists<'l> = [(&'l [u32], &'l [u32]); 2];

/// Rows with so many entries each, the last one first, which ends where the entries end.
#[inline]
fn rows_backwards<'r, V>(
    counts: &'r [u32],
    mut columns: &'r [u32],
    mut values: &'r [V],
) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
    counts.iter().rev().map(move |&count| {
        let (before, of_row) = columns.split_at(columns.len() - count as usize);
        columns = before;
        let (before, rates) = values.split_at(values.len() - count as usize);
        values = before;
        (of_row, rates)
    })
}

/// Rows with so many entries each, one after the other.
#[inline]
fn rows<'r, V>(
    counts: &'r [u32],
    mut columns: &'r [u32],
    mut values: &'r [V],
) -> impl Iterator<Item = (&'r [u32], &'r [V])> {
    counts.iter().map(move |&count| {
        let (of_row, others) = columns.split_at(count as usize);
        columns = others;
        let (rates, others) = values.split_at(count as usize);
        values = others;
        (of_row, rates)
    })
}

/// Adds the inflow by the entries of a row to `sum`.
#[inline]
fn sum<V: RateCode>(mut sum: f64, (columns, values): (&[u32], &[V]), table: &Table, x: &[f64]) -> f64 {
    for (&column, &value) in columns.iter().zip(values) {
        sum += value.rate(table) * x[column as usize];
    }
    sum
}

/// What a sweep makes of a value. Without damping, it does not wait for the value.
#[inline]
fn damped(weight: f64, balanced: f64, value: f64) -> f64 {
    if weight == 1.0 { balanced } else { value + weight * (balanced - value) }
}

/// The rates of some entries, in a list that is used again.
fn decoded<'r, V: RateCode>(values: &[V], table: &Table, rates: &'r mut Vec<f64>) -> &'r [f64] {
    rates.clear();
    rates.extend(values.iter().map(|value| value.rate(table)));
    rates
}

impl<V: RateCode> TriangularParts<V> {
    /// The entries of some rows, which are stored or listed once more.
    fn fill(
        counts: [Vec<u32>; 2],
        (kept, rows): (Option<StoredRows>, Rows<'_>),
        codes: &mut Codes,
        watch: &mut Watch<'_>,
    ) -> Result<TriangularParts<V>, Error> {
        let states = counts[0].len();
        let [(mut earlier, mut earlier_at), (mut later, mut later_at)] = counts.map(Triangle::empty);
        let mut put = |state: usize, target: u32, value: V| {
            let target = target as usize;
            let (triangle, at) = match state < target {
                true => (&mut earlier, &mut earlier_at[target]),
                false => (&mut later, &mut later_at[target]),
            };
            (triangle.columns[*at], triangle.values[*at]) = (state as u32, value);
            *at += 1;
        };
        if let Some(kept) = kept {
            kept.for_each(|state, target, number| put(state, target, V::of_number(number, codes)));
            watch.prepare()?;
        } else {
            let mut merged = Merged::new(states);
            rows(watch, &mut |state, row| {
                merged
                    .row(state, row)
                    .iter()
                    .for_each(|&(target, rate)| put(state, target, V::of(rate, codes)));
            })?;
        }
        Ok(TriangularParts { earlier, later })
    }

    fn inflow(&self, table: &Table, x: &[f64], inflow: &mut [f64], stop: &Stop) {
        let mut rows = self.earlier.rows().zip(self.later.rows());
        for inflow in inflow.chunks_mut(BETWEEN_STOPS) {
            if stop.is_due() {
                return;
            }
            // The chunk comes first: a row that is taken when the chunk is at its end would be lost.
            for (inflow, (earlier, later)) in inflow.iter_mut().zip(&mut rows) {
                *inflow = sum(sum(0.0, earlier, table, x), later, table, x);
            }
        }
    }

    /// A row often needs the result of the row before. What doesn't depend on that comes first: rates from
    /// states long before, and the division.
    fn substitute(&self, table: &Table, exits: &[f64], x: &mut [f64], stop: &Stop) {
        let mut rows = self.earlier.rows().enumerate();
        for exits in exits.chunks(BETWEEN_STOPS) {
            if stop.is_due() {
                return;
            }
            for (exit, (state, row)) in exits.iter().zip(&mut rows) {
                x[state] = sum(x[state], row, table, x) * (1.0 / exit);
            }
        }
    }

    fn later_inflow(&self, table: &Table, x: &mut [f64], stop: &Stop) {
        for (state, row) in self.later.rows().enumerate() {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return;
            }
            x[state] = sum(0.0, row, table, x);
        }
    }

    fn sweep(&self, table: &Table, exits: &[f64], pi: &mut [f64], weight: f64, stop: &Stop) {
        let mut rows = self.earlier.rows().zip(self.later.rows()).enumerate();
        for exits in exits.chunks(BETWEEN_STOPS) {
            if stop.is_due() {
                return;
            }
            for (exit, (state, (earlier, later))) in exits.iter().zip(&mut rows) {
                let inflow = sum(sum(0.0, later, table, pi), earlier, table, pi);
                pi[state] = damped(weight, inflow * (1.0 / exit), pi[state]);
            }
        }
    }

    fn sweep_backwards(&self, table: &Table, exits: &[f64], pi: &mut [f64], stop: &Stop) {
        let rows = self.earlier.rows_backwards().zip(self.later.rows_backwards());
        for ((earlier, later), (state, exit)) in rows.zip(exits.iter().enumerate().rev()) {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return;
            }
            pi[state] = sum(sum(0.0, earlier, table, pi), later, table, pi) * (1.0 / exit);
        }
    }

    fn for_each(
        &self,
        table: &Table,
        (states, first): (Range<usize>, Cut),
        visit: VisitRates<'_>,
        stop: &Stop,
    ) -> ControlFlow<()> {
        let mut rates = Vec::new();
        let rows = self.earlier.rows_from(states.clone(), first.earlier);
        let rows = rows.zip(self.later.rows_from(states.clone(), first.later));
        for (state, (earlier, later)) in states.zip(rows) {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return ControlFlow::Break(());
            }
            for (columns, values) in [earlier, later] {
                visit(state, columns, decoded(values, table, &mut rates))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the rates into some states, which are in ascending order.
    fn for_each_into(&self, table: &Table, states: &[u32], visit: VisitRates<'_>) -> ControlFlow<()> {
        let mut rates = Vec::new();
        let (mut before, mut starts) = (0, [0; 2]);
        for &state in states {
            let next = state as usize;
            for (triangle, start) in [&self.earlier, &self.later].into_iter().zip(&mut starts) {
                *start += triangle.counts[before..next].iter().map(|&count| count as usize).sum::<usize>();
                let range = *start..*start + triangle.counts[next] as usize;
                let values = decoded(&triangle.values[range.clone()], table, &mut rates);
                visit(next, &triangle.columns[range], values)?;
            }
            before = next;
        }
        ControlFlow::Continue(())
    }
}

impl TransposedRates {
    /// The same rates with other exit rates: of states that are also left for states which are not among
    /// them.
    #[cfg(feature = "over-time")]
    pub(crate) fn with_exits(self, exits: Vec<f64>) -> TransposedRates {
        TransposedRates { exits, ..self }
    }

    /// Collects the rates of a chain, within a memory budget.
    pub(crate) fn new(
        states: usize,
        rows: Rows<'_>,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Error> {
        budget.check(CODES + states as u64 * PER_STATE)?;
        let may_keep =
            budget.check(CODES + states as u64 * PER_STATE + StoredRows::most_bytes(states)).is_ok();
        let mut kept = may_keep.then(StoredRows::default);
        let FirstPass { counts, exits, mut codes } = FirstPass::new(states, rows, &mut kept, watch)?;
        let entries: u64 = counts.iter().flatten().map(|&count| u64::from(count)).sum();
        let needed = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        budget.check(needed)?;
        let kept =
            kept.filter(|kept| codes.count <= MOST_CODES && budget.check(needed + kept.bytes()).is_ok());
        let rows = (kept, rows);
        let bytes = CODES + states as u64 * (8 + 2 * 4) + entries * (4 + codes.bytes());
        let rates = match codes.bytes() {
            1 => Rates::Byte(TriangularParts::fill(counts, rows, &mut codes, watch)?),
            2 => Rates::Short(TriangularParts::fill(counts, rows, &mut codes, watch)?),
            _ => Rates::Float(TriangularParts::fill(counts, rows, &mut codes, watch)?),
        };
        Ok(TransposedRates::of_rates(exits, codes.numbered(), (rates, bytes), watch))
    }

    /// The chain of the rates from each state, for tests.
    #[cfg(test)]
    pub(crate) fn of_lists(lists: &[Vec<(u32, f64)>], watch: &mut Watch<'_>) -> TransposedRates {
        let rows: Rows<'_> = &|_, visit| {
            lists.iter().enumerate().for_each(|(state, row)| visit(state, row));
            Ok(())
        };
        let budget = MemoryBudget::new(&crate::limits::Limits::default());
        TransposedRates::new(lists.len(), rows, budget, watch).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A list of rates whose states keep their numbers, and which one thread passes over.
    fn of_rates(
        exits: Vec<f64>,
        table: Arc<Numbered>,
        (rates, bytes): (Rates, u64),
        watch: &Watch<'_>,
    ) -> TransposedRates {
        TransposedRates { exits, table, rates, bytes, order: None, schedule: None, stop: watch.stop() }
    }

    /// A sweep of Gauss-Seidel from the last state to the first.
    pub(crate) fn sweep_backwards(&self, pi: &mut [f64]) {
        self.do_with(SweepBackwards { pi });
    }

    /// The number of bytes that the rates take.
    pub(crate) fn memory(&self) -> u64 {
        self.bytes
    }

    /// The numbers that states have where they come from, if these are other ones.
    pub(crate) fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// The most rates into a state, or out of one.
    pub(crate) fn longest(&self) -> u32 {
        let [(counts, columns), (later_counts, later)] = self.lists();
        let mut out_of = vec![0_u32; counts.len()];
        columns.iter().chain(later).for_each(|&from| out_of[from as usize] += 1);
        let into = counts.iter().zip(later_counts).map(|(earlier, later)| earlier + later);
        into.chain(out_of).max().unwrap_or_default()
    }

    /// The first state to which each is joined by a rate, or itself if it is joined to none before it.
    pub(crate) fn first_joined(&self) -> Vec<u32> {
        let [(counts, columns), (later_counts, later)] = self.lists();
        let (mut columns, mut later) = (columns, later);
        let mut first: Vec<u32> = (0..counts.len() as u32).collect();
        for (state, (&count, &later_count)) in counts.iter().zip(later_counts).enumerate() {
            let sources = columns.split_off(..count as usize).unwrap_or_default();
            first[state] = sources.first().copied().unwrap_or(u32::MAX).min(first[state]);
            let sources = later.split_off(..later_count as usize).unwrap_or_default();
            sources.iter().for_each(|&from| first[from as usize] = first[from as usize].min(state as u32));
        }
        first
    }

    fn lists(&self) -> Lists<'_> {
        fn of<V>(parts: &TriangularParts<V>) -> Lists<'_> {
            [&parts.earlier, &parts.later].map(|triangle| (&triangle.counts[..], &triangle.columns[..]))
        }
        match &self.rates {
            Rates::Byte(parts) => of(parts),
            Rates::Short(parts) => of(parts),
            Rates::Float(parts) => of(parts),
        }
    }

    /// Whether a run comes back to the first state from every other. If all are reachable from it, as in a
    /// state space, the chain is irreducible then. Its time is linear in the number of rates, and it takes 17
    /// bytes for each state, and a list of the states that it has still to look at.
    pub(crate) fn all_lead_to_the_first(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        Ok(self.all_lead_to_earlier_states(watch)? || self.all_are_found_backwards(watch)?)
    }

    /// Whether a run comes from every state but the first to a state before it in few passes over the rates:
    /// at once, or over later states, each of which leads to such a one.
    fn all_lead_to_earlier_states(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        let [(counts, columns), (later_counts, later)] = self.lists();
        // The first state that each one leads to.
        let mut first: Vec<u32> = (0..counts.len() as u32).collect();
        let mut rates = later.iter();
        for (state, &count) in later_counts.iter().enumerate() {
            for &from in rates.by_ref().take(count as usize) {
                let first = &mut first[from as usize];
                *first = (*first).min(state as u32);
            }
        }
        watch.prepare()?;
        let lead =
            |first: &[u32]| first.iter().enumerate().skip(1).all(|(state, &first)| first < state as u32);
        if lead(&first) {
            return Ok(true);
        }
        let mut rates = columns.iter().rev();
        for (state, &count) in counts.iter().enumerate().rev() {
            for &from in rates.by_ref().take(count as usize) {
                first[from as usize] = first[from as usize].min(first[state]);
            }
        }
        watch.prepare()?;
        Ok(lead(&first))
    }

    /// The same by a search backwards from the first state.
    fn all_are_found_backwards(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        let lists = self.lists().map(|(counts, columns)| {
            let mut end = 0;
            let ends = counts.iter().map(|&count| {
                end += count as usize;
                end
            });
            (ends.collect::<Vec<usize>>(), columns)
        });
        let mut leads_there = vec![false; self.exits.len()];
        leads_there[0] = true;
        let mut waiting = Vec::new();
        // Later states wait until the loop comes to them, so that rows are read in their order as far as
        // possible.
        let mut steps = 0_usize;
        for state in 0..self.exits.len() {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            if leads_there[state] {
                waiting.push(state);
            }
            while let Some(next) = waiting.pop() {
                steps += 1;
                if steps.is_multiple_of(BETWEEN_LOOKS) {
                    watch.prepare()?;
                }
                for (ends, columns) in &lists {
                    let start = if next == 0 { 0 } else { ends[next - 1] };
                    for &from in &columns[start..ends[next]] {
                        let from = from as usize;
                        if !std::mem::replace(&mut leads_there[from], true) && from < state {
                            waiting.push(from);
                        }
                    }
                }
            }
        }
        Ok(leads_there.into_iter().all(|leads| leads))
    }
}

/// The number of bytes for each state: counts, exit rate, and the positions and the last source while lists
/// are filled or searched.
const PER_STATE: u64 = 2 * 4 + 8 + 2 * 8 + 4;

impl RateOperator for TransposedRates {
    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn rates(&self) -> u64 {
        self.lists().iter().map(|(_, columns)| columns.len() as u64).sum()
    }

    fn least_rate(&self) -> f64 {
        let least =
            |rates: &[f64]| rates.iter().copied().filter(|&rate| rate > 0.0).fold(f64::INFINITY, f64::min);
        match &self.rates {
            Rates::Byte(_) | Rates::Short(_) => least(&self.table.0[..]),
            Rates::Float(parts) => least(&parts.earlier.values).min(least(&parts.later.values)),
        }
    }

    fn list(&self) -> Option<&TransposedRates> {
        Some(self)
    }

    fn threads(&self) -> usize {
        self.schedule.as_ref().map_or(1, Schedule::threads)
    }

    fn number_of(&self, state: usize) -> usize {
        self.order.as_ref().map_or(state, |order| order[state] as usize)
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        self.do_with(Inflow { x, inflow });
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        self.for_each_rates_in((0, 1), &mut |to, sources, rates| {
            sources.iter().zip(rates).try_for_each(|(&from, &rate)| visit(from as usize, to, rate))
        });
    }

    fn for_each_rates_in(&self, (part, parts): (usize, usize), visit: VisitRates<'_>) {
        let rows = match &self.schedule {
            Some(schedule) if parts > 1 && parts == schedule.threads() => schedule.states_in(part),
            _ => {
                let states = share(self.exits.len(), part, parts);
                (states.clone(), Cut::at(states.start, self.lists()))
            }
        };
        let _ = match &self.rates {
            Rates::Byte(parts) => parts.for_each(&self.table.0, rows, visit, &self.stop),
            Rates::Short(parts) => parts.for_each(&self.table.0, rows, visit, &self.stop),
            Rates::Float(parts) => parts.for_each(&self.table.0, rows, visit, &self.stop),
        };
    }

    fn for_each_rates_into(&self, states: &[u32], visit: VisitRates<'_>) {
        let _ = match &self.rates {
            Rates::Byte(parts) => parts.for_each_into(&self.table.0, states, visit),
            Rates::Short(parts) => parts.for_each_into(&self.table.0, states, visit),
            Rates::Float(parts) => parts.for_each_into(&self.table.0, states, visit),
        };
    }
}

impl TriangularSweep for TransposedRates {
    fn substitute(&self, x: &mut [f64]) {
        self.do_with(Substitution { x, is_for_later: false });
    }

    fn later_inflow(&self, x: &mut [f64]) {
        self.do_with(LaterInflow { x });
    }

    fn chunk_ends(&self) -> Vec<usize> {
        match &self.schedule {
            Some(schedule) => schedule.chunk_ends(),
            None => chunk_ends(self.states()),
        }
    }

    fn substitute_for_later(&self, x: &mut [f64]) {
        self.do_with(Substitution { x, is_for_later: true });
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        self.do_with(Sweep { pi, weight });
    }

    fn shared(&self) -> Option<Box<dyn SharedPass + '_>> {
        SharedList::of(self).map(|list| Box::new(list) as Box<dyn SharedPass>)
    }
}

/// What a pass over the rates needs beside its vectors.
struct Context<'c> {
    table: &'c Table,
    exits: &'c [f64],
    schedule: Option<&'c Schedule>,
    stop: &'c Stop,
}

impl<'c> Context<'c> {
    /// The schedule, if several threads work.
    fn together(&self) -> Option<&'c Schedule> {
        self.schedule.filter(|schedule| schedule.threads() > 1)
    }

    /// The schedule, if several threads share sweeps.
    fn sharing_sweeps(&self) -> Option<&'c Schedule> {
        self.schedule.filter(|schedule| schedule.shares_sweeps())
    }
}

/// The order of the states of one level.
#[derive(Clone, Copy)]
pub(crate) enum WithinLevels {
    /// That in which they are passed over.
    AsPassed,
    /// That of their numbers. Values that are read one after the other then lie closer together.
    ByNumber,
}

/// A pass over the rates, in whatever form these are stored.
trait Pass {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>);
}

impl TransposedRates {
    fn context(&self) -> Context<'_> {
        let TransposedRates { exits, table, schedule, stop, .. } = self;
        Context { table: &table.0, exits, schedule: schedule.as_ref(), stop }
    }

    fn do_with(&self, pass: impl Pass) {
        let context = self.context();
        match &self.rates {
            Rates::Byte(parts) => pass.run(parts, &context),
            Rates::Short(parts) => pass.run(parts, &context),
            Rates::Float(parts) => pass.run(parts, &context),
        }
    }
}

struct Inflow<'x> {
    x: &'x [f64],
    inflow: &'x mut [f64],
}

impl Pass for Inflow<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        match context.together() {
            Some(schedule) => rates.inflow_together(schedule, context, self.x, self.inflow),
            None => rates.inflow(context.table, self.x, self.inflow, context.stop),
        }
    }
}

struct Substitution<'x> {
    x: &'x mut [f64],
    /// Whether the inflow from later states follows.
    is_for_later: bool,
}

impl Pass for Substitution<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        if let Some(schedule) = context.sharing_sweeps() {
            return rates.substitute_together(schedule, context, self.x, self.is_for_later);
        }
        rates.substitute(context.table, context.exits, self.x, context.stop);
        if self.is_for_later {
            LaterInflow { x: self.x }.run(rates, context);
        }
    }
}

struct LaterInflow<'x> {
    x: &'x mut [f64],
}

impl Pass for LaterInflow<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        match context.together() {
            Some(schedule) => rates.later_inflow_together(schedule, context, self.x),
            None => rates.later_inflow(context.table, self.x, context.stop),
        }
    }
}

struct SweepBackwards<'x> {
    pi: &'x mut [f64],
}

impl Pass for SweepBackwards<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        rates.sweep_backwards(context.table, context.exits, self.pi, context.stop);
    }
}

struct Sweep<'x> {
    pi: &'x mut [f64],
    weight: f64,
}

impl Pass for Sweep<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        match context.sharing_sweeps() {
            Some(schedule) => rates.sweep_together(schedule, context, self.pi, self.weight),
            None => rates.sweep(context.table, context.exits, self.pi, self.weight, context.stop),
        }
    }
}

/// The number of bytes of [`Codes`].
const CODES: u64 = (MOST_CODES * (size_of::<f64>() + 2 * size_of::<u32>())) as u64;

/// The distinct rates and their numbers, in a hash table with open addressing of twice the largest size.
struct Codes {
    table: Box<Table>,
    count: usize,
    /// For each slot of the hash table the number of its rate plus one, or zero.
    slots: Vec<u32>,
    last: (f64, usize),
}

impl Codes {
    fn new() -> Codes {
        let table = vec![0.0; MOST_CODES].into_boxed_slice();
        let table = table.try_into().unwrap_or_else(|_| unreachable!("the table has this length"));
        Codes { table, count: 0, slots: vec![0; 2 * MOST_CODES], last: (0.0, 0) }
    }

    /// The rates by their numbers.
    fn numbered(self) -> Arc<Numbered> {
        Arc::new(Numbered(self.table))
    }

    /// The number of a rate, which is new if the rate is. It has no meaning once there are too many rates.
    fn number(&mut self, rate: f64) -> usize {
        if rate == self.last.0 || self.count > MOST_CODES {
            return self.last.1;
        }
        match self.look_up(rate) {
            Ok(number) => {
                self.last = (rate, number);
                number
            }
            Err(slot) => self.add(rate, slot),
        }
    }

    /// The number of a rate that has one.
    fn find(&self, rate: f64) -> Option<usize> {
        self.look_up(rate).ok()
    }

    /// The number of a rate, or the slot for it.
    fn look_up(&self, rate: f64) -> Result<usize, usize> {
        let mut slot = (rate.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize;
        while let Some(number) = (self.slots[slot] as usize).checked_sub(1) {
            if self.table[number] == rate {
                return Ok(number);
            }
            slot = (slot + 1) % self.slots.len();
        }
        Err(slot)
    }

    fn add(&mut self, rate: f64, slot: usize) -> usize {
        let number = self.count;
        self.count += 1;
        if number < MOST_CODES {
            self.table[number] = rate;
            self.slots[slot] = self.count as u32;
            self.last = (rate, number);
        }
        number
    }

    /// The number of bytes of a stored rate: of its number, or of the rate itself.
    fn bytes(&self) -> u64 {
        match self.count {
            0..=256 => 1,
            257..=MOST_CODES => 2,
            _ => 8,
        }
    }
}
