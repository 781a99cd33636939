//! The thread that manages a run.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use skel_core::skeleton::{Program, Tree};
use skel_run::Control;
use skel_run::monitor::{Series, Snapshot};

use super::actuators::OfRun;
use super::live::Live;
use crate::decision::{Event, Log};
use crate::manager::Manager;

/// How a run is managed.
pub(super) struct Management {
    pub(super) manager: Manager,
    pub(super) control: Control,
    pub(super) program: Program<Tree>,
    pub(super) tick: Duration,
    /// How many snapshots are kept.
    pub(super) most: usize,
    pub(super) live: Option<Live>,
}

/// What it leaves.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) log: Log,
    snapshots: Vec<Snapshot>,
}

/// The thread. When this is dropped, it ends.
#[derive(Debug)]
pub(super) struct Keeper {
    ending: Arc<Ending>,
    thread: Option<JoinHandle<Kept>>,
}

/// Whether the run has ended.
#[derive(Debug, Default)]
struct Ending {
    has_ended: Mutex<bool>,
    ended: Condvar,
}

impl Keeper {
    /// Starts the thread.
    pub(super) fn start(management: Management) -> std::io::Result<Self> {
        let ending = Arc::new(Ending::default());
        let theirs = Arc::clone(&ending);
        let manager = Builder::new().name("skel manager".to_owned());
        let thread = manager.spawn(move || manage(management, &theirs))?;
        Ok(Keeper { ending, thread: Some(thread) })
    }

    /// Ends the thread.
    pub(super) fn stop(mut self) -> Kept {
        match self.end() {
            Some(Ok(kept)) => kept,
            Some(Err(thrown)) => std::panic::resume_unwind(thrown),
            None => Kept::default(),
        }
    }

    fn end(&mut self) -> Option<std::thread::Result<Kept>> {
        self.ending.end();
        self.thread.take().map(JoinHandle::join)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // The thread's own panic was printed by its hook; a destructor must not panic again.
        let _ = self.end();
    }
}

impl Ending {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.has_ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        *self.lock() = true;
        self.ended.notify_all();
    }

    /// Waits until a moment, or until the end. Whether it has ended.
    fn wait_until(&self, moment: Instant) -> bool {
        let rest = moment.saturating_duration_since(Instant::now());
        let waited = self.ended.wait_timeout_while(self.lock(), rest, |has_ended| !*has_ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Kept {
    /// The snapshots, and the last of all, which the run's report has.
    pub(super) fn series(&mut self, last: Option<&Snapshot>) -> Series {
        let mut snapshots = std::mem::take(&mut self.snapshots);
        let before = snapshots.last().map(|snapshot| snapshot.at);
        snapshots.extend(last.filter(|last| before.is_none_or(|before| last.at > before)).cloned());
        Series::of(snapshots)
    }

    fn keep(&mut self, snapshot: Snapshot, most: usize) -> bool {
        self.snapshots.push(snapshot);
        let is_full = self.snapshots.len() > most;
        if is_full {
            let mut place = 0;
            self.snapshots.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        is_full
    }
}

/// Observes the run at each tick, until it has ended. Each time as many snapshots are kept as may be, every
/// second one is left out, and from then on half as many are kept.
fn manage(management: Management, ending: &Ending) -> Kept {
    let Management { mut manager, control, program, tick, most, mut live } = management;
    let mut run = OfRun::new(control.clone(), program);
    let (mut kept, mut next) = (Kept::default(), Instant::now());
    let (mut every, mut since_kept) = (1_u64, 0);
    loop {
        next += tick;
        if ending.wait_until(next) {
            return kept;
        }
        let Some(snapshot) = control.snapshot() else {
            if kept.snapshots.is_empty() { continue } else { return kept }
        };
        let events = manager.observe(&snapshot, &mut run);
        since_kept += 1;
        if let Some(live) = &mut live {
            live.show(&snapshot, &events);
        }
        if since_kept == every || kept.snapshots.is_empty() {
            since_kept = 0;
            every <<= u32::from(kept.keep(snapshot, most));
        }
        note(events, &mut kept.log);
        // After a pause of the whole machine, missed ticks are not made up for.
        next = next.max(Instant::now().checked_sub(tick).unwrap_or(next));
    }
}

fn note(events: Vec<Event>, log: &mut Log) {
    #[cfg(feature = "tracing")]
    events.iter().for_each(Event::trace);
    log.events.extend(events);
}
