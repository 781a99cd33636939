//! How the tasks of a skeleton are connected: what stands between each task and the next.

use skel_core::skeleton::{Replication, Stage, StageId, TeamKind, TeamStage, Tree};

/// A deal or a farm around a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Its node.
    pub(crate) id: StageId,
    /// How it hands out items.
    pub(crate) kind: Replication,
    /// How many replicas it begins with.
    pub(crate) replicas: u32,
}

/// A task with the deals and farms around it, the outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// What replicates it.
    pub(crate) groups: Vec<Group>,
    /// The workers that serve an item together, if it is a map, a fault-tolerant stage or a map with state.
    pub(crate) team: Option<Team>,
}

/// Workers that serve an item together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    /// The node of their stage.
    pub(crate) id: StageId,
    /// Whether an item is done as soon as the majority have replied.
    pub(crate) is_early: bool,
}

impl Team {
    fn of(id: StageId, stage: &TeamStage) -> Self {
        let is_early = matches!(stage.kind, TeamKind::FaultTolerant { early: true });
        Team { id, is_early }
    }
}

/// How items leave the replicas on one side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// From one thread.
    One,
    /// In turn, each from a queue of its own: the replicas of a deal, each of which ends in one thread.
    InTurn,
    /// Through one queue for all.
    Shared,
}

/// How items come to the replicas on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// To one thread.
    One,
    /// The sender hands them out in turn, over so many nested deals. Below them there may be farms.
    InTurn(usize),
    /// Through one queue for all.
    Shared,
    /// The receivers take them one at a time from the one place where they come in order.
    Junction,
}

/// What stands between a task and the next one, or between the source and the first task, or the last task
/// and the sink.
#[derive(Clone, Debug)]
pub(crate) struct Between {
    /// The number of deals and farms around both sides: there is one such connection in each of their
    /// replicas.
    pub(crate) common: usize,
    /// The deals and farms that items leave.
    pub(crate) exits: Vec<Group>,
    /// Those that they enter.
    pub(crate) entries: Vec<Group>,
    /// How they leave.
    pub(crate) exit: Exit,
    /// How they enter.
    pub(crate) entry: Entry,
    /// How many parcels can wait.
    pub(crate) capacity: usize,
    /// Whether the receivers see items in order though they do not leave in order.
    pub(crate) is_ordered: bool,
}

/// All tasks, and what stands between them: one connection before each task and one behind the last.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) places: Vec<Place>,
    pub(crate) between: Vec<Between>,
    /// Whether results pass on out of order somewhere, because that was asked for.
    pub(crate) is_disordered: bool,
}

/// How many parcels can wait for the sink: at least so many, and as many as in the largest buffer. In the
/// model nothing stands behind the last task, so it should not wait.
const BEFORE_THE_SINK: usize = 64;

impl Layout {
    /// The connections of a skeleton. `capacities` has a number of parcels for each task, `is_unordered` says
    /// of a farm whether its results pass on as they come.
    pub(crate) fn new(tree: &Tree, capacities: &[usize], is_unordered: &dyn Fn(StageId) -> bool) -> Self {
        let mut places = Vec::new();
        collect(tree, tree.root(), &mut Vec::new(), &mut places);
        let none = Vec::new();
        let before_the_sink = capacities.iter().copied().fold(BEFORE_THE_SINK, usize::max);
        let between = (0..=places.len()).map(|number| {
            let before = number.checked_sub(1).map(|task| &places[task].groups);
            let after = places.get(number).map(|place| &place.groups);
            let capacity = if after.is_some() { capacities[number] } else { before_the_sink };
            let is_source = before.is_none();
            between(before.unwrap_or(&none), after.unwrap_or(&none), capacity, is_source, is_unordered)
        });
        let between: Vec<Between> = between.collect();
        let is_farm = |group: &Group| group.kind == Replication::Farm;
        let farms = places.iter().flat_map(|place| &place.groups).filter(|group| is_farm(group));
        let is_disordered = farms.into_iter().any(|farm| is_unordered(farm.id));
        Layout { between, places, is_disordered }
    }

    /// A deal or farm by its node.
    pub(crate) fn group(&self, id: StageId) -> Option<Group> {
        self.places.iter().flat_map(|place| &place.groups).find(|group| group.id == id).copied()
    }

    /// The layout of a farm of one task, for so many threads that all do the same.
    pub(crate) fn of_farm(threads: u32) -> Self {
        let farm = Group { id: StageId(0), kind: Replication::Farm, replicas: threads };
        let places = vec![Place { groups: vec![farm], team: None }];
        let between = vec![
            between(&[], &[farm], 0, true, &|_| false),
            between(&[farm], &[], BEFORE_THE_SINK, false, &|_| false),
        ];
        Layout { places, between, is_disordered: false }
    }

    /// The connection at which a region begins whose order is restored at connection `end`. None if it begins
    /// where items enter the replica that it is in.
    pub(crate) fn region_begins(&self, end: usize) -> Option<usize> {
        let common = self.between[end].common;
        let mut before = (0..end).rev().filter(|&number| self.between[number].common <= common);
        let passes = |between: &Between| between.exit == Exit::Shared && between.entry == Entry::Shared;
        let enters_replica = |between: &Between| between.common < common;
        let begin = before.find(|&number| {
            let between = &self.between[number];
            enters_replica(between) || !passes(between)
        })?;
        (self.between[begin].common == common).then_some(begin)
    }

    /// How many threads serve items between two connections, by the replicas of each deal and farm.
    pub(crate) fn threads_between(&self, begin: usize, end: usize, replicas: &dyn Fn(&Group) -> u32) -> u32 {
        let common = self.between[end].common;
        let threads = |place: &Place| place.groups[common..].iter().map(replicas).product::<u32>();
        let around = &self.places[end - 1].groups[..common];
        let inside = self.places[begin..end].iter().filter(|place| place.groups.starts_with(around));
        inside.map(threads).sum()
    }
}

/// The tasks below a node.
fn collect(tree: &Tree, id: StageId, groups: &mut Vec<Group>, places: &mut Vec<Place>) {
    match tree.stage(id) {
        Stage::Task(_) => places.push(Place { groups: groups.clone(), team: None }),
        Stage::Team(stage) => places.push(Place { groups: groups.clone(), team: Some(Team::of(id, stage)) }),
        Stage::Pipe(stages) => stages.iter().for_each(|&stage| collect(tree, stage, groups, places)),
        &Stage::Replicated { replication, replicas, worker } => {
            groups.push(Group { id, kind: replication, replicas });
            collect(tree, worker, groups, places);
            groups.pop();
        }
    }
}

fn between(
    before: &[Group],
    after: &[Group],
    capacity: usize,
    is_source: bool,
    is_unordered: &dyn Fn(StageId) -> bool,
) -> Between {
    let common = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (exits, entries) = (before[common..].to_vec(), after[common..].to_vec());
    let is_farm = |group: &Group| group.kind == Replication::Farm;
    let exit = match exits.as_slice() {
        [] => Exit::One,
        [only] if !is_farm(only) => Exit::InTurn,
        _ => Exit::Shared,
    };
    let deals = entries.iter().take_while(|group| !is_farm(group)).count();
    let has_only_farms_below = entries[deals..].iter().all(is_farm);
    let entry = match exit {
        _ if entries.is_empty() => Entry::One,
        Exit::One if !is_source && deals == 0 && has_only_farms_below => Entry::Shared,
        Exit::One if !is_source && has_only_farms_below => Entry::InTurn(deals),
        Exit::Shared if entries.iter().all(is_farm) => Entry::Shared,
        _ => Entry::Junction,
    };
    let is_wanted = !exits.iter().all(|group| is_farm(group) && is_unordered(group.id));
    let is_ordered = exit == Exit::Shared && entry != Entry::Shared && is_wanted;
    Between { common, exits, entries, exit, entry, capacity, is_ordered }
}
