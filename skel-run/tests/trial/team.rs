//! Functions of workers that serve an item together: those of maps, of fault-tolerant stages, and of maps
//! with state.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread;

use skel_run::functions::{
    Built, Cause, Fallible, Form, Hands, Leaf, MapWith, MapWithState, Reduced, Scatter, Shares, StateOr, Vote,
};

use super::item::{Item, UNITS, served};
use super::scramble;
use super::shape::{Kind, Team};
use super::world::{Fault, World, wait};

type OfPart = Box<dyn Fn(&mut u64, Item) -> Result<Item, String> + Send + Sync>;
type OfShown = Box<dyn Fn(&Item) -> Result<Item, String> + Send + Sync>;
type OfState = Box<dyn Fn(Item) -> Item + Send + Sync>;
type OfItem = Box<dyn Fn(&Item, &Item) -> Result<Item, String> + Send + Sync>;
type Sum = fn(Item, Item) -> Item;

type MapLeaf = Reduced<MapWith<Item, Fallible<Item, String>, u64, fn() -> u64, OfPart>, Sum>;
type VoteLeaf = Vote<Item, Fallible<Item, String>, Vec<OfShown>>;
type StateLeaf = Reduced<MapWithState<Item, Item, Fallible<Item, String>, Built<OfState>, OfItem>, Sum>;

/// The function of a team.
pub enum TeamProbe {
    Map(MapLeaf),
    Vote(VoteLeaf),
    WithState { leaf: StateLeaf, seed: u64, task: usize },
}

/// The worker that leads a team.
pub enum Leader<'a> {
    Map(<MapLeaf as Leaf>::Worker<'a>),
    Vote(<VoteLeaf as Leaf>::Worker<'a>),
    WithState(<StateLeaf as Leaf>::Worker<'a>),
}

/// Whether an item is a state for the map with state of this task.
pub fn is_state(seed: u64, task: usize, place: u64) -> bool {
    place == 0 || scramble(seed ^ 0x57A7E ^ (task as u64) << 24 ^ place).is_multiple_of(5)
}

/// What a team makes of the whole of a value.
pub fn served_by_team(kind: Kind, value: u64, task: usize, state: u64) -> u64 {
    match kind {
        Kind::Vote { .. } => served(value, task, 0),
        Kind::Map | Kind::WithState => sum(&(0..UNITS), value, task, state),
    }
}

/// What a worker makes of its share of a value.
fn sum(share: &Range<u64>, value: u64, task: usize, state: u64) -> u64 {
    let units = share.clone().map(|unit| served(value ^ state.wrapping_add(unit), task, 0));
    units.fold(0, u64::wrapping_add)
}

fn add(mut one: Item, mut other: Item) -> Item {
    one.value = one.value.wrapping_add(other.value);
    one.is_armed |= std::mem::take(&mut other.is_armed);
    one
}

impl Scatter for Item {
    type Part = Item;

    /// Each part covers some of the units. One of them is armed if the item is.
    fn scatter(mut self, shares: &Shares) -> Vec<Item> {
        let armed = if std::mem::take(&mut self.is_armed) { self.place % UNITS } else { UNITS };
        let part = |share: Range<u64>| {
            let is_armed = share.contains(&armed);
            self.part(share, is_armed)
        };
        (0..UNITS).scatter(shares).into_iter().map(part).collect()
    }
}

/// A task of a run that a team serves.
struct Known {
    world: Arc<World>,
    task: usize,
}

impl Known {
    /// Waits, and says how this attempt fails.
    fn begins(&self, item: &Item, worker: u64) -> Option<Fault> {
        let known = &self.world.tasks[self.task];
        let dice = scramble(self.world.seed ^ 0xABCD ^ (self.task as u64) << 40 ^ item.place ^ worker << 16);
        if known.waits > 0 && dice.is_multiple_of(known.waits) {
            wait(scramble(dice));
        }
        let (fault, times) = known.fault(self.world.seed, self.task, item.place)?;
        (item.attempt < times).then_some(fault)
    }

    fn fails(&self, fault: Fault, item: &Item) -> Result<(), String> {
        match fault {
            Fault::Panics => panic!("task {} panics at item {}", self.task, item.place),
            Fault::Errs => Err(format!("task {} cannot serve item {}", self.task, item.place)),
        }
    }

    /// The one worker fails that has this unit.
    fn fails_at(&self, share: &Range<u64>, fault: Option<Fault>, item: &Item) -> Result<(), String> {
        let unit = scramble(item.place ^ self.world.seed) % UNITS;
        match fault.filter(|_| share.contains(&unit)) {
            Some(fault) => self.fails(fault, item),
            None => Ok(()),
        }
    }

    /// If an item fails, so many workers do that there is no majority, however many there are: those with
    /// even numbers. The others fail now and then as well, which changes nothing.
    fn votes(&self, number: u64, fault: Option<Fault>, item: &Item) -> Result<u64, String> {
        let known = &self.world.tasks[self.task];
        let dice = scramble(self.world.seed ^ 0xF00D ^ (self.task as u64) << 40 ^ item.place);
        let minority = if known.fails > 0 && dice.is_multiple_of(6) { Some(dice >> 8) } else { None };
        let value = served(item.value, self.task, 0);
        match (fault, minority) {
            (Some(_), _) if number.is_multiple_of(2) && dice & 0x80 == 0 => Ok(value ^ (number + 1)),
            (Some(fault), _) if number.is_multiple_of(2) => self.fails(fault, item).map(|()| value),
            (_, Some(how)) if number % 2 == 1 => match how % 3 {
                0 => Ok(value ^ (number + 1)),
                1 => self.fails(Fault::Panics, item).map(|()| value),
                _ => self.fails(Fault::Errs, item).map(|()| value),
            },
            _ => Ok(value),
        }
    }
}

impl TeamProbe {
    pub fn new(world: &Arc<World>, task: usize, team: Team, is_in_order: bool) -> Self {
        let known = Known { world: Arc::clone(world), task };
        match team.kind {
            Kind::Map => TeamProbe::Map(map(known, is_in_order)),
            Kind::Vote { early } => TeamProbe::Vote(vote(world, task, (team.workers, early), is_in_order)),
            Kind::WithState => TeamProbe::WithState { leaf: with_state(known), seed: world.seed, task },
        }
    }

    pub fn worker(&self) -> Leader<'_> {
        match self {
            TeamProbe::Map(leaf) => Leader::Map(leaf.worker()),
            TeamProbe::Vote(leaf) => Leader::Vote(leaf.worker()),
            TeamProbe::WithState { leaf, .. } => Leader::WithState(leaf.worker()),
        }
    }

    pub fn lead<'a>(&'a self, hands: Hands<'a>) -> Leader<'a> {
        match self {
            TeamProbe::Map(leaf) => Leader::Map(leaf.lead(hands)),
            TeamProbe::Vote(leaf) => Leader::Vote(leaf.lead(hands)),
            TeamProbe::WithState { leaf, .. } => Leader::WithState(leaf.lead(hands)),
        }
    }

    pub fn form(&self) -> Form {
        match self {
            TeamProbe::Map(leaf) => leaf.form(),
            TeamProbe::Vote(leaf) => leaf.form(),
            TeamProbe::WithState { leaf, .. } => leaf.form(),
        }
    }

    pub fn serve<'a>(&'a self, leader: &mut Leader<'a>, item: Item) -> Result<Option<Item>, Cause> {
        match (self, leader) {
            (TeamProbe::Map(leaf), Leader::Map(leader)) => leaf.serve(leader, item),
            (TeamProbe::Vote(leaf), Leader::Vote(leader)) => leaf.serve(leader, item),
            (TeamProbe::WithState { leaf, seed, task }, Leader::WithState(leader)) => {
                match is_state(*seed, *task, item.place) {
                    true => leaf.serve(leader, StateOr::State(item)),
                    false => leaf.serve(leader, StateOr::Item(item)),
                }
            }
            _ => unreachable!("a leader of another team"),
        }
    }

    pub fn renew<'a>(&'a self, leader: &mut Leader<'a>) {
        match (self, leader) {
            (TeamProbe::Map(leaf), Leader::Map(leader)) => leaf.renew(leader),
            (TeamProbe::Vote(leaf), Leader::Vote(leader)) => leaf.renew(leader),
            (TeamProbe::WithState { leaf, .. }, Leader::WithState(leader)) => leaf.renew(leader),
            _ => unreachable!("a leader of another team"),
        }
    }
}

/// The state of a worker is the place behind that of its last item.
fn map(known: Known, is_in_order: bool) -> MapLeaf {
    let function: OfPart = Box::new(move |next, mut part| {
        let checks = is_in_order && known.world.tasks[known.task].sees_each_item_once();
        known.world.sees(known.task, part.place, next, checks);
        let fault = known.begins(&part, part.share.start);
        known.fails_at(&part.share.clone(), fault, &part)?;
        part.value = sum(&part.share, part.value, known.task, 0);
        (part.share, part.attempt) = (0..UNITS, 0);
        Ok(part)
    });
    Reduced::new(MapWith::new((|| 0) as fn() -> u64, function), add as Sum)
}

/// Where a majority is enough, a worker that was asked to leave, or whose engine has ended, may be late with
/// an item while another one has its place and its function: then each thread sees items in order. Otherwise
/// the calls of a function do.
fn vote(world: &Arc<World>, task: usize, (workers, early): (u32, bool), is_in_order: bool) -> VoteLeaf {
    let function = |number: u64| -> OfShown {
        let known = Known { world: Arc::clone(world), task };
        // Only where there is one team the calls of a function follow each other.
        let checks = is_in_order && world.tasks[task].is_alone() && world.tasks[task].sees_each_item_once();
        let next = Mutex::new(HashMap::new());
        Box::new(move |item: &Item| {
            let thread = early.then(|| thread::current().id());
            known.world.sees(known.task, item.place, next.lock().unwrap().entry(thread).or_default(), checks);
            let fault = known.begins(item, number);
            let value = known.votes(number, fault, item)?;
            let mut reply = item.part(0..UNITS, item.is_armed);
            (reply.value, reply.attempt) = (value, 0);
            Ok(reply)
        })
    };
    Vote::new((0..u64::from(workers)).map(function).collect())
}

fn with_state(known: Known) -> StateLeaf {
    let known = Arc::new(known);
    let of_state = Arc::clone(&known);
    let keep: OfState = Box::new(move |part: Item| {
        let fault = of_state.begins(&part, part.share.start).map(|_| Fault::Panics);
        of_state.fails_at(&part.share, fault, &part).expect("this fault is a panic");
        part
    });
    let function: OfItem = Box::new(move |kept, item| {
        let fault = known.begins(item, kept.share.start);
        known.fails_at(&kept.share, fault, item)?;
        let mut made = item.part(0..UNITS, item.is_armed);
        (made.value, made.attempt) = (sum(&kept.share, item.value, known.task, kept.value), 0);
        Ok(made)
    });
    Reduced::new(MapWithState::with(keep, function), add as Sum)
}
