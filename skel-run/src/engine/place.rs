//! The tasks of a run, each with the connections before and behind it.

use crate::engine::station::Station;
use crate::functions::Leaf;
use crate::monitor::{Monitors, Recorder, Watch};
use crate::network::{Connection, Ended, Inlet, Outlet, Region, Registry};
use crate::parcel::{Items, Parcel, drop_safely};
use crate::progress::Progress;
use crate::queue::Waited;
use crate::sync::Arc;

/// What all tasks of a run share.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) registry: Arc<Registry>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) progress: Arc<Progress>,
    /// If threads stay on a processor each.
    #[cfg(feature = "affinity")]
    pub(crate) pinning: Option<Arc<crate::engine::Pinning>>,
}

/// What a thread does, ready to be given to one.
pub(crate) type Job<'env> = Box<dyn FnOnce() + Send + 'env>;

/// Makes the threads of one task.
pub(crate) trait Workplace<'env>: Send {
    /// The work of one replica, in these replicas of the deals and farms around it. Its ends of the connections are made at once.
    fn replica(&self, replicas: &[u32]) -> Result<Job<'env>, Ended>;

    /// Dismisses a replica of a deal or farm by which items enter this task.
    fn dismiss(&self, replicas: &[u32]);

    /// Forgets what stands before this task in a replica that was dismissed before another task.
    fn forget(&self, replicas: &[u32]);

    /// Whether the stream to this task has ended.
    fn has_ended(&self, replicas: &[u32]) -> bool;
}

/// The tasks of a run, before it begins.
pub struct Plan<'env> {
    pub(crate) shop: Shop,
    pub(crate) places: Vec<Box<dyn Workplace<'env> + 'env>>,
}

impl<'env> Plan<'env> {
    /// No tasks yet.
    pub(crate) fn new(shop: Shop) -> Self {
        Plan { shop, places: Vec::new() }
    }

    /// The connection from the source.
    pub(crate) fn begin<T: Send + 'env>(&self, supply: Inlet<'env, T>) -> Arc<Connection<'env, T>> {
        Connection::new(0, &self.shop.registry, Some(supply))
    }

    /// The next task, and the connection behind it.
    pub(crate) fn place<L: Leaf + 'env>(
        &mut self,
        inlet: Arc<Connection<'env, L::In>>,
        leaf: &'env L,
        policy: &'env crate::functions::Policy<L::In>,
    ) -> Arc<Connection<'env, L::Out>> {
        let task = self.places.len();
        let outlet = Connection::new(task + 1, &self.shop.registry, None);
        let (shop, behind) = (self.shop.clone(), Arc::clone(&outlet));
        self.places.push(Box::new(Placed { leaf, policy, task, shop, inlet, outlet: behind }));
        outlet
    }
}

struct Placed<'env, L: Leaf> {
    leaf: &'env L,
    policy: &'env crate::functions::Policy<L::In>,
    task: usize,
    shop: Shop,
    inlet: Arc<Connection<'env, L::In>>,
    outlet: Arc<Connection<'env, L::Out>>,
}

impl<'env, L: Leaf + 'env> Workplace<'env> for Placed<'env, L> {
    fn replica(&self, replicas: &[u32]) -> Result<Job<'env>, Ended> {
        // The outlet comes first: as soon as there is an inlet, items may come.
        let outlet = self.outlet.outlet(replicas)?;
        let inlet = self.inlet.inlet(replicas)?;
        let progress = Arc::clone(&self.shop.progress);
        let station = Station { leaf: self.leaf, policy: self.policy, task: self.task, progress };
        let recorder = self.shop.monitors.replica(self.task);
        let regions = self.shop.registry.entered_by(self.task, replicas);
        Ok(Box::new(move || work(&station, inlet, outlet, &recorder, &regions)))
    }

    fn dismiss(&self, replicas: &[u32]) {
        self.inlet.dismiss(replicas);
    }

    fn forget(&self, replicas: &[u32]) {
        self.inlet.forget(replicas);
    }

    fn has_ended(&self, replicas: &[u32]) -> bool {
        self.inlet.has_ended(replicas)
    }
}

/// The work of one thread, until its stream ends.
fn work<'env, L: Leaf>(
    station: &Station<'env, L>,
    mut inlet: Inlet<'env, L::In>,
    mut outlet: Outlet<L::Out>,
    recorder: &Recorder,
    regions: &[Arc<Region>],
) {
    let mut worker = station.leaf.worker();
    let mut watch = Watch::new(recorder);
    while let Some((mut parcel, mut waited)) = inlet.take() {
        for region in regions {
            waited = waited.or(region.enter(&mut parcel));
        }
        let taken = parcel.items.len();
        if taken == 0 {
            // Items that ended before left their turn behind.
            let empty = Parcel { number: parcel.number, items: Items::none() };
            if outlet.give(empty).is_err() {
                break;
            }
            continue;
        }
        watch.took(taken, waited == Waited::Yes);
        let parcel = station.serve(&mut worker, parcel, &mut watch);
        watch.served(taken);
        let given = parcel.items.len();
        let Ok(waited) = outlet.give(parcel) else { break };
        watch.gave(given, waited == Waited::Yes);
    }
    drop(watch);
    drop_safely(worker);
}
