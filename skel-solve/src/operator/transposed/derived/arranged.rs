//! The rates of an operator in another order of the states.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::codes::{CODES, Codes, RateCode};
use crate::operator::transposed::triangles::{Lookup, Triangle, TriangularParts, ends, sort_row};
use crate::operator::transposed::{PER_STATE, Rates, TransposedRates};
use crate::team::{in_parts, share, together};

/// The bytes of a state while a list is brought into another order: where its rows end, in both lists.
const WHILE_MADE: u64 = 4 * 8;

impl TransposedRates {
    /// The same rates with the states in another order, in which each state has a place. `None` if they do
    /// not fit the budget.
    pub(crate) fn arranged(
        chain: &dyn RateOperator,
        places: &[u32],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        match chain.list() {
            Some(list) => list.in_order(places, budget, watch),
            None => TransposedRates::copied_in_order(chain, places, budget, watch),
        }
    }

    /// The same rates as those of a list. Threads share the rows.
    fn in_order(
        &self,
        places: &[u32],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let per_rate = 4 + self.rates.bytes_of_value();
        let bytes = CODES + places.len() as u64 * PER_STATE + self.rates() * per_rate;
        if budget.check(bytes + places.len() as u64 * WHILE_MADE).is_err() {
            return Ok(None);
        }
        let task = Task { places, threads: watch.threads() };
        let rates = match &self.rates {
            Rates::Byte(parts) => Rates::Byte(task.parts(parts, watch)?),
            Rates::Short(parts) => Rates::Short(task.parts(parts, watch)?),
            Rates::Float(parts) => Rates::Float(task.parts(parts, watch)?),
        };
        let mut exits = vec![0.0; places.len()];
        places.iter().zip(&self.exits).for_each(|(&place, exit)| exits[place as usize] = *exit);
        Ok(Some(TransposedRates::of_rates(exits, Arc::clone(&self.table), (rates, bytes), watch)))
    }

    /// The same rates as those of an operator that computes them again each time.
    fn copied_in_order(
        chain: &dyn RateOperator,
        places: &[u32],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let states = chain.states();
        if budget.check(CODES + states as u64 * PER_STATE).is_err() {
            return Ok(None);
        }
        let mut counts = [vec![0; states], vec![0; states]];
        let mut codes = Codes::new();
        chain.for_each_rate(&mut |from, to, rate| {
            let (from, to) = (places[from] as usize, places[to] as usize);
            counts[usize::from(from > to)][to] += 1;
            codes.number(rate);
            ControlFlow::Continue(())
        });
        watch.prepare()?;
        let bytes = CODES + states as u64 * PER_STATE + chain.rates() * (4 + codes.bytes());
        if budget.check(bytes).is_err() {
            return Ok(None);
        }
        let rates = match codes.bytes() {
            1 => Rates::Byte(filled(chain, places, counts, &mut codes)),
            2 => Rates::Short(filled(chain, places, counts, &mut codes)),
            _ => Rates::Float(filled(chain, places, counts, &mut codes)),
        };
        watch.prepare()?;
        let mut exits = vec![0.0; states];
        places.iter().zip(chain.exits()).for_each(|(&place, exit)| exits[place as usize] = *exit);
        Ok(Some(TransposedRates::of_rates(exits, codes.numbered(), (rates, bytes), watch)))
    }
}

fn filled<V: RateCode>(
    chain: &dyn RateOperator,
    places: &[u32],
    counts: [Vec<u32>; 2],
    codes: &mut Codes,
) -> TriangularParts<V> {
    let [(mut earlier, mut before), (mut later, mut after)] = counts.map(Triangle::empty);
    chain.for_each_rate(&mut |from, to, rate| {
        let (from, to) = (places[from] as usize, places[to] as usize);
        let (triangle, next) =
            if from > to { (&mut later, &mut after[to]) } else { (&mut earlier, &mut before[to]) };
        (triangle.columns[*next], triangle.values[*next]) = (from as u32, V::of(rate, codes));
        *next += 1;
        ControlFlow::Continue(())
    });
    earlier.sort_rows();
    later.sort_rows();
    TriangularParts { earlier, later }
}

/// A place for each state.
struct Task<'t> {
    places: &'t [u32],
    threads: usize,
}

/// The rows of a triangle for some places one after the other, which a thread fills.
struct Filled<'t, V> {
    /// Where they end in the triangle, and where the first of them starts.
    ends: &'t [usize],
    start: usize,
    columns: &'t mut [u32],
    values: &'t mut [V],
}

impl Task<'_> {
    fn parts<V: RateCode + Send>(
        &self,
        parts: &TriangularParts<V>,
        watch: &mut Watch<'_>,
    ) -> Result<TriangularParts<V>, Stopped> {
        let counts = self.counts(&[&parts.earlier, &parts.later].map(Lookup::of));
        watch.prepare()?;
        let [(mut earlier, _), (mut later, _)] = counts.map(Triangle::empty);
        let all_ends = [&earlier, &later].map(|triangle| ends(&triangle.counts));
        let mut rest = [(&mut earlier, &all_ends[0]), (&mut later, &all_ends[1])]
            .map(|(Triangle { columns, values, .. }, ends)| Filled { ends, start: 0, columns, values });
        let of_threads = (0..self.threads).map(|thread| {
            let places = share(self.places.len(), thread, self.threads);
            (places.clone(), rest.each_mut().map(|rest| rest.split_off(places.len())))
        });
        together(of_threads.collect(), |(places, triangles), _| self.fill(parts, places, triangles));
        watch.prepare()?;
        Ok(TriangularParts { earlier, later })
    }

    /// How many rates lead to each place from those before it, and from those behind it.
    fn counts(&self, rows: &[Lookup<'_>; 2]) -> [Vec<u32>; 2] {
        let mut of_states = vec![[0; 2]; self.places.len()];
        in_parts(self.threads, &mut of_states, |first, counts| {
            for (state, counts) in (first..).zip(counts) {
                let sources = rows.each_ref().map(|rows| rows.sources(state));
                let all: usize = sources.iter().map(|sources| sources.len()).sum();
                let is_before = |&from: &u32| u32::from(self.places[from as usize] < self.places[state]);
                let before: u32 = sources.iter().flat_map(|sources| sources.iter()).map(is_before).sum();
                *counts = [before, all as u32 - before];
            }
        });
        [0, 1].map(|side| {
            let mut counts = vec![0; of_states.len()];
            let known = self.places.iter().zip(&of_states);
            known.for_each(|(&place, of_state)| counts[place as usize] = of_state[side]);
            counts
        })
    }

    /// Makes the rows of some places. Rows are read one after the other, and those of other places are left
    /// out.
    fn fill<V: RateCode>(
        &self,
        parts: &TriangularParts<V>,
        own: Range<usize>,
        mut triangles: [Filled<'_, V>; 2],
    ) {
        let rows = parts.earlier.rows().zip(parts.later.rows());
        for (&place, (earlier, later)) in self.places.iter().zip(rows) {
            if !own.contains(&(place as usize)) {
                continue;
            }
            let mut rows = triangles.each_mut().map(|triangle| triangle.row(place as usize - own.start));
            let mut next = [0; 2];
            for (columns, values) in [earlier, later] {
                for (&from, value) in columns.iter().zip(values) {
                    let from = self.places[from as usize];
                    let side = usize::from(from > place);
                    let (columns, values) = &mut rows[side];
                    (columns[next[side]], values[next[side]]) = (from, *value);
                    next[side] += 1;
                }
            }
            rows.into_iter().for_each(|(columns, values)| sort_row(columns, values));
        }
    }
}

impl<'t, V> Filled<'t, V> {
    /// A row.
    fn row(&mut self, at: usize) -> (&mut [u32], &mut [V]) {
        let start = if at == 0 { self.start } else { self.ends[at - 1] };
        let range = start - self.start..self.ends[at] - self.start;
        (&mut self.columns[range.clone()], &mut self.values[range])
    }

    /// The next rows.
    fn split_off(&mut self, rows: usize) -> Filled<'t, V> {
        let ends = self.ends.split_off(..rows).unwrap_or_default();
        let (start, end) = (self.start, ends.last().map_or(self.start, |&end| end));
        self.start = end;
        let columns = self.columns.split_off_mut(..end - start).unwrap_or_default();
        let values = self.values.split_off_mut(..end - start).unwrap_or_default();
        Filled { ends, start, columns, values }
    }
}

impl<V: RateCode> Triangle<V> {
    /// Sorts the entries of each row by column.
    fn sort_rows(&mut self) {
        let mut start = 0;
        for &count in &self.counts {
            let range = start..start + count as usize;
            start = range.end;
            sort_row(&mut self.columns[range.clone()], &mut self.values[range]);
        }
    }
}
