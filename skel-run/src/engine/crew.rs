//! The threads of a run: one for each replica of each task, at the start and as replicas come and go.

use std::collections::HashMap;

use skel_core::skeleton::StageId;

use crate::engine::place::Plan;
use crate::engine::refused::Refused;
use crate::engine::threads::{Idle, NoThread, Threads};
use crate::network::{Ended, Group, Place, Replicas};
use crate::sync::Arc;
use crate::team::{Job, Staff};

/// The threads of a run.
pub(crate) struct Crew<'scope, 'env> {
    threads: Arc<Threads<'scope, 'env>>,
    plan: Plan<'scope>,
    /// The replicas of each deal and farm, by the replicas around it.
    present: HashMap<(StageId, Replicas), Present>,
}

/// The replicas of a deal or farm that are there.
struct Present {
    replicas: Vec<u32>,
    /// The number of the next one that comes. No number comes twice, since items may still be under way in a
    /// replica that leaves.
    next: u32,
}

impl<'scope, 'env> Crew<'scope, 'env> {
    /// Starts a thread for each replica of each task.
    pub(crate) fn start(threads: Arc<Threads<'scope, 'env>>, plan: Plan<'scope>) -> Result<Self, NoThread> {
        let mut crew = Crew { threads, plan, present: HashMap::new() };
        // All ends are made before the first thread gets its work, so that no queue seems to be without
        // senders.
        let tasks = 0..crew.plan.places.len();
        let jobs: Vec<(usize, Job<'scope>)> =
            tasks.flat_map(|task| crew.jobs(task, &[]).unwrap_or_default()).collect();
        let idle = crew.threads.reserve(jobs.len())?;
        crew.threads.keep(crew.members(|_, staff| staff))?;
        give(jobs, &mut idle.into_iter());
        Ok(crew)
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

    /// How many workers all leaders have under them, if `workers` says how many serve an item together: it is
    /// given the node of a stage and how many there should be now.
    fn members(&self, workers: impl Fn(StageId, usize) -> usize) -> usize {
        let shop = &self.plan.shop;
        let under_leaders = |(place, staff): (&Place, &Option<Arc<Staff>>)| {
            let (team, staff) = place.team.zip(staff.as_ref())?;
            let workers = workers(team.id, staff.workers());
            // Who waits for a majority alone is no worker.
            let under_each = if team.is_early { workers } else { workers.saturating_sub(1) };
            Some(under_each * self.leaders(&place.groups))
        };
        shop.registry.layout.places.iter().zip(&*shop.staff).filter_map(under_leaders).sum()
    }

    /// How many replicas there are inside of all of these.
    fn leaders(&self, groups: &[Group]) -> usize {
        groups.iter().map(|group| self.plan.shop.registry.wanted(group) as usize).product()
    }

    /// Sets the weights of the workers that serve an item together, from the next item on, in each replica of
    /// the stage.
    pub(crate) fn set_staff(&self, stage: StageId, weights: &[u32]) -> Result<(), Refused> {
        let with = |id, present| if id == stage { weights.len() } else { present };
        self.threads.keep(self.members(with))?;
        let places = self.plan.shop.registry.layout.places.iter();
        let of_stage = places
            .zip(&*self.plan.shop.staff)
            .filter(|(place, _)| place.team.is_some_and(|team| team.id == stage));
        of_stage.filter_map(|(_, staff)| staff.as_ref()).for_each(|staff| staff.set(weights.to_vec()));
        Ok(())
    }

    /// Adds and removes replicas of a deal or farm until there are so many, in each replica of what is around
    /// it.
    pub(crate) fn set_replicas(&mut self, stage: StageId, replicas: u32) -> Result<(), Refused> {
        let tasks = self.tasks_of(stage);
        let present = self.present.iter().filter(|((id, _), _)| *id == stage);
        let counts = present.map(|((_, around), present)| (around.clone(), present.replicas.len()));
        let counts: Vec<(Replicas, usize)> = counts.collect();
        let missing: usize = counts.iter().map(|(_, count)| (replicas as usize).saturating_sub(*count)).sum();
        // The threads come first: if the system refuses them, nothing has changed.
        let mut idle = self.threads.reserve(missing * self.threads_inside(stage, &tasks))?.into_iter();
        let registry = Arc::clone(&self.plan.shop.registry);
        let before = registry.layout.group(stage).map(|group| registry.wanted(&group));
        registry.want(stage, replicas);
        if let Err(refused) = self.threads.keep(self.members(|_, staff| staff)) {
            before.iter().for_each(|&before| registry.want(stage, before));
            return Err(refused.into());
        }
        for (around, _) in counts {
            self.set_replicas_in(stage, &around, replicas, &tasks, &mut idle)?;
        }
        Ok(())
    }

    /// How many threads one replica of a deal or farm has, of which these are the tasks, without workers
    /// under leaders.
    fn threads_inside(&self, stage: StageId, tasks: &[usize]) -> usize {
        let places = &self.plan.shop.registry.layout.places;
        let inside = tasks.iter().map(|&task| {
            let groups = &places[task].groups;
            let level = groups.iter().take_while(|group| group.id != stage).count();
            self.leaders(&groups[(level + 1).min(groups.len())..])
        });
        inside.sum()
    }

    fn set_replicas_in(
        &mut self,
        stage: StageId,
        around: &[u32],
        replicas: u32,
        tasks: &[usize],
        idle: &mut impl Iterator<Item = Idle<'scope>>,
    ) -> Result<(), Refused> {
        let present = self.present[&(stage, around.to_vec())].replicas.clone();
        for _ in present.len()..replicas as usize {
            self.add(stage, around, tasks, idle)?;
        }
        for &old in present.iter().skip(replicas as usize) {
            self.remove(stage, around, old, tasks);
        }
        Ok(())
    }

    fn add(
        &mut self,
        stage: StageId,
        around: &[u32],
        tasks: &[usize],
        idle: &mut impl Iterator<Item = Idle<'scope>>,
    ) -> Result<(), Refused> {
        let Some(present) = self.present.get_mut(&(stage, around.to_vec())) else { return Ok(()) };
        let new = present.next;
        present.next += 1;
        let within = [around, &[new]].concat();
        if self.plan.places[tasks[0]].has_ended(&within) {
            return Err(Refused::Ended);
        }
        // From the last task to the first, so that the new replica is whole before the first item can enter
        // it.
        let mut jobs = Vec::new();
        for &task in tasks.iter().rev() {
            jobs.extend(self.jobs(task, &within).map_err(|_| Refused::Ended)?);
        }
        if let Some(present) = self.present.get_mut(&(stage, around.to_vec())) {
            present.replicas.push(new);
        }
        give(jobs, idle);
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

/// Gives each of these jobs one of these threads, of which there are enough.
fn give<'scope>(jobs: Vec<(usize, Job<'scope>)>, idle: &mut impl Iterator<Item = Idle<'scope>>) {
    for (task, job) in jobs {
        idle.next().expect("a thread was reserved for each replica").give(task, job);
    }
}
