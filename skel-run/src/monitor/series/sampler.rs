//! A thread that takes a snapshot at intervals.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::Series;
use super::live::{self, LiveLine};
use crate::monitor::figures::Snapshot;
use crate::monitor::registry::Monitors;

/// How often snapshots are taken, how many are kept, and what is shown meanwhile.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use skel_core::skeleton::StageId;
/// use skel_run::monitor::{Monitors, Sampling};
///
/// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
/// let sampler = Sampling::every(Duration::from_millis(2)).at_most(100).start(&monitors);
/// std::thread::sleep(Duration::from_millis(20));
/// let series = sampler.stop();
/// assert!((2..=100).contains(&series.snapshots().len()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "nothing is sampled before it is started"]
pub struct Sampling {
    interval: Duration,
    most: usize,
    has_live_line: bool,
    #[cfg(feature = "tracing")]
    has_events: bool,
}

/// A thread that samples. It ends when this is dropped.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    series: Series,
    has_ended: bool,
}

/// The least interval.
const LEAST: Duration = Duration::from_millis(1);

impl Sampling {
    /// A snapshot at each of these intervals, which are at least 1 ms. At most 1000 of them are kept.
    pub fn every(interval: Duration) -> Self {
        Sampling {
            interval: interval.max(LEAST),
            most: 1000,
            has_live_line: false,
            #[cfg(feature = "tracing")]
            has_events: false,
        }
    }

    /// Keeps so many snapshots at most, and at least 2. When there are more, every second one is left out,
    /// and the interval doubles. So a run of any length has between half as many and so many.
    pub fn at_most(mut self, snapshots: usize) -> Self {
        self.most = snapshots.max(2);
        self
    }

    /// Shows on the terminal how fast the run is, and how busy each task, in one line that changes. Nothing
    /// is shown where the standard error is no terminal.
    pub fn live_line(mut self) -> Self {
        self.has_live_line = true;
        self
    }

    /// Reports each interval by events of the crate `tracing`, one for each task, with the target
    /// `skel::run`.
    #[cfg(feature = "tracing")]
    pub fn events(mut self) -> Self {
        self.has_events = true;
        self
    }

    /// Starts a thread that samples, with a snapshot of now.
    #[must_use]
    pub fn start(self, monitors: &Arc<Monitors>) -> Sampler {
        let state = State { series: Series::of([monitors.snapshot()]), has_ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), ended: Condvar::new() });
        let (theirs, monitors) = (Arc::clone(&shared), Arc::clone(monitors));
        // Where the system has no more threads, the run goes on without its series.
        let thread =
            Builder::new().name("skel sampler".to_owned()).spawn(move || sample(&self, &theirs, &monitors));
        Sampler { shared, thread: thread.ok() }
    }
}

impl Sampler {
    /// What was sampled until now.
    #[must_use]
    pub fn series(&self) -> Series {
        self.shared.lock().series.clone()
    }

    /// Takes a last snapshot, and ends the thread.
    #[must_use]
    pub fn stop(mut self) -> Series {
        self.end();
        std::mem::take(&mut self.shared.lock().series)
    }

    fn end(&mut self) {
        self.shared.lock().has_ended = true;
        self.shared.ended.notify_all();
        if let Some(thread) = self.thread.take() {
            // It panics only if the standard error does; the series is whole then as well.
            let _ = thread.join();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a moment, or until the end. Whether it has ended.
    fn wait_until(&self, moment: Instant) -> bool {
        let rest = moment.saturating_duration_since(Instant::now());
        let waited = self.ended.wait_timeout_while(self.lock(), rest, |state| !state.has_ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_ended
    }

    fn keep(&self, snapshot: Snapshot, most: usize) -> bool {
        let mut state = self.lock();
        state.series.push(snapshot);
        let is_full = state.series.snapshots().len() > most;
        if is_full {
            state.series.thin_out();
        }
        is_full
    }
}

/// What is shown has the intervals that were asked for, also where those that are kept are longer.
fn sample(sampling: &Sampling, shared: &Shared, monitors: &Monitors) {
    let mut live = sampling.has_live_line.then(LiveLine::of_standard_error).flatten();
    let (mut shown, mut next) = (monitors.snapshot(), Instant::now());
    let (mut every, mut since_kept) = (1_u64, 0);
    loop {
        next += sampling.interval;
        let has_ended = shared.wait_until(next);
        let snapshot = monitors.snapshot();
        show(sampling, live.as_mut(), &snapshot.since(&shown));
        since_kept += 1;
        if since_kept == every || has_ended {
            since_kept = 0;
            every <<= u32::from(shared.keep(snapshot.clone(), sampling.most));
        }
        shown = snapshot;
        if has_ended {
            return;
        }
        // After a pause of the whole machine, missed intervals are not made up for.
        let now = Instant::now();
        if now > next + sampling.interval {
            next = now;
        }
    }
}

#[cfg_attr(not(feature = "tracing"), expect(unused_variables))]
fn show(sampling: &Sampling, live: Option<&mut LiveLine>, window: &Snapshot) {
    if let Some(line) = live {
        line.show(&live::line(window));
    }
    #[cfg(feature = "tracing")]
    if sampling.has_events {
        window.trace();
    }
}
