//! A program's model, built once: a mapping is its rates.
//!
//! The text is read and checked when the structure is made. Each mapping gives the named rates other values and is
//! solved; nothing is read again.

use skel_core::model::{Model, ParameterId};
use skel_core::number::{Number, Ratio};
use skel_core::rate::Rate;
use skel_solve::steady::Options;
use skel_solve::{Error, Explore, Limits, StateSpace, SteadyState};

use crate::application::{Application, rate_of_move, rate_of_task};
use crate::mapping::Rates;

/// The model of an application with the ids of its rates.
#[derive(Debug)]
pub(crate) struct Structure {
    model: Model,
    /// Of the tasks, then of the moves.
    rates: Vec<ParameterId>,
}

/// Items per second, task by task and move by move.
#[derive(Clone, Debug)]
pub(crate) struct Flows<N> {
    pub(crate) tasks: Vec<N>,
    pub(crate) moves: Vec<N>,
}

impl Structure {
    /// Reads the model of an application.
    pub(crate) fn of(application: &Application) -> Result<Structure, Error> {
        let model = Model::from_text(application.text())?;
        let tasks = (0..application.tasks.len()).map(rate_of_task);
        let moves = (0..application.moves.len()).map(rate_of_move);
        let named = |name: String| model.parameter_named(&name).expect("the text defines it");
        let rates = tasks.chain(moves).map(named).collect();
        Ok(Structure { model, rates })
    }

    /// The states with these rates.
    fn space(&self, rates: &Rates, limits: &Limits) -> Result<StateSpace<Model>, Error> {
        let values = rates.tasks.iter().chain(&rates.moves).cloned().map(Rate::from);
        let changes: Vec<(ParameterId, Rate)> = self.rates.iter().copied().zip(values).collect();
        self.model.with_rates(&changes)?.explore_within(limits)
    }

    /// Solves with these rates in `f64`.
    pub(crate) fn solve(
        &self,
        rates: &Rates,
        limits: &Limits,
        options: &Options,
    ) -> Result<SteadyState<Model, f64>, Error> {
        self.space(rates, limits)?.steady_state_within(limits, options)
    }

    /// Solves with these rates in exact fractions.
    pub(crate) fn solve_exact(
        &self,
        rates: &Rates,
        limits: &Limits,
    ) -> Result<SteadyState<Model, Ratio>, Error> {
        self.space(rates, limits)?.steady_state_exact_within(limits)
    }
}

impl<N: Number> Flows<N> {
    /// What a steady state says of an application's tasks and moves.
    pub(crate) fn of(application: &Application, pi: &SteadyState<Model, N>) -> Result<Flows<N>, Error> {
        let tasks = application.tasks.iter().map(|task| pi.throughput_of(&task.action));
        let moves = application.moves.iter().map(|one| pi.throughput_of(&one.action));
        Ok(Flows { tasks: tasks.collect::<Result<_, _>>()?, moves: moves.collect::<Result<_, _>>()? })
    }

    /// Items per second that leave the program.
    pub(crate) fn throughput(&self, application: &Application) -> N {
        application.exits.iter().fold(N::zero(), |sum, &task| sum + self.tasks[task].clone())
    }
}
