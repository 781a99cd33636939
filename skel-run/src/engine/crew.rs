//! The threads of a run: one for each replica of each task, at the start and as replicas come and go.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use skel_core::skeleton::StageId;

use crate::engine::place::{Plan, Shop};
use crate::functions::Cause;
use crate::network::{Ended, Group, Replicas};
use crate::progress::{FailedItem, Who};
use crate::sync::thread::Scope;
use crate::sync::{Arc, Ordering};
use crate::team::{Job, Spawn};

/// Why the number of replicas stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The stage is no deal, no farm and no worker of one.
    NotReplicated(StageId),
    /// There has to be at least one replica.
    NoReplica,
    /// So many workers of a fault-tolerant stage have no majority: they are an even number, or fewer than 3.
    NoMajority(u32),
    /// Each worker of a fault-tolerant stage has a function of its own, and there are fewer functions than workers were asked for.
    NoFunctions {
        /// The workers that were asked for.
        workers: u32,
        /// The functions that there are.
        functions: u32,
    },
    /// The run, or the stream to this stage, has ended.
    Ended,
    /// The run has not begun.
    NotRunning,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NotReplicated(stage) => write!(
                f,
                "stage {} is no farm, no deal and no map, so it has no replicas or workers to add or remove: name a farm or a deal, its \
                 worker, or a map",
                stage.0
            ),
            Refused::NoReplica => {
                f.write_str("0 replicas: the last one cannot be removed; `cancel` and `drain` end a run")
            }
            Refused::NoMajority(workers) => write!(
                f,
                "{workers} workers of a fault-tolerant stage have no sure majority: take an odd number, from 3 on"
            ),
            Refused::NoFunctions { workers, functions } => write!(
                f,
                "{workers} workers of a fault-tolerant stage that was given {functions} functions: each worker needs one of its own"
            ),
            Refused::Ended => {
                f.write_str("the stream to this stage has ended, so a new replica would get no items")
            }
            Refused::NotRunning => f.write_str("the run has not begun"),
        }
    }
}

impl std::error::Error for Refused {}

/// What gives a job of a task a thread of the run.
pub(crate) fn spawner<'scope>(scope: &'scope Scope<'scope, '_>, shop: &Shop) -> Spawn<'scope> {
    let shop = shop.clone();
    Arc::new(move |task, job| spawn(scope, &shop, task, job))
}

fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, shop: &Shop, task: usize, job: Job<'scope>) {
    let progress = Arc::clone(&shop.progress);
    #[cfg(feature = "affinity")]
    let pinning = shop.pinning.clone();
    scope.spawn(move || {
        #[cfg(feature = "affinity")]
        pinning.iter().for_each(|pinning| pinning.pin());
        // Functions of the user are caught where they are called. What panics here is the end of an item that it could not be
        // dropped, or a fault of ours; neither may look like the end of the stream.
        if let Err(thrown) = catch_unwind(AssertUnwindSafe(job)) {
            let cause = Cause::of_panic(&*thrown);
            progress.fail(FailedItem { who: Who::Task(task), place: 0, cause });
        }
    });
}

/// The threads of a run.
pub(crate) struct Crew<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    plan: Plan<'scope>,
    /// The replicas of each deal and farm, by the replicas around it.
    present: HashMap<(StageId, Replicas), Present>,
}

/// The replicas of a deal or farm that are there.
struct Present {
    replicas: Vec<u32>,
    /// The number of the next one that comes. No number comes twice, since items may still be under way in a replica that leaves.
    next: u32,
}

impl<'scope, 'env> Crew<'scope, 'env> {
    /// Starts a thread for each replica of each task.
    pub(crate) fn start(scope: &'scope Scope<'scope, 'env>, plan: Plan<'scope>) -> Self {
        let mut crew = Crew { scope, plan, present: HashMap::new() };
        // All ends are made before the first thread starts, so that no queue seems to be without senders.
        let tasks = 0..crew.plan.places.len();
        let jobs: Vec<(usize, Job<'scope>)> =
            tasks.flat_map(|task| crew.jobs(task, &[]).unwrap_or_default()).collect();
        jobs.into_iter().for_each(|(task, job)| crew.spawn(task, job));
        crew
    }

    /// The work of a task in all replicas that begin with these.
    fn jobs(&mut self, task: usize, within: &[u32]) -> Result<Vec<(usize, Job<'scope>)>, Ended> {
        let groups = self.groups(task);
        let mut all = vec![within.to_vec()];
        for group in &groups[within.len()..] {
            let mut inside = Vec::new();
            for around in all {
                let replicas = self.replicas(group, &around);
                inside.extend(replicas.iter().map(|&replica| [&around[..], &[replica]].concat()));
            }
            all = inside;
        }
        all.iter().map(|replicas| Ok((task, self.plan.places[task].replica(replicas)?))).collect()
    }

    fn groups(&self, task: usize) -> Vec<Group> {
        self.plan.shop.registry.layout.places[task].groups.clone()
    }

    fn replicas(&mut self, group: &Group, around: &[u32]) -> Vec<u32> {
        let next = self.plan.shop.registry.wanted(group);
        let begin = || Present { replicas: (0..next).collect(), next };
        self.present.entry((group.id, around.to_vec())).or_insert_with(begin).replicas.clone()
    }

    fn spawn(&self, task: usize, job: Job<'scope>) {
        spawn(self.scope, &self.plan.shop, task, job);
    }

    /// Sets how many workers serve an item together, from the next item on, in each replica of the stage.
    pub(crate) fn set_workers(&self, stage: StageId, workers: u32) {
        let places = self.plan.shop.registry.layout.places.iter();
        let of_stage = places
            .zip(self.plan.shop.workers.iter())
            .filter(|(place, _)| place.team.is_some_and(|team| team.id == stage));
        of_stage.for_each(|(_, wanted)| wanted.store(workers as usize, Ordering::Release));
    }

    /// Adds and removes replicas of a deal or farm until there are so many, in each replica of what is around it.
    pub(crate) fn set_replicas(&mut self, stage: StageId, replicas: u32) -> Result<(), Refused> {
        let tasks = self.tasks_of(stage);
        self.plan.shop.registry.want(stage, replicas);
        let around: Vec<Replicas> =
            self.present.keys().filter(|(id, _)| *id == stage).map(|(_, around)| around.clone()).collect();
        for around in around {
            self.set_replicas_in(stage, &around, replicas, &tasks)?;
        }
        Ok(())
    }

    fn set_replicas_in(
        &mut self,
        stage: StageId,
        around: &[u32],
        replicas: u32,
        tasks: &[usize],
    ) -> Result<(), Refused> {
        let present = self.present[&(stage, around.to_vec())].replicas.clone();
        for _ in present.len()..replicas as usize {
            self.add(stage, around, tasks)?;
        }
        for &old in present.iter().skip(replicas as usize) {
            self.remove(stage, around, old, tasks);
        }
        Ok(())
    }

    fn add(&mut self, stage: StageId, around: &[u32], tasks: &[usize]) -> Result<(), Refused> {
        let Some(present) = self.present.get_mut(&(stage, around.to_vec())) else { return Ok(()) };
        let new = present.next;
        present.next += 1;
        let within = [around, &[new]].concat();
        if self.plan.places[tasks[0]].has_ended(&within) {
            return Err(Refused::Ended);
        }
        // From the last task to the first, so that the new replica is whole before the first item can enter it.
        let mut jobs = Vec::new();
        for &task in tasks.iter().rev() {
            jobs.extend(self.jobs(task, &within).map_err(|_| Refused::Ended)?);
        }
        if let Some(present) = self.present.get_mut(&(stage, around.to_vec())) {
            present.replicas.push(new);
        }
        jobs.into_iter().for_each(|(task, job)| self.spawn(task, job));
        Ok(())
    }

    fn remove(&mut self, stage: StageId, around: &[u32], old: u32, tasks: &[usize]) {
        let within = [around, &[old]].concat();
        self.plan.places[tasks[0]].dismiss(&within);
        tasks[1..].iter().for_each(|&task| self.plan.places[task].forget(&within));
        if let Some(present) = self.present.get_mut(&(stage, around.to_vec())) {
            present.replicas.retain(|&replica| replica != old);
        }
        let places = &self.plan.shop.registry.layout.places;
        let inside = tasks.iter().flat_map(|&task| &places[task].groups[within.len()..]);
        let inside: Vec<StageId> = inside.map(|group| group.id).collect();
        self.present.retain(|(id, around), _| !(inside.contains(id) && around.starts_with(&within)));
    }

    /// The tasks inside of a deal or farm.
    fn tasks_of(&self, group: StageId) -> Vec<usize> {
        let places = &self.plan.shop.registry.layout.places;
        let is_inside = |task: &usize| places[*task].groups.iter().any(|known| known.id == group);
        (0..places.len()).filter(is_inside).collect()
    }
}
