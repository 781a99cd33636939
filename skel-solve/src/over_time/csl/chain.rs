//! A chain while properties of it are checked: its graph, its rates, and what is solved with them.

use skel_core::graph::Adjacency;
use skel_core::number::{Number, Ratio};

use super::values::Solved;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Stopped, Watch};
use crate::over_time::absorption::bound::RATES;
use crate::over_time::absorption::reach::Predecessors;
use crate::over_time::absorption::{BeforeEnd, Systems, fractions};
use crate::over_time::uniformisation::UNIT;
use crate::over_time::uniformisation::flow::Backwards;
use crate::over_time::uniformisation::of_space::SpaceRates;
use crate::space::{Labelled, StateSpace};

/// A chain while properties of it are checked.
pub(super) struct Chain<'s> {
    pub(super) space: &'s StateSpace,
    /// For each state the targets of its transitions.
    pub(super) graph: Adjacency,
    pub(super) before: Predecessors,
    pub(super) limits: &'s Limits,
    pub(super) watch: Watch<'s>,
    pub(super) budget: MemoryBudget,
    /// The most steps of uniformisation.
    pub(super) most_steps: u64,
    /// Of how many rates what a state pays is a sum.
    pub(super) terms: usize,
    /// Whether comparisons may be decided in fractions.
    pub(super) may_be_exact: bool,
    /// Whether one was.
    pub(super) decided_in_fractions: bool,
    /// The rates for uniformisation, once they are needed.
    backwards: Option<Backwards>,
}

impl<'s> Chain<'s> {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of(
        space: &'s StateSpace,
        limits: &'s Limits,
        most_steps: u64,
        may_be_exact: bool,
    ) -> Result<Self, Error> {
        const PER_STATE: u64 = 40;
        let mut watch = Watch::start(limits);
        let budget = MemoryBudget::new(limits).beside(space.memory());
        let bytes = space.transitions() as u64 * 8 + space.states() as u64 * PER_STATE;
        let budget = budget.take(bytes)?;
        let mut graph = Adjacency::with_capacity(space.states(), space.transitions());
        space.for_each_row::<f64, Stopped>(
            || watch.prepare(),
            |_, row| {
                graph.push(row.iter().map(|transition| transition.target));
                Ok(())
            },
        )?;
        let before = Predecessors::of(&graph);
        Ok(Chain {
            space,
            graph,
            before,
            limits,
            watch,
            budget,
            most_steps,
            terms: 1,
            may_be_exact,
            decided_in_fractions: false,
            backwards: None,
        })
    }

    pub(super) fn states(&self) -> usize {
        self.space.states()
    }

    /// The products with the rates, for values by state, and the watch over them.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn backwards(&mut self) -> Result<(&Backwards, &mut Watch<'s>), Error> {
        if self.backwards.is_none() {
            let rates = SpaceRates::new(self.space, self.budget, self.limits, &mut self.watch)?;
            let budget = self.budget.beside(rates.memory());
            let backwards = Backwards::new(rates.operator(), budget, &mut self.watch)?;
            self.budget = self.budget.beside(backwards.memory());
            self.backwards = Some(backwards);
        }
        match &self.backwards {
            Some(backwards) => Ok((backwards, &mut self.watch)),
            None => unreachable!("the rates were listed"),
        }
    }

    /// What runs from some states collect before they leave them. `pays` gives what a state pays per unit of time, of its
    /// transitions. A run leaves the states sooner or later, from each of them.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn collected<N: Solvable>(
        &mut self,
        states: &[u32],
        pays: &dyn Fn(usize, &[Labelled<N>]) -> N,
    ) -> Result<Solved<N>, Error> {
        let mut numbers = vec![u32::MAX; self.states()];
        states.iter().enumerate().for_each(|(number, &state)| numbers[state as usize] = number as u32);
        let (mut rows, mut right) = (Vec::with_capacity(states.len()), Vec::with_capacity(states.len()));
        let watch = &mut self.watch;
        self.space.for_each_row_of::<N, Stopped>(
            states.iter().map(|&state| state as usize),
            || watch.prepare(),
            |state, row| {
                right.push(pays(state, row));
                let mut leave = N::zero();
                let mut rates = Vec::with_capacity(row.len());
                for transition in row.drain(..) {
                    match numbers[transition.target as usize] {
                        u32::MAX => leave = leave.clone() + transition.rate,
                        number => rates.push((number, transition.rate)),
                    }
                }
                rows.push((rates, leave));
                Ok(())
            },
        )?;
        let chain = BeforeEnd::of_rows(rows.into_iter());
        N::solve(&chain, &right, self)
    }
}

/// The two number types in which systems are solved.
pub(super) trait Solvable: Number {
    fn solve(chain: &BeforeEnd<Self>, right: &[Self], of: &mut Chain<'_>) -> Result<Solved<Self>, Error>;

    /// How far a value may be off that was made by a few operations from so many rates.
    fn rounding(value: &Self, terms: usize) -> f64;
}

impl Solvable for f64 {
    #[cfg_attr(debug_assertions, inline)]
    fn solve(chain: &BeforeEnd<f64>, right: &[f64], of: &mut Chain<'_>) -> Result<Solved<f64>, Error> {
        if chain.states() == 0 {
            return Ok(Solved { values: Vec::new(), errors: Vec::new() });
        }
        let systems = Systems::new(chain, of.limits, of.budget, &mut of.watch)?;
        let found = systems.backwards(right, &mut of.watch)?;
        // The right-hand side is made of rates, too, and these are rounded.
        let terms = (0..chain.states()).map(|state| chain.rates.columns_of(state).len()).max().unwrap_or(0);
        let of_right = right.iter().zip(chain.exits()).map(|(pays, exit)| pays / exit).fold(0.0, f64::max);
        let terms = terms.max(of.terms);
        let rounding = of_right * (RATES + terms as f64 + 8.0) * UNIT;
        let errors = found.errors.iter().zip(systems.jumps()).map(|(error, jumps)| error + rounding * jumps);
        Ok(Solved { errors: errors.collect(), values: found.values })
    }

    fn rounding(value: &f64, terms: usize) -> f64 {
        value.abs() * (RATES + terms as f64 + 8.0) * UNIT
    }
}

impl Solvable for Ratio {
    #[cfg_attr(debug_assertions, inline)]
    fn solve(chain: &BeforeEnd<Ratio>, right: &[Ratio], of: &mut Chain<'_>) -> Result<Solved<Ratio>, Error> {
        let values = match chain.states() {
            0 => Vec::new(),
            _ => fractions::backwards(chain, right, of.budget, &mut of.watch)?,
        };
        Ok(Solved { errors: vec![0.0; values.len()], values })
    }

    fn rounding(_: &Ratio, _: usize) -> f64 {
        0.0
    }
}
