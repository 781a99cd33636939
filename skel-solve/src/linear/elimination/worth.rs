//! How many iterations an elimination is worth.

use crate::error::{Error, Reached, Stopped};
use crate::limits::Watch;
use crate::linear::elimination;
use crate::linear::elimination::ordering::{self, Price, Refusal};
use crate::linear::elimination::profile;
use crate::operator::TriangularSweep;
use crate::operator::assemble::generator;

/// The most multiplications of an elimination that is preferred to further iterations. They take some
/// seconds.
const CHEAP_WORK: u64 = 20_000_000_000;

/// How many times dearer than in the best order an elimination may be in the order that states have.
pub(crate) const FAR_DEARER: u64 = 16;

/// The same for a chain that is thick: it costs nearly as much in any order, and to look for one would take as
/// long as to solve the chain by iterations.
const DEARER_IF_THICK: u64 = 4;

/// The most rates of a chain for which the cost of elimination is computed.
const MOST_RATES: u64 = 1 << 21;

/// So many multiplications of an elimination take four times as long as an iteration spends on one rate.
const FOR_A_RATE: u64 = 80;

/// The fewest iterations that are worth trying: with fewer, hardly any chain converges.
pub(crate) const LEAST_TRIAL: u64 = 20;

/// An elimination that is worth fewer iterations than this, in the order that states have, is over before
/// iterations that are slow come to their end: those on lattices of two dimensions take hundreds.
pub(crate) const QUICK: u64 = 128;

/// The same where probability flows in a direction, and the states are not sorted by it: below this, not even
/// an order of the flow is looked for.
pub(crate) const QUICK_UNSORTED: u64 = QUICK / 2;

/// The same where sweeps in the order of the flow do not bring every state near its balance, as for a genetic
/// switch. Elimination in its best order is likely to cost a third of that in the order of the states there.
/// A cluster of 16 workstations, which takes eight iterations, is at three times as many.
pub(crate) const QUICK_FAR: u64 = 3 * QUICK;

/// How many multiplications an elimination may take that comes before any iteration, where a chain consists
/// of long sequences of states, such as a cycle or a tree; `None` for other chains. With less than three
/// rates for two states, most states have one rate into them and one out of them, and eliminating such a
/// state makes one rate out of two.
pub(crate) fn of_sequences(chain: &dyn TriangularSweep) -> Option<u64> {
    (2 * chain.rates() < 3 * chain.states() as u64).then(|| LEAST_TRIAL * FOR_A_RATE * chain.rates())
}

/// How many multiplications it may take to eliminate the blocks of a chain for a preconditioner. Without it,
/// such chains take hundreds of iterations.
pub(crate) fn of_blocks(chain: &dyn TriangularSweep) -> u64 {
    LEAST_TRIAL * FOR_A_RATE * chain.rates()
}

/// How many iterations take a fourth of the time of an elimination with so many multiplications.
fn iterations(chain: &dyn TriangularSweep, work: u64) -> u64 {
    work / (FOR_A_RATE * chain.rates())
}

/// The bytes of an elimination beside its numbers: a matrix, and the lists that are made of it.
pub(crate) fn beside(chain: &dyn TriangularSweep) -> u64 {
    let (states, rates) = (chain.states() as u64, chain.rates());
    (states + rates) * 12
        + states * 17
        + elimination::memory::<f64>(states as usize, (states + rates) as usize)
}

/// How many iterations are tried on a chain that is cheap to eliminate: as many as take a fourth of the time
/// of the elimination. Few chains need more, and those that do may need any number. An order is found only if
/// the cost without one leaves that open, and if a slow method is not going to be noticed, when [the same is
/// asked](of_slow) in the best order.
pub(crate) fn trial(
    chain: &dyn TriangularSweep,
    is_probed: bool,
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Option<u64>, Stopped> {
    if chain.rates() > MOST_RATES || beside(chain) > bytes {
        return Ok(None);
    }
    let room = (bytes - beside(chain)) / size_of::<f64>() as u64;
    let worth = |price: Price, work: u64| {
        let is_cheap = price.is_within(Price { entries: room, work });
        is_cheap.then(|| iterations(chain, price.work))
    };
    let own = profile::price(chain);
    watch.prepare()?;
    if own.work > FAR_DEARER * CHEAP_WORK {
        return Ok(None);
    }
    // In the best order it is likely to cost no more than half.
    let in_this_order = worth(own, 2 * CHEAP_WORK);
    if is_probed || in_this_order.is_some_and(|worth| worth >= FAR_DEARER * LEAST_TRIAL) {
        return Ok(in_this_order);
    }
    let price = elimination::price(&generator(chain, watch)?, watch)?;
    Ok(price.and_then(|price| worth(price, CHEAP_WORK)))
}

/// Whether incomplete factors are likely to take less time than an elimination that is worth so many
/// iterations, on a chain on which iterations are slow. They take one or two iterations for each step from
/// one end of a lattice to the other, and as many again for the error. An elimination takes longer than that
/// on lattices of three dimensions, and of two if several states belong to each place, as to two buffers
/// between machines that fail.
pub(crate) fn is_dear_for_its_length(chain: &dyn TriangularSweep, worth: u64) -> bool {
    2 * worth >= 3 * profile::steps(chain)
}

/// The most iterations with incomplete factors that are worth trying on such a chain. Where they were of use,
/// 1.2 for each step were the most, those for the error among them. A walk round two rings of 250 places takes
/// eight for each step, and an elimination a thirtieth of what it would cost in the order that the states
/// have.
pub(crate) fn most_for_its_length(chain: &dyn TriangularSweep) -> u64 {
    2 * profile::steps(chain)
}

/// Whether a chain has more states than a lattice of two dimensions that is as long, so that it is dear to
/// eliminate in any order. Such a lattice has a fourth of the square of its length, and two queues that are
/// served in turns as many as the square.
pub(crate) fn is_thick(chain: &dyn TriangularSweep) -> bool {
    let steps = profile::steps(chain);
    chain.states() as u64 > 2 * steps * steps
}

/// How many iterations the elimination of a chain is worth on which iterations are slow.
#[derive(Clone, Copy)]
pub(crate) enum Worth {
    /// It costs too much in any order.
    OutOfReach,
    /// More than a few iterations in any order, and no more than these if it is not out of reach. No order
    /// was looked for, which takes as long as dozens of iterations.
    AtMost(u64),
    /// In the order in which it would be eliminated.
    Iterations(u64),
}

impl Worth {
    /// Iterations after which elimination is likely to take less time.
    pub(crate) fn iterations(self) -> Option<u64> {
        match self {
            Worth::OutOfReach => None,
            Worth::AtMost(iterations) | Worth::Iterations(iterations) => Some(iterations),
        }
    }
}

/// The same for a chain on which iterations are slow. An order is looked for if elimination may be worth no
/// more than a `few` of them.
pub(crate) fn of_slow(
    chain: &dyn TriangularSweep,
    few: u64,
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Worth, Error> {
    if beside(chain) > bytes || chain.rates() > MOST_RATES {
        return Ok(Worth::OutOfReach);
    }
    let own = profile::price(chain).work;
    if own > FAR_DEARER * CHEAP_WORK {
        return Ok(Worth::OutOfReach);
    }
    let dearer = if is_thick(chain) { DEARER_IF_THICK } else { FAR_DEARER };
    if iterations(chain, own / dearer) > few {
        return Ok(Worth::AtMost(iterations(chain, own.min(CHEAP_WORK))));
    }
    Ok(in_best_order(chain, bytes, watch)?.map_or(Worth::OutOfReach, Worth::Iterations))
}

/// The same in the order in which it would be eliminated; `None` if that costs too much.
pub(crate) fn in_best_order(
    chain: &dyn TriangularSweep,
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Option<u64>, Error> {
    let Some(room) = bytes.checked_sub(beside(chain)) else { return Ok(None) };
    let generator = generator(chain, watch).map_err(Error::Stopped)?;
    let most = Price { entries: room / size_of::<f64>() as u64, work: CHEAP_WORK };
    match ordering::price(generator.matrix(), most, watch) {
        Ok(price) => Ok(Some(iterations(chain, price.work))),
        Err(Refusal::Price) => Ok(None),
        Err(Refusal::Limit(limit)) => Err(Error::Stopped(Stopped { limit, reached: Reached::Preparing })),
    }
}

#[cfg(test)]
mod tests {
    use super::is_thick;
    use crate::limits::{Limits, Watch};
    use crate::operator::transposed::TransposedRates;

    /// A walk on a lattice with so many places along each side.
    fn lattice(side: u32, dimensions: u32) -> TransposedRates {
        let neighbours = |state: u32| {
            let along = |axis: u32| {
                let (step, place) = (side.pow(axis), state / side.pow(axis) % side);
                let back = (place > 0).then(|| (state - step, 1.0));
                back.into_iter().chain((place + 1 < side).then_some((state + step, 1.0)))
            };
            (0..dimensions).flat_map(along).collect()
        };
        let rows: Vec<_> = (0..side.pow(dimensions)).map(neighbours).collect();
        TransposedRates::of_lists(&rows, &mut Watch::start(&Limits::default()))
    }

    #[test]
    fn lattices_of_three_dimensions_are_thick() {
        for (side, dimensions, expected) in [(40, 2, false), (5, 3, false), (20, 3, true), (10, 4, true)] {
            assert_eq!(is_thick(&lattice(side, dimensions)), expected, "{side}^{dimensions}");
        }
    }
}
