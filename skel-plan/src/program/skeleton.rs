//! Skeletons as programs, and their PEPA model: the lowered skeleton with named rates in the place of
//! numbers.

use std::collections::HashMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::model::{ActionId, BuildError, BuildErrors};
use skel_core::skeleton::{self, Communication, Skeleton, Stage, StageId, System, Tree};
use skel_core::syntax::ast::{CooperationSet, Process};
use skel_core::syntax::construct::set_of;

use super::application::{Application, Endpoint, Kind, Move};
use super::model::{Parts, ProgramModel};
use super::service::{Service, no_phases};
use super::task::{Partners, Task};
use crate::quantity::Data;

impl Application {
    /// A skeleton, and the size of the items that move from one task to another. Tasks are numbered from 0,
    /// and each replica has a number of its own. The time of a task in the skeleton is its time on a
    /// processor of power 1, so its work is the mean of that time: the reciprocal of a rate.
    ///
    /// # Errors
    /// What is wrong with the skeleton, every time that is not made of phases, every size that is not
    /// positive, and every stage whose workers serve one item together (a map, a fault-tolerant stage, a map
    /// with state).
    ///
    /// # Examples
    /// ```
    /// use skel_core::{skeleton::{deterministic, pipe, task}, time::mean};
    /// use skel_plan::{Application, Data};
    /// let constant = pipe((task(1.0), task(deterministic(mean(2)))));
    /// let errors = Application::skeleton(&constant, |_, _| Data::bytes(100)).unwrap_err();
    /// assert!(errors.0[0].message.starts_with("stage 1: the time of the task `task` is `deterministic(2.0)`"));
    /// ```
    pub fn skeleton(
        skeleton: &impl Skeleton,
        size: impl Fn(usize, usize) -> Data,
    ) -> Result<Application, BuildErrors> {
        let tree = skeleton.tree()?;
        refuse_teams(&tree)?;
        let services = services(&tree)?;
        // The times come with the processors. So the tasks are composed as if all were exponential, and each
        // replica has an action.
        let system = tree.exponential().communicating(Communication::everywhere(1)).lower()?;
        let graph = system.graph().clone();
        let (mut moves, mut errors) = (Vec::new(), Vec::new());
        for (from, to) in graph.moves().map(|(from, to)| (from as usize, to as usize)) {
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
        let task = |task: usize| {
            let flow = graph.flow(task as u32);
            Task {
                name: Some(tree.name(flow.stage)),
                service: services[&flow.stage].clone(),
                receives: Partners::new(flow.source_pattern),
                sends: Partners::new(flow.destination_pattern),
            }
        };
        let mut tasks: Vec<Task> = (0..graph.tasks()).map(task).collect();
        for (number, (from, to)) in graph.moves().enumerate() {
            tasks[from as usize].sends.moves.push(number);
            tasks[to as usize].receives.moves.push(number);
        }
        let exits = graph.exits_of(tree.root()).iter().map(|&task| task as usize).collect();
        let model = ProgramModel::new(model_parts(&system), &tasks)?;
        Ok(Application { tasks, moves, exits, model, kind: Kind::Skeleton(Box::new((tree, graph))) })
    }
}

fn refuse_teams(tree: &Tree) -> Result<(), BuildErrors> {
    let error = |finding: Diagnostic<StageId>| {
        let path = tree.path_to(finding.span);
        let place = if path.is_empty() { path } else { format!("{path}: ") };
        let message = format!("{place}{}", finding.message);
        BuildError { code: finding.code, message, help: finding.help.unwrap_or_default() }
    };
    let errors: Vec<BuildError> = unmapped_teams(tree).into_iter().map(error).collect();
    if errors.is_empty() { Ok(()) } else { Err(BuildErrors(errors)) }
}

/// A finding for each stage whose workers serve one item together. A mapping has a processor for each task
/// and a link for each move, and says nothing yet of workers that share one item.
pub(crate) fn unmapped_teams(tree: &Tree) -> Vec<Diagnostic<StageId>> {
    let finding = |id: StageId| {
        let Stage::Team(team) = tree.stage(id) else { return None };
        let message = format!(
            "`{}` is a {}, whose workers a mapping cannot place on processors yet",
            tree.name(id),
            team.word().noun()
        );
        let help = "write one task in its place, with the mean time that the stage takes for an item; what the program does without a \
                    mapping, `performance()` and `skel skeleton` say";
        Some(Diagnostic::new(Code::UnmappedTeam, id, message).help(help))
    };
    tree.ids().filter_map(finding).collect()
}

/// The service of each node that is a task.
fn services(tree: &Tree) -> Result<HashMap<StageId, Service>, BuildErrors> {
    let (mut services, mut errors) = (HashMap::new(), Vec::new());
    for id in tree.ids() {
        let Some(time) = tree.time(id) else { continue };
        match Service::new(time.clone()) {
            Ok(service) => {
                services.insert(id, service);
            }
            Err(general) => {
                let subject = format!("of the task `{}`", tree.name(id));
                errors.push(no_phases(&general, &tree.path_to(id), &subject));
            }
        }
    }
    if errors.is_empty() { Ok(services) } else { Err(BuildErrors(errors)) }
}

/// The parts of the model of a lowered skeleton.
fn model_parts(system: &System) -> Parts {
    let name = |action: ActionId| system.model().action(action).to_owned();
    let tasks = 0..system.graph().tasks() as u32;
    let whole = system.ast().system.clone().expect("a lowered skeleton has a system equation");
    Parts {
        computations: tasks.map(|task| name(system.computation(task))).collect(),
        moves: system.moves().iter().map(|&action| name(action)).collect(),
        definitions: skeleton::definitions(system.graph()),
        system: without_processors(whole),
    }
}

/// The parts of a system equation but the last.
fn without_processors(whole: Process<TextSpan>) -> Vec<(CooperationSet<TextSpan>, Process<TextSpan>)> {
    match whole {
        Process::Cooperation { first, mut rest } => {
            rest.pop();
            rest.insert(0, (set_of([]), *first));
            rest
        }
        alone => vec![(set_of([]), alone)],
    }
}
