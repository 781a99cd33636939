//! Pipelines as programs, and their PEPA model: Figure B.1 of the paper, for any number of stages.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::syntax::construct::{constant, cooperation, cycle, passive, set_of};

use super::application::{Application, Endpoint, Kind, Move, Partners, Task};
use super::model::{NETWORK, Parts, ProgramModel, processor_name};
use crate::quantity::{Data, Work};

/// The most stages of a pipeline. A pipeline of `n` stages has `3^n` states.
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
            let from = number.checked_sub(1).map_or(Endpoint::Input, Endpoint::Task);
            let to = if number == count { Endpoint::Output } else { Endpoint::Task(number) };
            match size.positive(received_by(number, count)) {
                Ok(size) => moves.push(Move { from, to, size }),
                Err(error) => errors.push(error),
            }
        }
        for (index, stage) in stages.into_iter().enumerate() {
            let [receives, sends] =
                [index, index + 1].map(|one| Partners { moves: vec![one], is_choice: false });
            match stage.work.positive(format_args!("of stage {}", index + 1)) {
                Ok(work) => tasks.push(Task { name: stage.name, work, receives, sends }),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        let model = ProgramModel::new(model_parts(count))?;
        Ok(Application { tasks, moves, exits: vec![count - 1], model, kind: Kind::Pipeline })
    }
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
    let tasks = names.iter().enumerate().map(define).collect();
    let pipeline =
        names.iter().zip(&moves).map(|(name, receives)| (set_of([receives.clone()]), constant(name)));
    let processors = (0..stages).map(|stage| (set_of([]), constant(&processor_name(stage))));
    let system = cooperation(vec![
        (set_of([]), constant(NETWORK)),
        (set_of(moves.clone()), cooperation(pipeline.collect())),
        (set_of(computations.clone()), cooperation(processors.collect())),
    ]);
    Parts { computations, moves, tasks, system }
}
