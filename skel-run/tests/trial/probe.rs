//! Functions of tasks that count, wait and fail as they are told.

use std::sync::{Arc, MutexGuard};

use skel_run::functions::{Alone, Cause, Fallible, Form, Hands, Leaf, SharedWith, Signature};

use super::item::Item;
use super::team::{Leader, TeamProbe};
use super::world::World;

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
    Team(Box<Leader<'a>>),
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
            Probe::Team(team) => Worker::Team(Box::new(team.worker())),
        }
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Worker<'a> {
        match self {
            Probe::Team(team) => Worker::Team(Box::new(team.lead(hands))),
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
