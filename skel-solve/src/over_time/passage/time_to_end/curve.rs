//! The distribution function and the density at many times, and quantiles, from one pass.
//!
//! The end is a state that is never left, so nothing is subtracted: the distribution function is the
//! probability of that state, and small values of it keep their digits. It is parted, so that few rates lead
//! into each part: what a step may lose by rounding grows with the number of rates into a state. In each step
//! of uniformisation two numbers are stored, that probability and the mean rate into the end. They give both
//! curves at any time, those that only the search for a quantile comes upon included.

use super::TimeToEnd;
use super::known::Known;
use super::quantile;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::{Rows, TransposedRates};
use crate::over_time::passage::{Figure, Point, Quantile};
use crate::over_time::uniformisation::chain::Uniformised;
use crate::over_time::uniformisation::flow::Forwards;
use crate::over_time::uniformisation::sequence::{self, Sequence};

/// What is asked of a distribution over time.
pub(crate) struct Wanted<'t> {
    /// Times, none negative, in any order.
    pub(crate) times: &'t [f64],
    /// Probabilities between zero and one whose times are wanted.
    pub(crate) quantiles: &'t [f64],
    /// The largest error of a probability; that of a density is this times the largest rate into the end,
    /// where that is above one.
    pub(crate) tolerance: f64,
    /// The most steps of uniformisation.
    pub(crate) most_steps: u64,
}

/// Points and quantiles, in the order in which they were asked for.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) points: Vec<Point>,
    pub(crate) quantiles: Vec<Quantile>,
}

/// So many states lead into one part of the end.
const INTO_ONE_PART: usize = 16;

impl TimeToEnd<f64> {
    /// The points and quantiles that are wanted. `ends` is the probability that the end is ever reached,
    /// without which no quantile can be said to be out of reach.
    ///
    /// # Errors
    /// The tolerance is below what rounding allows, it takes too many steps, or a limit was reached.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn curve(
        &self,
        wanted: &Wanted<'_>,
        ends: Figure,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Curve, Error> {
        let rates = self.with_end(budget, watch)?;
        let budget = budget.beside(rates.memory() + 40 * rates.states() as u64);
        let flow = Forwards::new(&rates, watch)?;
        let chain = Uniformised::new(&flow);
        let mut ended = vec![0.0; self.states()];
        ended.resize(rates.states(), 1.0);
        let largest = self.ends.iter().copied().fold(0.0, f64::max);
        let mut ending = self.ends.clone();
        ending.resize(rates.states(), 0.0);
        let mut start = self.start.clone();
        start.push(self.at_once);
        start.resize(rates.states(), 0.0);
        let of_sequence = sequence::Wanted {
            tolerance: wanted.tolerance / (2.0 * largest.max(1.0)),
            most_steps: wanted.most_steps,
        };
        let products = vec![Some(ended), Some(ending)];
        let sequence = Sequence::new(&chain, start, products, None, of_sequence, budget)?;
        let mut known = Known {
            sequence,
            rate: chain.rate(),
            largest,
            start_error: self.start_error,
            tolerance: wanted.tolerance,
        };
        let last = wanted.times.iter().copied().fold(0.0, f64::max);
        known.reach(last, watch)?;
        let points = wanted.times.iter().map(|&time| known.point(time)).collect::<Result<_, _>>()?;
        let mut quantiles = Vec::with_capacity(wanted.quantiles.len());
        for &probability in wanted.quantiles {
            let first = 1.0 / chain.rate().max(f64::MIN_POSITIVE);
            let time = quantile::find(probability, ends, first, &mut known, watch)?;
            quantiles.push(Quantile { probability, time });
        }
        Ok(Curve { points, quantiles })
    }

    /// The rates of the chain with the parts of the end as its last states.
    fn with_end(&self, budget: MemoryBudget, watch: &mut Watch<'_>) -> Result<TransposedRates, Error> {
        let states = self.states();
        let sources = self.ends.iter().filter(|rate| **rate > 0.0).count();
        let parts = sources.div_ceil(INTO_ONE_PART).max(1);
        let rows: Rows<'_> = &|watch, visit| {
            let (mut row, mut sources) = (Vec::new(), 0);
            for state in 0..states {
                if state.is_multiple_of(BETWEEN_LOOKS) {
                    watch.prepare()?;
                }
                row.clear();
                row.extend(self.before.rates.row(state).map(|(target, &rate)| (target as u32, rate)));
                if self.ends[state] > 0.0 {
                    row.push(((states + sources / INTO_ONE_PART) as u32, self.ends[state]));
                    sources += 1;
                }
                visit(state, &row);
            }
            (states..states + parts).for_each(|part| visit(part, &[]));
            Ok(())
        };
        let mut exits = self.before.exits();
        exits.resize(states + parts, 0.0);
        Ok(TransposedRates::new(states + parts, rows, budget, watch)?.with_exits(exits))
    }
}
