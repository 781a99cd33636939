//! The list of the rates of an operator that computes them again for each product.

use std::ops::ControlFlow;

use super::{CODES, Codes, MOST_CODES, Rates, TransposedRates, Triangle, TriangularParts};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;

/// The bytes of an entry while lists are filled, when there may still be as many rates as have numbers of 16 bits.
const PER_ENTRY: u64 = 4 + 2;

/// The bytes of a state: counts and the exit rate.
const PER_STATE: u64 = 2 * 4 + 8;

impl TransposedRates {
    /// The same rates as those of an operator, as a list, in one pass over them. `None` if they do not fit the budget,
    /// or if too many of them are distinct to be numbered.
    pub(crate) fn copied(
        chain: &dyn RateOperator,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let (states, rates) = (chain.states(), chain.rates());
        if budget.check(CODES + states as u64 * PER_STATE + rates * PER_ENTRY).is_err() {
            return Ok(None);
        }
        let mut codes = Codes::new();
        // A page of memory is taken when it is first written to, so that both lists together take what is counted above.
        let mut triangles = [0; 2].map(|_| Triangle {
            counts: vec![0; states],
            columns: Vec::with_capacity(rates as usize),
            values: Vec::with_capacity(rates as usize),
        });
        chain.for_each_rate(&mut |from, to, rate| {
            let triangle = &mut triangles[usize::from(from > to)];
            triangle.counts[to] += 1;
            triangle.columns.push(from as u32);
            triangle.values.push(codes.number(rate) as u16);
            if codes.count > MOST_CODES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        watch.prepare()?;
        if codes.count > MOST_CODES {
            return Ok(None);
        }
        let entries = triangles.iter().map(|triangle| triangle.columns.len() as u64).sum::<u64>();
        let bytes = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        let rates = match codes.bytes() {
            1 => Rates::Byte(parts(triangles.map(|triangle| triangle.with_values(|code| code as u8)))),
            _ => Rates::Short(parts(triangles.map(|triangle| triangle.with_values(|code| code)))),
        };
        let exits = chain.exits().to_vec();
        let stop = watch.stop();
        Ok(Some(TransposedRates {
            exits,
            table: codes.table,
            rates,
            bytes,
            order: None,
            schedule: None,
            stop,
        }))
    }
}

fn parts<V>([earlier, later]: [Triangle<V>; 2]) -> TriangularParts<V> {
    TriangularParts { earlier, later }
}

impl Triangle<u16> {
    /// The same entries with another form of their values, in no more memory than they need.
    fn with_values<V>(self, value: impl Fn(u16) -> V) -> Triangle<V> {
        let Triangle { counts, mut columns, values } = self;
        columns.shrink_to_fit();
        Triangle { counts, columns, values: values.into_iter().map(value).collect() }
    }
}
