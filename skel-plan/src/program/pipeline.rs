//! Pipelines as programs, and their PEPA model: Figure B.1 of the paper, for any number of stages.

use std::ops::Range;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::skeleton::Timing;
use skel_core::syntax::construct::{constant, cooperation, cycle, passive, set_of};
use skel_core::time::{PhaseType, ServiceTime};

use super::application::{Application, Endpoint, Kind, Move};
use super::model::{NETWORK, Parts, ProgramModel};
use super::service::{Service, no_phases};
use super::task::{Partners, Task};
use crate::quantity::{Data, Work};

/// The most stages of a pipeline. A pipeline of `n` stages has `3^n` states if all times are exponential. A
/// stage whose time has `k` phases has a factor of `k + 2` in the place of 3.
pub const MOST_STAGES: usize = 256;

/// How many states a pipeline has whose stages have times of these shapes: each stage waits for an item, is
/// in a phase of its computation, or waits until it can send.
pub(crate) fn states_of_pipeline<'s>(shapes: impl Iterator<Item = &'s PhaseType>) -> u128 {
    shapes.fold(1, |states: u128, shape| states.saturating_mul(shape.phases() as u128 + 2))
}

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
    time: StageTime,
    receives: Data,
    name: Option<String>,
}

/// How long a stage takes for an item on a processor of power 1.
#[derive(Clone, Debug, PartialEq)]
enum StageTime {
    /// An exponential time whose mean is this work.
    Work(Work),
    /// A time as it is said in Rust.
    Said(Timing),
    /// A time that is checked.
    Checked(ServiceTime),
}

impl StageTime {
    /// The service, or what is wrong with the time of a stage, whose number counts from 1.
    fn service(&self, number: usize) -> Result<Service, BuildErrors> {
        let subject = format!("of stage {number}");
        let time = match self {
            StageTime::Work(work) => match work.positive(&subject) {
                Ok(work) => ServiceTime::exponential(&work.recip()),
                Err(error) => return Err(BuildErrors(vec![error])),
            },
            StageTime::Said(timing) => timing.checked(&subject)?,
            StageTime::Checked(time) => time.clone(),
        };
        Service::new(time).map_err(|general| BuildErrors(vec![no_phases(&general, "", &subject)]))
    }
}

impl Stage {
    /// A stage of this work, whose items are of size 1. Its time is exponential.
    #[must_use]
    pub fn new(work: Work) -> Self {
        Stage::with_time(StageTime::Work(work))
    }

    /// A stage that takes this time for an item on a processor of power 1, and whose items are of size 1. On
    /// another processor the time is scaled: its mean is divided by the power that the stage gets, and its
    /// variation in relation to the mean stays. As in a task, a number stands for a rate. What is wrong with
    /// the time is reported when an application is made from the stage.
    ///
    /// # Examples
    /// Less variation makes a pipeline faster.
    /// ```
    /// use skel_core::skeleton::{erlang, fitted, Timing};
    /// use skel_core::time::mean;
    /// use skel_plan::*;
    /// let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
    /// let platform = Platform::new(processors, &Links::everywhere(Bandwidth::bytes_per_second(10_000)))?;
    /// let throughput = |time: Timing| {
    ///     let stages = [time.clone(), time].map(Stage::taking);
    ///     let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform.clone());
    ///     Ok::<f64, skel_solve::Error>(planner.evaluate(&Mapping::new([1, 2]))?.throughput.value())
    /// };
    /// assert!(throughput(Timing::from(1))? < throughput(fitted(mean(1), 0.3))?);
    /// assert!(throughput(fitted(mean(1), 0.3))? < throughput(erlang(4, mean(1)))?);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn taking(time: impl Into<Timing>) -> Self {
        Stage::with_time(StageTime::Said(time.into()))
    }

    /// A stage that takes a time that is checked.
    pub(crate) fn taking_checked(time: ServiceTime) -> Self {
        Stage::with_time(StageTime::Checked(time))
    }

    fn with_time(time: StageTime) -> Self {
        Stage { time, receives: Data::bytes(1), name: None }
    }

    /// The same, but the items that it receives are of this size.
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

impl Application {
    /// A pipeline, and the size of its output.
    ///
    /// # Errors
    /// Every quantity that is not positive, every time that is wrong or not made of phases; no stage, or more
    /// than [`MOST_STAGES`].
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
            let (from, to) = pipeline_ends(number, count);
            match size.positive(received_by(number, count)) {
                Ok(size) => moves.push(Move { from, to, size }),
                Err(error) => errors.push(error),
            }
        }
        for (index, stage) in stages.into_iter().enumerate() {
            match stage.time.service(index + 1) {
                Ok(service) => tasks.push((stage.name, service)),
                Err(BuildErrors(wrong)) => errors.extend(wrong),
            }
        }
        if errors.is_empty() { Application::of_stages(tasks, moves) } else { Err(BuildErrors(errors)) }
    }

    /// A pipeline of stages with their names, and of one more move than stages.
    fn of_stages(
        stages: Vec<(Option<String>, Service)>,
        moves: Vec<Move>,
    ) -> Result<Application, BuildErrors> {
        let task = |(index, (name, service)): (usize, (Option<String>, Service))| {
            let [receives, sends] =
                [index, index + 1].map(|one| Partners { moves: vec![one], is_choice: false });
            Task { name, service, receives, sends }
        };
        let tasks: Vec<Task> = stages.into_iter().enumerate().map(task).collect();
        let model = ProgramModel::new(model_parts(tasks.len()), &tasks)?;
        Ok(Application { exits: vec![tasks.len() - 1], tasks, moves, model, kind: Kind::Pipeline })
    }

    /// The pipeline of some neighbouring stages of a pipeline, alone.
    ///
    /// # Errors
    /// None that the whole pipeline does not have.
    pub(crate) fn window(&self, stages: Range<usize>) -> Result<Application, BuildErrors> {
        let count = stages.len();
        let ends = (0..=count).map(|number| pipeline_ends(number, count));
        let moves = ends.zip(&self.moves[stages.start..]);
        let moves = moves.map(|((from, to), one)| Move { from, to, size: one.size.clone() }).collect();
        let stages = self.tasks[stages].iter().map(|task| (task.name.clone(), task.service.clone()));
        Application::of_stages(stages.collect(), moves)
    }
}

/// The ends of a move of a pipeline.
fn pipeline_ends(number: usize, stages: usize) -> (Endpoint, Endpoint) {
    let from = number.checked_sub(1).map_or(Endpoint::Input, Endpoint::Task);
    (from, if number == stages { Endpoint::Output } else { Endpoint::Task(number) })
}

fn received_by(number: usize, count: usize) -> String {
    if number == count { "of the output".into() } else { format!("of stage {}", number + 1) }
}

/// The parts of the model of Figure B.1 of the paper, for any number of stages.
fn model_parts(stages: usize) -> Parts {
    let computations: Vec<String> = (1..=stages).map(|stage| format!("process{stage}")).collect();
    let moves: Vec<String> = (1..=stages + 1).map(|number| format!("move{number}")).collect();
    let names: Vec<String> = (1..=stages).map(|stage| format!("Stage{stage}")).collect();
    let activities = |stage: usize| [&moves[stage], &computations[stage], &moves[stage + 1]];
    let define = |(stage, name): (usize, &String)| {
        cycle(name, activities(stage).map(|action| passive(action.clone())).into())
    };
    let definitions = names.iter().enumerate().map(define).collect();
    let pipeline =
        names.iter().zip(&moves).map(|(name, receives)| (set_of([receives.clone()]), constant(name)));
    let system =
        vec![(set_of([]), constant(NETWORK)), (set_of(moves.clone()), cooperation(pipeline.collect()))];
    Parts { computations, moves, definitions, system }
}
