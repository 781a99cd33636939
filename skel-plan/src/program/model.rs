//! The PEPA model of a program: the tasks, composed as the program composes them, with a network that sets
//! the rates of the moves and a processor for every task that sets the rate of its computation, or those of
//! its [phases](super::phases).
//!
//! All rates are named, and their values are 1 until a mapping gives them others: task `t` has the rate
//! `mu_t`, move `m` the rate `la_m`, both from 0. The names are for readers. Who needs a rate or an action
//! has its id from [`ProgramModel`].

use std::collections::{HashMap, HashSet};

use skel_core::diagnostic::TextSpan;
use skel_core::model::handle::ActionOf;
use skel_core::model::{ActionId, BuildErrors, Model, ParameterId};
use skel_core::syntax::ast::{Ast, CooperationSet, Definition, Process};
use skel_core::syntax::construct::{
    at_rate, constant, cooperation, named_rate, offering, rate_called, set_of, whole_number,
};

use super::phases::{PhasedProcessor, processor_name, rate_name};
use super::task::Task;

/// A model, and in it the rates and the actions of tasks and moves, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct ProgramModel {
    pub(crate) model: Model,
    pub(crate) task_rates: Vec<ParameterId>,
    pub(crate) move_rates: Vec<ParameterId>,
    pub(crate) task_actions: Vec<ActionOf<Model>>,
    pub(crate) move_actions: Vec<ActionOf<Model>>,
}

/// The parts of a model that are told apart by the kind of program.
pub(super) struct Parts {
    /// The actions of the computations, task by task.
    pub(super) computations: Vec<String>,
    /// The actions of the moves, move by move.
    pub(super) moves: Vec<String>,
    /// The definitions of the tasks. Their activities are passive.
    pub(super) definitions: Vec<Definition<TextSpan>>,
    /// The system equation without the processors: first the network, if there are moves, then the tasks.
    pub(super) system: Vec<(CooperationSet<TextSpan>, Process<TextSpan>)>,
}

impl ProgramModel {
    /// Defines network and processors, and checks the whole.
    ///
    /// # Errors
    /// A model that is larger than the limits of models.
    pub(super) fn new(parts: Parts, tasks: &[Task]) -> Result<ProgramModel, BuildErrors> {
        let (computations, moves) = (parts.computations.clone(), parts.moves.clone());
        let model = Model::from_ast(&syntax_tree(parts, tasks))?;
        // Rates are numbered in the order of their definitions.
        let task_rates = (0..computations.len()).map(ParameterId::at).collect();
        let behind = computations.len() + moves.len();
        let move_rates = (computations.len()..behind).map(ParameterId::at).collect();
        let ids: HashMap<&str, ActionId> = model.actions().map(|(id, name)| (name, id)).collect();
        let of = |names: &[String]| names.iter().map(|name| ActionOf::from(ids[name.as_str()])).collect();
        let (task_actions, move_actions) = (of(&computations), of(&moves));
        Ok(ProgramModel { task_rates, move_rates, task_actions, move_actions, model })
    }
}

/// The name of the network.
pub(super) const NETWORK: &str = "Network";

fn syntax_tree(parts: Parts, tasks: &[Task]) -> Ast<TextSpan> {
    let Parts { computations, moves, definitions: of_tasks, mut system } = parts;
    let mut definitions = Vec::new();
    let mut processors = Vec::with_capacity(tasks.len());
    // What the processors do together with the tasks. Each action is there once.
    let mut joint = computations.clone();
    let mut seen = HashSet::new();
    for (number, task) in tasks.iter().enumerate() {
        let computation = &computations[number];
        definitions.push(named_rate(rate_name(number), whole_number(1)));
        if task.service.is_exponential() {
            let activity = at_rate(computation.clone(), rate_called(rate_name(number)));
            definitions.push(offering(&processor_name(number), [activity].into_iter()));
            processors.push((set_of([]), constant(&processor_name(number))));
            continue;
        }
        let processor = phased_processor(number, task, computation, &moves);
        let (new, known): (Vec<&str>, Vec<&str>) =
            processor.starts.iter().partition(|&&one| seen.insert(one));
        joint.extend(new.into_iter().map(str::to_owned));
        definitions.extend(processor.definitions());
        // Two processors may take part in one move: that of a task without sources, and that of the task that
        // it sends to.
        processors.push((set_of(known.into_iter().map(str::to_owned)), constant(&processor.initial())));
    }
    let mut network = Vec::new();
    for (number, action) in moves.iter().enumerate() {
        let rate = format!("la_{number}");
        definitions.push(named_rate(rate.clone(), whole_number(1)));
        network.push(at_rate(action.clone(), rate_called(rate)));
    }
    if !network.is_empty() {
        definitions.push(offering(NETWORK, network.into_iter()));
    }
    definitions.extend(of_tasks);
    system.push((set_of(joint), cooperation(processors)));
    Ast { definitions, system: Some(cooperation(system)), results: Vec::new(), unread: Vec::new() }
}

/// The processor of a task whose service has phases.
fn phased_processor<'p>(
    number: usize,
    task: &'p Task,
    computation: &'p str,
    moves: &'p [String],
) -> PhasedProcessor<'p> {
    let is_source = task.receives.moves.is_empty();
    let side = if is_source { &task.sends } else { &task.receives };
    let starts = side.moves.iter().map(|&one| moves[one].as_str()).collect();
    PhasedProcessor { task: number, computation, starts, is_source, shape: task.service.shape() }
}

#[cfg(test)]
mod tests {
    use skel_core::skeleton::text::parse;

    use super::*;
    use crate::{Application, Data, Endpoint, Stage, Work};

    fn skeleton(text: &str) -> Application {
        Application::skeleton(&parse(text).into_tree().unwrap(), |_, _| Data::bytes(1)).unwrap()
    }

    fn pipeline(stages: usize) -> Application {
        let stages = (0..stages).map(|_| Stage::new(Work::units(1)));
        Application::pipeline(stages, Data::bytes(1)).unwrap()
    }

    /// Figure B.1 of the paper, for two stages.
    #[test]
    fn a_pipeline_is_the_model_of_this_text() {
        let text = "
            mu_0 = 1; Processor_0 = (process1, mu_0).Processor_0;
            mu_1 = 1; Processor_1 = (process2, mu_1).Processor_1;
            la_0 = 1; la_1 = 1; la_2 = 1;
            Network = (move1, la_0).Network + (move2, la_1).Network + (move3, la_2).Network;
            Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;
            Stage2 = (move2, infty).(process2, infty).(move3, infty).Stage2;
            Network <move1, move2, move3> (Stage1 <move2> Stage2) <process1, process2> (Processor_0 || Processor_1)";
        assert_eq!(pipeline(2).model(), &Model::from_text(text).unwrap());
    }

    #[test]
    fn a_skeleton_is_the_model_of_this_text() {
        let text = "
            mu_0 = 1; Processor_0 = (comp_0, mu_0).Processor_0;
            mu_1 = 1; Processor_1 = (comp_1, mu_1).Processor_1;
            mu_2 = 1; Processor_2 = (comp_2, mu_2).Processor_2;
            la_0 = 1; la_1 = 1;
            Network = (move_0_1, la_0).Network + (move_0_2, la_1).Network;
            t_0 = (comp_0, infty).t_01;
            t_01 = (move_0_1, infty).t_0 + (move_0_2, infty).t_0;
            t_1 = (move_0_1, infty).(comp_1, infty).t_1;
            t_2 = (move_0_2, infty).(comp_2, infty).t_2;
            Network <move_0_1, move_0_2> (t_0 <move_0_1, move_0_2> (t_1 || t_2))
                <comp_0, comp_1, comp_2> (Processor_0 || Processor_1 || Processor_2)";
        assert_eq!(skeleton("pipe(task(1), farm(2, 2));").model(), &Model::from_text(text).unwrap());
    }

    /// The first processor takes part in what its task sends, since that receives nothing, and the second in
    /// what its task receives.
    #[test]
    fn times_with_phases_are_the_model_of_this_text() {
        let text = "
            mu_0 = 1;
            Processor_0 = (move_0_1, 1 / 3 * infty).Processor_0_0 + (move_0_1, 2 / 3 * infty).Processor_0_1;
            Processor_0_0 = (comp_0, 0.5 * mu_0).Processor_0;
            Processor_0_1 = (comp_0, 2 * mu_0).Processor_0;
            mu_1 = 1;
            Processor_1 = (move_0_1, infty).Processor_1_0;
            Processor_1_0 = (phase_1, 2 * mu_1).Processor_1_1;
            Processor_1_1 = (comp_1, 2 * mu_1).Processor_1;
            mu_2 = 1; Processor_2 = (comp_2, mu_2).Processor_2;
            la_0 = 1; la_1 = 1;
            Network = (move_0_1, la_0).Network + (move_1_2, la_1).Network;
            t_0 = (comp_0, infty).t_01;
            t_01 = (move_0_1, infty).t_0;
            t_1 = (move_0_1, infty).(comp_1, infty).(move_1_2, infty).t_1;
            t_2 = (move_1_2, infty).(comp_2, infty).t_2;
            Network <move_0_1, move_1_2> (t_0 <move_0_1> t_1 <move_1_2> t_2)
                <comp_0, comp_1, comp_2, move_0_1> (Processor_0_0 <move_0_1> Processor_1 || Processor_2)";
        let found =
            skeleton("pipe(task(hyperexponential([1/3, 2/3], [1, 4])), task(erlang(2, 1)), task(3));");
        assert_eq!(found.model(), &Model::from_text(text).unwrap());
    }

    /// Rates and actions have the ids of the names with the numbers of their tasks and moves.
    #[test]
    fn ids_are_those_of_the_names() {
        let of_pipeline = |application: &Application| {
            let moves: Vec<String> =
                (1..=application.moves().len()).map(|one| format!("move{one}")).collect();
            ((1..=application.task_count()).map(|stage| format!("process{stage}")).collect(), moves)
        };
        for application in [1, 2, 12].map(pipeline) {
            let (tasks, moves) = of_pipeline(&application);
            are_named(&application, tasks, moves);
        }
        for text in [
            "task(1);",
            "pipe(task(1), farm(3, 2), task(4));",
            "farm(2, pipe(task(1), deal(2, 1)));",
            "pipe(deal(2, 1), deal(3, 2));",
        ] {
            let application = skeleton(text);
            let tasks = (0..application.task_count()).map(|task| format!("comp_{task}")).collect();
            let moves = application.moves().map(|ends| match ends {
                (Endpoint::Task(from), Endpoint::Task(to)) => format!("move_{from}_{to}"),
                _ => unreachable!("items of a skeleton move between tasks"),
            });
            are_named(&application, tasks, moves.collect());
        }
    }

    fn are_named(application: &Application, tasks: Vec<String>, moves: Vec<String>) {
        let ProgramModel { model, task_rates, move_rates, task_actions, move_actions } = &application.model;
        let actions = |ids: &[ActionOf<Model>]| -> Vec<String> {
            ids.iter().map(|action| model.action(action.id()).to_owned()).collect()
        };
        assert_eq!((actions(task_actions), actions(move_actions)), (tasks, moves));
        let rates = |ids: &[ParameterId]| -> Vec<&str> {
            ids.iter().map(|rate| model.parameters()[rate.index()].name.as_str()).collect()
        };
        let numbered =
            |prefix: &str, count| (0..count).map(|number| format!("{prefix}_{number}")).collect::<Vec<_>>();
        assert_eq!(rates(task_rates), numbered("mu", application.task_count()));
        assert_eq!(rates(move_rates), numbered("la", application.moves().len()));
    }
}
