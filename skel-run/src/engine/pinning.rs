//! Which processor a thread stays on.

use crate::sync::{AtomicUsize, Ordering};

/// The processors of the machine, handed out one after the other.
#[derive(Debug)]
pub(crate) struct Pinning {
    cores: Vec<core_affinity::CoreId>,
    next: AtomicUsize,
}

impl Pinning {
    /// All processors that this process may use.
    pub(crate) fn new() -> Self {
        Pinning { cores: core_affinity::get_core_ids().unwrap_or_default(), next: AtomicUsize::new(0) }
    }

    /// This thread stays on the next processor. Where the system does not allow it, the thread stays free.
    pub(crate) fn pin(&self) {
        let Some(count) = self.cores.len().checked_sub(1) else { return };
        let place = self.next.fetch_add(1, Ordering::Relaxed) % (count + 1);
        core_affinity::set_for_current(self.cores[place]);
    }
}
