//! The program: what it computes and what it moves, apart from any machine.
//!
//! A *pipeline* is that of the paper. It has stages with their work, and the data between two stages have a
//! size. The input comes from a processor, and the output is wanted at a processor. A *skeleton* may have
//! farms and deals. Its input comes in where its first task runs, and its output leaves where its last task
//! runs. From here on both are treated alike: as tasks with work, moves of data between them, and a PEPA
//! model with a named rate for each task and each move.
//!
//! In the paper each processor is a component that offers the tasks it hosts as a choice. Such a component
//! has one local state, so it offers each of its tasks at any time, at the rate of that task. Therefore
//! nothing changes if a task is offered by another processor at the same rate. So one model with a processor
//! for every task serves all mappings of a program, and a mapping is no more than the values of its rates.
//!
//! The time of a task on a processor may have another distribution than the exponential one. A mapping scales
//! it, so its mean is the inverse of the task's rate, and its [shape](super::service) is that of the program.
//! Then the processor of the task has [phases](super::phases), which begin when the task has an item. All
//! their rates are multiples of the rate of the task, so one model serves all mappings as before.
//!
//! Reference: A. Benoit, M. Cole, S. Gilmore and J. Hillston, *Evaluating the performance of
//! pipeline-structured parallel programs with skeletons and process algebra*, Scalable Computing: Practice
//! and Experience 6(4), 2005, section 2.3.

use skel_core::model::Model;
use skel_core::number::Ratio;
use skel_core::skeleton::{Graph, Tree};
use skel_core::time::ServiceTime;

use super::model::ProgramModel;
use super::task::Task;

/// One end of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The place where the input comes from.
    Input,
    /// A task, from 0.
    Task(usize),
    /// The place where the output is wanted.
    Output,
}

/// A move of items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: Endpoint,
    pub(crate) to: Endpoint,
    /// The size of an item.
    pub(crate) size: Ratio,
}

/// A program that can be mapped to machines.
///
/// # Examples
/// The stages of a pipeline, or any skeleton: a task of rate 2 takes half a unit of work. Times that are not
/// exponential count as they are, with their means as work.
/// ```
/// use skel_core::skeleton::{farm, pipe, task};
/// use skel_plan::{Application, Data, Stage, Work};
/// let stages = [1, 2, 4].map(|work| Stage::new(Work::units(work)));
/// let pipeline = Application::pipeline(stages, Data::bytes(1))?;
/// assert_eq!(pipeline.task_count(), 3);
/// let farmed = Application::skeleton(&pipe((task(1.0), farm(2, 0.5))), |_, _| Data::bytes(100))?;
/// assert_eq!(farmed.task_count(), 3);
///
/// use skel_core::{skeleton::erlang, time::mean};
/// let steady = Application::skeleton(&pipe((task(1.0), farm(2, erlang(4, mean(2))))), |_, _| Data::bytes(100))?;
/// assert_ne!(steady, farmed);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Application {
    pub(crate) tasks: Vec<Task>,
    pub(crate) moves: Vec<Move>,
    /// The tasks by which items leave.
    pub(crate) exits: Vec<usize>,
    pub(crate) model: ProgramModel,
    pub(super) kind: Kind,
}

/// What kind of program it is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A pipeline with input and output.
    Pipeline,
    /// A skeleton and its data flow.
    Skeleton(Box<(Tree, Graph)>),
}

impl PartialEq for Application {
    /// Whether tasks and moves are the same. Then the model is the same, too.
    fn eq(&self, other: &Self) -> bool {
        self.tasks == other.tasks && self.moves == other.moves
    }
}

impl Application {
    /// How many tasks there are to map: the stages of a pipeline, or the tasks of a skeleton with all
    /// replicas.
    #[must_use]
    pub fn task_count(&self) -> usize {
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

    /// The time that a task takes for an item on a processor of power 1. Its mean is the work of the task.
    ///
    /// # Panics
    /// If there is no such task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{skeleton::erlang, time::mean};
    /// use skel_plan::{Application, Data, Stage};
    /// let pipeline = Application::pipeline([Stage::taking(erlang(4, mean(2)))], Data::bytes(1))?;
    /// assert_eq!(pipeline.time(0).to_string(), "erlang(4, 2.0)");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn time(&self, task: usize) -> &ServiceTime {
        self.tasks[task].service.time()
    }

    /// The moves: from where, to where. Those of a pipeline begin with its input and end with its output.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = (Endpoint, Endpoint)> + '_ {
        self.moves.iter().map(|one| (one.from, one.to))
    }

    /// Whether it is a pipeline, so that its mappings say where the input comes from and where the output is
    /// wanted.
    #[must_use]
    pub fn is_pipeline(&self) -> bool {
        matches!(self.kind, Kind::Pipeline)
    }

    /// The skeleton and its data flow, if it is one.
    #[must_use]
    pub fn as_skeleton(&self) -> Option<(&Tree, &Graph)> {
        match &self.kind {
            Kind::Pipeline => None,
            Kind::Skeleton(skeleton) => Some((&skeleton.0, &skeleton.1)),
        }
    }

    /// The PEPA model. All rates are 1: task `t` has the rate `mu_t`, move `m` the rate `la_m`, both from 0.
    /// If the time of a task is not exponential, the rates of its phases are multiples of its rate.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::{Application, Data, Stage, Work};
    /// let pipeline = Application::pipeline([Stage::new(Work::units(1))], Data::bytes(1))?;
    /// let text = pipeline.model().to_string();
    /// assert!(text.contains("Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;"), "{text}");
    ///
    /// use skel_core::{skeleton::erlang, time::mean};
    /// let erlang = Application::pipeline([Stage::taking(erlang(2, mean(1)))], Data::bytes(1))?;
    /// let text = erlang.model().to_string();
    /// assert!(text.contains("Processor_0_0 = (phase_0, 2 * mu_0).Processor_0_1;"), "{text}");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model.model
    }
}
