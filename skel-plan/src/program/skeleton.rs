//! Skeletons as programs, and their PEPA model: the lowered skeleton with named rates in the place of numbers.

use std::fmt::Write as _;

use skel_core::model::BuildErrors;
use skel_core::number::Ratio;
use skel_core::skeleton::{self, Communication, Skeleton, System};

use super::application::{Application, Endpoint, Move, Partners, Shape, Task};
use super::offers::offers;
use crate::quantity::Data;

impl Application {
    /// A skeleton, and the size of the items that move from one task to another; tasks are numbered from 0, replicas
    /// counted. The rate of a task is that on a processor of power 1: its work is one over it.
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
            let action = format!("move_{from}_{to}");
            match size(from, to).positive(format_args!("from task {from} to task {to}")) {
                Ok(size) => {
                    moves.push(Move { from: Endpoint::Task(from), to: Endpoint::Task(to), size, action });
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
                action: system.computation(task as u32),
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
        let text = skeleton_text(&system, &tasks, &moves);
        Ok(Application { tasks, moves, exits, text, shape: Shape::Skeleton(Box::new(system)) })
    }
}

/// The text of a lowered skeleton, with named rates in the place of numbers.
fn skeleton_text(system: &System, tasks: &[Task], moves: &[Move]) -> String {
    let tasks = tasks.iter().map(|task| task.action.as_str());
    let mut text = offers(tasks, moves.iter().map(|one| one.action.as_str()));
    for definition in skeleton::definitions(system.graph()) {
        let _ = writeln!(text, "{definition}");
    }
    if let Some(whole) = &system.ast().system {
        let _ = writeln!(text, "{whole}");
    }
    text
}
