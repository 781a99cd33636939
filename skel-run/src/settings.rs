//! How a program is to be run, and what is wrong with that.

mod forms;

use skel_core::skeleton::{Program, Replication, Skeleton, Stage, StageId, Tree};

use crate::control::Control;
use crate::engine::{Chain, Traits};
use crate::error::Error;
use crate::monitor::{Sampling, Timing};

/// How the threads of a run share its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Engine {
    /// A thread for each replica; the pull engine where the tasks turn out to take less than 10 µs for an
    /// item, all together, and the skeleton has no deal.
    #[default]
    Automatic,
    /// A thread for each replica of each task. This is what the model describes, and tasks may wait for
    /// something.
    Threads,
    /// So many threads, each of which takes a parcel from the source through all tasks. The numbers of
    /// replicas do not count then. A task outside of farms still serves one parcel at a time, in order.
    Pull(usize),
}

/// How a program is to be run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) engine: Engine,
    pub(crate) batch: Option<usize>,
    pub(crate) unordered: Vec<StageId>,
    pub(crate) window: u32,
    pub(crate) control: Option<Control>,
    /// Whether each thread stays on one processor.
    #[cfg(feature = "affinity")]
    pub(crate) is_pinned: bool,
    pub(crate) timing: Timing,
    pub(crate) sampling: Option<Sampling>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            engine: Engine::Automatic,
            batch: None,
            unordered: Vec::new(),
            window: 16,
            control: None,
            #[cfg(feature = "affinity")]
            is_pinned: false,
            timing: Timing::Every,
            sampling: None,
        }
    }
}

/// A program as it is going to be run.
pub(crate) struct Checked {
    /// With the buffers that it runs with.
    pub(crate) program: Program<Tree>,
    /// How many parcels can wait before each task.
    pub(crate) capacities: Vec<usize>,
}

/// Where nothing is said of buffers, a program that runs has so many places between any two stages, and so
/// has the program of its report.
const BUFFERS: u32 = 4;

/// Fewer items than this may travel together.
const TOO_MANY: usize = 1 << 20;

/// The most items that may travel together.
pub(crate) const MOST_ITEMS: usize = TOO_MANY - 1;

/// A parcel can only be brought through a deal's replicas in turn by threads of their own.
pub(crate) fn has_deal(tree: &Tree) -> bool {
    let is_deal = |stage: &Stage| matches!(stage, Stage::Replicated { replication: Replication::Deal, .. });
    tree.stages().iter().any(is_deal)
}

/// Whether a skeleton can only run with a thread for each replica.
pub(crate) fn needs_threads(tree: &Tree) -> bool {
    has_deal(tree) || tree.has_team()
}

impl Settings {
    /// Whether the results of a farm pass on out of order.
    pub(crate) fn is_unordered(&self, tree: &Tree, farm: StageId) -> bool {
        self.unordered.iter().any(|&said| tree.replicated_by(said) == Some(farm))
    }

    /// Everything that is wrong with them, or the program that can run.
    pub(crate) fn check<S: Skeleton, C: Chain>(
        &self,
        program: &Program<S>,
        functions: &C,
    ) -> Result<Checked, Error> {
        let tree = program.skeleton().tree()?;
        let program = program.with_skeleton(tree.clone());
        let program = match program.buffer_capacities().are_unstated() {
            true => program.buffers(BUFFERS),
            false => program,
        };
        let capacities = program.capacities_before_tasks()?;
        let mut tasks = Vec::new();
        functions.traits(&mut |task| tasks.push(task));
        assert_eq!(tasks.len(), capacities.len(), "generated code gives each task a function");
        let problems = self.problems(&tree, &tasks);
        if !problems.is_empty() {
            return Err(Error::Settings(problems));
        }
        let capacities = capacities.into_iter().map(|(_, capacity)| capacity as usize).collect();
        Ok(Checked { program, capacities })
    }

    fn problems(&self, tree: &Tree, tasks: &[Traits]) -> Vec<String> {
        let mut problems = Vec::new();
        match self.batch {
            Some(0) => {
                problems.push("a batch of 0 items: items travel one at a time with `.batch(1)`".to_owned());
            }
            Some(TOO_MANY..) => {
                problems.push(format!("a batch of {TOO_MANY} items or more: give fewer"));
            }
            _ => {}
        }
        if self.window == 0 {
            problems.push("a window of 0 parcels lets nothing through: give at least 1".to_owned());
        }
        match self.engine {
            Engine::Pull(0) => {
                problems.push("the pull engine with 0 threads: give at least 1".to_owned());
            }
            Engine::Pull(_) if has_deal(tree) => problems.push(
                "the pull engine cannot run a deal, whose replicas take parcels in turn: take `Engine::Threads`, or a farm"
                    .to_owned(),
            ),
            Engine::Pull(_) if tree.has_team() => problems.push(
                "the pull engine cannot run a map, a fault-tolerant stage or a map with state, whose workers serve an item together: take \
                 `Engine::Threads`"
                    .to_owned(),
            ),
            _ => {}
        }
        if let (Some(batch @ 2..), true) = (self.batch, tree.has_team()) {
            problems.push(format!(
                "a batch of {batch} items: the workers of a map, a fault-tolerant stage or a map with state wait for each other at each \
                 item, so items travel one at a time; leave `batch` out"
            ));
        }
        problems.extend(forms::problems(tree, tasks));
        for &said in &self.unordered {
            let is_farm =
                |id| matches!(tree.stage(id), Stage::Replicated { replication: Replication::Farm, .. });
            if !tree.replicated_by(said).is_some_and(is_farm) {
                problems.push(format!(
                    "`unordered` of `{}`, which is no farm and no worker of one: only the results of a farm can overtake each other",
                    tree.name(said)
                ));
            }
        }
        if cfg!(panic = "abort") && tasks.iter().any(|task| task.isolates) {
            problems.push(
                "`retry` and `skip_failures` need panics that unwind, but this program is built with `panic = \"abort\"`: take that \
                 away from its profile, or let the run stop at a failure"
                    .to_owned(),
            );
        }
        problems
    }
}
