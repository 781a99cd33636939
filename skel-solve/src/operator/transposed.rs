//! The rates of a chain by the state that they lead into, in little memory.
//!
//! The rates into a state are in two lists: from earlier states, which a forward substitution goes through, and from later
//! ones. An entry is a column of 32 bits and a rate. Models have few distinct rates, so that it is the number of one in a table:
//! 8 bits, or 16, or where there are more than 65,536 of them the rate itself. A row costs two counts.
//!
//! Cost: two passes over the transitions, to count and to fill. Rows of small chains are kept from the first for the second, since
//! to make them takes longer than all else here. Memory: beside the entries 8 bytes a state for the counts, 8 for the exit
//! rates, and while it is filled 16 more.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Stop, Stopped, Watch};
use crate::operator::{RateOperator, TriangularSweep};

/// The most distinct rates that have a number.
const MOST_CODES: usize = 1 << 16;

/// States after which a product sees whether the work is to stop.
const BETWEEN_STOPS: usize = 1 << 13;

type Table = [f64; MOST_CODES];

/// Gives each state, ascending, with the rates out of it: by ascending targets, each once, none of them the state itself.
pub(crate) type Rows<'r> = &'r dyn Fn(&mut Watch<'_>, Visit<'_>) -> Result<(), Error>;

/// Takes a state and its row.
type Visit<'v> = &'v mut dyn FnMut(usize, &[(u32, f64)]);

/// The rates into each state.
pub(crate) struct TransposedRates {
    exits: Vec<f64>,
    table: Box<Table>,
    rates: Rates,
    bytes: u64,
    /// Ends products.
    stop: Stop,
}

enum Rates {
    Byte(Halves<u8>),
    Short(Halves<u16>),
    Float(Halves<f64>),
}

/// How a rate is kept.
trait Coded: Copy + Default {
    fn of(rate: f64, codes: &mut Codes) -> Self;

    fn rate(self, table: &Table) -> f64;
}

impl Coded for u8 {
    fn of(rate: f64, codes: &mut Codes) -> u8 {
        codes.number(rate) as u8
    }

    fn rate(self, table: &Table) -> f64 {
        table[usize::from(self)]
    }
}

impl Coded for u16 {
    fn of(rate: f64, codes: &mut Codes) -> u16 {
        codes.number(rate) as u16
    }

    fn rate(self, table: &Table) -> f64 {
        table[usize::from(self)]
    }
}

impl Coded for f64 {
    fn of(rate: f64, _: &mut Codes) -> f64 {
        rate
    }

    fn rate(self, _: &Table) -> f64 {
        self
    }
}

/// The entries from earlier states, and those from later ones.
struct Halves<V> {
    earlier: Half<V>,
    later: Half<V>,
}

/// Row by row columns and values.
struct Half<V> {
    counts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<V>,
}

impl<V: Coded> Half<V> {
    fn empty(counts: Vec<u32>) -> (Half<V>, Vec<usize>) {
        let mut entries = 0;
        let starts = counts.iter().map(|&count| {
            let start = entries;
            entries += count as usize;
            start
        });
        let starts = starts.collect();
        (Half { counts, columns: vec![0; entries], values: vec![V::default(); entries] }, starts)
    }

    /// The entries of all rows, one after the other.
    fn rows(&self) -> impl Iterator<Item = (&[u32], &[V])> {
        let (mut columns, mut values) = (&self.columns[..], &self.values[..]);
        self.counts.iter().map(move |&count| {
            let (of_row, others) = columns.split_at(count as usize);
            columns = others;
            let (rates, others) = values.split_at(count as usize);
            values = others;
            (of_row, rates)
        })
    }
}

/// A value and what flows in by the entries of a row.
#[inline]
fn sum<V: Coded>(mut sum: f64, (columns, values): (&[u32], &[V]), table: &Table, x: &[f64]) -> f64 {
    for (&column, &value) in columns.iter().zip(values) {
        sum += value.rate(table) * x[column as usize];
    }
    sum
}

impl<V: Coded> Halves<V> {
    fn fill(
        counts: [Vec<u32>; 2],
        rows: Rows<'_>,
        codes: &mut Codes,
        watch: &mut Watch<'_>,
    ) -> Result<Halves<V>, Error> {
        let [(mut earlier, mut earlier_at), (mut later, mut later_at)] = counts.map(Half::empty);
        rows(watch, &mut |state, row| {
            for &(target, rate) in row {
                let target = target as usize;
                let (half, at) = match state < target {
                    true => (&mut earlier, &mut earlier_at[target]),
                    false => (&mut later, &mut later_at[target]),
                };
                (half.columns[*at], half.values[*at]) = (state as u32, V::of(rate, codes));
                *at += 1;
            }
        })?;
        Ok(Halves { earlier, later })
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

    /// A row often needs the result of the row before. What doesn't depend on that comes first: rates from states long before,
    /// and the division.
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
                pi[state] += weight * (inflow * (1.0 / exit) - pi[state]);
            }
        }
    }

    fn for_each(
        &self,
        table: &Table,
        visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>,
        stop: &Stop,
    ) -> ControlFlow<()> {
        for (state, (earlier, later)) in self.earlier.rows().zip(self.later.rows()).enumerate() {
            if state.is_multiple_of(BETWEEN_STOPS) && stop.is_due() {
                return ControlFlow::Break(());
            }
            for (columns, values) in [earlier, later] {
                for (&column, value) in columns.iter().zip(values) {
                    visit(column as usize, state, value.rate(table))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl TransposedRates {
    /// Collects the rates of a chain, within a budget.
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
        let Counted { counts, exits, mut codes } = Counted::new(states, rows, &mut kept, watch)?;
        let entries: u64 = counts.iter().flatten().map(|&count| u64::from(count)).sum();
        let needed = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        budget.check(needed)?;
        let kept = kept.filter(|kept| budget.check(needed + kept.bytes()).is_ok());
        let of_kept: Rows<'_> = &|_, visit| {
            if let Some(kept) = &kept {
                kept.for_each(visit);
            }
            Ok(())
        };
        let rows = if kept.is_some() { of_kept } else { rows };
        let bytes = CODES + states as u64 * (8 + 2 * 4) + entries * (4 + codes.bytes());
        let rates = match codes.bytes() {
            1 => Rates::Byte(Halves::fill(counts, rows, &mut codes, watch)?),
            2 => Rates::Short(Halves::fill(counts, rows, &mut codes, watch)?),
            _ => Rates::Float(Halves::fill(counts, rows, &mut codes, watch)?),
        };
        Ok(TransposedRates { exits, table: codes.table, rates, bytes, stop: watch.stop() })
    }

    /// The bytes that it takes.
    pub(crate) fn memory(&self) -> u64 {
        self.bytes
    }

    /// The counts and columns of both halves.
    fn lists(&self) -> [(&[u32], &[u32]); 2] {
        fn of<V>(halves: &Halves<V>) -> [(&[u32], &[u32]); 2] {
            [&halves.earlier, &halves.later].map(|half| (&half.counts[..], &half.columns[..]))
        }
        match &self.rates {
            Rates::Byte(halves) => of(halves),
            Rates::Short(halves) => of(halves),
            Rates::Float(halves) => of(halves),
        }
    }

    /// Whether a run comes back to the first state from every other. If all are reachable from it, as in a state space, the
    /// chain is irreducible then. A search backwards: time linear in the rates, 17 bytes a state and what waits.
    pub(crate) fn all_lead_to_the_first(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
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
        // Later states wait until the loop comes to them, so that rows are read in their order as far as possible.
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

/// The bytes for each state: counts, exit rates, and the places while lists are filled or searched.
const PER_STATE: u64 = 2 * 4 + 8 + 2 * 8;

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
            Rates::Byte(_) | Rates::Short(_) => least(&self.table[..]),
            Rates::Float(halves) => least(&halves.earlier.values).min(least(&halves.later.values)),
        }
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        match &self.rates {
            Rates::Byte(halves) => halves.inflow(&self.table, x, inflow, &self.stop),
            Rates::Short(halves) => halves.inflow(&self.table, x, inflow, &self.stop),
            Rates::Float(halves) => halves.inflow(&self.table, x, inflow, &self.stop),
        }
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        let _ = match &self.rates {
            Rates::Byte(halves) => halves.for_each(&self.table, visit, &self.stop),
            Rates::Short(halves) => halves.for_each(&self.table, visit, &self.stop),
            Rates::Float(halves) => halves.for_each(&self.table, visit, &self.stop),
        };
    }
}

impl TriangularSweep for TransposedRates {
    fn substitute(&self, x: &mut [f64]) {
        match &self.rates {
            Rates::Byte(halves) => halves.substitute(&self.table, &self.exits, x, &self.stop),
            Rates::Short(halves) => halves.substitute(&self.table, &self.exits, x, &self.stop),
            Rates::Float(halves) => halves.substitute(&self.table, &self.exits, x, &self.stop),
        }
    }

    fn later_inflow(&self, x: &mut [f64]) {
        match &self.rates {
            Rates::Byte(halves) => halves.later_inflow(&self.table, x, &self.stop),
            Rates::Short(halves) => halves.later_inflow(&self.table, x, &self.stop),
            Rates::Float(halves) => halves.later_inflow(&self.table, x, &self.stop),
        }
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        match &self.rates {
            Rates::Byte(halves) => halves.sweep(&self.table, &self.exits, pi, weight, &self.stop),
            Rates::Short(halves) => halves.sweep(&self.table, &self.exits, pi, weight, &self.stop),
            Rates::Float(halves) => halves.sweep(&self.table, &self.exits, pi, weight, &self.stop),
        }
    }
}

/// What the first pass finds.
struct Counted {
    /// Of each state the rates from earlier states, and from later ones.
    counts: [Vec<u32>; 2],
    exits: Vec<f64>,
    codes: Codes,
}

/// The most rates of rows that are kept: 16 MiB.
const MOST_KEPT: usize = 1 << 20;

/// Rows, one after the other.
#[derive(Default)]
struct StoredRows {
    lengths: Vec<u32>,
    rates: Vec<(u32, f64)>,
}

impl StoredRows {
    /// The bytes of the most rates, and of the lists from which they have just been copied.
    fn most_bytes(states: usize) -> u64 {
        2 * (states * size_of::<u32>() + MOST_KEPT * size_of::<(u32, f64)>()) as u64
    }

    fn bytes(&self) -> u64 {
        (self.lengths.capacity() * size_of::<u32>() + self.rates.capacity() * size_of::<(u32, f64)>()) as u64
    }

    fn for_each(&self, visit: Visit<'_>) {
        let mut rates = &self.rates[..];
        for (state, &length) in self.lengths.iter().enumerate() {
            let (row, others) = rates.split_at(length as usize);
            rates = others;
            visit(state, row);
        }
    }
}

impl Counted {
    /// Counts, and keeps the rows as long as they are few.
    fn new(
        states: usize,
        rows: Rows<'_>,
        kept: &mut Option<StoredRows>,
        watch: &mut Watch<'_>,
    ) -> Result<Counted, Error> {
        let [mut earlier, mut later] = [vec![0; states], vec![0; states]];
        let mut exits = Vec::with_capacity(states);
        let mut codes = Codes::new();
        rows(watch, &mut |state, row| {
            let mut exit = 0.0;
            for &(target, rate) in row {
                exit += rate;
                codes.number(rate);
                let counts = if state < target as usize { &mut earlier } else { &mut later };
                counts[target as usize] += 1;
            }
            exits.push(exit);
            if kept.as_ref().is_some_and(|kept| kept.rates.len() + row.len() > MOST_KEPT) {
                *kept = None;
            }
            if let Some(kept) = kept {
                kept.lengths.push(row.len() as u32);
                kept.rates.extend_from_slice(row);
            }
        })?;
        Ok(Counted { counts: [earlier, later], exits, codes })
    }
}

/// The bytes of [`Codes`].
const CODES: u64 = (MOST_CODES * (size_of::<f64>() + 2 * size_of::<u32>())) as u64;

/// The distinct rates, and their numbers: by open addressing in a table of twice their most.
struct Codes {
    table: Box<Table>,
    count: usize,
    /// Numbers plus one.
    slots: Vec<u32>,
    last: (f64, usize),
}

impl Codes {
    fn new() -> Codes {
        let table = vec![0.0; MOST_CODES].into_boxed_slice();
        let table = table.try_into().unwrap_or_else(|_| unreachable!("the table has this length"));
        Codes { table, count: 0, slots: vec![0; 2 * MOST_CODES], last: (0.0, 0) }
    }

    /// The number of a rate, a new one if it needs one; without meaning where there are too many.
    fn number(&mut self, rate: f64) -> usize {
        if rate == self.last.0 || self.count > MOST_CODES {
            return self.last.1;
        }
        let mut slot = (rate.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize;
        while let Some(number) = (self.slots[slot] as usize).checked_sub(1) {
            if self.table[number] == rate {
                self.last = (rate, number);
                return number;
            }
            slot = (slot + 1) % self.slots.len();
        }
        let number = self.count;
        self.count += 1;
        if number < MOST_CODES {
            self.table[number] = rate;
            self.slots[slot] = self.count as u32;
            self.last = (rate, number);
        }
        number
    }

    /// How many bytes a number takes, or the rate itself.
    fn bytes(&self) -> u64 {
        match self.count {
            0..=256 => 1,
            257..=MOST_CODES => 2,
            _ => 8,
        }
    }
}
