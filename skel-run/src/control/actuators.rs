//! What a handle can change in a run while it goes on.

use skel_core::skeleton::{Program, StageId, StageOf, Tree};

use super::{Actuators, Control, Wanted};
use crate::engine::Refused;
use crate::team::Shares;

/// Replicas, and workers that serve an item together.
impl Control {
    /// Sets the number of replicas of a deal or farm, which a handle of itself or of its worker names. In a
    /// deal or farm of such stages, each of them gets this number.
    ///
    /// In a map the workers that serve an item together are meant, in a farm of maps those of each: their
    /// number changes between two items, and they get equal parts, whatever [`Self::set_shares`] said. In a
    /// map with state both change with the next state, which is scattered over those that there are then. A
    /// fault-tolerant stage has at most as many workers as functions, an odd number from 3 on; the last ones
    /// leave.
    ///
    /// New replicas take items at once. A replica that leaves finishes the item in its hands first. No item
    /// is lost and none is served twice, and where results are in order, they stay so. All threads that are
    /// needed are started before anything changes.
    ///
    /// # Errors
    /// No replica at all; a stage that is not replicated, or that there is not; more than
    /// [`MOST_TASKS`](skel_core::skeleton::MOST_TASKS) tasks and workers in the whole program; a system that
    /// refuses to start a thread; a run that has not begun, or has ended.
    pub fn set_replicas<S, H>(&self, stage: StageOf<S, H>, replicas: u32) -> Result<(), Refused> {
        self.set_replicas_of(stage.id(), replicas)
    }

    /// As [`Self::set_replicas`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn set_replicas_of(&self, stage: StageId, replicas: u32) -> Result<(), Refused> {
        self.request(stage, Wanted::Exactly(replicas)).map(drop)
    }

    /// Adds a replica to a deal or farm, as [`Self::set_replicas`] does. The answer is the new number.
    ///
    /// # Errors
    /// As there.
    pub fn add_replica<S, H>(&self, stage: StageOf<S, H>) -> Result<u32, Refused> {
        self.add_replica_of(stage.id())
    }

    /// As [`Self::add_replica`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn add_replica_of(&self, stage: StageId) -> Result<u32, Refused> {
        self.request(stage, Wanted::OneMore)
    }

    /// Removes a replica of a deal or farm, the one that came last, as [`Self::set_replicas`] does. The
    /// answer is the new number.
    ///
    /// # Errors
    /// As there; the last replica cannot be removed.
    pub fn remove_replica<S, H>(&self, stage: StageOf<S, H>) -> Result<u32, Refused> {
        self.remove_replica_of(stage.id())
    }

    /// As [`Self::remove_replica`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn remove_replica_of(&self, stage: StageId) -> Result<u32, Refused> {
        self.request(stage, Wanted::OneFewer)
    }

    fn request(&self, stage: StageId, wanted: Wanted) -> Result<u32, Refused> {
        self.ask(move |run| run.set_replicas(stage, wanted))?
    }
}

/// Parts of the items of a map.
impl Control {
    /// Parts the items of a map anew, from the next item on; those of a map with state from its next state
    /// on. The map has a worker for each weight, and each gets a part of every item in proportion to its
    /// weight, such as its measured speed. The parts, and what is made of them, stay in the order of the
    /// weights. A worker of weight 0 gets an empty part.
    ///
    /// In a farm or a deal of maps, all of them part their items so. [`Self::set_replicas`] goes back to
    /// equal parts.
    ///
    /// # Errors
    /// A stage that is no map and no map with state, or that there is not; no weight, or none above 0; more
    /// than [`MOST_TASKS`](skel_core::skeleton::MOST_TASKS) tasks and workers in the whole program; a system
    /// that refuses to start a thread; a run that has not begun, or has ended.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::run::Control;
    ///
    /// pipe! { skeleton Sums { task("read", 1e6), map(2, "add", 1e6), task("show", 1e6) } }
    ///
    /// let control = Control::new();
    /// let mut seen = Vec::new();
    /// Sums::new().run()
    ///     .read(|length: u32| 0..length)
    ///     .add(|part| part.len())
    ///     .show(|sizes| sizes)
    ///     .controlled_by(&control)
    ///     .for_each([12; 1000], |sizes| {
    ///         if seen.is_empty() {
    ///             // The first worker turned out to be twice as fast as the second.
    ///             control.set_shares(Sums::add, &[2, 1]).expect("the program runs");
    ///         }
    ///         seen.push(sizes);
    ///     })?;
    /// assert_eq!((&seen[0], &seen[999]), (&vec![6, 6], &vec![8, 4]));
    /// # Ok::<(), skel::run::Error>(())
    /// ```
    pub fn set_shares<S, H>(&self, stage: StageOf<S, H>, weights: &[u32]) -> Result<(), Refused> {
        self.set_shares_of(stage.id(), weights)
    }

    /// As [`Self::set_shares`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn set_shares_of(&self, stage: StageId, weights: &[u32]) -> Result<(), Refused> {
        let weights = weights.to_vec();
        self.ask(move |run| run.set_shares(stage, weights))?
    }

    /// The weights of a map's workers now, in their order. They are all 1 if nobody set them.
    ///
    /// # Errors
    /// A stage that is no map and no map with state, or that there is not; a run that has not begun, or has
    /// ended.
    pub fn shares<S, H>(&self, stage: StageOf<S, H>) -> Result<Vec<u32>, Refused> {
        self.shares_of(stage.id())
    }

    /// As [`Self::shares`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn shares_of(&self, stage: StageId) -> Result<Vec<u32>, Refused> {
        self.ask(move |run| run.shares(stage))?
    }

    /// Nests a farm of `into` workers in the place of one worker of a map, which takes longer than the
    /// others: its part of each item is parted equally among them, and the gathered result keeps its order.
    /// It takes effect as [`Self::set_shares`] does. Workers are counted from 0, and those behind it have
    /// higher numbers then. The answer is the weights from now on, see [`Shares::split`].
    ///
    /// The paper on managers of parallel skeletons has this as one of the rules of its map: "parallelise
    /// workers by using a nested task farm".
    ///
    /// # Errors
    /// As [`Self::set_shares`]; a worker that there is not; 0 in the place of a worker.
    pub fn split_worker<S, H>(
        &self,
        stage: StageOf<S, H>,
        worker: usize,
        into: u32,
    ) -> Result<Vec<u32>, Refused> {
        self.split_worker_of(stage.id(), worker, into)
    }

    /// As [`Self::split_worker`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn split_worker_of(&self, stage: StageId, worker: usize, into: u32) -> Result<Vec<u32>, Refused> {
        self.ask(move |run| {
            let weights = split(run, stage, worker, into)?;
            run.set_shares(stage, weights.clone())?;
            Ok(weights)
        })?
    }
}

/// The weights of a map with several workers in the place of one.
fn split(run: &dyn Actuators, stage: StageId, worker: usize, into: u32) -> Result<Vec<u32>, Refused> {
    let weights = run.shares(stage)?;
    let workers = weights.len();
    if into == 0 {
        return Err(Refused::NoSplit);
    }
    if worker >= workers {
        return Err(Refused::NoWorker { worker, workers });
    }
    run.check_workers(stage, workers as u64 - 1 + u64::from(into))?;
    Ok(Shares::weighted(weights).split(worker, into as usize).weights().to_vec())
}

/// What the program is, and how items move in it.
impl Control {
    /// The program as it is now: with the replicas and workers that were asked for, its buffers, and the
    /// times that were written. None before the run and after it.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::run::Control;
    ///
    /// pipe! { skeleton Lines { task("number", 1e6), farm(2, "measure", 1e6) } }
    ///
    /// let control = Control::new();
    /// Lines::new().run()
    ///     .number(|line: u64| line + 1)
    ///     .measure(|line| line.to_string().len())
    ///     .controlled_by(&control)
    ///     .for_each(0..10, |_| {
    ///         let program = control.program().expect("the program runs");
    ///         assert_eq!(program.skeleton().task_count(), 3);
    ///     })?;
    /// assert!(control.program().is_none());
    /// # Ok::<(), skel::run::Error>(())
    /// ```
    #[must_use]
    pub fn program(&self) -> Option<Program<Tree>> {
        self.ask(|run| run.program()).ok()
    }

    /// How many items travel together now, at most. None before the run and after it.
    #[must_use]
    pub fn batch(&self) -> Option<usize> {
        self.ask(|run| run.batch()).ok()
    }

    /// Sets how many items travel together, at most: the next parcel that is taken from the source is of this
    /// size, if the source is fast enough. Nothing else changes the size then.
    ///
    /// # Errors
    /// No item, or more than [`Run::batch`](crate::Run::batch) can have; more than 1 in a program with a map,
    /// a fault-tolerant stage or a map with state, whose workers serve each item together; a run that has not
    /// begun, or has ended.
    pub fn set_batch(&self, items: usize) -> Result<(), Refused> {
        self.ask(move |run| run.set_batch(items))?
    }

    /// Sets how many parcels can wait between any two stages. Whatever was said of buffers before holds no
    /// more.
    ///
    /// No queue can be resized while it is in use. So the items that are inside leave first, and meanwhile
    /// none is taken from the source; then the tasks begin again, each in its own thread, with other queues.
    /// That costs about as long as an item is inside, and some 50 µs for each thread. The call does not wait
    /// for it, and neither does it interrupt a source that makes its next item. Until the tasks begin again,
    /// a snapshot shows that all replicas have left. If nothing would change, nothing happens.
    ///
    /// Replicas, workers, weights and the size of parcels stay. The function of a task on one thread keeps
    /// what it captured. The replicas of a farm or a deal and the workers of a map are new ones, for which
    /// states are made anew (`.enrich_with(make, ..)`), and a deal begins again with its first replica. From
    /// then on there is a thread for each replica, as buffers have no meaning for the pull engine.
    ///
    /// # Errors
    /// A capacity that no program can have; a program with a map with state, whose threads keep its state; a
    /// run that has not begun, or has ended.
    pub fn set_buffers(&self, capacity: u32) -> Result<(), Refused> {
        self.ask(move |run| run.set_buffers(None, capacity))?
    }

    /// Sets how many parcels can wait before one stage, as [`Self::set_buffers`] does. If the stage is a deal
    /// or a farm, or their worker, that is the buffer before the workers.
    ///
    /// # Errors
    /// As there; a stage to which no other sends.
    pub fn set_buffers_before<S, H>(&self, stage: StageOf<S, H>, capacity: u32) -> Result<(), Refused> {
        self.set_buffers_before_of(stage.id(), capacity)
    }

    /// As [`Self::set_buffers_before`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn set_buffers_before_of(&self, stage: StageId, capacity: u32) -> Result<(), Refused> {
        self.ask(move |run| run.set_buffers(Some(stage), capacity))?
    }
}

/// Processors.
#[cfg(feature = "affinity")]
impl Control {
    /// How many processors the threads of the run may use; before the run and after it, how many this thread
    /// may. They are numbered from 0.
    #[must_use]
    pub fn processors(&self) -> usize {
        match self.monitors() {
            Some(monitors) => monitors.processors(),
            None => crate::sync::Processors::new().count(),
        }
    }

    /// Moves the thread of one replica of a task to a processor, where it stays. It needs the feature
    /// `affinity`, and does nothing where the system does not allow it.
    ///
    /// A replica has its place among [`TaskFigures::replicas`](crate::monitor::TaskFigures::replicas) of a
    /// snapshot, which also has the [processor](crate::monitor::ReplicaFigures::processor) that it stays on.
    /// Each worker of a map, a fault-tolerant stage or a map with state is a replica there, with a thread of
    /// its own. A thread of the pull engine serves all tasks, and moves with each of them.
    ///
    /// The thread moves when it takes its next item. To look for the wish costs it one load for each parcel.
    /// Replicas that come later, also after [`Self::set_buffers`], are where the system likes or, with
    /// [`Run::pinned`](crate::Run::pinned), on the next processor.
    ///
    /// # Errors
    /// A stage that is no task, or that there is not; a replica that has left, or that there is not; a
    /// processor that there is not; a run that has not begun, or has ended.
    pub fn move_replica<S, H>(
        &self,
        stage: StageOf<S, H>,
        replica: usize,
        processor: usize,
    ) -> Result<(), Refused> {
        self.move_replica_of(stage.id(), replica, processor)
    }

    /// As [`Self::move_replica`], by the node of the stage: a task, or a deal or farm whose worker it is.
    ///
    /// # Errors
    /// As there.
    pub fn move_replica_of(&self, stage: StageId, replica: usize, processor: usize) -> Result<(), Refused> {
        self.ask(move |run| run.move_replica(stage, replica, processor))?
    }
}
