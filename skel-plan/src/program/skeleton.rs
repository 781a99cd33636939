//! Skeletons as programs, and their PEPA model: the lowered skeleton with named rates in the place of numbers.

use skel_core::model::{ActionId, BuildErrors};
use skel_core::number::Ratio;
use skel_core::skeleton::{self, Communication, Skeleton, System};

use super::application::{Application, Endpoint, Kind, Move, Partners, Task};
use super::model::{Parts, ProgramModel};
use crate::quantity::Data;

impl Application {
    /// A skeleton, and the size of the items that move from one task to another. Tasks are numbered from 0, and each replica has a
    /// number of its own. The rate of a task in the skeleton is its rate on a processor of power 1, so its work is the reciprocal.
    ///
    /// # Errors
    /// What is wrong with the skeleton, and every size that is not positive.
    pub fn skeleton(
        skeleton: &impl Skeleton,
        size: impl Fn(usize, usize) -> Data,
    ) -> Result<Application, BuildErrors> {
        let system = skeleton.clone().communicating(Communication::everywhere(1)).lower()?;
        let (mut moves, mut errors) = (Vec::new(), Vec::new());
        for (from, to) in system.graph().moves().map(|(from, to)| (from as usize, to as usize)) {
            match size(from, to).positive(format_args!("from task {from} to task {to}")) {
                Ok(size) => {
                    moves.push(Move { from: Endpoint::Task(from), to: Endpoint::Task(to), size });
                }
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        let tree = system.tree();
        let task = |(task, rate): (usize, Ratio)| {
            let flow = system.graph().flow(task as u32);
            Task {
                name: Some(tree.name(flow.stage)),
                work: rate.recip(),
                receives: Partners::new(flow.source_pattern),
                sends: Partners::new(flow.destination_pattern),
            }
        };
        let mut tasks: Vec<Task> = system.rates().into_iter().enumerate().map(task).collect();
        for (number, (from, to)) in system.graph().moves().enumerate() {
            tasks[from as usize].sends.moves.push(number);
            tasks[to as usize].receives.moves.push(number);
        }
        let exits = system.graph().exits_of(tree.root()).iter().map(|&task| task as usize).collect();
        let model = ProgramModel::new(model_parts(&system))?;
        Ok(Application { tasks, moves, exits, model, kind: Kind::Skeleton(Box::new(system)) })
    }
}

/// The parts of the model of a lowered skeleton.
fn model_parts(system: &System) -> Parts {
    let name = |action: ActionId| system.model().action(action).to_owned();
    let tasks = 0..system.graph().tasks() as u32;
    Parts {
        computations: tasks.map(|task| name(system.computation(task))).collect(),
        moves: system.moves().iter().map(|&action| name(action)).collect(),
        tasks: skeleton::definitions(system.graph()),
        system: system.ast().system.clone().expect("a lowered skeleton has a system equation"),
    }
}
