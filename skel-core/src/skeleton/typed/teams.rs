//! Stages whose workers serve one item together: map, fault-tolerant and map with state.

use crate::model::BuildErrors;
use crate::rate::Rate;
use crate::skeleton::program::Skeleton;
use crate::skeleton::tree::{StageId, Tree};
use crate::skeleton::typed::{Count, IntoSkeleton, Structured, Task, Timing, checked_tree};
use crate::skeleton::word::TeamWord;
use crate::skeleton::written::{Value, Written, WrittenState, WrittenTeam};

/// A task, as opposed to a skeleton of several: what the workers of a map do.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "workers that serve one item together do a task each",
    note = "write a rate, a time or `task(..)`; what follows it can be a stage of its own: `pipe((map(3, 1.0), task(2.0)))`"
)]
pub trait IsTask: Structured {}

impl<F: Clone> IsTask for Task<F> {}

/// Workers of which each works on a part of every item.
#[derive(Clone, Debug, PartialEq)]
pub struct Map<W = Task> {
    workers: Count,
    /// What each worker does.
    pub worker: W,
}

/// Workers that compute the same from every item in different ways, and of which the majority decides.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultTolerant<W = Task> {
    workers: Count,
    /// What each worker does.
    pub worker: W,
    early: bool,
}

/// A map whose workers keep a state, which a second input replaces now and then.
#[derive(Clone, Debug, PartialEq)]
pub struct MapWithState<W = Task> {
    workers: Count,
    /// What each worker does with an item.
    pub worker: W,
    state: States,
}

/// How the workers of a map with state take their states: made by [`state`].
#[derive(Clone, Debug, PartialEq)]
pub struct States {
    time: Timing,
    items: Rate,
}

/// A map: each item is scattered over all workers, and gathered when all are done. The rate or the time is
/// that of one worker for its part of an item.
///
/// The map takes the longest of their times: for `n` workers with exponential times of mean `T` that is
/// `T (1 + 1/2 + .. + 1/n)` on average.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{map, pipe, task, Skeleton};
/// assert_eq!(map(8, task(2.0).named("match")).tree()?.to_string(), "map(8, \"match\", 2.0);\n");
/// let wrong = pipe((task(1.0), map(0, 2.0))).tree().unwrap_err();
/// assert_eq!(wrong.0[0].message, "stage 1: the map has 0 workers");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
/// A worker is a task:
/// ```compile_fail
/// use skel_core::skeleton::{map, pipe, task};
/// map(8, pipe((task(1.0), task(2.0))));
/// ```
#[must_use]
pub fn map<W>(workers: impl Into<Count>, worker: W) -> Map<W::Skeleton>
where
    W: IntoSkeleton<Skeleton: IsTask>,
{
    Map { workers: workers.into(), worker: worker.into_skeleton() }
}

/// A fault-tolerant stage: each item goes to all workers, which compute the same from it in different ways,
/// and the result of the majority is passed on. The number of workers is odd, and at least 3.
///
/// All replies are waited for, so that an item on which the workers differ is noticed whoever is late, and
/// all begin the next item together. [`early`](FaultTolerant::early) passes on the result as soon as the
/// majority have replied.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{fault_tolerant, task, Skeleton};
/// let vote = fault_tolerant(3, task(5.0).named("vote"));
/// assert_eq!(vote.clone().early().tree()?.to_string(), "fault_tolerant(3, \"vote\", 5.0, early);\n");
/// let even = fault_tolerant(4, 5.0).tree().unwrap_err();
/// assert_eq!(even.0[0].message, "of the 4 workers, 2 can vote against 2");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
pub fn fault_tolerant<W>(workers: impl Into<Count>, worker: W) -> FaultTolerant<W::Skeleton>
where
    W: IntoSkeleton<Skeleton: IsTask>,
{
    FaultTolerant { workers: workers.into(), worker: worker.into_skeleton(), early: false }
}

impl<W> FaultTolerant<W> {
    /// The same, but the result is passed on as soon as the majority have replied. The other workers go on
    /// with the item that they have. When they are done, they join the one that is current, and leave out
    /// those that were decided meanwhile.
    #[must_use]
    pub fn early(self) -> Self {
        FaultTolerant { early: true, ..self }
    }
}

/// A map whose workers keep a state, such as the part of a database that each of them searches. A second
/// input brings a new state now and then. Then all workers take it, and items stop until they have.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{map_with_state, state, task, Skeleton};
/// // A worker compares a fingerprint in 0.2 s with its part of the database, and takes 0.5 s for a new part after 10 fingerprints.
/// let identify = map_with_state(4, task(5.0).named("identify"), state(2.0, 10));
/// assert_eq!(identify.tree()?.to_string(), "map_with_state(4, \"identify\", 5.0, state(2.0, 10));\n");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
pub fn map_with_state<W>(workers: impl Into<Count>, worker: W, state: States) -> MapWithState<W::Skeleton>
where
    W: IntoSkeleton<Skeleton: IsTask>,
{
    MapWithState { workers: workers.into(), worker: worker.into_skeleton(), state }
}

/// How a map with state takes its states: the rate at which a worker takes one, or its time for it, and how
/// many items there are for each state on average.
#[must_use]
pub fn state(time: impl Into<Timing>, items: impl Into<Rate>) -> States {
    States { time: time.into(), items: items.into() }
}

fn written(word: TeamWord, workers: Count, worker: &impl Structured, here: StageId) -> WrittenTeam<StageId> {
    let workers = Value::Known(workers.0, here);
    WrittenTeam { word, workers, worker: worker.written_from(here), early: false, state: None, span: here }
}

macro_rules! teams {
    ($($skeleton:ident |$team:ident, $here:ident| $written:expr;)*) => {$(
        impl<W: IsTask> Skeleton for $skeleton<W> {
            #[cfg_attr(debug_assertions, inline)]
            fn tree(&self) -> Result<Tree, BuildErrors> {
                checked_tree(&self.written())
            }
        }

        impl<W: IsTask> IntoSkeleton for $skeleton<W> {
            type Skeleton = Self;

            fn into_skeleton(self) -> Self {
                self
            }
        }

        impl<W: IsTask> Structured for $skeleton<W> {
            const STAGES: u32 = 1;

            fn written_from(&self, $here: StageId) -> Written<StageId> {
                let $team = self;
                Written::Team(Box::new($written))
            }
        }
    )*};
}
teams! {
    Map |team, here| written(TeamWord::Map, team.workers, &team.worker, here);
    FaultTolerant |team, here| WrittenTeam {
        early: team.early,
        ..written(TeamWord::FaultTolerant, team.workers, &team.worker, here)
    };
    MapWithState |team, here| WrittenTeam {
        state: Some(WrittenState {
            time: team.state.time.written().at(here),
            items: Value::Known(team.state.items.clone(), here),
        }),
        ..written(TeamWord::MapWithState, team.workers, &team.worker, here)
    };
}
