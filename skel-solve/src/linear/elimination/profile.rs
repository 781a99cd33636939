//! What it costs to eliminate the states of a chain in the order that they have, and how far these are from
//! the first.

use std::ops::ControlFlow;

use crate::linear::elimination::ordering::Price;
use crate::operator::RateOperator;

/// The cost of an elimination in the order of the states, an upper bound on that in a better one. Time: a
/// pass over the rates. Memory: 8 bytes a state.
pub(crate) fn price(chain: &dyn RateOperator) -> Price {
    let first = first_joined(chain);
    let mut begun = vec![0_u32; first.len()];
    first.iter().for_each(|&first| begun[first as usize] += 1);
    let (mut front, mut price) = (0, Price { entries: 0, work: 0 });
    for begun in begun {
        // The state itself leaves the front, to which it came with the first that is joined to it or just
        // now.
        front += u64::from(begun);
        front -= 1;
        price.entries += front;
        price.work = price.work.saturating_add(front.saturating_mul(front));
    }
    price
}

/// How many steps the farthest state is away from the first, if each step leads to the first of the states
/// that are joined to one. On a lattice that is the sum of its sides. Time and memory are those of the price.
pub(crate) fn steps(chain: &dyn RateOperator) -> u64 {
    let first = first_joined(chain);
    let mut steps = vec![0_u32; first.len()];
    for (state, &before) in first.iter().enumerate().filter(|&(state, &before)| (before as usize) < state) {
        steps[state] = steps[before as usize] + 1;
    }
    steps.into_iter().max().map_or(0, u64::from)
}

/// For each state the first one that is joined to it, or itself if none before it is.
fn first_joined(chain: &dyn RateOperator) -> Vec<u32> {
    if let Some(list) = chain.list() {
        return list.first_joined();
    }
    let mut first: Vec<u32> = (0..chain.states() as u32).collect();
    chain.for_each_rate(&mut |from, to, _| {
        let (low, high) = if from < to { (from, to) } else { (to, from) };
        first[high] = first[high].min(low as u32);
        ControlFlow::Continue(())
    });
    first
}

#[cfg(test)]
mod tests {
    use super::{price, steps};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::operator::transposed::{Rows, TransposedRates};

    #[test]
    fn a_front_is_what_is_joined_to_those_that_are_gone() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let rows: [&[(u32, f64)]; 5] =
            [&[(1, 1.0), (3, 1.0)], &[(2, 1.0)], &[(3, 1.0)], &[(4, 1.0)], &[(2, 1.0)]];
        let given: Rows<'_> = &|_, visit| {
            rows.iter().enumerate().for_each(|(state, row)| visit(state, row));
            Ok(())
        };
        let budget = MemoryBudget::new(&limits);
        let chain = TransposedRates::new(5, given, budget, &mut watch);
        let chain = chain.unwrap_or_else(|error| panic!("{error}"));
        let found = price(&chain);
        // After the first state 1 and 3, after the second 2 and 3, then 3 and 4, then 4.
        assert_eq!((found.entries, found.work), (2 + 2 + 2 + 1, 4 + 4 + 4 + 1));
        // From 4 to 2, to 1, to 0.
        assert_eq!(steps(&chain), 3);
    }
}
