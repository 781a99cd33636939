//! The PEPA model of a program: the tasks, composed as the program composes them, with a network that sets the rates of the moves
//! and a processor for every task that sets the rate of its computation.
//!
//! All rates are named, and their values are 1 until a mapping gives them others: task `t` has the rate `mu_t`, move `m` the rate
//! `la_m`, both from 0. The names are for readers. Who needs a rate or an action has its id from [`ProgramModel`].

use skel_core::diagnostic::TextSpan;
use skel_core::model::handle::ActionOf;
use skel_core::model::{BuildErrors, Model, ParameterId, Position};
use skel_core::syntax::ast::{Ast, Definition, Process};
use skel_core::syntax::construct::{at_rate, named_rate, offering, rate_called, whole_number};

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
    pub(super) tasks: Vec<Definition<TextSpan>>,
    /// The system equation: first the network, if there are moves, then the tasks, last the processors in the order of the tasks.
    pub(super) system: Process<TextSpan>,
}

impl ProgramModel {
    /// Defines network and processors, and checks the whole.
    ///
    /// # Errors
    /// A model that is larger than the limits of models.
    pub(super) fn new(parts: Parts) -> Result<ProgramModel, BuildErrors> {
        let (task_count, move_count) = (parts.computations.len(), parts.moves.len());
        let model = Model::from_ast(&syntax_tree(parts))?;
        // Rates are numbered in the order of their definitions.
        let task_rates = (0..task_count).map(ParameterId::at).collect();
        let move_rates = (task_count..task_count + move_count).map(ParameterId::at).collect();
        let first_processor = model.positions() - task_count;
        let processors = (first_processor..model.positions()).map(Position::at);
        let task_actions = processors.flat_map(|processor| offered(&model, processor)).collect();
        let network = (move_count > 0).then_some(NETWORK_POSITION);
        let move_actions = network.into_iter().flat_map(|network| offered(&model, network)).collect();
        Ok(ProgramModel { task_rates, move_rates, task_actions, move_actions, model })
    }
}

/// Where the network is in the model, if there are moves.
const NETWORK_POSITION: Position = Position(0);

/// The name of the network.
pub(super) const NETWORK: &str = "Network";

/// The name of the processor of a task.
pub(super) fn processor_name(task: usize) -> String {
    format!("Processor_{task}")
}

/// The actions that the component at a position offers, in the order of its definition.
fn offered(model: &Model, position: Position) -> impl Iterator<Item = ActionOf<Model>> {
    model.initial_activities(position).iter().map(|activity| ActionOf::from(activity.action))
}

fn syntax_tree(parts: Parts) -> Ast<TextSpan> {
    let mut definitions = Vec::new();
    for (task, computation) in parts.computations.into_iter().enumerate() {
        let rate = format!("mu_{task}");
        definitions.push(named_rate(rate.clone(), whole_number(1)));
        let activity = at_rate(computation, rate_called(rate));
        definitions.push(offering(&processor_name(task), [activity].into_iter()));
    }
    let mut moves = Vec::new();
    for (number, action) in parts.moves.into_iter().enumerate() {
        let rate = format!("la_{number}");
        definitions.push(named_rate(rate.clone(), whole_number(1)));
        moves.push(at_rate(action, rate_called(rate)));
    }
    if !moves.is_empty() {
        definitions.push(offering(NETWORK, moves.into_iter()));
    }
    definitions.extend(parts.tasks);
    Ast { definitions, system: Some(parts.system), results: Vec::new(), unread: Vec::new() }
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
