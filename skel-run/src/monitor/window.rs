//! What was done between two moments, and windows that end when enough was done.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use super::figures::{ReplicaFigures, Snapshot, TaskFigures, scv};
use super::recorder::Timing;
use super::registry::Monitors;

impl Snapshot {
    /// What was done since an earlier snapshot of the same run. What is now (queues, waits, which replicas
    /// have left) stays as it is.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::StageId;
    /// use skel_run::monitor::{Monitors, Watch};
    ///
    /// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
    /// let recorder = monitors.replica(0);
    /// let mut watch = Watch::new(&recorder);
    /// let mut serve = |items| {
    ///     for _ in 0..items {
    ///         watch.took(1, false);
    ///         watch.served(1);
    ///         watch.gave(1, false);
    ///     }
    /// };
    /// serve(10);
    /// let earlier = monitors.snapshot();
    /// serve(5);
    /// let window = monitors.snapshot().since(&earlier);
    /// assert_eq!(window.tasks[0].items(), 5);
    /// assert_eq!(window.from, earlier.at);
    /// ```
    #[must_use]
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        let tasks = self.tasks.iter().enumerate().map(|(place, task)| match earlier.tasks.get(place) {
            Some(earlier) => task.since(earlier),
            None => task.clone(),
        });
        Snapshot { from: earlier.at, at: self.at, tasks: tasks.collect() }
    }
}

impl TaskFigures {
    fn since(&self, earlier: &TaskFigures) -> TaskFigures {
        let none = ReplicaFigures::default();
        let before = earlier.replicas.iter().chain(std::iter::repeat(&none));
        TaskFigures {
            queued: self.queued.saturating_sub(earlier.queued),
            replicas: self.replicas.iter().zip(before).map(|(now, before)| now.since(before)).collect(),
            ..self.clone()
        }
    }
}

impl ReplicaFigures {
    /// A figure of a thread that serves several tasks is an estimate, and can be less than it was: then the
    /// difference is 0.
    fn since(&self, earlier: &ReplicaFigures) -> ReplicaFigures {
        let timed = self.timed.saturating_sub(earlier.timed);
        let timed_service = self.timed_service.saturating_sub(earlier.timed_service);
        let squares = self.squares.saturating_sub(earlier.squares);
        ReplicaFigures {
            served: self.served.saturating_sub(earlier.served),
            items: self.items.saturating_sub(earlier.items),
            taken: self.taken.saturating_sub(earlier.taken),
            given: self.given.saturating_sub(earlier.given),
            busy: self.busy.saturating_sub(earlier.busy),
            starved: self.starved.saturating_sub(earlier.starved),
            blocked: self.blocked.saturating_sub(earlier.blocked),
            awaiting: self.awaiting.saturating_sub(earlier.awaiting),
            overhead: self.overhead.saturating_sub(earlier.overhead),
            service: self.service.saturating_sub(earlier.service),
            timed,
            timed_service,
            squares,
            scv: scv(timed, timed_service, squares),
            held: self.held.saturating_sub(earlier.held),
            states: self.states.saturating_sub(earlier.states),
            renewing: self.renewing.saturating_sub(earlier.renewing),
            kept: self.kept.saturating_sub(earlier.kept),
            skipped: self.skipped.saturating_sub(earlier.skipped),
            retried: self.retried.saturating_sub(earlier.retried),
            replaced: self.replaced.saturating_sub(earlier.replaced),
            ..*self
        }
    }
}

/// The least and the longest pause between two looks at a window.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// A window that ends when each task has had so many services.
#[derive(Debug)]
pub struct Window<'m> {
    monitors: &'m Monitors,
    services: u64,
    beginning: Snapshot,
}

/// A window of no services has no mean service time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyWindow;

/// A window did not get as many services as it should have.
#[derive(Clone, Debug, PartialEq)]
pub struct TooFewServices {
    /// The task that had fewest.
    pub task: String,
    /// How many it had.
    pub had: u64,
    /// How many it should have had.
    pub wanted: u64,
    /// Whether every replica has left, so that no more will come.
    pub has_ended: bool,
    /// What was done nevertheless.
    pub window: Snapshot,
}

impl Monitors {
    /// A window that begins now and ends when each task has had so many services; with [`Timing::Sampled`]
    /// only those that were timed count. A manager decides by windows: the mean of 400 exponential times is
    /// within 5 % of the truth in two of three cases.
    ///
    /// # Errors
    /// [`EmptyWindow`] if it should have no services.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use skel_core::skeleton::StageId;
    /// use skel_run::monitor::{Monitors, Watch};
    ///
    /// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
    /// let recorder = monitors.replica(0);
    /// let window = monitors.window(400)?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         let mut watch = Watch::new(&recorder);
    ///         for _ in 0..1000 {
    ///             watch.took(1, false);
    ///             watch.served(1);
    ///             watch.gave(1, false);
    ///         }
    ///     });
    ///     let window = window.wait(Duration::from_secs(10))?;
    ///     assert!(window.tasks[0].served() >= 400);
    ///     assert!(monitors.window(0).is_err());
    ///     Ok(())
    /// })
    /// # .map_err(|error: skel_run::monitor::TooFewServices| error.to_string())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn window(&self, services: u64) -> Result<Window<'_>, EmptyWindow> {
        match services {
            0 => Err(EmptyWindow),
            _ => Ok(Window { monitors: self, services, beginning: self.snapshot() }),
        }
    }
}

impl Window<'_> {
    /// Between samples, only the sum of many services is known, which also contains waits.
    fn services_of(&self, task: &TaskFigures) -> u64 {
        match self.monitors.timing {
            Timing::Every => task.served(),
            Timing::Sampled => task.timed(),
        }
    }

    /// What was done since it began.
    ///
    /// # Errors
    /// [`TooFewServices`] if a task has not had its services yet.
    pub fn now(&self) -> Result<Snapshot, TooFewServices> {
        let snapshot = self.monitors.snapshot();
        let has_ended = snapshot.has_ended();
        let window = snapshot.since(&self.beginning);
        match window.tasks.iter().min_by_key(|task| self.services_of(task)) {
            Some(task) if self.services_of(task) < self.services => Err(TooFewServices {
                task: task.name.clone(),
                had: self.services_of(task),
                wanted: self.services,
                has_ended,
                window,
            }),
            _ => Ok(window),
        }
    }

    /// Waits until it ends. It looks every few milliseconds, and costs the replicas nothing.
    ///
    /// # Errors
    /// [`TooFewServices`] if it has not ended after `limit`, or if all replicas have left before.
    pub fn wait(&self, limit: Duration) -> Result<Snapshot, TooFewServices> {
        let beginning = Instant::now();
        loop {
            let passed = beginning.elapsed();
            match self.now() {
                Err(few) if !few.has_ended && passed < limit => {
                    let missing = few.wanted - few.had;
                    let pause = passed.mul_f64(missing as f64 / few.had.max(1) as f64);
                    thread::sleep(pause.clamp(PAUSES.0, PAUSES.1).min(limit - passed));
                }
                ended => return ended,
            }
        }
    }
}

impl fmt::Display for EmptyWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a window of no services has no mean service time; ask for at least 1, or 400 for a mean within 5 %")
    }
}

impl std::error::Error for EmptyWindow {}

impl fmt::Display for TooFewServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooFewServices { task, had, wanted, has_ended, window } = self;
        let ended = if *has_ended { ", and then every replica had left" } else { "" };
        let span = window.span().as_secs_f64();
        write!(f, "in {span:.3} s the task `{task}` had {had} of {wanted} services{ended}")
    }
}

impl std::error::Error for TooFewServices {}
