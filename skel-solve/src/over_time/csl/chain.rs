//! A chain while properties of it are checked: its graph and its rates, each once it is needed, and what is
//! solved with them.

use std::rc::Rc;

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

/// From so many steps on, to know what vectors come near to may pay.
pub(super) const FEW_STEPS: f64 = 2000.0;

/// A chain while properties of it are checked.
pub(super) struct Chain<'s> {
    pub(super) space: &'s StateSpace,
    pub(super) limits: &'s Limits,
    pub(super) watch: Watch<'s>,
    /// The most steps of uniformisation.
    pub(super) most_steps: u64,
    /// Of how many rates what a state pays is a sum.
    pub(super) terms: usize,
    /// Whether comparisons may be decided in fractions.
    pub(super) may_be_exact: bool,
    /// Whether one was.
    pub(super) decided_in_fractions: bool,
    /// The memory beside the space.
    budget: MemoryBudget,
    /// The graph, once it is needed.
    connections: Option<Rc<Connections>>,
    /// The rates for distributions, once they are needed.
    rates: Option<Rc<SpaceRates<'s>>>,
    /// The rates for values by state, once they are needed.
    backwards: Option<Backwards>,
}

/// The graph of a chain, in both directions.
pub(super) struct Connections {
    /// For each state the targets of its transitions.
    pub(super) graph: Adjacency,
    pub(super) before: Predecessors,
}

impl Connections {
    #[cfg_attr(debug_assertions, inline)]
    fn of(space: &StateSpace, watch: &mut Watch<'_>) -> Result<Connections, Stopped> {
        let mut graph = Adjacency::with_capacity(space.states(), space.transitions());
        space.for_each_row::<f64, Stopped>(
            || watch.prepare(),
            |_, row| {
                graph.push(row.iter().map(|transition| transition.target));
                Ok(())
            },
        )?;
        let before = Predecessors::of(&graph);
        Ok(Connections { graph, before })
    }

    /// The bytes that the graph of a space takes.
    fn memory(space: &StateSpace) -> u64 {
        const PER_STATE: u64 = 40;
        space.transitions() as u64 * 8 + space.states() as u64 * PER_STATE
    }
}

impl<'s> Chain<'s> {
    pub(super) fn of(
        space: &'s StateSpace,
        limits: &'s Limits,
        most_steps: u64,
        may_be_exact: bool,
    ) -> Chain<'s> {
        Chain {
            space,
            limits,
            watch: Watch::start(limits),
            most_steps,
            terms: 1,
            may_be_exact,
            decided_in_fractions: false,
            budget: MemoryBudget::new(limits).beside(space.memory()),
            connections: None,
            rates: None,
            backwards: None,
        }
    }

    pub(super) fn states(&self) -> usize {
        self.space.states()
    }

    /// What is left of the memory beside the space and what is kept here.
    pub(super) fn budget(&self) -> MemoryBudget {
        let of_graph = self.connections.as_ref().map_or(0, |_| Connections::memory(self.space));
        let of_rates = self.rates.as_ref().map_or(0, |rates| rates.memory());
        let of_backwards = self.backwards.as_ref().map_or(0, Backwards::memory);
        self.budget.beside(of_graph).beside(of_rates).beside(of_backwards)
    }

    /// The graph.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn connections(&mut self) -> Result<Rc<Connections>, Stopped> {
        if let Some(known) = &self.connections {
            return Ok(Rc::clone(known));
        }
        self.budget().check(Connections::memory(self.space))?;
        let connections = Rc::new(Connections::of(self.space, &mut self.watch)?);
        self.connections = Some(Rc::clone(&connections));
        Ok(connections)
    }

    /// The rates for distributions: matrix-free where the steady state is found so.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn rates(&mut self) -> Result<Rc<SpaceRates<'s>>, Error> {
        if let Some(known) = &self.rates {
            return Ok(Rc::clone(known));
        }
        let rates = Rc::new(SpaceRates::new(self.space, self.budget(), self.limits, &mut self.watch)?);
        self.rates = Some(Rc::clone(&rates));
        Ok(rates)
    }

    /// The products with the rates, for values by state, and the watch over them.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn backwards(&mut self) -> Result<(&Backwards, &mut Watch<'s>), Error> {
        if self.backwards.is_none() {
            let rates = self.rates()?;
            let budget = self.budget();
            self.backwards = Some(Backwards::new(rates.operator(), budget, &mut self.watch)?);
            self.rates = None;
        }
        match &self.backwards {
            Some(backwards) => Ok((backwards, &mut self.watch)),
            None => unreachable!("the rates were listed"),
        }
    }

    /// Finds a state that is wanted, among the nearest to which runs come from a state by way of states that
    /// they may pass. The transitions of a state are made when a run comes to it, so that no graph is kept.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn nearest(
        &mut self,
        from: usize,
        may_pass: &dyn Fn(usize) -> bool,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Option<usize>, Stopped> {
        let mut is_seen = vec![false; self.states()];
        is_seen[from] = true;
        let (mut level, mut next) = (vec![from as u32], Vec::new());
        while !level.is_empty() {
            let states = || level.iter().map(|&state| state as usize);
            if let Some(found) = states().find(|&state| is_wanted(state)) {
                return Ok(Some(found));
            }
            let watch = &mut self.watch;
            self.space.for_each_row_of::<f64, Stopped>(
                states().filter(|&state| may_pass(state)),
                || watch.prepare(),
                |_, row| {
                    let targets = row.iter().map(|transition| transition.target);
                    next.extend(targets.filter(|&to| !std::mem::replace(&mut is_seen[to as usize], true)));
                    Ok(())
                },
            )?;
            level.clear();
            std::mem::swap(&mut level, &mut next);
        }
        Ok(None)
    }

    /// What runs from some states collect before they leave them. `pays` gives what a state pays per unit of
    /// time, of its transitions. A run leaves the states sooner or later, from each of them.
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
        let systems = Systems::new(chain, of.limits, of.budget(), &mut of.watch)?;
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
            _ => fractions::backwards(chain, right, of.budget(), &mut of.watch)?,
        };
        Ok(Solved { errors: vec![0.0; values.len()], values })
    }

    fn rounding(_: &Ratio, _: usize) -> f64 {
        0.0
    }
}
