//! The tasks of a run, each with the connections before and behind it.

use crate::engine::station::Station;
use crate::functions::Leaf;
use crate::monitor::{Keeper, LeaderWatch, Moments, Monitors, Watch};
use crate::network::{Connection, Ended, Inlet, Outlet, Region, Registry};
use crate::parcel::{Items, Parcel, drop_safely};
use crate::progress::Progress;
use crate::queue::{Closed, Waited};
use crate::sync::Arc;
use crate::team::{Hands, Job, Shares, Spawn, Staff};

/// What all tasks of a run share.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) registry: Arc<Registry>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) progress: Arc<Progress>,
    /// For each task who should serve an item together; none where one thread does.
    pub(crate) staff: Arc<[Option<Arc<Staff>>]>,
}

/// Makes the threads of one task.
pub(crate) trait Workplace<'env>: Send {
    /// The work of one replica, in these replicas of the deals and farms around it. Its ends of the
    /// connections are made at once.
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
    spawn: Spawn<'env>,
}

impl<'env> Plan<'env> {
    /// No tasks yet.
    pub(crate) fn new(shop: Shop, spawn: Spawn<'env>) -> Self {
        Plan { shop, places: Vec::new(), spawn }
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
        let (shop, behind, spawn) = (self.shop.clone(), Arc::clone(&outlet), Arc::clone(&self.spawn));
        self.places.push(Box::new(Placed { leaf, policy, task, shop, spawn, inlet, outlet: behind }));
        outlet
    }
}

struct Placed<'env, L: Leaf> {
    leaf: &'env L,
    policy: &'env crate::functions::Policy<L::In>,
    task: usize,
    shop: Shop,
    spawn: Spawn<'env>,
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
        let regions = self.shop.registry.entered_by(self.task, replicas);
        let ends = Ends { inlet, outlet, regions };
        if let Some(hands) = self.hands() {
            return Ok(Box::new(move || {
                let watch = LeaderWatch::new(Arc::clone(&hands.leader), Arc::clone(&hands.moments));
                work(&station, ends, station.leaf.lead(hands), watch);
            }));
        }
        let recorder = self.shop.monitors.replica(self.task);
        Ok(Box::new(move || work(&station, ends, station.leaf.worker(), Watch::new(&recorder))))
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

impl<'env, L: Leaf + 'env> Placed<'env, L> {
    /// What the leader of several workers has of the run, if the task has several for each item.
    fn hands(&self) -> Option<Hands<'env>> {
        let team = self.shop.registry.layout.places[self.task].team?;
        let moments = Arc::new(Moments::default());
        let monitors = &self.shop.monitors;
        // Who waits for a majority alone must not be a worker that may be late.
        let leader = match team.is_early {
            true => monitors.coordinator(self.task, &moments),
            false => monitors.member(self.task, &moments, 0),
        };
        Some(Hands {
            is_early: team.is_early,
            task: self.task,
            staff: Arc::clone(self.shop.staff[self.task].as_ref()?),
            known: (0, Shares::equal(1)),
            spawn: Arc::clone(&self.spawn),
            monitors: Arc::clone(monitors),
            leader,
            moments,
        })
    }
}

/// Where a thread takes parcels, where it gives them, and the regions that they enter when it takes them.
struct Ends<'env, L: Leaf> {
    inlet: Inlet<'env, L::In>,
    outlet: Outlet<L::Out>,
    regions: Vec<Arc<Region>>,
}

/// The work of one thread, until its stream ends. A parcel of one item is brought through in registers, see
/// [`Parcel::by_parts`].
fn work<'env, L: Leaf>(
    station: &Station<'env, L>,
    Ends { mut inlet, mut outlet, regions }: Ends<'env, L>,
    mut worker: L::Worker<'env>,
    mut watch: impl Keeper,
) {
    while let Some((Parcel { mut number, items }, mut waited)) = inlet.take() {
        for region in &regions {
            waited = waited.or(region.enter(&mut number));
        }
        let given = match items {
            Items::One(item) => {
                watch.took(1, waited == Waited::Yes);
                let served = station.serve_safely(&mut worker, item, &mut watch);
                watch.served(1);
                match served {
                    Some(item) => {
                        outlet.give(Parcel { number, items: Items::One(item) }).map(|waited| (1, waited))
                    }
                    None => pass_on(&mut outlet, number, Items::none()),
                }
            }
            // Items that ended before left their turn behind.
            Items::Many(items) if items.is_empty() => match pass_on(&mut outlet, number, Items::none()) {
                Ok(_) => continue,
                Err(closed) => Err(closed),
            },
            Items::Many(items) => {
                let taken = items.len();
                watch.took(taken, waited == Waited::Yes);
                let items = station.serve(&mut worker, Items::Many(items), &mut watch);
                watch.served(taken);
                pass_on(&mut outlet, number, items)
            }
        };
        let Ok((given, waited)) = given else { break };
        watch.gave(given, waited == Waited::Yes);
    }
    drop(watch);
    drop_safely(worker);
}

/// Gives a parcel. How many items were in it, and whether the thread waited for room.
#[inline(never)]
fn pass_on<T: Send>(
    outlet: &mut Outlet<T>,
    number: u64,
    items: Items<T>,
) -> Result<(usize, Waited), Closed<Parcel<T>>> {
    let given = items.len();
    outlet.give(Parcel { number, items }).map(|waited| (given, waited))
}
