//! How many items travel together, and which engine runs them: by the measured grain, unless it is said.

use std::time::Duration;

use crate::monitor::{Monitors, Snapshot};
use crate::progress::Progress;
use crate::sync::{Arc, AtomicUsize, Ordering};

/// How large parcels are, and whether the engine is the right one.
pub(crate) struct Tuning {
    monitors: Arc<Monitors>,
    /// How many items a parcel has at most, and the bit [`SAID`] if that was said, and is not chosen here.
    batch: AtomicUsize,
    /// Whether the engine is chosen here, and the present one is not the pull engine.
    chooses_engine: bool,
}

/// A parcel should take a task at least so long that the cost of its move is small beside it: some 5 us of
/// processor time where the receiver sleeps and is woken.
const PARCEL: Duration = Duration::from_micros(100);

/// Tasks that take less for an item, all together, are better served by threads that take it through all of
/// them.
const FINE: Duration = Duration::from_micros(10);

/// The most items that travel together.
const MOST: u128 = 1024;

/// The size of parcels is said.
const SAID: usize = 1 << (usize::BITS - 1);

/// The grain is looked at after this many parcels, and then whenever their number has doubled.
const FIRST_LOOK: u64 = 64;

impl Tuning {
    /// A batch that is said, or one that is chosen.
    pub(crate) fn new(monitors: Arc<Monitors>, batch: Option<usize>, chooses_engine: bool) -> Self {
        let batch = AtomicUsize::new(batch.map_or(1, |batch| batch | SAID));
        Tuning { monitors, batch, chooses_engine }
    }

    /// The same, from another size of parcels on.
    pub(crate) fn beginning_with(self, batch: usize) -> Self {
        self.batch.store(batch, Ordering::Relaxed);
        self
    }

    /// How many items a parcel has at most.
    #[inline]
    pub(crate) fn batch(&self) -> usize {
        self.batch.load(Ordering::Relaxed) & !SAID
    }

    /// Another size of parcels, which is said.
    pub(crate) fn set_batch(&self, items: usize) {
        self.batch.store(items | SAID, Ordering::Relaxed);
    }

    fn chooses_batch(&self) -> bool {
        self.batch.load(Ordering::Relaxed) & SAID == 0
    }

    /// So many parcels were taken from the source: looks at the grain now and then.
    #[inline]
    pub(crate) fn look(&self, parcels: u64, progress: &Progress) {
        let is_due = parcels >= FIRST_LOOK && parcels.is_power_of_two();
        if is_due && (self.chooses_batch() || self.chooses_engine) {
            self.choose(&self.monitors.snapshot(), progress);
        }
    }

    #[cold]
    fn choose(&self, snapshot: &Snapshot, progress: &Progress) {
        let Some(times) = service_times(snapshot) else { return };
        let longest = times.iter().max().copied().unwrap_or_default();
        let chosen = (PARCEL.as_nanos() / longest.as_nanos().max(1)).clamp(1, MOST) as usize;
        // A size that is said stays, also one that is said at this moment.
        let choose = |batch| (batch & SAID == 0).then_some(chosen);
        let _ = self.batch.fetch_update(Ordering::Relaxed, Ordering::Relaxed, choose);
        if self.chooses_engine && times.iter().sum::<Duration>() < FINE {
            progress.switch();
        }
    }
}

/// The mean service time of an item at each task. None as long as one of them has served no item.
pub(crate) fn service_times(snapshot: &Snapshot) -> Option<Vec<Duration>> {
    let per_item = |task: &crate::monitor::TaskFigures| {
        let items = task.items();
        let busy: Duration = task.replicas.iter().map(|replica| replica.busy).sum();
        (items > 0).then(|| busy.div_f64(items as f64))
    };
    snapshot.tasks.iter().map(per_item).collect()
}
