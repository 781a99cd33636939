//! What stands between one task and the next: its ends are made when they are asked for, at the start of a
//! run and while it runs.

use std::collections::HashMap;

use skel_core::skeleton::Replication;

use crate::network::in_order::InOrder;
use crate::network::inlet::{Arrivals, Gather, Inlet};
use crate::network::junction::{Change, Junction, Seat};
use crate::network::layout::{Between, Entry, Exit, Group};
use crate::network::outlet::{Branches, Dealer, Outlet};
use crate::network::region::Region;
use crate::network::registry::{Registry, Replicas};
use crate::network::shared_queue::SharedQueue;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Leave, Sender, ring};
use crate::sync::{Arc, Mutex, lock};

/// A connection, in all replicas of what is around both its sides.
pub(crate) struct Connection<'env, T> {
    number: usize,
    registry: Arc<Registry>,
    parts: Mutex<HashMap<Replicas, Part<'env, T>>>,
}

/// The connection in one of these replicas.
struct Part<'env, T> {
    /// The one inlet from which all parcels come in order, until a thread or a junction has it.
    serial: Option<Inlet<'env, T>>,
    /// The one sender, until a thread has it.
    sender: Option<Sender<Parcel<T>>>,
    junction: Option<Arc<Junction<'env, T>>>,
    /// The queue for all, by the deals before it.
    queues: HashMap<Replicas, Arc<SharedQueue<T>>>,
    /// The deals that are handed out to in turn, by the replicas around each.
    branches: HashMap<Replicas, Arc<Branches<T>>>,
    arrivals: Arrivals<T>,
    /// How to ask the receivers to leave.
    leaves: Vec<(Replicas, Leave)>,
}

/// The stream has ended, so nobody can join it.
#[derive(Debug)]
pub(crate) struct Ended;

impl<'env, T: Send + 'env> Connection<'env, T> {
    /// The connection before a task, or behind the last. `supply` is where items come from, if this is the
    /// first.
    pub(crate) fn new(number: usize, registry: &Arc<Registry>, supply: Option<Inlet<'env, T>>) -> Arc<Self> {
        let connection = Connection { number, registry: Arc::clone(registry), parts: Mutex::default() };
        if let Some(supply) = supply {
            let part = Part { serial: Some(supply), ..connection.part(&[]) };
            lock(&connection.parts).insert(Vec::new(), part);
        }
        Arc::new(connection)
    }

    fn between(&self) -> &Between {
        &self.registry.layout.between[self.number]
    }

    /// The end of a sender, by the replicas that it is in.
    pub(crate) fn outlet(&self, replicas: &[u32]) -> Result<Outlet<T>, Ended> {
        let between = self.between();
        let (around, inside) = replicas.split_at(between.common);
        let mut parts = lock(&self.parts);
        let part = parts.entry(around.to_vec()).or_insert_with(|| self.part(around));
        match between.exit {
            Exit::InTurn => {
                let (sender, receiver) = ring(between.capacity);
                lock(&part.arrivals).insert(inside[0], receiver);
                Ok(Outlet::Ring(sender))
            }
            Exit::Shared => Ok(Outlet::Shared(part.queues[&Vec::new()].sender().ok_or(Ended)?)),
            Exit::One => {
                let outlet = match between.entry {
                    Entry::One | Entry::Junction => Outlet::Ring(part.sender.take().ok_or(Ended)?),
                    Entry::Shared => Outlet::Shared(part.queues[&Vec::new()].sender().ok_or(Ended)?),
                    Entry::InTurn(_) => self.dealer(part, around, &[]),
                };
                let begins = matches!(between.entry, Entry::Shared | Entry::InTurn(_));
                let region = begins.then(|| self.registry.region_from(self.number, around)).flatten();
                Ok(entering(region, outlet))
            }
        }
    }

    /// The end of a receiver, by the replicas that it is in.
    pub(crate) fn inlet(&self, replicas: &[u32]) -> Result<Inlet<'env, T>, Ended> {
        let between = self.between();
        let (around, inside) = replicas.split_at(between.common);
        let mut parts = lock(&self.parts);
        let part = parts.entry(around.to_vec()).or_insert_with(|| self.part(around));
        match between.entry {
            Entry::One => part.serial.take().ok_or(Ended),
            Entry::Shared => part.shared_inlet(&[], inside),
            Entry::InTurn(deals) => self.inlet_in_turn(part, around, inside, deals),
            Entry::Junction => self.seat(part, around, inside),
        }
    }

    /// Dismisses a replica: it takes no more items, and ends when it has passed on those that it has.
    /// `replicas` ends with the replica itself.
    pub(crate) fn dismiss(&self, replicas: &[u32]) {
        let between = self.between();
        let (around, inside) = replicas.split_at(between.common);
        let mut parts = lock(&self.parts);
        let Some(part) = parts.get_mut(around) else { return };
        let Some((&replica, outer)) = inside.split_last() else { return };
        match (between.entry, &part.junction) {
            (Entry::InTurn(deals), _) if inside.len() <= deals => {
                part.branches.get(outer).into_iter().for_each(|branches| branches.dismiss(replica));
            }
            (Entry::Junction, Some(junction)) if between.entries[outer.len()].kind == Replication::Deal => {
                junction.change(outer, Change::Leave(replica));
            }
            (_, junction) => {
                let asked = part.leaves.extract_if(.., |(of, _)| of.starts_with(inside));
                asked.for_each(|(_, leave)| leave.ask());
                junction.iter().for_each(|junction| junction.wake());
            }
        }
    }

    /// Forgets the connection in a replica that was dismissed: nobody will join it any more, and those who
    /// did have its ends.
    pub(crate) fn forget(&self, replicas: &[u32]) {
        lock(&self.parts).retain(|around, _| !around.starts_with(replicas));
        self.registry.forget(self.number, replicas);
    }

    /// Whether a new replica would find an end of the stream.
    pub(crate) fn has_ended(&self, around: &[u32]) -> bool {
        let around = &around[..self.between().common.min(around.len())];
        let parts = lock(&self.parts);
        let Some(part) = parts.get(around) else { return false };
        let mut queues = part.queues.values();
        part.junction.as_ref().is_some_and(|junction| junction.has_ended())
            || queues.any(|queue| queue.has_ended())
            || part.branches.values().any(|branches| branches.have_ended())
    }

    /// The connection in some replicas before anybody joined it.
    fn part(&self, around: &[u32]) -> Part<'env, T> {
        let between = self.between();
        let mut part = Part {
            serial: None,
            sender: None,
            junction: None,
            queues: HashMap::new(),
            branches: HashMap::new(),
            arrivals: Arrivals::default(),
            leaves: Vec::new(),
        };
        let is_shared = between.exit == Exit::Shared || between.entry == Entry::Shared;
        if is_shared {
            part.queues.insert(Vec::new(), SharedQueue::new(between.capacity));
        }
        match between.exit {
            Exit::One if matches!(between.entry, Entry::One | Entry::Junction) => {
                let (sender, receiver) = ring(between.capacity);
                (part.sender, part.serial) = (Some(sender), Some(Inlet::Ring(receiver)));
            }
            Exit::InTurn => {
                let deal = between.exits[0];
                let (turns, schedule) = self.turns(&deal, around);
                let gather = Gather::new(Arc::clone(&part.arrivals), turns, schedule);
                part.serial = Some(Inlet::InTurn(gather));
            }
            Exit::Shared if between.entry != Entry::Shared => {
                part.serial = self.serial_of_shared(&part, around);
            }
            _ => {}
        }
        part
    }

    fn serial_of_shared(&self, part: &Part<'env, T>, around: &[u32]) -> Option<Inlet<'env, T>> {
        let receiver = part.queues[&Vec::new()].receiver()?;
        if !self.between().is_ordered {
            return Some(Inlet::Shared(receiver, Leave::new()));
        }
        let region = self.registry.region_to(self.number, around);
        Some(Inlet::InOrder(InOrder::new(receiver, region)))
    }

    /// Whose turn it is in a deal, and the schedule by which that changes. `replicas` are those around it.
    fn turns(&self, deal: &Group, replicas: &[u32]) -> (Turns, Arc<Schedule>) {
        (Turns::of(self.registry.wanted(deal)), self.registry.schedule(deal.id, replicas))
    }

    /// What hands out to a deal of these replicas, and to those below it.
    fn dealer(&self, part: &mut Part<'env, T>, around: &[u32], outer: &[u32]) -> Outlet<T> {
        let deal = self.between().entries[outer.len()];
        let branches = part.branches.entry(outer.to_vec()).or_insert_with(Branches::new);
        let (turns, schedule) = self.turns(&deal, &[around, outer].concat());
        Outlet::InTurn(Dealer::new(Arc::clone(branches), turns, schedule))
    }

    fn inlet_in_turn(
        &self,
        part: &mut Part<'env, T>,
        around: &[u32],
        inside: &[u32],
        deals: usize,
    ) -> Result<Inlet<'env, T>, Ended> {
        // What hands out to a branch gets its first receiver before it gets items: so the innermost branch
        // joins first.
        let is_new = |level: &usize| !part.branches.contains_key(&inside[..*level]);
        let new: Vec<usize> = (1..deals).filter(is_new).collect();
        let (branch, farms) = inside.split_at(deals);
        let inlet = if farms.is_empty() {
            let (sender, receiver) = ring(self.between().capacity);
            self.join(part, around, branch, Outlet::Ring(sender))?;
            Inlet::Ring(receiver)
        } else {
            self.inlet_of_farms(part, around, branch, farms)?
        };
        for level in new.into_iter().rev() {
            let outlet = self.dealer(part, around, &inside[..level]);
            self.join(part, around, &inside[..level], outlet)?;
        }
        Ok(inlet)
    }

    /// A receiver of the queue for the farms in a replica of the deals, which joins these with its first one.
    fn inlet_of_farms(
        &self,
        part: &mut Part<'env, T>,
        around: &[u32],
        branch: &[u32],
        farms: &[u32],
    ) -> Result<Inlet<'env, T>, Ended> {
        if part.queues.contains_key(branch) {
            return part.shared_inlet(branch, farms);
        }
        let queue = SharedQueue::new(self.between().capacity);
        let sender = queue.sender().ok_or(Ended)?;
        part.queues.insert(branch.to_vec(), queue);
        let inlet = part.shared_inlet(branch, farms)?;
        self.join(part, around, branch, Outlet::Shared(sender))?;
        Ok(inlet)
    }

    fn join(
        &self,
        part: &mut Part<'env, T>,
        around: &[u32],
        replica: &[u32],
        outlet: Outlet<T>,
    ) -> Result<(), Ended> {
        let Some((&member, outer)) = replica.split_last() else { return Err(Ended) };
        let group = self.between().entries[outer.len()];
        let region = self.registry.region_inside(group.id, &[around, replica].concat());
        let branches = part.branches.entry(outer.to_vec()).or_insert_with(Branches::new);
        branches.join(member, entering(region, outlet)).then_some(()).ok_or(Ended)
    }

    fn seat(
        &self,
        part: &mut Part<'env, T>,
        around: &[u32],
        inside: &[u32],
    ) -> Result<Inlet<'env, T>, Ended> {
        let entries = &self.between().entries;
        let junction = match &part.junction {
            Some(junction) => Arc::clone(junction),
            None => {
                let inlet = part.serial.take().ok_or(Ended)?;
                let kinds: Vec<Replication> = entries.iter().map(|group| group.kind).collect();
                let region = self.registry.region_from(self.number, around);
                Arc::clone(part.junction.insert(Junction::new(Box::new(inlet), &kinds, region)))
            }
        };
        if junction.has_ended() {
            return Err(Ended);
        }
        let mut regions = Vec::new();
        for (level, group) in entries.iter().enumerate().filter(|(_, group)| group.kind == Replication::Deal)
        {
            let outer = &inside[..level];
            junction.deal(outer, || self.turns(group, &[around, outer].concat()));
            junction.change(outer, Change::Join(inside[level]));
            regions.extend(self.registry.region_inside(group.id, &[around, &inside[..=level]].concat()));
        }
        let leave = Leave::new();
        part.leaves.push((inside.to_vec(), leave.clone()));
        Ok(Inlet::Junction(Seat { junction, replicas: inside.to_vec(), leave, entering: regions }))
    }
}

impl<'env, T: Send> Part<'env, T> {
    /// A receiver of the queue below these deals.
    fn shared_inlet(&mut self, deals: &[u32], farms: &[u32]) -> Result<Inlet<'env, T>, Ended> {
        let queue = self.queues.get(deals).ok_or(Ended)?;
        if queue.has_ended() {
            return Err(Ended);
        }
        let receiver = queue.receiver().ok_or(Ended)?;
        let leave = Leave::new();
        self.leaves.push(([deals, farms].concat(), leave.clone()));
        Ok(Inlet::Shared(receiver, leave))
    }
}

fn entering<T>(region: Option<Arc<Region>>, outlet: Outlet<T>) -> Outlet<T> {
    match region {
        Some(region) => Outlet::Entering(region, Box::new(outlet)),
        None => outlet,
    }
}
