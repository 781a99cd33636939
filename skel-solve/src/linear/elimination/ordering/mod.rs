//! In which order to eliminate states, so that few new transitions come up: minimum degree.
//!
//! The graph is taken without directions. Eliminating a state joins all its neighbours; the next to go is
//! always one that has few. What is joined is kept in a [quotient graph](quotient_graph), which does not
//! grow. A state with a very large number of neighbours would be looked at whenever one of them goes, so it
//! is kept out of the graph, and goes last.
//!
//! The set that an elimination joins is also the pattern of its row in the factors, so the size and the work
//! of the elimination are known before it starts: `s` and `s^2` for a set of `s`. Cost: close to the
//! transitions where few sets grow; with the size of the pattern in the worst case. A chain in one dimension
//! costs a constant for each state, a grid `n log n` for the pattern; for cubes of many dimensions no order
//! helps much.

mod buckets;
mod neighbours;
mod quotient_graph;

use crate::chain::Matrix;
use crate::limits::{Limit, Progress, Watch};
use crate::linear::elimination::fronts::Fronts;
use crate::linear::elimination::fronts::groups::Groups;
use neighbours::Neighbours;
use quotient_graph::{Eliminated, QuotientGraph};

/// What an elimination may cost.
#[derive(Clone, Copy)]
pub(crate) struct Price {
    /// The entries of the pattern.
    pub(crate) entries: u64,
    /// Multiplications.
    pub(crate) work: u64,
}

impl Price {
    pub(crate) fn is_within(self, most: Price) -> bool {
        self.entries <= most.entries && self.work <= most.work
    }
}

/// Why there is no order.
pub(crate) enum Refusal {
    Limit(Limit),
    /// The elimination would cost more than it may.
    Price,
}

/// Steps between two looks at the limits.
const BETWEEN_LOOKS: usize = 64;

/// A state is kept out of the graph if it has more neighbours than this, and more than ten times the square
/// root of the number of states.
const MANY_NEIGHBOURS: usize = 16;

/// Orders the states of a matrix, as long as the elimination stays within a price.
pub(crate) fn order<N>(matrix: &Matrix<N>, most: Price, watch: &mut Watch<'_>) -> Result<Fronts, Refusal> {
    order_with_last(matrix, None, most, watch)
}

/// The same where one of the states has to go last.
pub(crate) fn order_with_last<N>(
    matrix: &Matrix<N>,
    last: Option<u32>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<Fronts, Refusal> {
    let neighbours = Neighbours::new(matrix);
    let (groups, _) = ordered(&neighbours, last, most, watch)?;
    let borders = groups.borders(|state| neighbours.of(state));
    drop(neighbours);
    Ok(Fronts::new(&groups, &borders))
}

/// What the elimination costs in this order, if that stays within a price. It takes as long as finding the
/// order.
pub(crate) fn price<N>(matrix: &Matrix<N>, most: Price, watch: &mut Watch<'_>) -> Result<Price, Refusal> {
    ordered(&Neighbours::new(matrix), None, most, watch).map(|(_, price)| price)
}

/// The states in groups that go together, and what their elimination costs.
fn ordered(
    neighbours: &Neighbours,
    last: Option<u32>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<(Groups, Price), Refusal> {
    let count = neighbours.states();
    let many = MANY_NEIGHBOURS.max(10 * count.isqrt());
    let mut graph = QuotientGraph::new(neighbours, many as u32, last);
    let mut price = Price { entries: 0, work: 0 };
    let mut steps = 0_usize;
    let left_out = graph.left_out() as u64;
    while let Some(pivot) = graph.next() {
        if steps.is_multiple_of(BETWEEN_LOOKS) {
            let progress = || Progress::Eliminating { done: 0, of: count as u64 };
            watch.check(progress).map_err(Refusal::Limit)?;
        }
        steps += 1;
        let Eliminated { together, joined } = graph.eliminate(pivot);
        for joined in left_out + joined..left_out + joined + together {
            price.entries += joined;
            price.work += joined * joined;
        }
        if !price.is_within(most) {
            return Err(Refusal::Price);
        }
    }
    // The rest is joined to a whole: any order does.
    let left = graph.still_there() as u64;
    price.entries += left * left.saturating_sub(1) / 2;
    price.work += left.saturating_mul(left).saturating_mul(left) / 3;
    if price.is_within(most) { Ok((graph.finish(), price)) } else { Err(Refusal::Price) }
}

#[cfg(test)]
mod tests;
