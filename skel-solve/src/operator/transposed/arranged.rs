//! The rates of an operator in another order of the states.

use std::ops::ControlFlow;

use super::{CODES, Codes, PER_STATE, RateCode, Rates, TransposedRates, Triangle, TriangularParts};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;

impl TransposedRates {
    /// The same rates with the states in another order, in which each state has a place. `None` if they do not fit the budget.
    pub(crate) fn arranged(
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
        Ok(Some(TransposedRates {
            exits,
            table: codes.table,
            rates,
            bytes,
            order: None,
            schedule: None,
            stop: watch.stop(),
        }))
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

/// Sorts the entries of a row by column. Rows are short.
pub(super) fn sort_row<V: Copy>(columns: &mut [u32], values: &mut [V]) {
    for sorted in 1..columns.len() {
        let (column, value) = (columns[sorted], values[sorted]);
        let mut at = sorted;
        while at > 0 && columns[at - 1] > column {
            (columns[at], values[at]) = (columns[at - 1], values[at - 1]);
            at -= 1;
        }
        (columns[at], values[at]) = (column, value);
    }
}
