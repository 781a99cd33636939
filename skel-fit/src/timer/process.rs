//! The timer of one process: counters that its thread alone writes, so that a pass costs two readings of the
//! clock.

use std::cell::Cell;
use std::marker::PhantomData;

use super::times::ProcessTimes;
use super::{Segment, Timer};

/// Times the segments of one process, on the thread that made it. When it is dropped, the [`Timer`] has its
/// times.
#[derive(Debug)]
pub struct ProcessTimer<'t> {
    timer: &'t Timer,
    process: usize,
    machine: String,
    segments: Vec<Counters>,
    /// The ticks of the whole passes inside of the segment that runs now.
    inside: Cell<u64>,
    /// The clock of a thread's processor time is right on that thread alone.
    of_this_thread: PhantomData<*const ()>,
}

/// What the passes of a segment took together.
#[derive(Clone, Debug, Default)]
struct Counters {
    ticks: Cell<u64>,
    /// The part of these ticks in passes of segments inside of it.
    nested: Cell<u64>,
    passes: Cell<u64>,
    /// How many passes of it run now: more than one where it runs inside of itself.
    depth: Cell<u32>,
}

impl<'t> ProcessTimer<'t> {
    pub(super) fn new(timer: &'t Timer, process: usize, machine: &str) -> Self {
        ProcessTimer {
            timer,
            process,
            machine: machine.to_owned(),
            segments: vec![Counters::default(); timer.names.len()],
            inside: Cell::new(0),
            of_this_thread: PhantomData,
        }
    }

    /// Does some work and counts its time as a pass of a segment.
    ///
    /// Other segments may be timed inside of it: its time has theirs in it, and
    /// [`own`](super::SegmentTime::own) has not. A segment inside of itself belongs to the outermost pass. A
    /// pass that ends by a panic does not count, and its time belongs to the segment around it.
    ///
    /// # Panics
    /// If the segment is of a timer with more segments.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::timer::Timer;
    /// let (timer, [step, exchange]) = Timer::new(["step", "exchange"]);
    /// let process = timer.process(0, "bio");
    /// for _ in 0..3 {
    ///     process.time(step, || process.time(exchange, || ()));
    /// }
    /// drop(process);
    /// let times = timer.times();
    /// assert_eq!((times.of(step)[0].passes, times.of(exchange)[0].passes), (3, 3));
    /// assert!(times.of(step)[0].own <= times.of(step)[0].seconds);
    /// ```
    #[inline]
    pub fn time<T>(&self, segment: Segment, work: impl FnOnce() -> T) -> T {
        let mut pass = Pass::begin(self, &self.segments[segment.0]);
        let result = work();
        pass.is_whole = true;
        result
    }

    /// The seconds of all passes of a segment until now, on this thread's timer alone.
    ///
    /// # Panics
    /// If the segment is of a timer with more segments.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::timer::Timer;
    /// let (timer, [work]) = Timer::new(["work"]);
    /// let process = timer.process(0, "bio");
    /// process.time(work, || std::thread::sleep(std::time::Duration::from_millis(2)));
    /// assert!(process.seconds(work) >= 0.002);
    /// ```
    #[must_use]
    pub fn seconds(&self, segment: Segment) -> f64 {
        self.timer.clock.seconds(self.segments[segment.0].ticks.get())
    }
}

/// A segment that runs.
struct Pass<'p> {
    process: &'p ProcessTimer<'p>,
    counters: &'p Counters,
    started: u64,
    /// What was inside of the segment around it before.
    inside_before: u64,
    is_whole: bool,
}

impl<'p> Pass<'p> {
    #[inline]
    fn begin(process: &'p ProcessTimer<'p>, counters: &'p Counters) -> Self {
        counters.depth.set(counters.depth.get() + 1);
        let inside_before = process.inside.replace(0);
        Pass { process, counters, started: process.timer.clock.ticks(), inside_before, is_whole: false }
    }
}

impl Drop for Pass<'_> {
    #[inline]
    fn drop(&mut self) {
        // Counters of two processors may differ a little.
        let ticks = self.process.timer.clock.ticks().saturating_sub(self.started);
        let inside = self.process.inside.get().min(ticks);
        let depth = self.counters.depth.get() - 1;
        self.counters.depth.set(depth);
        if self.is_whole && depth == 0 {
            add(&self.counters.ticks, ticks);
            add(&self.counters.nested, inside);
            add(&self.counters.passes, 1);
        }
        let is_counted = self.is_whole && depth == 0;
        self.process.inside.set(self.inside_before + if is_counted { ticks } else { inside });
    }
}

#[inline]
fn add(cell: &Cell<u64>, more: u64) {
    cell.set(cell.get() + more);
}

impl Drop for ProcessTimer<'_> {
    fn drop(&mut self) {
        let segments = self.segments.iter().map(|counters| {
            let [ticks, nested, passes] =
                [&counters.ticks, &counters.nested, &counters.passes].map(Cell::get);
            [ticks, nested, passes]
        });
        let times = ProcessTimes {
            process: self.process,
            machine: std::mem::take(&mut self.machine),
            segments: segments.collect(),
        };
        self.timer.add(times);
    }
}
