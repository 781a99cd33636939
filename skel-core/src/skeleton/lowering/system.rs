//! The whole system (Algorithm 3 of the paper): the tasks composed as the skeleton composes them, with a
//! network that sets the rates of moves and processors that set those of computations.

use std::collections::HashMap;
use std::fmt::Write as _;

use num_traits::One;

use crate::diagnostic::{Code, Diagnostic, TextSpan};
use crate::model::{ActionId, BuildErrors, Model};
use crate::number::Ratio;
use crate::skeleton::buffers::Buffers;
use crate::skeleton::communication::Communication;
use crate::skeleton::lowering::capacities::capacities;
use crate::skeleton::lowering::composition::Parts;
use crate::skeleton::lowering::graph::{Composition, Graph};
use crate::skeleton::lowering::moves::{HandOver, Moves};
use crate::skeleton::lowering::process::{Service, TaskProcess, computation_name};
use crate::skeleton::lowering::services::{Served, services};
use crate::skeleton::processors::Processors;
use crate::skeleton::tree::{Stage, StageId, Tree};
use crate::syntax::ast::Ast;
use crate::time::ServiceTime;

/// A skeleton as a PEPA model. It prints as a `.pepa` text.
///
/// A program that says nothing of buffers, ports and times has the form of the paper's Fig. 4: the tasks are
/// passive, processors set the rates of computations, and each link has an action. Any other program has
/// tasks with rates of their own and no processors; equal workers are an array, and so are the places of a
/// buffer. Workers that serve one item together are one component.
#[derive(Clone, Debug)]
pub struct System {
    tree: Tree,
    pub(super) parts: Parts,
    /// The rate of each task: the inverse of its mean service time.
    task_rates: Vec<Ratio>,
    ast: Ast<TextSpan>,
    model: Model,
    /// The actions of the computations, task by task.
    computations: Vec<ActionId>,
    /// The actions of the moves, in the order of the network.
    move_actions: Vec<ActionId>,
}

/// What a program says beside its skeleton.
pub(in crate::skeleton) struct Surroundings<'p> {
    pub(in crate::skeleton) communication: &'p Communication,
    pub(in crate::skeleton) processors: &'p Processors,
    pub(in crate::skeleton) buffers: &'p Buffers,
    pub(in crate::skeleton) one_port: bool,
}

impl System {
    /// Composes the system of a graph.
    ///
    /// # Errors
    /// Every move without a rate, every rate that is not positive, an assignment to processors that does not
    /// fit, buffers where there can be none.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton) fn compose(
        tree: Tree,
        graph: Graph,
        surroundings: &Surroundings<'_>,
    ) -> Result<System, Vec<Diagnostic<StageId>>> {
        let own_rates: Vec<Ratio> = graph.flows().iter().map(|flow| rate_of(&tree, flow.stage)).collect();
        let mut errors = Vec::new();
        let services = services(&tree, &mut errors);
        errors.extend(team_on_processors(&tree, surroundings.processors));
        let loads = surroundings.processors.loads(&own_rates).unwrap_or_else(|found| {
            errors.extend(found);
            Vec::new()
        });
        let capacities = capacities(surroundings.buffers, &tree, &graph).unwrap_or_else(|found| {
            errors.extend(found.into_iter().map(|(_, finding)| finding));
            vec![0; graph.channels().len()]
        });
        let hand_over = HandOver { capacities: &capacities, one_port: surroundings.one_port };
        let moves = Moves::new(&graph, surroundings.communication, hand_over).unwrap_or_else(|found| {
            errors.extend(found);
            Moves::default()
        });
        if !errors.is_empty() {
            return Err(summarised(errors));
        }
        let mut task_rates = own_rates.clone();
        for (task, rate) in loads.iter().flat_map(|(_, tasks)| tasks) {
            task_rates[*task as usize] = rate.clone();
        }
        let has_paper_form = capacities.iter().all(|&capacity| capacity == 0)
            && !surroundings.one_port
            && services.iter().all(Served::has_paper_form);
        let service = |task: u32| match &services[graph.flow(task).stage.index()] {
            Served::ByTask(phases) if !has_paper_form => {
                let (rate, own_rate) = (&task_rates[task as usize], &own_rates[task as usize]);
                Service::InPhases(phases.times(&(rate / own_rate)))
            }
            Served::ByTeam(team) => Service::ByTeam(team.clone()),
            _ => Service::OnProcessor,
        };
        let tasks = 0..graph.tasks() as u32;
        let process = |task| TaskProcess::of_program(task, &graph, &moves, service(task));
        let processes: Vec<TaskProcess> = tasks.clone().map(process).collect();
        let mut first_copies: Vec<u32> = tasks.collect();
        if !has_paper_form {
            join_copies(graph.composition(), &processes, &mut first_copies);
        }
        let loads = if has_paper_form { loads } else { Vec::new() };
        let parts = Parts { rates: moves.rates(), graph, loads, moves, processes, first_copies };
        System::of_parts(tree, parts, task_rates)
    }

    /// The model of the parts, with the ids of the actions that it has by the names of the parts.
    #[cfg_attr(debug_assertions, inline)]
    fn of_parts(
        tree: Tree,
        parts: Parts,
        task_rates: Vec<Ratio>,
    ) -> Result<System, Vec<Diagnostic<StageId>>> {
        let ast = parts.ast();
        let model = checked_model(&ast)?;
        let actions: HashMap<&str, ActionId> = model.actions().map(|(id, name)| (name, id)).collect();
        let computations =
            parts.first_copies.iter().map(|&task| actions[computation_name(task).as_str()]).collect();
        let move_actions = parts.moves.actions.iter().map(|action| actions[action.name.as_str()]).collect();
        Ok(System { tree, parts, task_rates, ast, model, computations, move_actions })
    }

    /// The actions of the moves that take no time: none, unless communication is negligible. The model has a
    /// weight in the place of the rate of each. They are solved as the limit of ever higher rates.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Communication, Skeleton};
    /// let program = pipe((task(2.0), task(3.0))).communicating(Communication::negligible());
    /// let system = program.lower_with_immediate_moves()?;
    /// assert!(system.immediate_moves().eq(["move_0_1"]));
    /// assert!(program.lower().is_err(), "a PEPA model cannot say that moves take no time");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn immediate_moves(&self) -> impl ExactSizeIterator<Item = String> {
        let immediate: Vec<String> = self.immediate_names().map(str::to_owned).collect();
        immediate.into_iter()
    }

    fn immediate_names(&self) -> impl Iterator<Item = &str> {
        let actions = self.parts.moves.actions.iter();
        actions.filter(|action| action.is_immediate()).map(|action| action.name.as_str())
    }

    /// The actions of these moves in the model.
    pub fn immediate_actions(&self) -> impl Iterator<Item = ActionId> {
        let moves = self.parts.moves.actions.iter().zip(&self.move_actions);
        moves.filter(|(action, _)| action.is_immediate()).map(|(_, &id)| id)
    }

    /// Whether some moves take time.
    pub(super) fn has_timed_moves(&self) -> bool {
        self.parts.moves.actions.iter().any(|action| !action.is_immediate())
    }

    /// The system, unless moves take no time: then it has no PEPA model.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton) fn require_timed_moves(self) -> Result<System, Vec<Diagnostic<StageId>>> {
        if self.immediate_names().next().is_none() {
            return Ok(self);
        }
        let message = "a PEPA model cannot say that moves take no time";
        let help = "give the moves a rate that is large beside those of the tasks; the performance is found without a rate";
        let moves = self.graph().moves();
        let at = moves.map(|(_, to)| self.graph().flow(to).stage).next().unwrap_or(StageId(0));
        Err(vec![Diagnostic::new(Code::NegligibleCommunication, at, message).help(help)])
    }

    /// The skeleton's tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The data-flow graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.parts.graph
    }

    /// The model as a syntax tree.
    #[must_use]
    pub fn ast(&self) -> &Ast<TextSpan> {
        &self.ast
    }

    /// The checked model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The checked model.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn into_model(self) -> Model {
        self.model
    }

    /// The rate at which each task computes, on its processor.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn rates(&self) -> Vec<Ratio> {
        self.task_rates.clone()
    }

    /// The action of a task's computation.
    ///
    /// # Panics
    /// If there is no such task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Skeleton};
    /// let system = pipe((task(1.0), task(2.0))).communicating(10.0).lower()?;
    /// assert_eq!(system.model().action(system.computation(1)), "comp_1");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn computation(&self, task: u32) -> ActionId {
        self.computations[task as usize]
    }

    /// The actions of the moves. In the paper's form, in which every link has one, they are in the order of
    /// [`Graph::moves`].
    #[must_use]
    pub fn moves(&self) -> &[ActionId] {
        &self.move_actions
    }
}

/// The rate of a task that says nothing of its processor.
fn rate_of(tree: &Tree, stage: StageId) -> Ratio {
    tree.time(stage).map_or_else(Ratio::one, ServiceTime::rate)
}

/// Processors host one task each or several; a team is one task with several workers.
#[cfg_attr(debug_assertions, inline)]
fn team_on_processors(tree: &Tree, processors: &Processors) -> Option<Diagnostic<StageId>> {
    let id = tree.tasks().into_iter().find(|&id| matches!(tree.stage(id), Stage::Team(_)))?;
    let Stage::Team(team) = tree.stage(id) else { return None };
    let message = format!(
        "processors are given to the tasks, but the {} workers of the {} serve one item together",
        team.workers,
        team.word().noun()
    );
    let help = "leave the processors out: each worker then has one of its own; or write a farm, whose workers are tasks with a processor each";
    (!processors.are_one_each()).then(|| Diagnostic::new(Code::BadProcessors, id, message).help(help))
}

/// Finds the tasks side by side that are copies of one process, and gives each the number of the first.
#[cfg_attr(debug_assertions, inline)]
fn join_copies(composition: &Composition, processes: &[TaskProcess], first_copies: &mut [u32]) {
    match composition {
        Composition::Task(_) => {}
        Composition::Pipe(parts, _) => {
            parts.iter().for_each(|part| join_copies(part, processes, first_copies));
        }
        Composition::Replicas(parts) => {
            let tasks: Vec<u32> = parts.iter().filter_map(Composition::as_task).collect();
            let are_copies = |first: u32| {
                let first = &processes[first as usize];
                tasks.iter().all(|&task| processes[task as usize].is_copy_of(first))
            };
            match tasks[..] {
                [first, ..] if are_copies(first) => {
                    tasks.iter().for_each(|&task| first_copies[task as usize] = first);
                }
                _ => parts.iter().for_each(|part| join_copies(part, processes, first_copies)),
            }
        }
    }
}

/// Hundreds of moves without a rate are shown as a few, and a count.
#[cfg_attr(debug_assertions, inline)]
fn summarised(mut errors: Vec<Diagnostic<StageId>>) -> Vec<Diagnostic<StageId>> {
    const MOST: usize = 8;
    let more = errors.len().saturating_sub(MOST);
    errors.truncate(MOST);
    if let (Some(last), true) = (errors.last_mut(), more > 0) {
        let _ = write!(last.message, " (and {more} more findings)");
    }
    errors
}

/// The checked model of a lowered system. It has warnings at most, unless it is beyond a limit of models.
#[cfg_attr(debug_assertions, inline)]
fn checked_model(ast: &Ast<TextSpan>) -> Result<Model, Vec<Diagnostic<StageId>>> {
    Model::from_ast(ast).map_err(|BuildErrors(errors)| {
        let help = "the skeleton is too large: use fewer replicas or smaller buffers";
        errors.into_iter().map(|e| Diagnostic::new(e.code, StageId(0), e.message).help(help)).collect()
    })
}
