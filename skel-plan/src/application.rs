//! The program: what it computes and what it moves, apart from any machine.
//!
//! A *pipeline* is the paper's: stages with their work, data of a size between them, an input that comes from a place
//! and an output that is wanted at one. A *skeleton* may have farms and deals; its input is where its first task is, its
//! output where its last. Both are the same to all that follows: tasks with work, moves of data between them, and a
//! text of the PEPA model whose rates are named. Each task `t` has the rate `mu_t`, each move `m` the rate `la_m`.
//!
//! In the paper each processor is a component that offers the tasks it hosts as a choice. It has one local state, so it
//! offers each of them always, at that task's rate; which of the processors offers it changes nothing. So one model,
//! with a processor for every task, serves all mappings of a program, and a mapping is no more than its rates.
//!
//! Reference: A. Benoit, M. Cole, S. Gilmore and J. Hillston, *Evaluating the performance of pipeline-structured parallel
//! programs with skeletons and process algebra*, Scalable Computing: Practice and Experience 6(4), 2005, section 2.3.

use std::fmt::Write as _;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::Ratio;
use skel_core::skeleton::{self, Communication, Pattern, Skeleton, System};

use crate::mapping::Mapping;
use crate::quantity::{Data, Work};

/// The most stages of a pipeline. Its model has three states to that power.
pub const MOST_STAGES: usize = 256;

/// One stage of a pipeline.
///
/// # Examples
/// ```
/// use skel_plan::{Data, Stage, Work};
/// let stage = Stage::new(Work::units(2)).receiving(Data::bytes(100)).named("decode");
/// assert_ne!(stage, Stage::new(Work::units(2)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    work: Work,
    receives: Data,
    name: Option<String>,
}

impl Stage {
    /// A stage of this work, whose items are of size 1.
    #[must_use]
    pub fn new(work: Work) -> Self {
        Stage { work, receives: Data::bytes(1), name: None }
    }

    /// The same with items of this size, as the stage receives them.
    #[must_use]
    pub fn receiving(self, data: Data) -> Self {
        Stage { receives: data, ..self }
    }

    /// The same with a name, by which it is shown.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Stage { name: Some(name.into()), ..self }
    }
}

/// One end of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the input comes from.
    Input,
    /// A task, from 0.
    Task(usize),
    /// Where the output is wanted.
    Output,
}

/// A move of items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: End,
    pub(crate) to: End,
    /// The size of an item.
    pub(crate) size: Ratio,
    /// The action of the model.
    pub(crate) action: String,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) name: Option<String>,
    /// The work of an item.
    pub(crate) work: Ratio,
    /// The action of the model.
    pub(crate) action: String,
    /// The moves by which it receives, and whether in a choice.
    pub(crate) receives: Partners,
    /// The moves by which it sends, and whether in a choice.
    pub(crate) sends: Partners,
}

/// The moves on one side of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Partners {
    pub(crate) moves: Vec<usize>,
    pub(crate) is_choice: bool,
}

impl Partners {
    /// No move yet.
    fn by(pattern: Pattern) -> Partners {
        Partners { moves: Vec::new(), is_choice: pattern == Pattern::Farm }
    }
}

/// A program that can be mapped to machines.
///
/// # Examples
/// The stages of a pipeline, or any skeleton: a task of rate 2 takes half a unit of work.
/// ```
/// use skel_core::skeleton::{farm, pipe, task};
/// use skel_plan::{Application, Data, Stage, Work};
/// let stages = [1, 2, 4].map(|work| Stage::new(Work::units(work)));
/// let pipeline = Application::pipeline(stages, Data::bytes(1))?;
/// assert_eq!(pipeline.tasks(), 3);
/// let farmed = Application::skeleton(&pipe((task(1.0), farm(2, 0.5))), |_, _| Data::bytes(100))?;
/// assert_eq!(farmed.tasks(), 3);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Application {
    pub(crate) tasks: Vec<Task>,
    pub(crate) moves: Vec<Move>,
    /// The tasks by which items leave.
    pub(crate) exits: Vec<usize>,
    /// The PEPA model.
    text: String,
    shape: Shape,
}

/// What kind of program it is.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A pipeline with input and output.
    Pipeline,
    /// A skeleton; the system of its model.
    Skeleton(Box<System>),
}

impl PartialEq for Application {
    /// The same tasks and moves: their model is the same then.
    fn eq(&self, other: &Self) -> bool {
        self.tasks == other.tasks && self.moves == other.moves
    }
}

impl Application {
    /// A pipeline, and the size of its output.
    ///
    /// # Errors
    /// Every quantity that is not positive; no stage, or more than [`MOST_STAGES`].
    pub fn pipeline(
        stages: impl IntoIterator<Item = Stage>,
        output: Data,
    ) -> Result<Application, BuildErrors> {
        let stages: Vec<Stage> = stages.into_iter().take(MOST_STAGES + 1).collect();
        let count = stages.len();
        if count == 0 || count > MOST_STAGES {
            return Err(BuildErrors(vec![BuildError {
                code: Code::NoStage,
                message: if count == 0 { "there is no stage" } else { "there are too many stages" }.into(),
                help: format!("a pipeline has from 1 to {MOST_STAGES}"),
            }]));
        }
        let (mut tasks, mut moves, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let mut sizes: Vec<Data> = stages.iter().map(|stage| stage.receives.clone()).collect();
        sizes.push(output);
        for (number, size) in sizes.into_iter().enumerate() {
            let from = number.checked_sub(1).map_or(End::Input, End::Task);
            let to = if number == count { End::Output } else { End::Task(number) };
            let action = format!("move{}", number + 1);
            match size.positive(received_by(number, count)) {
                Ok(size) => moves.push(Move { from, to, size, action }),
                Err(error) => errors.push(error),
            }
        }
        for (index, stage) in stages.into_iter().enumerate() {
            let action = format!("process{}", index + 1);
            let [receives, sends] =
                [index, index + 1].map(|one| Partners { moves: vec![one], is_choice: false });
            match stage.work.positive(format_args!("of stage {}", index + 1)) {
                Ok(work) => tasks.push(Task { name: stage.name, work, action, receives, sends }),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        let text = pipeline_text(count);
        Ok(Application { tasks, moves, exits: vec![count - 1], text, shape: Shape::Pipeline })
    }

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
                Ok(size) => moves.push(Move { from: End::Task(from), to: End::Task(to), size, action }),
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
                receives: Partners::by(flow.source_pattern),
                sends: Partners::by(flow.destination_pattern),
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

    /// How many tasks there are to map: stages of a pipeline; of a skeleton, replicas counted.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// The name of a task: the one given to it, or its number from 1.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    pub fn name(&self, task: usize) -> String {
        self.tasks[task].name.clone().unwrap_or_else(|| (task + 1).to_string())
    }

    /// The moves: from where, to where. Those of a pipeline begin with its input and end with its output.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = (End, End)> + '_ {
        self.moves.iter().map(|one| (one.from, one.to))
    }

    /// Whether items come from a place and are wanted at one, as in a pipeline.
    #[must_use]
    pub fn has_ends(&self) -> bool {
        matches!(self.shape, Shape::Pipeline)
    }

    /// A mapping as a description of this program has it: with its ends if there are any.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task};
    /// use skel_plan::{Application, Data, Mapping};
    /// let farmed = Application::skeleton(&pipe((task(1.0), farm(2, 0.5))), |_, _| Data::bytes(100))?;
    /// assert_eq!(farmed.mapping_text(&Mapping::new([1, 2, 2])), "(1,2,2)");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn mapping_text(&self, mapping: &Mapping) -> String {
        if self.has_ends() { mapping.to_string() } else { mapping.tuple() }
    }

    /// The lowered skeleton, if it is one.
    #[must_use]
    pub fn system(&self) -> Option<&System> {
        match &self.shape {
            Shape::Pipeline => None,
            Shape::Skeleton(system) => Some(system),
        }
    }

    /// The PEPA model, with all rates 1: task `t` has the rate `mu_t`, move `m` the rate `la_m`, both from 0.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::{Application, Data, Stage, Work};
    /// let pipeline = Application::pipeline([Stage::new(Work::units(1))], Data::bytes(1))?;
    /// assert!(pipeline.text().contains("Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;"));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn received_by(number: usize, count: usize) -> String {
    if number == count { "of the output".into() } else { format!("of stage {}", number + 1) }
}

/// The name of the rate of a task.
pub(crate) fn rate_of_task(task: usize) -> String {
    format!("mu_{task}")
}

/// The name of the rate of a move.
pub(crate) fn rate_of_move(number: usize) -> String {
    format!("la_{number}")
}

/// Figure B.1 of the paper, for any number of stages.
fn pipeline_text(stages: usize) -> String {
    let processes: Vec<String> = (1..=stages).map(|stage| format!("process{stage}")).collect();
    let moves: Vec<String> = (1..=stages + 1).map(|number| format!("move{number}")).collect();
    let mut text = offers(processes.iter().map(String::as_str), moves.iter().map(String::as_str));
    let mut pipeline = String::new();
    for stage in 1..=stages {
        let next = stage + 1;
        let _ = writeln!(
            text,
            "Stage{stage} = (move{stage}, infty).(process{stage}, infty).(move{next}, infty).Stage{stage};"
        );
        if stage > 1 {
            let _ = write!(pipeline, " <move{stage}> ");
        }
        let _ = write!(pipeline, "Stage{stage}");
    }
    let processors: Vec<String> = (0..stages).map(processor).collect();
    let (moves, processes, processors) = (moves.join(", "), processes.join(", "), processors.join(" || "));
    let _ = writeln!(text, "Network <{moves}> ({pipeline}) <{processes}> ({processors})");
    text
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

/// The rates, a processor for every task, and the network.
fn offers<'n>(tasks: impl Iterator<Item = &'n str>, moves: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::new();
    for (task, action) in tasks.enumerate() {
        let (name, rate) = (processor(task), rate_of_task(task));
        let _ = writeln!(text, "{rate} = 1; {name} = ({action}, {rate}).{name};");
    }
    let mut network = Vec::new();
    for (number, action) in moves.enumerate() {
        let rate = rate_of_move(number);
        let _ = writeln!(text, "{rate} = 1;");
        network.push(format!("({action}, {rate}).Network"));
    }
    if !network.is_empty() {
        let _ = writeln!(text, "Network = {};", network.join(" + "));
    }
    text
}

fn processor(task: usize) -> String {
    format!("Processor_{task}")
}
