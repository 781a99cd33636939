//! The states of a program's model, explored once: a mapping is no more than other rates.
//!
//! The states are explored when the first mapping is solved. Each mapping gives the named rates other values
//! on the same states, so nothing is explored again.

use std::sync::Mutex;

use skel_core::model::{Model, ParameterId};
use skel_core::number::{Number, Ratio};
use skel_core::rate::Rate;
use skel_solve::error::{Reached, Stopped};
use skel_solve::limits::Limit;
use skel_solve::quotient::Measure;
use skel_solve::sensitivity::Derivatives;
use skel_solve::steady::Options;
use skel_solve::{Error, Explore, Limits, StateSpace, SteadyState};

use super::slopes::Slopes;
use crate::program::{Application, ProgramModel, Rates, states_of_pipeline};

/// A program's model with its states.
#[derive(Debug)]
pub(crate) struct SharedSpace {
    program: ProgramModel,
    /// The tasks by which items leave.
    exits: Vec<usize>,
    /// How many states there are, where that is known: that of a pipeline.
    states: Option<u128>,
    /// The states, once they are explored.
    space: Mutex<Option<StateSpace<Model>>>,
}

impl SharedSpace {
    /// The model of an application, without states as yet.
    pub(crate) fn new(application: &Application) -> SharedSpace {
        let shapes = application.tasks.iter().map(|task| task.service.shape());
        let states = application.is_pipeline().then(|| states_of_pipeline(shapes));
        let (program, exits) = (application.model.clone(), application.exits.clone());
        SharedSpace { program, exits, states, space: Mutex::new(None) }
    }

    /// The states. A thread that asks while another explores them waits for it.
    fn explored(&self, limits: &Limits) -> Result<StateSpace<Model>, Error> {
        let mut space = self.space.lock().expect("no thread panics while it explores");
        let is_within = |space: &&StateSpace<Model>| space.states() as u64 <= limits.states;
        if let Some(space) = space.as_ref().filter(is_within) {
            return Ok(space.clone());
        }
        if let Some(states) = self.states.filter(|&states| states > limits.states.into()) {
            let (limit, reached) = (Limit::States(limits.states), Reached::Foreseen { states });
            return Err(Error::Stopped(Stopped { limit, reached }));
        }
        let explored = self.program.model.explorer().limits(limits).explore()?;
        Ok(space.insert(explored).clone())
    }

    /// The states with these rates.
    fn space(&self, rates: &Rates, limits: &Limits) -> Result<StateSpace<Model>, Error> {
        let values = rates.tasks.iter().chain(&rates.moves).cloned().map(Rate::from);
        let changes: Vec<(ParameterId, Rate)> = self.rates().zip(values).collect();
        self.explored(limits)?.with_rates(&changes)
    }

    /// Solves with these rates in `f64`.
    pub(crate) fn solve(
        &self,
        rates: &Rates,
        limits: &Limits,
        options: &Options,
    ) -> Result<SteadyState<Model, f64>, Error> {
        self.solve_from(rates, None, limits, options)
    }

    /// The same, from a solution for similar rates if there is one.
    pub(crate) fn solve_from(
        &self,
        rates: &Rates,
        start: Option<&SteadyState<Model, f64>>,
        limits: &Limits,
        options: &Options,
    ) -> Result<SteadyState<Model, f64>, Error> {
        let space = self.space(rates, limits)?;
        match start {
            Some(start) => space.solver().start_from(start).options(options).limits(limits).solve(),
            None => space.solver().options(options).limits(limits).solve(),
        }
    }

    /// Solves with these rates in exact fractions.
    pub(crate) fn solve_exact(
        &self,
        rates: &Rates,
        limits: &Limits,
    ) -> Result<SteadyState<Model, Ratio>, Error> {
        self.space(rates, limits)?.solver().exact().limits(limits).solve()
    }

    /// The derivatives of the throughput by all rates.
    pub(crate) fn slopes(
        &self,
        rates: &Rates,
        limits: &Limits,
        options: &Options,
    ) -> Result<Slopes<f64>, Error> {
        let pi = self.solve(rates, limits, options)?;
        self.slopes_from(&pi.derivatives_within(&self.throughput(), limits, options)?)
    }

    /// The derivatives of the throughput by all rates, in exact fractions.
    pub(crate) fn slopes_exact(&self, rates: &Rates, limits: &Limits) -> Result<Slopes<Ratio>, Error> {
        let pi = self.solve_exact(rates, limits)?;
        self.slopes_from(&pi.derivatives_within(&self.throughput(), limits)?)
    }

    fn slopes_from<N: Number>(&self, derivatives: &Derivatives<Model, N>) -> Result<Slopes<N>, Error> {
        let by_rate = self.rates().map(|rate| derivatives.by(rate)).collect::<Result<_, _>>()?;
        Ok(Slopes { throughput: derivatives.value().clone(), by_rate })
    }

    /// The rates of the tasks, then of the moves.
    fn rates(&self) -> impl Iterator<Item = ParameterId> + '_ {
        self.program.task_rates.iter().chain(&self.program.move_rates).copied()
    }

    /// The rate at which items leave the program.
    fn throughput(&self) -> Measure<Model> {
        let exits: Vec<_> = self.exits.iter().map(|&task| self.program.task_actions[task]).collect();
        Measure::throughputs_of(&exits)
    }
}
