//! How many items each task and each move completes in a second.

use skel_core::model::Model;
use skel_core::model::handle::ActionOf;
use skel_core::number::Number;
use skel_solve::SteadyState;

use crate::program::{Application, ProgramModel};

/// Items per second, task by task and move by move.
#[derive(Clone, Debug)]
pub(crate) struct Throughputs<N> {
    pub(crate) tasks: Vec<N>,
    pub(crate) moves: Vec<N>,
}

impl<N: Number> Throughputs<N> {
    /// The throughputs of an application's tasks and moves in a steady state.
    pub(crate) fn from_steady_state(application: &Application, pi: &SteadyState<Model, N>) -> Throughputs<N> {
        let of =
            |actions: &[ActionOf<Model>]| actions.iter().map(|&action| pi.throughput_of(action)).collect();
        let ProgramModel { task_actions, move_actions, .. } = &application.model;
        Throughputs { tasks: of(task_actions), moves: of(move_actions) }
    }

    /// Items per second that leave the program.
    pub(crate) fn of_program(&self, application: &Application) -> N {
        application.exits.iter().fold(N::zero(), |sum, &task| sum + self.tasks[task].clone())
    }
}
