//! What a sweep changes: a model, a program or a `.skel` text; and what it is with the values of one point.

use std::path::PathBuf;

use num_traits::ToPrimitive;
use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors, Model, ParameterId};
use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_core::skeleton::text::{Parsed, parse_in, parse_with};
use skel_core::skeleton::{Buffers, Communication, MOST_TASKS, Program, StageId, System, Tree};
use skel_core::text::Rejected;

use super::quantity::Quantity;
use crate::error::Error;

/// What is swept.
#[derive(Clone)]
pub(super) enum Subject {
    /// A model, whose named rates and sizes may vary.
    Model(Box<Model>),
    /// A program, whose tasks may have other rates, and whose deals and farms other replicas.
    Program(Program<Tree>),
    /// A `.skel` text, whose named numbers may vary.
    Text(SkeletonText),
}

/// A `.skel` text with what is said beside it.
#[derive(Clone)]
pub(super) struct SkeletonText {
    pub(super) text: String,
    /// Other values of numbers that the text names, and that do not vary.
    pub(super) settings: Vec<(String, Rate)>,
    /// Rates of moves that count more than those of the text.
    pub(super) communication: Communication,
    /// Where the files are that the text names.
    pub(super) folder: Option<PathBuf>,
}

/// The subject with the values of a point.
pub(super) enum Variant {
    Model(Box<Model>),
    System(Box<System>),
}

impl Variant {
    /// The model that has to be solved.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn model(&self) -> &Model {
        match self {
            Variant::Model(model) => model,
            Variant::System(system) => system.model(),
        }
    }
}

impl Subject {
    /// The subject with these values.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn with(&self, values: &[(&Quantity, &Ratio)]) -> Result<Variant, Error> {
        match self {
            Subject::Model(model) => Ok(Variant::Model(Box::new(changed_model(model, values)?))),
            Subject::Program(program) => {
                let changed = program.with_skeleton(changed_tree(program.skeleton(), values)?);
                let changed = changed.with_buffers(changed_buffers(program.buffer_capacities(), values));
                Ok(Variant::System(Box::new(changed.lower_with_immediate_moves()?)))
            }
            Subject::Text(text) => Ok(Variant::System(Box::new(text.with(values)?))),
        }
    }
}

#[cfg_attr(debug_assertions, inline)]
fn changed_model(model: &Model, values: &[(&Quantity, &Ratio)]) -> Result<Model, Error> {
    let change = |(quantity, value): &(&Quantity, &Ratio)| match quantity {
        Quantity::Parameter(id) => (*id, Rate::from((*value).clone())),
        _ => unreachable!("in a model, parameters vary"),
    };
    let changes: Vec<(ParameterId, Rate)> = values.iter().map(change).collect();
    Ok(model.with_rates(&changes)?)
}

#[cfg_attr(debug_assertions, inline)]
fn changed_tree(tree: &Tree, values: &[(&Quantity, &Ratio)]) -> Result<Tree, Error> {
    values.iter().try_fold(tree.clone(), |tree, &(quantity, value)| match quantity {
        Quantity::Rate(task) => Ok(tree.with_rate(*task, value)),
        Quantity::Replicas(stage) => with_replicas(&tree, *stage, value.to_u32().unwrap_or(u32::MAX)),
        Quantity::Buffers | Quantity::BufferBefore(_) => Ok(tree),
        Quantity::Named(_) | Quantity::Parameter(_) => unreachable!("in a program, stages vary"),
    })
}

#[cfg_attr(debug_assertions, inline)]
fn changed_buffers(buffers: &Buffers, values: &[(&Quantity, &Ratio)]) -> Buffers {
    let capacity = |value: &Ratio| value.to_i64().unwrap_or(i64::MAX);
    values.iter().fold(buffers.clone(), |buffers, &(quantity, value)| match quantity {
        Quantity::Buffers => buffers.with_capacity_of_all(capacity(value)),
        Quantity::BufferBefore(stage) => buffers.before(*stage, capacity(value)),
        _ => buffers,
    })
}

#[cfg_attr(debug_assertions, inline)]
fn with_replicas(tree: &Tree, stage: StageId, replicas: u32) -> Result<Tree, Error> {
    let refused = |code, message, help: &str| {
        Err(Error::from(BuildErrors(vec![BuildError { code, message, help: help.to_owned() }])))
    };
    if replicas == 0 {
        let message = format!("{} has 0 replicas", tree.path_to(stage));
        return refused(Code::NoReplica, message, "a deal or farm has at least one replica");
    }
    let tree = tree.with_replicas(&[(stage, replicas)]);
    match tree.task_count() {
        tasks if tasks > MOST_TASKS => refused(
            Code::SkeletonTooLarge,
            format!("the skeleton has {tasks} tasks, more than {MOST_TASKS}"),
            "use fewer replicas: every task is a component of the model",
        ),
        _ => Ok(tree),
    }
}

impl SkeletonText {
    /// The text, read with these values of its numbers.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn read(&self, settings: &[(String, Rate)]) -> Parsed {
        match &self.folder {
            Some(folder) => parse_in(&self.text, settings, folder),
            None => parse_with(&self.text, settings),
        }
    }

    /// The text with these values as a system to solve.
    #[cfg_attr(debug_assertions, inline)]
    fn with(&self, values: &[(&Quantity, &Ratio)]) -> Result<System, Error> {
        let setting = |(quantity, value): &(&Quantity, &Ratio)| match quantity {
            Quantity::Named(name) => (name.clone(), Rate::from((*value).clone())),
            _ => unreachable!("in a text, names vary"),
        };
        let settings: Vec<(String, Rate)> =
            self.settings.iter().cloned().chain(values.iter().map(setting)).collect();
        let parsed = self.read(&settings);
        let rejected = |found| Error::from(Rejected::new(found, self.text.clone()));
        let Some(program) = parsed.program() else { return Err(rejected(parsed.diagnostics)) };
        let communication = self.communication.clone().or(parsed.communication.clone());
        let program = program.with_communication(communication);
        parsed.lower_program_with_immediate_moves(&program).map_err(rejected)
    }
}
