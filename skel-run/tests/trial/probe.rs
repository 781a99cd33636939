//! Functions of tasks that count, wait and fail as they are told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use skel_core::skeleton::Replication;
use skel_run::functions::{Alone, Cause, Fallible, Form, Hands, Leaf, SharedWith, Signature};

use super::item::{Item, served};
use super::scramble;
use super::shape::Around;
use super::team::{Leader, Team, TeamProbe};

/// What is known of a task before a run.
#[derive(Clone, Debug)]
pub struct Task {
    pub around: Vec<Around>,
    /// If several workers serve an item together.
    pub team: Option<Team>,
    /// Whether its results depend on how many items it, or its replica, has served.
    pub counts: bool,
    /// One item in so many fails; 0 for none.
    pub fails: u64,
    /// One item in so many takes long; 0 for none.
    pub waits: u64,
    pub retries: u32,
    pub skips: bool,
}

impl Task {
    /// Whether no deal and no farm is around it.
    pub fn is_alone(&self) -> bool {
        self.around.is_empty()
    }

    /// Whether its replicas are those of deals.
    pub fn is_dealt(&self) -> bool {
        self.around.iter().all(|around| around.kind == Replication::Deal)
    }

    /// Whether no item is tried again.
    pub fn sees_each_item_once(&self) -> bool {
        self.retries == 0
    }

    /// How an item fails here, and how often in a row.
    pub fn fault(&self, seed: u64, task: usize, place: u64) -> Option<(Fault, u32)> {
        let dice = scramble(seed ^ (task as u64) << 32 ^ place);
        if self.fails == 0 || !dice.is_multiple_of(self.fails) {
            return None;
        }
        let dice = scramble(dice);
        Some((if dice & 1 == 0 { Fault::Panics } else { Fault::Errs }, 1 + (dice >> 1) as u32 % 3))
    }

    /// Whether an item fails here for good.
    pub fn gives_up(&self, seed: u64, task: usize, place: u64) -> bool {
        self.fault(seed, task, place).is_some_and(|(_, times)| times > self.retries)
    }
}

/// How an item fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Panics,
    Errs,
}

/// What all functions of a run share.
#[derive(Debug)]
pub struct World {
    pub seed: u64,
    pub tasks: Vec<Task>,
    /// How often an item was tried.
    attempts: Mutex<HashMap<(usize, u64), u32>>,
    /// The first violation that a function saw.
    pub violation: Mutex<Option<String>>,
}

impl World {
    pub fn new(seed: u64, tasks: Vec<Task>) -> Arc<Self> {
        Arc::new(World { seed, tasks, attempts: Mutex::default(), violation: Mutex::default() })
    }

    fn serve(&self, task: usize, count: &mut u64, mut item: Item) -> Result<Item, String> {
        let known = &self.tasks[task];
        let dice = scramble(self.seed ^ 0xABCD ^ (task as u64) << 40 ^ item.place);
        if known.waits > 0 && dice.is_multiple_of(known.waits) {
            wait(scramble(dice));
        }
        if let Some((fault, times)) = known.fault(self.seed, task, item.place) {
            let mut attempts = self.attempts.lock().unwrap();
            let attempt = attempts.entry((task, item.place)).or_default();
            *attempt += 1;
            let still_fails = *attempt <= times;
            drop(attempts);
            match fault {
                _ if !still_fails => {}
                Fault::Panics => panic!("task {task} panics at item {}", item.place),
                Fault::Errs => return Err(format!("task {task} cannot serve item {}", item.place)),
            }
        }
        item.attempt = 0;
        item.value = served(item.value, task, if known.counts { *count } else { 0 });
        *count += 1;
        Ok(item)
    }

    /// Notes that a task, or one of its workers, sees an item. `next` is the place behind the one before.
    pub fn sees(&self, task: usize, place: u64, next: &mut u64, checks: bool) {
        if checks && place < *next {
            let what = format!("task {task} sees item {place} after item {}", *next - 1);
            self.violation.lock().unwrap().get_or_insert(what);
        }
        *next = place + 1;
    }
}

/// Waits in one of several ways.
pub fn wait(dice: u64) {
    match dice % 4 {
        0 => std::thread::yield_now(),
        1 => std::thread::sleep(Duration::from_micros(dice >> 8 & 0x1FF)),
        _ => (0..dice >> 8 & 0xFFF).for_each(|_| std::hint::spin_loop()),
    }
}

/// What a replica keeps.
#[derive(Debug, Default)]
pub struct Kept {
    count: u64,
    /// The place behind that of the last item.
    next: u64,
}

type OfOne = Box<dyn FnMut(Item) -> Result<Item, String> + Send>;
type Workers = SharedWith<Item, Fallible<Item, String>, Kept, fn() -> Kept, OfMany>;
type OfMany = Box<dyn Fn(&mut Kept, Item) -> Result<Item, String> + Send + Sync>;

/// A task's function, in the form that suits its place.
pub enum Probe {
    Alone(Alone<Item, Fallible<Item, String>, OfOne>),
    Shared(Workers),
    Team(TeamProbe),
}

/// The worker of a probe.
pub enum Worker<'a> {
    Alone(Option<MutexGuard<'a, ()>>),
    Shared(Option<Kept>),
    Team(Leader<'a>),
}

impl Probe {
    /// The function of this task.
    pub fn new(world: &Arc<World>, task: usize, is_in_order: bool) -> Self {
        let (shared, known) = (Arc::clone(world), &world.tasks[task]);
        let checks = is_in_order && known.is_dealt();
        if let Some(team) = known.team {
            return Probe::Team(TeamProbe::new(world, task, team, checks));
        }
        let checks = checks && known.sees_each_item_once();
        if known.is_alone() {
            let (mut count, mut next) = (0, 0);
            Probe::Alone(Alone::new(Box::new(move |item: Item| {
                shared.sees(task, item.place, &mut next, checks);
                shared.serve(task, &mut count, item)
            })))
        } else {
            let function: OfMany = Box::new(move |kept, item| {
                shared.sees(task, item.place, &mut kept.next, checks);
                shared.serve(task, &mut kept.count, item)
            });
            Probe::Shared(SharedWith::new(Kept::default, function))
        }
    }
}

impl Signature for Probe {
    type In = Item;
    type Out = Item;
}

impl Leaf for Probe {
    type Worker<'a> = Worker<'a>;

    fn worker(&self) -> Worker<'_> {
        match self {
            Probe::Alone(_) => Worker::Alone(None),
            Probe::Shared(leaf) => Worker::Shared(leaf.worker()),
            Probe::Team(team) => Worker::Team(team.worker()),
        }
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Worker<'a> {
        match self {
            Probe::Team(team) => Worker::Team(team.lead(hands)),
            _ => self.worker(),
        }
    }

    fn form(&self) -> Form {
        match self {
            Probe::Team(team) => team.form(),
            _ => Form::Task,
        }
    }

    fn serve<'a>(&'a self, worker: &mut Worker<'a>, item: Item) -> Result<Option<Item>, Cause> {
        match (self, worker) {
            (Probe::Alone(leaf), _) => leaf.serve(&mut leaf.worker(), item),
            (Probe::Shared(leaf), Worker::Shared(state)) => leaf.serve(state, item),
            (Probe::Team(team), Worker::Team(leader)) => team.serve(leader, item),
            _ => unreachable!("a worker of the other kind"),
        }
    }

    fn renew<'a>(&'a self, worker: &mut Worker<'a>) {
        match (self, worker) {
            (Probe::Shared(leaf), Worker::Shared(state)) => leaf.renew(state),
            (Probe::Team(team), Worker::Team(leader)) => team.renew(leader),
            _ => {}
        }
    }
}
