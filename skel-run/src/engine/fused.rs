//! Several tasks as one step of one thread.

use crate::engine::gate::Gate;
use crate::engine::place::Shop;
use crate::engine::station::Station;
use crate::functions::{Leaf, Policy};
use crate::monitor::{Recorder, Watch};
use crate::parcel::{Parcel, drop_safely};
use crate::sync::Arc;

/// What one thread of the pull engine knows of the tasks.
pub struct Line {
    pub(crate) shop: Shop,
    /// What makes parcels take turns at the tasks that one thread serves at a time.
    pub(crate) gates: Arc<[Option<Gate>]>,
    pub(crate) recorders: Vec<Arc<Recorder>>,
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
            Some(worker) => self.station.serve(worker, parcel.items, &mut self.watch),
            None => self.station.serve(&mut self.station.leaf.worker(), parcel.items, &mut self.watch),
        };
        self.watch.served(items);
        self.watch.gave(served.len(), false);
        Parcel { number: parcel.number, items: served }
    }
}
