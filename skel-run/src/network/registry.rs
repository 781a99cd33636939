//! What connections share: the regions of the network, and the schedules of its deals.

use std::collections::HashMap;

use skel_core::skeleton::{Replication, StageId};

use crate::network::layout::{Group, Layout};
use crate::network::region::Region;
use crate::network::turns::Schedule;
use crate::sync::{Arc, Mutex, lock};

/// The replicas of the deals and farms around something, the outermost first.
pub(crate) type Replicas = Vec<u32>;

/// Regions and schedules, made when they are first asked for.
#[derive(Debug)]
pub(crate) struct Registry {
    pub(crate) layout: Layout,
    /// How many parcels a region holds for each thread in it.
    window: u32,
    /// How many replicas each deal and farm begins with, where that is not as in the layout any more.
    wanted: Mutex<HashMap<StageId, u32>>,
    regions: Mutex<HashMap<(usize, Replicas), Arc<Region>>>,
    schedules: Mutex<HashMap<(StageId, Replicas), Arc<Schedule>>>,
}

impl Registry {
    /// For a layout.
    pub(crate) fn new(layout: Layout, window: u32) -> Self {
        let (regions, schedules) = (Mutex::default(), Mutex::default());
        Registry { layout, window, wanted: Mutex::default(), regions, schedules }
    }

    /// How many replicas a deal or farm begins with, from now on. The windows of regions follow.
    pub(crate) fn want(&self, group: StageId, replicas: u32) {
        lock(&self.wanted).insert(group, replicas);
        for ((end, _), region) in &*lock(&self.regions) {
            region.resize(self.window_to(*end));
        }
    }

    /// How many parcels a region holds that ends at a connection.
    fn window_to(&self, end: usize) -> u32 {
        let begin = self.layout.region_begins(end).unwrap_or(0);
        let threads = self.layout.threads_between(begin, end, &|group| self.wanted(group));
        threads.saturating_mul(self.window)
    }

    /// How many replicas a deal or farm begins with.
    pub(crate) fn wanted(&self, group: &Group) -> u32 {
        lock(&self.wanted).get(&group.id).copied().unwrap_or(group.replicas)
    }

    /// The region at whose end, connection `end`, order is restored.
    pub(crate) fn region_to(&self, end: usize, replicas: &[u32]) -> Arc<Region> {
        let make = || {
            let is_plain = replicas.is_empty() && !self.layout.is_disordered;
            Arc::new(Region::new(self.window_to(end), is_plain))
        };
        Arc::clone(lock(&self.regions).entry((end, replicas.to_vec())).or_insert_with(make))
    }

    /// The region that begins at a connection.
    pub(crate) fn region_from(&self, begin: usize, replicas: &[u32]) -> Option<Arc<Region>> {
        let ends = begin + 1..self.layout.between.len();
        let begins = |end: &usize| {
            self.layout.between[*end].is_ordered && self.layout.region_begins(*end) == Some(begin)
        };
        Some(self.region_to(ends.into_iter().find(begins)?, replicas))
    }

    /// The region that begins in each replica of the deal or farm around these.
    pub(crate) fn region_inside(&self, group: StageId, replicas: &[u32]) -> Option<Arc<Region>> {
        let is_inside = |end: &usize| {
            let between = &self.layout.between[*end];
            let groups = &self.layout.places[*end - 1].groups;
            between.is_ordered
                && between.common.checked_sub(1).is_some_and(|level| groups[level].id == group)
                && self.layout.region_begins(*end).is_none()
        };
        Some(self.region_to((1..self.layout.between.len()).find(is_inside)?, replicas))
    }

    /// The schedule of a deal.
    pub(crate) fn schedule(&self, deal: StageId, replicas: &[u32]) -> Arc<Schedule> {
        let make = || Arc::new(Schedule::new());
        Arc::clone(lock(&self.schedules).entry((deal, replicas.to_vec())).or_insert_with(make))
    }

    /// Forgets the regions that end at a connection in these replicas.
    pub(crate) fn forget(&self, end: usize, replicas: &[u32]) {
        lock(&self.regions).retain(|(known, of), _| *known != end || !of.starts_with(replicas));
    }

    /// The regions that parcels enter when a task takes them: those of the farms that they enter with it.
    pub(crate) fn entered_by(&self, task: usize, replicas: &[u32]) -> Vec<Arc<Region>> {
        let between = &self.layout.between[task];
        let farms = between.entries.iter().enumerate().filter(|(_, group)| group.kind == Replication::Farm);
        farms
            .filter_map(|(level, group)| self.region_inside(group.id, &replicas[..=between.common + level]))
            .collect()
    }
}
