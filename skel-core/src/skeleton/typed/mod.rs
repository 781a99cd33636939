//! Skeletons as Rust values: the type is the structure.
//!
//! `pipe!(task(1.0), farm(3, 3.0))` is a `Pipe<(Task, Farm<Task>)>`. What the type says is known to the
//! compiler: a stage is addressed by a handle that only exists if the stage does.

mod stages;
mod teams;
mod times;

use std::fmt;
use std::time::Duration;

use crate::diagnostic::Span;
use crate::model::BuildErrors;
use crate::number::Ratio;
use crate::rate::Rate;
use crate::skeleton::check::{TaskNames, check};
use crate::skeleton::communication::Communication;
use crate::skeleton::count::Count;
use crate::skeleton::handle::StageOf;
use crate::skeleton::program::{Skeleton, build_errors};
use crate::skeleton::tree::{Replication, StageId, Tree};
use crate::skeleton::written::{Value, Written};
use crate::time::{IsRate, Misplaced, every};

pub use stages::Stages;
use stages::{DebugStages, EqualStages};
pub use teams::{
    FaultTolerant, IsTask, Map, MapWithState, States, fault_tolerant, map, map_with_state, state,
};
pub use times::{
    Timing, deterministic, erlang, exponential, fitted, hyperexponential, lognormal, measured, phases,
    uniform, weibull,
};

/// A skeleton whose structure is in its type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a skeleton",
    note = "a stage is a `task(rate)`, a `pipe(...)`, a `deal(replicas, worker)` or a `farm(replicas, worker)`",
    note = "or a `map(workers, rate)`, a `fault_tolerant(workers, rate)` or a `map_with_state(workers, rate, state(rate, items))`"
)]
pub trait Structured: Skeleton {
    /// The number of nodes of its tree; a worker counts once.
    const STAGES: u32;

    /// What was said, the nodes numbered from `here` on.
    fn written_from(&self, here: StageId) -> Written<StageId>;

    /// What was said.
    fn written(&self) -> Written<StageId> {
        self.written_from(StageId(0))
    }

    /// The handle of the whole.
    fn whole(&self) -> StageOf<Self, Self> {
        StageOf::from_generated_code(0)
    }

    /// The handle of a stage, by place. A place that the skeleton does not have does not compile.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Structured};
    /// let stages = pipe((task(1.0), farm(2, 3.0)));
    /// assert_eq!(stages.stage::<1>().id().0, 2);
    /// assert_eq!(stages.stage::<1>().worker().id().0, 3);
    /// ```
    /// ```compile_fail
    /// # use skel_core::skeleton::{farm, pipe, task, Structured};
    /// pipe((task(1.0), farm(2, 3.0))).stage::<2>();
    /// ```
    fn stage<const N: usize>(&self) -> StageOf<Self, Self::Stage>
    where
        Self: HasStage<N>,
    {
        self.whole().stage::<N>()
    }

    /// The handle of the worker of a deal or a farm.
    fn worker(&self) -> StageOf<Self, Self::Worker>
    where
        Self: HasWorker,
    {
        self.whole().worker()
    }
}

/// A pipe with a stage of that place, counted from 0.
#[diagnostic::on_unimplemented(
    message = "the skeleton has no stage {N}",
    note = "stages are counted from 0; only a pipe has stages, a deal or farm has a `worker()`"
)]
pub trait HasStage<const N: usize> {
    /// The type of the stage.
    type Stage: Structured;

    /// How many nodes of the tree stand before it.
    const BEFORE: u32;
}

/// A deal or farm.
#[diagnostic::on_unimplemented(message = "only a deal or a farm has a worker")]
pub trait HasWorker {
    /// The type of the worker.
    type Worker: Structured;
}

impl<Whole, Here> StageOf<Whole, Here> {
    /// The handle of a stage of this pipe.
    #[must_use]
    pub const fn stage<const N: usize>(self) -> StageOf<Whole, Here::Stage>
    where
        Here: HasStage<N>,
    {
        StageOf::from_generated_code(self.id().0 + Here::BEFORE)
    }

    /// The handle of the worker of this deal or farm.
    #[must_use]
    pub const fn worker(self) -> StageOf<Whole, Here::Worker>
    where
        Here: HasWorker,
    {
        StageOf::from_generated_code(self.id().0 + 1)
    }
}

impl Span for StageId {
    fn join(self, _: Self) -> Self {
        self
    }
}

/// A task: processes one item after another at a rate. `F` is what it does; `()` where only its rate is
/// known.
#[derive(Clone, Debug, PartialEq)]
pub struct Task<F = ()> {
    name: Option<String>,
    time: Timing,
    function: F,
}

/// A task that processes so many items per unit of time, or takes a time of some distribution for each.
///
/// # Examples
/// ```
/// use skel_core::{skeleton::{erlang, task, Skeleton}, time::TimeUnits};
/// assert_eq!(task(2.0).named("filter").tree()?.to_string(), "task(\"filter\", 2.0);\n");
/// assert_eq!(task(erlang(4, 12.ms())).tree()?.to_string(), "task(erlang(4, 0.012));\n");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
pub fn task(time: impl Into<Timing>) -> Task {
    Task { name: None, time: time.into(), function: () }
}

impl<F> Task<F> {
    /// The same with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Task { name: Some(name.into()), ..self }
    }

    /// The same task, which does this.
    #[must_use]
    pub fn with_function<G>(self, function: G) -> Task<G> {
        Task { name: self.name, time: self.time, function }
    }

    /// What the task does.
    #[must_use]
    pub fn function(&self) -> &F {
        &self.function
    }
}

/// Stages one behind the other: a tuple of up to sixteen skeletons, or an array.
#[derive(Clone)]
pub struct Pipe<T> {
    /// The stages.
    pub stages: T,
}

impl<T: DebugStages> fmt::Debug for Pipe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("Pipe");
        self.stages.show(&mut shown);
        shown.finish()
    }
}

impl<T: EqualStages> PartialEq for Pipe<T> {
    fn eq(&self, other: &Self) -> bool {
        self.stages.are_equal(&other.stages)
    }
}

/// A pipe of stages.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{pipe, task, Skeleton};
/// assert_eq!(pipe((task(1.0), task(2.0))).tree()?.tasks().len(), 2);
/// assert_eq!(pipe([task(1.0), task(1.0), task(1.0)]).tree()?.tasks().len(), 3);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
pub fn pipe<T: Stages>(stages: T) -> Pipe<T> {
    Pipe { stages }
}

/// Replicas of a worker that receive items in turn (round robin) and pass them on in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Deal<W> {
    replicas: Count,
    /// The worker.
    pub worker: W,
}

/// Replicas of a worker, of which whichever is free receives the next item.
#[derive(Clone, Debug, PartialEq)]
pub struct Farm<W> {
    replicas: Count,
    /// The worker.
    pub worker: W,
}

/// A deal: `replicas` copies of a worker, which is a rate or a time (a task) or any skeleton.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{deal, pipe, task, Skeleton};
/// assert_eq!(deal(2, 3.0).tree()?.to_string(), "deal(2, 3.0);\n");
/// assert_eq!(deal(2, pipe((task(1.0), task(2.0)))).tree()?.tasks().len(), 4);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
pub fn deal<W: IntoSkeleton>(replicas: impl Into<Count>, worker: W) -> Deal<W::Skeleton> {
    Deal { replicas: replicas.into(), worker: worker.into_skeleton() }
}

/// A farm: `replicas` copies of a worker, which is a rate or a time (a task) or any skeleton.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{farm, task, Skeleton};
/// assert_eq!(farm(3, task(2.0).named("filter")).tree()?.to_string(), "farm(3, \"filter\", 2.0);\n");
/// assert_eq!(farm(0, 2.0).tree().unwrap_err().0[0].message, "the farm has 0 replicas");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
pub fn farm<W: IntoSkeleton>(replicas: impl Into<Count>, worker: W) -> Farm<W::Skeleton> {
    Farm { replicas: replicas.into(), worker: worker.into_skeleton() }
}

/// What can be a worker: a skeleton, or the rate or the time of a task.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a worker",
    note = "a worker is a rate, such as `2.0`, a time, such as `erlang(4, 12.ms())`, or any skeleton"
)]
pub trait IntoSkeleton {
    /// The skeleton.
    type Skeleton: Structured;

    /// The skeleton.
    fn into_skeleton(self) -> Self::Skeleton;
}

macro_rules! rates {
    ($($rate:ty)*) => {$(
        impl IntoSkeleton for $rate {
            type Skeleton = Task;

            fn into_skeleton(self) -> Task {
                task(self)
            }
        }

        impl From<$rate> for Communication {
            fn from(rate: $rate) -> Self {
                Communication::everywhere(rate)
            }
        }
    )*};
}
rates! { f64 i8 i16 i32 i64 u8 u16 u32 u64 usize Ratio Rate }

/// A time is not a worker: see [`IsRate`].
impl<'never> IntoSkeleton for Duration
where
    Misplaced<'never>: IsRate,
{
    type Skeleton = Task;

    fn into_skeleton(self) -> Task {
        task(every(self))
    }
}

/// A time is not a rate: see [`IsRate`].
impl<'never> From<Duration> for Communication
where
    Misplaced<'never>: IsRate,
{
    fn from(time: Duration) -> Self {
        Communication::everywhere(every(time))
    }
}

macro_rules! skeletons {
    ($([$($parameter:ident: $bound:ident)?] $skeleton:ty;)*) => {$(
        impl$(<$parameter: $bound>)? Skeleton for $skeleton {
            #[cfg_attr(debug_assertions, inline)]
            fn tree(&self) -> Result<Tree, BuildErrors> {
                checked_tree(&self.written())
            }
        }

        impl$(<$parameter: $bound>)? IntoSkeleton for $skeleton {
            type Skeleton = Self;

            fn into_skeleton(self) -> Self {
                self
            }
        }
    )*};
}
skeletons! {
    [F: Clone] Task<F>;
    [T: Stages] Pipe<T>;
    [W: Structured] Deal<W>;
    [W: Structured] Farm<W>;
}

impl<F: Clone> Structured for Task<F> {
    const STAGES: u32 = 1;

    fn written_from(&self, here: StageId) -> Written<StageId> {
        let name = self.name.as_ref().map(|name| Value::Known(name.clone(), here));
        Written::Task { name, time: self.time.written().at(here), span: here }
    }
}

impl<T: Stages> Structured for Pipe<T> {
    const STAGES: u32 = 1 + T::STAGES;

    fn written_from(&self, here: StageId) -> Written<StageId> {
        Written::Pipe { stages: self.stages.written_from(StageId(here.0 + 1)), span: here }
    }
}

impl<W: Structured> Structured for Deal<W> {
    const STAGES: u32 = 1 + W::STAGES;

    fn written_from(&self, here: StageId) -> Written<StageId> {
        replicated(Replication::Deal, self.replicas, &self.worker, here)
    }
}

impl<W: Structured> Structured for Farm<W> {
    const STAGES: u32 = 1 + W::STAGES;

    fn written_from(&self, here: StageId) -> Written<StageId> {
        replicated(Replication::Farm, self.replicas, &self.worker, here)
    }
}

fn replicated(
    replication: Replication,
    replicas: Count,
    worker: &impl Structured,
    here: StageId,
) -> Written<StageId> {
    let worker = Box::new(worker.written_from(StageId(here.0 + 1)));
    Written::Replicated { replication, replicas: Value::Known(replicas.0, here), worker, span: here }
}

impl<W: Structured> HasWorker for Deal<W> {
    type Worker = W;
}

impl<W: Structured> HasWorker for Farm<W> {
    type Worker = W;
}

impl<T: Stages + HasStage<N>, const N: usize> HasStage<N> for Pipe<T> {
    type Stage = T::Stage;

    const BEFORE: u32 = 1 + T::BEFORE;
}

/// Checks a skeleton that is made by constructors. Macro calls are checked by the same function, at compile
/// time.
#[cfg_attr(debug_assertions, inline)]
fn checked_tree(written: &Written<StageId>) -> Result<Tree, BuildErrors> {
    let (tree, findings) = check(written, TaskNames::Distinct);
    tree.ok_or_else(|| build_errors(findings, |id| written.path_to(id)))
}
