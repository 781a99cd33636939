//! The pull engine: each of a few threads takes a parcel from the source and brings it through all tasks.
//!
//! Tasks that only one thread may serve at a time take parcels in order: a thread waits until its parcel has its turn. The one with the
//! earliest parcel never waits, so there is no deadlock.

use crate::engine::place::{Job, Shop, Workplace};
use crate::engine::station::Station;
use crate::functions::{Chain, Leaf, Policy};
use crate::monitor::{Recorder, Watch};
use crate::network::{Connection, Ended, Inlet};
use crate::parcel::{Parcel, drop_safely};
use crate::sync::{Arc, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, lock, spin, wait};

/// What one thread of the pull engine knows of the tasks.
pub struct Line {
    shop: Shop,
    /// What makes parcels take turns at the tasks that one thread serves at a time.
    gates: Arc<[Option<Gate>]>,
    recorders: Vec<Arc<Recorder>>,
}

/// A task as a part of the whole that one thread does.
pub(crate) struct FusedPart<'a, L: Leaf> {
    station: Station<'a, L>,
    /// The thread's own worker. None where workers are alone.
    worker: Option<L::Worker<'a>>,
    gate: Option<&'a Gate>,
    watch: Watch<'a>,
}

impl<L: Leaf> Drop for FusedPart<'_, L> {
    fn drop(&mut self) {
        drop_safely(self.worker.take());
    }
}

/// Brings parcels through one or several tasks.
pub trait Pass<'a, A, B> {
    /// Brings a parcel through.
    fn pass(&mut self, parcel: Parcel<A>) -> Parcel<B>;

    /// The clock of the last of the tasks.
    fn watch(&self) -> &Watch<'a>;
}

impl<'a, L: Leaf> Pass<'a, L::In, L::Out> for FusedPart<'a, L> {
    fn pass(&mut self, parcel: Parcel<L::In>) -> Parcel<L::Out> {
        self.serve(parcel, None)
    }

    fn watch(&self) -> &Watch<'a> {
        &self.watch
    }
}

/// Some tasks, and one behind them.
pub(crate) struct FusedPair<'a, A, L: Leaf> {
    pub(crate) before: Box<dyn Pass<'a, A, L::In> + 'a>,
    pub(crate) part: FusedPart<'a, L>,
}

impl<'a, A, L: Leaf> Pass<'a, A, L::Out> for FusedPair<'a, A, L> {
    fn pass(&mut self, parcel: Parcel<A>) -> Parcel<L::Out> {
        let parcel = self.before.pass(parcel);
        self.part.serve(parcel, Some(self.before.watch()))
    }

    fn watch(&self) -> &Watch<'a> {
        &self.part.watch
    }
}

impl<'a, L: Leaf> FusedPart<'a, L> {
    pub(crate) fn new(leaf: &'a L, policy: &'a Policy<L::In>, task: usize, line: &'a Line) -> Self {
        let progress = Arc::clone(&line.shop.progress);
        let station = Station { leaf, policy, task, progress };
        let worker = (!L::IS_ALONE).then(|| leaf.worker());
        FusedPart {
            station,
            worker,
            gate: line.gates[task].as_ref(),
            watch: Watch::new(&line.recorders[task]),
        }
    }

    /// Serves a parcel, which the thread took from the source, or from the task before.
    pub(crate) fn serve(&mut self, parcel: Parcel<L::In>, previous: Option<&Watch<'_>>) -> Parcel<L::Out> {
        let _turn = self.gate.map(|gate| gate.wait(parcel.number));
        let items = parcel.items.len();
        match previous {
            Some(previous) => self.watch.took_from(items, previous),
            None => self.watch.took(items, true),
        }
        let served = match &mut self.worker {
            Some(worker) => self.station.serve(worker, parcel, &mut self.watch),
            None => self.station.serve(&mut self.station.leaf.worker(), parcel, &mut self.watch),
        };
        self.watch.served(items);
        self.watch.gave(served.items.len(), false);
        served
    }
}

/// Lets parcels through in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    next: AtomicU64,
    waiting: AtomicUsize,
    lock: Mutex<()>,
    moved: Condvar,
}

/// The turn of a parcel, until it is dropped.
struct Turn<'a> {
    gate: &'a Gate,
    number: u64,
}

impl Gate {
    fn wait(&self, number: u64) -> Turn<'_> {
        let is_next = || self.next.load(Ordering::SeqCst) >= number;
        if !is_next() && !spin(is_next) {
            let mut guard = lock(&self.lock);
            self.waiting.fetch_add(1, Ordering::SeqCst);
            while !is_next() {
                guard = wait(&self.moved, guard);
            }
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
        Turn { gate: self, number }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // A thread that panics with a turn lets all others through: the run has failed.
        let next = if crate::sync::thread::panicking() { u64::MAX } else { self.number + 1 };
        self.gate.next.fetch_max(next, Ordering::SeqCst);
        if self.gate.waiting.load(Ordering::SeqCst) > 0 {
            let _guard = lock(&self.gate.lock);
            self.gate.moved.notify_all();
        }
    }
}

/// All tasks as the work of one thread of several.
pub(crate) struct FusedTasks<'env, C: Chain> {
    pub(crate) chain: &'env C,
    pub(crate) shop: Shop,
    pub(crate) gates: Arc<[Option<Gate>]>,
    pub(crate) inlet: Arc<Connection<'env, C::In>>,
    pub(crate) outlet: Arc<Connection<'env, C::Out>>,
}

impl<'env, C: Chain> Workplace<'env> for FusedTasks<'env, C> {
    fn replica(&self, replicas: &[u32]) -> Result<Job<'env>, Ended> {
        let mut outlet = self.outlet.outlet(replicas)?;
        let mut inlet: Inlet<'env, C::In> = self.inlet.inlet(replicas)?;
        let (chain, shop, gates) = (self.chain, self.shop.clone(), Arc::clone(&self.gates));
        Ok(Box::new(move || {
            let recorders = (0..C::TASKS).map(|task| shop.monitors.replica(task)).collect();
            let line = Line { shop, gates, recorders };
            let mut tasks = chain.fuse(&line);
            while let Some((parcel, _)) = inlet.take() {
                if outlet.give(tasks.pass(parcel)).is_err() {
                    return;
                }
            }
        }))
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
