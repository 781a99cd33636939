//! The transposed equations of a chain: what a run collects on its way, rather than where it is.

use std::ops::ControlFlow;

use super::{CODES, Codes, RateCode, Rates, TransposedRates, Triangle, TriangularParts};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;

/// The bytes of a state: counts, the exit rate, and the positions while lists are filled.
const PER_STATE: u64 = 2 * 4 + 8 + 2 * 8;

impl TransposedRates {
    /// An operator whose inflow is `sum of q(i, j) x(j)` over the other states, with the exit rates of the chain. States are
    /// numbered the other way round, so that most of what a state needs comes from earlier ones, as in the chain itself.
    /// `None` if it does not fit the budget.
    pub(crate) fn dual(
        chain: &dyn RateOperator,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let states = chain.states();
        let mut counts = [vec![0; states], vec![0; states]];
        let (mut codes, mut entries) = (Codes::new(), 0);
        if budget.check(CODES + states as u64 * PER_STATE).is_err() {
            return Ok(None);
        }
        chain.for_each_rate(&mut |from, to, rate| {
            counts[usize::from(to < from)][states - 1 - from] += 1;
            codes.number(rate);
            entries += 1;
            ControlFlow::Continue(())
        });
        watch.prepare()?;
        let bytes = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        if budget.check(bytes).is_err() {
            return Ok(None);
        }
        let rates = match codes.bytes() {
            1 => Rates::Byte(filled(chain, counts, &mut codes)),
            2 => Rates::Short(filled(chain, counts, &mut codes)),
            _ => Rates::Float(filled(chain, counts, &mut codes)),
        };
        watch.prepare()?;
        let exits = chain.exits().iter().rev().copied().collect();
        let number = |state: usize| (states - 1 - chain.number_of(states - 1 - state)) as u32;
        let order = Some((0..states).map(number).collect());
        let stop = watch.stop();
        Ok(Some(TransposedRates { exits, table: codes.table, rates, bytes, order, schedule: None, stop }))
    }
}

/// The entries of each row, by ascending columns. Rates are visited by ascending targets, which are descending columns here, so each
/// row is filled from its end.
fn filled<V: RateCode>(
    chain: &dyn RateOperator,
    counts: [Vec<u32>; 2],
    codes: &mut Codes,
) -> TriangularParts<V> {
    let last = chain.states() - 1;
    let [(mut earlier, mut before), (mut later, mut after)] = counts.map(|counts| {
        let (triangle, mut ends) = Triangle::empty(counts);
        ends.iter_mut().zip(&triangle.counts).for_each(|(end, &count)| *end += count as usize);
        (triangle, ends)
    });
    chain.for_each_rate(&mut |from, to, rate| {
        let row = last - from;
        let (triangle, at) =
            if to > from { (&mut earlier, &mut before[row]) } else { (&mut later, &mut after[row]) };
        *at -= 1;
        (triangle.columns[*at], triangle.values[*at]) = ((last - to) as u32, V::of(rate, codes));
        ControlFlow::Continue(())
    });
    TriangularParts { earlier, later }
}
