//! The transposed equations of a chain: what a run collects on its way, rather than where it is.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::codes::{CODES, Codes, Numbered, RateCode};
use crate::operator::transposed::triangles::{Triangle, TriangularParts};
use crate::operator::transposed::{Rates, TransposedRates};

/// The bytes of a state: counts, the exit rate, and the positions while lists are filled.
const PER_STATE: u64 = 2 * 4 + 8 + 2 * 8;

impl TransposedRates {
    /// An operator whose inflow is `sum of q(i, j) x(j)` over the other states, with the exit rates of the
    /// chain. States are numbered the other way round, so that most of what a state needs comes from earlier
    /// ones, as in the chain itself. `None` if it does not fit the budget.
    pub(crate) fn dual(
        chain: &dyn RateOperator,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        if let Some(list) = chain.list() {
            return list.dual_of_list(budget, watch);
        }
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
        Ok(Some(with_rates(chain, (codes.numbered(), rates, bytes), watch)))
    }

    /// The same for a list, whose rates keep their numbers.
    fn dual_of_list(
        &self,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let per_rate = 4 + self.rates.bytes_of_value();
        let bytes = CODES + self.states() as u64 * PER_STATE + RateOperator::rates(self) * per_rate;
        if budget.check(bytes).is_err() {
            return Ok(None);
        }
        let rates = match &self.rates {
            Rates::Byte(parts) => Rates::Byte(parts.dual(watch)?),
            Rates::Short(parts) => Rates::Short(parts.dual(watch)?),
            Rates::Float(parts) => Rates::Float(parts.dual(watch)?),
        };
        Ok(Some(with_rates(self, (Arc::clone(&self.table), rates, bytes), watch)))
    }
}

/// The transposed equations of a chain with these rates.
fn with_rates(
    chain: &dyn RateOperator,
    (table, rates, bytes): (Arc<Numbered>, Rates, u64),
    watch: &Watch<'_>,
) -> TransposedRates {
    let last = chain.states() - 1;
    // Of a part of a chain, states have numbers from the whole.
    let most = (0..=last).map(|state| chain.number_of(state)).max().unwrap_or(last);
    let number = |state: usize| (most - chain.number_of(last - state)) as u32;
    let order = Some((0..=last).map(number).collect());
    let exits = chain.exits().iter().rev().copied().collect();
    TransposedRates { exits, table, rates, bytes, order, schedule: None, stop: watch.stop() }
}

impl<V: RateCode> TriangularParts<V> {
    fn dual(&self, watch: &mut Watch<'_>) -> Result<TriangularParts<V>, Stopped> {
        let earlier = self.earlier.dual();
        watch.prepare()?;
        let later = self.later.dual();
        watch.prepare()?;
        Ok(TriangularParts { earlier, later })
    }
}

impl<V: RateCode> Triangle<V> {
    /// The entries by source, with states numbered the other way round. Each row is filled from its end, as
    /// in [`filled`].
    fn dual(&self) -> Triangle<V> {
        let last = self.counts.len() - 1;
        let mut counts = vec![0; self.counts.len()];
        self.columns.iter().for_each(|&from| counts[last - from as usize] += 1);
        let (mut dual, mut ends) = Triangle::empty(counts);
        ends.iter_mut().zip(&dual.counts).for_each(|(end, &count)| *end += count as usize);
        for (to, (columns, values)) in self.rows().enumerate() {
            for (&from, &value) in columns.iter().zip(values) {
                let at = &mut ends[last - from as usize];
                *at -= 1;
                (dual.columns[*at], dual.values[*at]) = ((last - to) as u32, value);
            }
        }
        dual
    }
}

/// The entries of each row, by ascending columns. Rates are visited by ascending targets, which are
/// descending columns here, so each row is filled from its end.
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::TransposedRates;
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::operator::RateOperator;
    use crate::operator::kronecker::KroneckerRates;
    use crate::operator::kronecker::descriptor::Descriptor;
    use crate::random_model::random_model;
    use crate::space::{Storage, explored};

    #[test]
    fn the_dual_of_a_list_is_that_of_its_kronecker_descriptor() {
        let limits = Limits::default();
        let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
        for seed in 0..60 {
            let text = random_model(seed);
            let space = explored(&text, Storage::Bitset);
            let descriptor = Descriptor::of_space(&space, u64::MAX).expect("terms");
            let kronecker = KroneckerRates::new(descriptor, 1, &mut watch).unwrap();
            let list = TransposedRates::by_rows(&space, budget, &mut watch).unwrap();
            let chains: [&dyn RateOperator; 2] = [&list, &kronecker];
            let [of_list, of_kronecker] = chains.map(|chain| {
                let dual = TransposedRates::dual(chain, budget, &mut watch).unwrap().expect("room");
                let mut rates = Vec::new();
                dual.for_each_rate(&mut |from, to, rate| {
                    rates.push((from, to, rate));
                    ControlFlow::Continue(())
                });
                (rates, dual.order.clone())
            });
            assert_eq!(of_list, of_kronecker, "{text}");
            // What leads from one state to another leads back, between states that are numbered the other way
            // round.
            let last = space.states() - 1;
            let mut back: Vec<_> =
                of_list.0.iter().map(|&(from, to, rate)| (last - from, last - to, rate)).collect();
            back.sort_by_key(|&(from, to, _)| (from, to));
            let mut rates = Vec::new();
            list.for_each_rate(&mut |from, to, rate| {
                rates.push((to, from, rate));
                ControlFlow::Continue(())
            });
            rates.sort_by_key(|&(from, to, _)| (from, to));
            assert_eq!(back, rates, "{text}");
        }
    }
}
