//! Replicas and the buffers between them, event by event.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use skel_core::skeleton::{Replication, Stage, StageId, Tree};

use super::layout::{Between, Entry, Group, Place, places};
use super::part::{Below, Deal, Part};
use super::replica::{Doing, Moment, Replica};

/// How long the workers of a replica take for an item.
pub(super) trait Services {
    /// In nanoseconds: for the task at a place, the worker of this number among so many.
    fn time(&mut self, place: usize, worker: usize, workers: usize, now: Moment) -> u64;
}

/// A deal or farm, in one replica of those around it.
#[derive(Clone, Debug)]
struct Instance {
    members: Vec<u32>,
    /// The number of the next replica: numbers are not used twice.
    next: u32,
    deal: Option<usize>,
}

/// The replicas of a program, its buffers, and what happens next.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub(super) places: Vec<Place>,
    between: Vec<Between>,
    capacities: Vec<usize>,
    has_output: bool,
    replicas: Vec<Replica>,
    /// Those of each place, in the order in which they came: the replica, and which of its workers.
    listed: Vec<Vec<(usize, usize)>>,
    parts: Vec<Part>,
    part_of: BTreeMap<(usize, Vec<u32>), usize>,
    deals: Vec<Deal>,
    instances: BTreeMap<(StageId, Vec<u32>), Instance>,
    /// How many replicas each deal and farm has, and workers each team.
    wanted: BTreeMap<StageId, u32>,
    /// When a replica is done with its item.
    ends: BinaryHeap<Reverse<(Moment, usize)>>,
    /// Buffers where something changed.
    changed: Vec<usize>,
    /// The items before each place, since when, and summed over time.
    queues: Vec<(u64, Moment, u64)>,
    /// How many replicas are to leave and have not.
    leaving: usize,
    pub(super) now: Moment,
    pub(super) events: u64,
}

/// What a network is made for: a skeleton between a source and an output that may each take their time.
pub(super) struct Surroundings {
    /// How many items can wait before each task.
    pub(super) capacities: Vec<usize>,
    /// How many items the source makes ahead, if it takes time for them.
    pub(super) ahead: Option<usize>,
    /// How many items can wait before the output, if it takes time for them.
    pub(super) behind: Option<usize>,
}

/// The node that the source and the output are said to be.
const OUTSIDE: StageId = StageId(u32::MAX);

impl Network {
    pub(super) fn new(tree: &Tree, surroundings: &Surroundings) -> Self {
        let outside = Place { id: OUTSIDE, groups: Vec::new() };
        let mut all = places(tree);
        let mut capacities = surroundings.capacities.clone();
        if let Some(ahead) = surroundings.ahead {
            all.insert(0, outside.clone());
            capacities = [&[0, ahead], &capacities[1..]].concat();
        }
        if let Some(behind) = surroundings.behind {
            all.push(outside);
            capacities.push(behind);
        }
        let between = (0..=all.len()).map(|number| {
            let before = number.checked_sub(1).map(|before| &all[before]);
            Between::new(before, all.get(number))
        });
        let mut network = Network {
            between: between.collect(),
            capacities,
            has_output: surroundings.behind.is_some(),
            replicas: Vec::new(),
            listed: vec![Vec::new(); all.len()],
            parts: Vec::new(),
            part_of: BTreeMap::new(),
            deals: Vec::new(),
            instances: BTreeMap::new(),
            wanted: wanted(tree),
            ends: BinaryHeap::new(),
            changed: Vec::new(),
            queues: vec![(0, 0, 0); all.len()],
            leaving: 0,
            now: 0,
            events: 0,
            places: all,
        };
        for place in 0..network.places.len() {
            if network.places[place].id == OUTSIDE {
                network.add_replica(place, &[]);
            }
        }
        network.open(tree, tree.root(), &[]);
        network
    }

    /// Makes everything below a node, in these replicas of the deals and farms around it.
    fn open(&mut self, tree: &Tree, id: StageId, path: &[u32]) {
        match tree.stage(id) {
            Stage::Task(_) | Stage::Team(_) => {
                let place = self.places.iter().position(|place| place.id == id);
                place.into_iter().for_each(|place| self.add_replica(place, path));
            }
            Stage::Pipe(stages) => stages.iter().for_each(|&stage| self.open(tree, stage, path)),
            &Stage::Replicated { replication, worker, .. } => {
                let deal = (replication == Replication::Deal).then(|| self.add_deal(id));
                self.instances.insert((id, path.to_vec()), Instance { members: Vec::new(), next: 0, deal });
                for _ in 0..self.wanted[&id] {
                    self.add_member(tree, id, worker, path);
                }
            }
        }
    }

    /// Items are collected in the order in which a deal got them if only it is left where they go out.
    fn add_deal(&mut self, id: StageId) -> usize {
        let is_gathered = |between: &Between| between.gathered.is_some_and(|group| group.id == id);
        let last = self.between.len() - 1;
        let reaches = if self.has_output { &self.between[..] } else { &self.between[..last] };
        let order = reaches.iter().any(is_gathered).then(VecDeque::new);
        self.deals.push(Deal::new(order));
        self.deals.len() - 1
    }

    fn add_member(&mut self, tree: &Tree, id: StageId, worker: StageId, path: &[u32]) {
        let Some(instance) = self.instances.get_mut(&(id, path.to_vec())) else { return };
        let member = instance.next;
        instance.next += 1;
        instance.members.push(member);
        if let Some(deal) = instance.deal {
            self.deals[deal].members.push(member);
        }
        self.open(tree, worker, &[path, &[member]].concat());
    }

    fn add_replica(&mut self, place: usize, path: &[u32]) {
        let number = self.replicas.len();
        let mut replica = Replica::new(place, path.to_vec(), self.now);
        let workers = self.wanted.get(&self.places[place].id).copied().unwrap_or(1);
        for worker in 0..workers as usize {
            replica.join(self.now);
            self.listed[place].push((number, worker));
        }
        self.replicas.push(replica);
        self.connect_input(number);
        self.connect_output(number);
    }

    fn part(&mut self, number: usize, around: &[u32]) -> usize {
        if let Some(&part) = self.part_of.get(&(number, around.to_vec())) {
            return part;
        }
        let between = &self.between[number];
        let part = Part::new(number, self.capacities[number], between.entry, number == 0);
        let gathered = between.gathered.and_then(|group| self.deal(group, around));
        self.parts.push(Part { gathered, ..part });
        self.part_of.insert((number, around.to_vec()), self.parts.len() - 1);
        self.parts.len() - 1
    }

    fn deal(&self, group: Group, path: &[u32]) -> Option<usize> {
        self.instances.get(&(group.id, path.to_vec())).and_then(|instance| instance.deal)
    }

    fn connect_input(&mut self, number: usize) {
        let (place, path) = (self.replicas[number].place, self.replicas[number].path.clone());
        let Between { common, entries, entry, .. } = self.between[place].clone();
        let part = self.part(place, &path[..common]);
        self.replicas[number].input = Some(part);
        match entry {
            Entry::Free => {}
            Entry::HandedOut(deals) => {
                self.replicas[number].lane = self.lane(part, &path, common, &entries[..deals]);
            }
            Entry::InTurn => {
                let levels = entries.iter().zip(common..);
                let turns = levels
                    .filter_map(|(group, level)| Some((self.deal(*group, &path[..level])?, path[level])));
                self.replicas[number].turns = turns.collect();
            }
        }
        self.wait_for_item(number);
    }

    /// The buffer of a replica of nested deals, to which the sender hands items out.
    fn lane(&mut self, part: usize, path: &[u32], common: usize, deals: &[Group]) -> usize {
        let found: Vec<usize> = deals
            .iter()
            .zip(common..)
            .filter_map(|(group, level)| self.deal(*group, &path[..level]))
            .collect();
        self.parts[part].handed_out = found.first().copied();
        for (level, pair) in found.windows(2).enumerate() {
            self.deals[pair[0]].below.insert(path[common + level], Below::Deal(pair[1]));
        }
        let (innermost, member) = (found[found.len() - 1], path[common + found.len() - 1]);
        if let Some(&Below::Lane(lane)) = self.deals[innermost].below.get(&member) {
            return lane;
        }
        let lane = self.parts[part].add_lane();
        self.deals[innermost].below.insert(member, Below::Lane(lane));
        lane
    }

    fn connect_output(&mut self, number: usize) {
        let (place, path) = (self.replicas[number].place + 1, self.replicas[number].path.clone());
        if place == self.places.len() {
            return;
        }
        let common = self.between[place].common;
        let part = self.part(place, &path[..common]);
        self.parts[part].senders += 1;
        self.replicas[number].output = Some(part);
        if self.between[place].gathered.is_some() {
            self.replicas[number].own_buffer = Some(self.parts[part].buffer_behind(path[common]));
        }
    }

    /// Lets everything happen until this moment.
    pub(super) fn run_until(&mut self, end: Moment, services: &mut impl Services) {
        self.settle(services);
        while let Some(&Reverse((at, number))) = self.ends.peek()
            && at <= end
        {
            self.ends.pop();
            self.now = at;
            self.events += 1;
            self.replicas[number].complete(at);
            self.hand_over(number);
            self.settle(services);
        }
        self.now = end;
    }

    /// A replica puts its item into the buffer behind it, or waits for room there.
    fn hand_over(&mut self, number: usize) {
        let Some(part) = self.replicas[number].output else { return self.given(number) };
        let Some(buffer) = self.target(number, part) else { return };
        let Part { capacity, buffers, .. } = &self.parts[part];
        if buffers[buffer].blocked.is_empty() && buffers[buffer].items < *capacity {
            self.put(part, buffer);
            self.given(number);
        } else {
            self.parts[part].buffers[buffer].blocked.push_back(number);
        }
        self.changed.push(part);
    }

    /// The buffer in which a replica puts its next item.
    fn target(&self, number: usize, part: usize) -> Option<usize> {
        if let Some(own) = self.replicas[number].own_buffer {
            return Some(own);
        }
        let Some(mut deal) = self.parts[part].handed_out else { return Some(0) };
        loop {
            let member = self.deals[deal].turn()?;
            match self.deals[deal].below.get(&member)? {
                Below::Lane(lane) => return Some(*lane),
                Below::Deal(next) => deal = *next,
            }
        }
    }

    fn put(&mut self, part: usize, buffer: usize) {
        self.parts[part].buffers[buffer].items += 1;
        self.count(self.parts[part].place, 1);
        self.advance_from(self.parts[part].handed_out);
    }

    /// The sender handed out an item: another replica is next in each of the nested deals.
    fn advance_from(&mut self, deal: Option<usize>) {
        let mut deal = deal;
        while let Some(now) = deal {
            let below = self.deals[now].turn().and_then(|turn| self.deals[now].below.get(&turn).copied());
            self.deals[now].advance();
            deal = match below {
                Some(Below::Deal(next)) => Some(next),
                _ => None,
            };
        }
    }

    /// More or fewer items wait before a place.
    fn count(&mut self, place: usize, change: i64) {
        let (items, since, sum) = &mut self.queues[place];
        *sum += *items * (self.now - *since);
        *items = items.saturating_add_signed(change);
        *since = self.now;
    }

    fn given(&mut self, number: usize) {
        self.replicas[number].give(self.now);
        self.wait_for_item(number);
    }

    fn wait_for_item(&mut self, number: usize) {
        let Some(part) = self.replicas[number].input else { return };
        let lane = self.replicas[number].lane;
        self.parts[part].starved[lane].push_back(number);
        self.changed.push(part);
    }

    /// Moves items on as far as they can.
    fn settle(&mut self, services: &mut impl Services) {
        while let Some(part) = self.changed.pop() {
            for lane in 0..self.parts[part].starved.len() {
                self.let_leave(part, lane);
                while self.take(part, lane, services) {}
                self.let_leave(part, lane);
            }
        }
    }

    /// One of those who wait in a lane takes an item, if one can.
    fn take(&mut self, part: usize, lane: usize, services: &mut impl Services) -> bool {
        let Some(buffer) = self.parts[part].source_of(lane, &self.deals) else { return false };
        if !self.parts[part].has_item(buffer) {
            return false;
        }
        let Some(number) = self.next_of(part, lane) else { return false };
        if !self.parts[part].is_endless {
            self.remove_item(part, buffer);
        }
        if let Some(deal) = self.parts[part].gathered
            && let Some(order) = &mut self.deals[deal].order
        {
            order.pop_front();
        }
        for turn in 0..self.replicas[number].turns.len() {
            let (deal, _) = self.replicas[number].turns[turn];
            self.deals[deal].advance();
        }
        self.adjust_workers(number);
        let replica = &mut self.replicas[number];
        let (place, workers, now) = (replica.place, replica.present(), self.now);
        let end = replica.begin(now, |worker| services.time(place, worker, workers, now));
        self.ends.push(Reverse((end, number)));
        true
    }

    /// A team has the workers that it should have when it takes an item.
    fn adjust_workers(&mut self, number: usize) {
        let replica = &mut self.replicas[number];
        let Some(&wanted) = self.wanted.get(&self.places[replica.place].id) else { return };
        replica.dismiss_beyond(wanted as usize, self.now);
        while replica.present() < wanted as usize {
            self.listed[replica.place].push((number, replica.workers.len()));
            replica.join(self.now);
        }
    }

    /// Who takes the next item of a lane: whoever waits longest and has the turn.
    fn next_of(&mut self, part: usize, lane: usize) -> Option<usize> {
        let has_turn = |number: &usize| {
            let turns = &self.replicas[*number].turns;
            turns.iter().all(|&(deal, member)| self.deals[deal].turn() == Some(member))
        };
        let starved = &self.parts[part].starved[lane];
        let place = starved.iter().position(has_turn)?;
        self.parts[part].starved[lane].remove(place)
    }

    /// An item leaves a buffer, or the hands of one who waits for room in it.
    fn remove_item(&mut self, part: usize, buffer: usize) {
        if self.parts[part].buffers[buffer].items == 0 {
            let Some(sender) = self.parts[part].buffers[buffer].blocked.pop_front() else { return };
            self.advance_from(self.parts[part].handed_out);
            return self.given(sender);
        }
        self.parts[part].buffers[buffer].items -= 1;
        self.count(self.parts[part].place, -1);
        self.let_in(part, buffer);
    }

    /// Those who wait for room put their items into a buffer, as far as there is room.
    fn let_in(&mut self, part: usize, buffer: usize) {
        while self.parts[part].buffers[buffer].items < self.parts[part].capacity {
            let Some(sender) = self.parts[part].buffers[buffer].blocked.pop_front() else { return };
            self.put(part, buffer);
            self.given(sender);
        }
    }

    /// Those who wait in a lane and are to leave do so as soon as no item is left for them.
    fn let_leave(&mut self, part: usize, lane: usize) {
        if self.leaving == 0 {
            return;
        }
        let may_leave = |number: &usize| {
            self.replicas[*number].leaves.is_some_and(|depth| self.is_done(part, lane, depth))
        };
        let starved = &self.parts[part].starved[lane];
        let leaving: Vec<usize> = starved.iter().copied().filter(may_leave).collect();
        for number in leaving {
            self.parts[part].starved[lane].retain(|&other| other != number);
            self.replicas[number].leave(self.now);
            self.leaving -= 1;
            if let Some(output) = self.replicas[number].output {
                self.parts[output].senders -= 1;
                self.changed.push(output);
            }
        }
    }

    /// Whether nothing will come any more to those who leave with a replica of the deal or farm at this
    /// depth.
    fn is_done(&self, part: usize, lane: usize, depth: usize) -> bool {
        let place = self.parts[part].place;
        let common = self.between[place].common;
        match self.between[place].entry {
            _ if depth < common => self.parts[part].has_ended(),
            Entry::HandedOut(deals) if depth < common + deals => {
                let buffer = &self.parts[part].buffers[lane];
                buffer.items == 0 && buffer.blocked.is_empty()
            }
            _ => true,
        }
    }

    /// Sets the number of replicas of a deal or farm, everywhere where it is.
    pub(super) fn set_replicas(
        &mut self,
        tree: &Tree,
        id: StageId,
        replicas: u32,
        services: &mut impl Services,
    ) {
        let &Stage::Replicated { worker, .. } = tree.stage(id) else { return };
        self.wanted.insert(id, replicas);
        let paths: Vec<Vec<u32>> =
            self.instances.keys().filter(|(of, _)| *of == id).map(|(_, path)| path.clone()).collect();
        for path in paths {
            let count = |network: &Network| network.instances[&(id, path.clone())].members.len();
            while count(self) < replicas as usize {
                self.add_member(tree, id, worker, &path);
            }
            while count(self) > replicas as usize {
                self.dismiss_last(id, &path);
            }
        }
        self.settle(services);
    }

    fn dismiss_last(&mut self, id: StageId, path: &[u32]) {
        let Some(instance) = self.instances.get_mut(&(id, path.to_vec())) else { return };
        let Some(member) = instance.members.pop() else { return };
        if let Some(deal) = instance.deal {
            self.deals[deal].remove(member);
        }
        let (depth, whole) = (path.len(), [path, &[member]].concat());
        let is_below = |groups: &[Group], path: &[u32]| {
            path.starts_with(&whole) && groups.get(depth).is_some_and(|group| group.id == id)
        };
        let places = &self.places;
        self.instances.retain(|(of, path), _| {
            let of_group = |place: &&Place| place.groups.iter().any(|group| group.id == *of);
            !places.iter().find(of_group).is_some_and(|place| is_below(&place.groups, path))
        });
        for replica in self.replicas.iter_mut().filter(|replica| replica.doing != Doing::Left) {
            if is_below(&places[replica.place].groups, &replica.path) {
                self.leaving += usize::from(replica.leaves.is_none());
                replica.leaves = Some(replica.leaves.map_or(depth, |outer| outer.min(depth)));
            }
        }
        self.changed.extend(0..self.parts.len());
        self.send_elsewhere();
    }

    /// A sender that waits for room before a replica that has gone hands its item to the next one.
    fn send_elsewhere(&mut self) {
        for part in 0..self.parts.len() {
            if self.parts[part].handed_out.is_none() {
                continue;
            }
            let buffers = self.parts[part].buffers.iter_mut();
            let waiting: Vec<usize> = buffers.flat_map(|buffer| buffer.blocked.drain(..)).collect();
            waiting.into_iter().for_each(|sender| self.hand_over(sender));
        }
    }

    /// Sets the number of workers of a team: it changes between two items.
    pub(super) fn set_workers(&mut self, id: StageId, workers: u32) {
        self.wanted.insert(id, workers);
    }

    /// Sets the capacity of all buffers between tasks.
    pub(super) fn set_capacity(&mut self, capacity: usize, services: &mut impl Services) {
        let is_between = |place: &Place| place.id != OUTSIDE;
        for number in 1..self.places.len() {
            if is_between(&self.places[number]) && is_between(&self.places[number - 1]) {
                self.capacities[number] = capacity;
            }
        }
        for part in &mut self.parts {
            part.capacity = self.capacities[part.place];
        }
        for part in 0..self.parts.len() {
            (0..self.parts[part].buffers.len()).for_each(|buffer| self.let_in(part, buffer));
        }
        self.settle(services);
    }

    pub(super) fn replicas(&self, place: usize) -> impl Iterator<Item = (&Replica, usize)> {
        self.listed[place].iter().map(|&(replica, worker)| (&self.replicas[replica], worker))
    }

    /// The items before a place, and how long items waited there in sum.
    pub(super) fn queue(&self, place: usize) -> (u64, u64) {
        let (items, since, sum) = self.queues[place];
        (items, sum + items * (self.now - since))
    }
}

/// The numbers of replicas and of workers of a tree.
fn wanted(tree: &Tree) -> BTreeMap<StageId, u32> {
    let number = |id: StageId| match tree.stage(id) {
        Stage::Replicated { replicas, .. } => Some((id, *replicas)),
        Stage::Team(team) => Some((id, team.workers)),
        Stage::Task(_) | Stage::Pipe(_) => None,
    };
    tree.ids().filter_map(number).collect()
}
