//! How many items pass each task and each move in a second.

use skel_core::model::Model;
use skel_core::number::Number;
use skel_solve::{Error, SteadyState};

use crate::program::Application;

/// Items per second, task by task and move by move.
#[derive(Clone, Debug)]
pub(crate) struct Throughputs<N> {
    pub(crate) tasks: Vec<N>,
    pub(crate) moves: Vec<N>,
}

impl<N: Number> Throughputs<N> {
    /// What a steady state says of an application's tasks and moves.
    pub(crate) fn from_steady_state(
        application: &Application,
        pi: &SteadyState<Model, N>,
    ) -> Result<Throughputs<N>, Error> {
        let tasks = application.tasks.iter().map(|task| pi.throughput_of(&task.action));
        let moves = application.moves.iter().map(|one| pi.throughput_of(&one.action));
        Ok(Throughputs { tasks: tasks.collect::<Result<_, _>>()?, moves: moves.collect::<Result<_, _>>()? })
    }

    /// Items per second that leave the program.
    pub(crate) fn of_program(&self, application: &Application) -> N {
        application.exits.iter().fold(N::zero(), |sum, &task| sum + self.tasks[task].clone())
    }
}
