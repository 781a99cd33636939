//! The process definitions of the tasks (Algorithm 2 of the paper).
//!
//! A task repeats: receive an item, compute, send. How it receives and sends follows from the patterns on its
//! two sides, sixteen cases in the paper. Here they are four, by which side *chooses*. A round robin is
//! written out for as many rounds as it takes to come back to the first partner; a choice becomes a sum.
//!
//! | receives | sends | definition |
//! |---|---|---|
//! | in turn | in turn | one chain of rounds `receive. compute. send.` (cases 0, 1, 2, 4, 5, 6, 8, 9, 10) |
//! | in turn | by choice | a chain `receive. compute.` and a sum for each round (3, 7, 11) |
//! | by choice | in turn | a sum and a chain `compute. send.` for each round (12, 13, 14) |
//! | by choice | by choice | two sums (15) |
//!
//! All activities are passive: processors and network set the rates. The paper prints the sum of case 3 one
//! short, which starves the last worker; all its terms are here.
//!
//! A service time that is not exponential has phases. Phases in sequence are activities one after the other,
//! in the place of `compute`. Other phases are the subject of [`branching`], and workers that serve one item
//! together that of [`team`].

mod branching;
mod sequential;
mod team;

use std::sync::Arc;

use crate::diagnostic::TextSpan;
use crate::skeleton::lowering::graph::{Graph, Pattern, TaskFlow};
use crate::skeleton::lowering::moves::{Moves, move_name};
use crate::skeleton::lowering::service::Phases;
use crate::skeleton::lowering::team::{Place, Team};
use crate::syntax::ast::{Body, Definition, Process};
use crate::syntax::construct::{at_rate, constant, name, passive};
use crate::syntax::literal::number;

/// How a task spends its service time.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Service {
    /// The processor of the task sets the rate, as in the paper.
    OnProcessor,
    /// The task goes through phases of exponential times.
    InPhases(Phases),
    /// Workers serve each item together.
    ByTeam(Arc<Team>),
}

/// The definitions of all tasks of a graph in the paper's form, in their order.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{definitions, text, Graph, Reading};
/// let tree = text::parse("pipe(2); task(1.0); farm(2, 3.0);").into_tree().unwrap();
/// let graph = Graph::from_tree(&tree, Reading::Corrected).unwrap();
/// let printed: Vec<String> = definitions(&graph).iter().map(ToString::to_string).collect();
/// assert_eq!(printed[0], "t_0 = (comp_0, infty).t_01;");
/// assert_eq!(printed[1], "t_01 = (move_0_1, infty).t_0 + (move_0_2, infty).t_0;");
/// assert_eq!(printed[2], "t_1 = (move_0_1, infty).(comp_1, infty).t_1;");
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn definitions(graph: &Graph) -> Vec<Definition<TextSpan>> {
    let tasks = graph.flows().iter().enumerate();
    let of_paper = |(task, flow): (usize, &TaskFlow)| {
        let task = task as u32;
        let sends = flow.destinations.iter().map(|&to| move_name((task, to))).collect();
        let receives = flow.sources.iter().map(|&from| move_name((from, task))).collect();
        TaskProcess::new(task, flow, sends, receives, Service::OnProcessor).definitions()
    };
    tasks.flat_map(of_paper).collect()
}

/// The name of a task's process, and of the processes that it goes through.
///
/// The paper writes `t_01` for the second process of task 0. For any other task that could be the name of yet
/// another task (`t_1` and `1` make `t_11`), so there it is `t_1_1`.
pub(super) fn process_name(task: u32, continuation: u32) -> String {
    match (task, continuation) {
        (_, 0) => format!("t_{task}"),
        (0, _) => format!("t_0{continuation}"),
        _ => format!("t_{task}_{continuation}"),
    }
}

/// The action of the computation, with which a service ends.
pub(super) fn computation_name(task: u32) -> String {
    format!("comp_{task}")
}

/// The action of all phases of a service but the last.
pub(super) fn phase_name(task: u32) -> String {
    format!("phase_{task}")
}

/// A task as a process. Two tasks that differ in their numbers alone are copies of one process.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TaskProcess {
    /// The actions by which it receives and sends, in turn or by choice.
    receives: Side,
    sends: Side,
    /// After how many items it is in its first round again.
    rounds: usize,
    service: Service,
    pub(super) task: u32,
}

/// One side of a task.
#[derive(Clone, Debug, PartialEq)]
struct Side {
    actions: Vec<String>,
    by_choice: bool,
}

impl Side {
    fn new(actions: Vec<String>, pattern: Pattern) -> Side {
        Side { by_choice: pattern == Pattern::Farm && actions.len() > 1, actions }
    }

    /// What may happen in a round: nothing on a side without partners.
    fn in_round(&self, round: usize) -> &[String] {
        match self.actions.len() {
            0 => &[],
            _ if self.by_choice => &self.actions,
            count => std::slice::from_ref(&self.actions[round % count]),
        }
    }
}

impl TaskProcess {
    pub(super) fn new(
        task: u32,
        flow: &TaskFlow,
        sends: Vec<String>,
        receives: Vec<String>,
        service: Service,
    ) -> TaskProcess {
        let receives = Side::new(receives, flow.source_pattern);
        let sends = Side::new(sends, flow.destination_pattern);
        TaskProcess { receives, sends, rounds: flow.rounds(), service, task }
    }

    /// The task of a program with moves of its own.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of_program(task: u32, graph: &Graph, moves: &Moves, service: Service) -> TaskProcess {
        let names =
            |numbers: Vec<u32>| numbers.into_iter().map(|number| moves.name(number).to_owned()).collect();
        let (sends, receives) = (names(moves.sends(graph, task)), names(moves.receives(graph, task)));
        TaskProcess::new(task, graph.flow(task), sends, receives, service)
    }

    /// Whether the other task is a copy of this one: all is equal but the number.
    pub(super) fn is_copy_of(&self, other: &TaskProcess) -> bool {
        let TaskProcess { receives, sends, rounds, service, task: _ } = other;
        (&self.receives, &self.sends, &self.rounds, &self.service) == (receives, sends, rounds, service)
    }

    /// The workers of a team: how many there are, and for each local state of their component, in the order
    /// of their numbers, what the workers do in it. None of a task.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn team_places(&self) -> Option<(u32, Vec<&Place>)> {
        let Service::ByTeam(members) = &self.service else { return None };
        let places = team::places(self, members).into_iter().map(|place| &members.places[place]);
        Some((members.workers, places.collect()))
    }

    /// What may be received in a round; nothing by a task without sources.
    fn received_in(&self, round: usize) -> &[String] {
        self.receives.in_round(round)
    }

    /// What may be sent in a round; nothing by a task without destinations.
    fn sent_in(&self, round: usize) -> &[String] {
        self.sends.in_round(round)
    }

    fn define(&self, continuation: u32, process: Process<TextSpan>) -> Definition<TextSpan> {
        Definition { name: name(process_name(self.task, continuation)), body: Body::Process(process) }
    }

    fn constant(&self, continuation: u32) -> Process<TextSpan> {
        constant(&process_name(self.task, continuation))
    }

    /// The definitions of the process.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn definitions(&self) -> Vec<Definition<TextSpan>> {
        let compute = match &self.service {
            Service::OnProcessor => vec![passive(computation_name(self.task))],
            Service::ByTeam(members) => return team::definitions(self, members),
            Service::InPhases(phases) => match phases.in_sequence() {
                None => return branching::definitions(self, phases),
                Some(rates) => {
                    let last = rates.len() - 1;
                    let action = |phase| {
                        if phase == last { computation_name(self.task) } else { phase_name(self.task) }
                    };
                    let phases = rates.into_iter().enumerate();
                    phases.map(|(phase, rate)| at_rate(action(phase), number(rate))).collect()
                }
            },
        };
        sequential::definitions(self, compute)
    }
}
