//! The steady state of an irreducible chain, up to a factor, with a bound on its error that is proved.
//!
//! With one state `z` as the end, the time that a run from `z` spends in each other state before it is in `z`
//! again is `q_z (-T)^-1`, where `q_z` has the rates out of `z`. In proportion to these times are the
//! probabilities of the steady state (S. Asmussen, Applied Probability and Queues, 2003, VI.1). So the bound
//! is that of a system forwards. Which state is `z` makes no difference to the bound's truth; one with a
//! large share of all jumps makes it small, and the solver for steady states finds it.

use num_traits::One;
use skel_core::number::{Number, Ratio};

use crate::chain::Generator;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::bound::RATES;
use crate::over_time::absorption::{BeforeEnd, Systems};
use crate::over_time::uniformisation::UNIT;
use crate::steady::{Options, of_generator};

/// Numbers in proportion to a steady state.
pub(crate) struct Proportions<N> {
    pub(crate) values: Vec<N>,
    /// A bound on the sum of all errors, each times the exit rate of its state.
    pub(crate) error: f64,
}

/// In a number type: `f64` with a bound, or exact fractions.
pub(crate) trait Stationary: Number {
    /// Whether there are no errors.
    const IS_EXACT: bool;

    /// Numbers in proportion to the steady state of an irreducible chain.
    fn stationary(
        generator: &Generator<Self>,
        budget: MemoryBudget,
        limits: &Limits,
        options: &Options,
    ) -> Result<Proportions<Self>, Error>;
}

impl Stationary for Ratio {
    const IS_EXACT: bool = true;

    #[cfg_attr(debug_assertions, inline)]
    fn stationary(
        generator: &Generator<Ratio>,
        budget: MemoryBudget,
        limits: &Limits,
        _: &Options,
    ) -> Result<Proportions<Ratio>, Error> {
        let values = match generator.states() {
            1 => vec![Ratio::one()],
            _ => of_generator::in_fractions(generator, budget, limits)?.0,
        };
        Ok(Proportions { values, error: 0.0 })
    }
}

impl Stationary for f64 {
    const IS_EXACT: bool = false;

    #[cfg_attr(debug_assertions, inline)]
    fn stationary(
        generator: &Generator<f64>,
        budget: MemoryBudget,
        limits: &Limits,
        options: &Options,
    ) -> Result<Proportions<f64>, Error> {
        let states = generator.states();
        if states == 1 {
            return Ok(Proportions { values: vec![1.0], error: 0.0 });
        }
        let (pi, _) = of_generator::in_floats(generator, budget, limits, options)?;
        let exits = generator.exits();
        let jumps = |state: &usize| pi[*state] * exits[*state];
        let end = (0..states).max_by(|one, other| jumps(one).total_cmp(&jumps(other)));
        let end = end.expect("a chain has states");
        let number = |state: usize| if state < end { state as u32 } else { state as u32 - 1 };
        let rows = (0..states).filter(|&state| state != end).map(|state| {
            let (mut leave, mut rates) = (0.0, Vec::new());
            for (target, &rate) in generator.rates_from(state) {
                if target == end { leave = rate } else { rates.push((number(target), rate)) }
            }
            (rates, leave)
        });
        let chain = BeforeEnd::of_rows(rows);
        let mut begins = vec![0.0; states - 1];
        generator.rates_from(end).for_each(|(target, &rate)| begins[number(target) as usize] = rate);
        let mut watch = Watch::start(limits);
        let systems = Systems::new(&chain, limits, budget, &mut watch)?;
        let spent = systems.forwards(&begins, &mut watch)?;
        // Each state's bound is that of all, divided by its exit rate. The rates out of the end are rounded
        // too.
        let bounds = spent.errors.iter().zip(chain.exits()).map(|(error, exit)| error * exit);
        let of_begins = begins.iter().zip(systems.jumps()).map(|(rate, jumps)| rate * jumps * RATES * UNIT);
        let error = (bounds.fold(0.0, f64::max) + of_begins.sum::<f64>()) * (1.0 + 1e-9);
        let mut values = spent.values;
        values.insert(end, 1.0);
        Ok(Proportions { values, error })
    }
}
