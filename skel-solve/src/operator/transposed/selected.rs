//! Chains that have some of the rates of another: those within its parts, or those among some of its states.

use std::ops::ControlFlow;

use super::{CODES, Codes, PER_STATE, RateCode, Rates, TransposedRates, Triangle, TriangularParts};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;

/// Calls a function with rates `q(i, j)`, those into each `j` by ascending `i`, as often as it is asked to.
type Selected<'s> = &'s dyn Fn(&mut dyn FnMut(usize, usize, f64));

impl TransposedRates {
    /// A chain for each part, in which only the rates within the part are left. A state that is left for other parts alone keeps its exit
    /// rate. `None` if the rates do not fit the budget.
    pub(crate) fn within_parts(
        chain: &dyn RateOperator,
        part: &dyn Fn(usize) -> usize,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let selected: Selected<'_> = &|visit| {
            chain.for_each_rate(&mut |from, to, rate| {
                if part(from) == part(to) {
                    visit(from, to, rate);
                }
                ControlFlow::Continue(())
            });
        };
        let listed = listed(chain.states(), selected, budget, watch)?;
        Ok(listed.map(|list| list.with_missing_exits(|state| chain.exits()[state])))
    }

    /// A chain of some states, in ascending order, which are numbered anew in this order. It has the rates among them. A state that is left for others alone
    /// keeps its exit rate. `None` if it does not fit the budget.
    pub(crate) fn among(
        chain: &dyn RateOperator,
        states: &[u32],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        const OTHER: u32 = u32::MAX;
        if budget.check(4 * (chain.states() + states.len()) as u64).is_err() {
            return Ok(None);
        }
        let mut number_of = vec![OTHER; chain.states()];
        (0..).zip(states).for_each(|(number, &state)| number_of[state as usize] = number);
        let selected: Selected<'_> = &|visit| {
            chain.for_each_rates_into(states, &mut |to, sources, rates| {
                let to = number_of[to] as usize;
                for (&from, &rate) in sources.iter().zip(rates) {
                    let from = number_of[from as usize];
                    if from != OTHER {
                        visit(from as usize, to, rate);
                    }
                }
                ControlFlow::Continue(())
            });
        };
        let listed = listed(states.len(), selected, budget, watch)?;
        Ok(listed.map(|list| {
            let list = list.with_missing_exits(|number| chain.exits()[states[number] as usize]);
            let order = states.iter().map(|&state| chain.number_of(state as usize) as u32).collect();
            TransposedRates { order: Some(order), ..list }
        }))
    }

    /// States without rates out of them have these exit rates.
    fn with_missing_exits(mut self, exit: impl Fn(usize) -> f64) -> TransposedRates {
        for (state, known) in self.exits.iter_mut().enumerate().filter(|(_, known)| **known == 0.0) {
            *known = exit(state);
        }
        self
    }
}

/// The list of some rates; `None` if it does not fit the budget.
fn listed(
    states: usize,
    selected: Selected<'_>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Option<TransposedRates>, Stopped> {
    if budget.check(CODES + states as u64 * PER_STATE).is_err() {
        return Ok(None);
    }
    let mut counts = [vec![0; states], vec![0; states]];
    let mut exits = vec![0.0; states];
    let (mut codes, mut entries) = (Codes::new(), 0);
    selected(&mut |from, to, rate| {
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
        1 => Rates::Byte(filled(selected, counts, &mut codes)),
        2 => Rates::Short(filled(selected, counts, &mut codes)),
        _ => Rates::Float(filled(selected, counts, &mut codes)),
    };
    watch.prepare()?;
    let (table, stop) = (codes.table, watch.stop());
    Ok(Some(TransposedRates { exits, table, rates, bytes, order: None, schedule: None, stop }))
}

/// The entries of each row, which come by ascending columns.
fn filled<V: RateCode>(
    selected: Selected<'_>,
    counts: [Vec<u32>; 2],
    codes: &mut Codes,
) -> TriangularParts<V> {
    let [(mut earlier, mut before), (mut later, mut after)] = counts.map(Triangle::empty);
    selected(&mut |from, to, rate| {
        let (triangle, at) =
            if from < to { (&mut earlier, &mut before[to]) } else { (&mut later, &mut after[to]) };
        (triangle.columns[*at], triangle.values[*at]) = (from as u32, V::of(rate, codes));
        *at += 1;
    });
    TriangularParts { earlier, later }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::operator::transposed::Rows;

    /// Two parts of two states, a state by itself, and rates between all of them.
    fn chain(budget: MemoryBudget, watch: &mut Watch<'_>) -> TransposedRates {
        let rows: [&[(u32, f64)]; 5] = [
            &[(1, 2.0), (2, 0.5)],
            &[(0, 3.0), (4, 0.25)],
            &[(3, 5.0), (0, 0.125)],
            &[(2, 7.0)],
            &[(1, 11.0), (3, 13.0)],
        ];
        let given: Rows<'_> = &|_, visit| {
            rows.iter().enumerate().for_each(|(state, row)| visit(state, row));
            Ok(())
        };
        TransposedRates::new(5, given, budget, watch).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn only_rates_within_parts_are_left() {
        let limits = Limits::default();
        let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
        let chain = chain(budget, &mut watch);
        let part = |state: usize| [0, 0, 1, 1, 2][state];
        let Ok(Some(within)) = TransposedRates::within_parts(&chain, &part, budget, &mut watch) else {
            panic!("there is room")
        };
        assert_eq!(within.exits(), [2.0, 3.0, 5.0, 7.0, 24.0]);
        let mut inflow = [0.0; 5];
        within.inflow(&[1.0, 10.0, 100.0, 1000.0, 10_000.0], &mut inflow);
        assert_eq!(inflow, [30.0, 2.0, 7000.0, 500.0, 0.0]);
    }

    #[test]
    fn only_rates_among_some_states_are_left() {
        let limits = Limits::default();
        let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
        let chain = chain(budget, &mut watch);
        let among = |states: &[u32], watch: &mut Watch<'_>| {
            TransposedRates::among(&chain, states, budget, watch).ok().flatten().expect("there is room")
        };
        let some = among(&[1, 3, 4], &mut watch);
        // Of the states 1, 3 and 4, only the last leads to the others, and 1 to it.
        assert_eq!(some.exits(), [0.25, 7.0, 24.0]);
        assert_eq!((some.number_of(1), some.number_of(2)), (3, 4));
        let mut inflow = [0.0; 3];
        some.inflow(&[1.0, 10.0, 100.0], &mut inflow);
        assert_eq!(inflow, [1100.0, 1300.0, 0.25]);
        let mut of_all = [[0.0; 5]; 2];
        let x = [1.0, 10.0, 100.0, 1000.0, 10_000.0];
        for (chain, inflow) in [&chain, &among(&[0, 1, 2, 3, 4], &mut watch)].into_iter().zip(&mut of_all) {
            chain.inflow(&x, inflow);
        }
        assert_eq!(of_all[0], of_all[1]);
    }
}
