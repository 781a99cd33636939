//! The rates of a chain that stay within its parts.

use std::ops::ControlFlow;

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::codes::{CODES, Codes, RateCode};
use crate::operator::transposed::triangles::{Triangle, TriangularParts};
use crate::operator::transposed::{PER_STATE, Rates, TransposedRates};

impl TransposedRates {
    /// A chain for each part, in which only the rates within the part are left. A state that is left for
    /// other parts alone keeps its exit rate. `None` if the rates do not fit the budget.
    pub(crate) fn within_parts(
        chain: &dyn RateOperator,
        part: &dyn Fn(usize) -> usize,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let states = chain.states();
        if budget.check(CODES + states as u64 * PER_STATE).is_err() {
            return Ok(None);
        }
        let mut counts = [vec![0; states], vec![0; states]];
        let mut exits = vec![0.0; states];
        let (mut codes, mut entries) = (Codes::new(), 0);
        for_each_within(chain, part, |from, to, rate| {
            counts[usize::from(from > to)][to] += 1;
            exits[from] += rate;
            codes.number(rate);
            entries += 1;
        });
        watch.prepare()?;
        let bytes = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        if budget.check(bytes).is_err() {
            return Ok(None);
        }
        let rates = match codes.bytes() {
            1 => Rates::Byte(filled(chain, part, counts, &mut codes)),
            2 => Rates::Short(filled(chain, part, counts, &mut codes)),
            _ => Rates::Float(filled(chain, part, counts, &mut codes)),
        };
        watch.prepare()?;
        for (exit, whole) in exits.iter_mut().zip(chain.exits()) {
            *exit = if *exit > 0.0 { *exit } else { *whole };
        }
        Ok(Some(TransposedRates::of_rates(exits, codes.numbered(), (rates, bytes), watch)))
    }
}

fn for_each_within(
    chain: &dyn RateOperator,
    part: &dyn Fn(usize) -> usize,
    mut visit: impl FnMut(usize, usize, f64),
) {
    chain.for_each_rate(&mut |from, to, rate| {
        if part(from) == part(to) {
            visit(from, to, rate);
        }
        ControlFlow::Continue(())
    });
}

/// The entries of each row, which come by ascending columns.
fn filled<V: RateCode>(
    chain: &dyn RateOperator,
    part: &dyn Fn(usize) -> usize,
    counts: [Vec<u32>; 2],
    codes: &mut Codes,
) -> TriangularParts<V> {
    let [(mut earlier, mut before), (mut later, mut after)] = counts.map(Triangle::empty);
    for_each_within(chain, part, |from, to, rate| {
        let (triangle, at) =
            if from < to { (&mut earlier, &mut before[to]) } else { (&mut later, &mut after[to]) };
        (triangle.columns[*at], triangle.values[*at]) = (from as u32, V::of(rate, codes));
        *at += 1;
    });
    TriangularParts { earlier, later }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::random_chain::Lists;

    /// Two parts of two states, a state by itself, and rates between all of them.
    pub(in crate::operator::transposed) fn of_two_parts() -> Lists {
        vec![
            vec![(1, 2.0), (2, 0.5)],
            vec![(0, 3.0), (4, 0.25)],
            vec![(3, 5.0), (0, 0.125)],
            vec![(2, 7.0)],
            vec![(1, 11.0), (3, 13.0)],
        ]
    }

    #[test]
    fn only_rates_within_parts_are_left() {
        let limits = Limits::default();
        let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
        let chain = TransposedRates::of_lists(&of_two_parts(), &mut watch);
        let part = |state: usize| [0, 0, 1, 1, 2][state];
        let Ok(Some(within)) = TransposedRates::within_parts(&chain, &part, budget, &mut watch) else {
            panic!("there is room")
        };
        assert_eq!(within.exits(), [2.0, 3.0, 5.0, 7.0, 24.0]);
        let mut inflow = [0.0; 5];
        within.inflow(&[1.0, 10.0, 100.0, 1000.0, 10_000.0], &mut inflow);
        assert_eq!(inflow, [30.0, 2.0, 7000.0, 500.0, 0.0]);
    }
}
