//! Timers for the segments of a program: nanoseconds for each pass, also in many threads, and timed runs from
//! them.
//!
//! ```
//! use skel_fit::runs::Trial;
//! use skel_fit::timer::{Take, Timer};
//!
//! let mut runs = skel_fit::runs::Runs::default();
//! for n in [10_000_u64, 20_000] {
//!     let (timer, [sum, largest]) = Timer::new(["sum", "largest"]);
//!     std::thread::scope(|scope| {
//!         for number in 0..2 {
//!             let timer = &timer;
//!             scope.spawn(move || {
//!                 let process = timer.process(number, "bio");
//!                 let items: Vec<u64> = (0..n).map(|item| item * item % 1000).collect();
//!                 process.time(sum, || std::hint::black_box(items.iter().sum::<u64>()));
//!                 process.time(largest, || std::hint::black_box(items.iter().max().copied()));
//!             });
//!         }
//!     });
//!     runs.append(timer.times().runs(Trial::new(n as f64).processes(2), Take::Slowest)?);
//! }
//! assert_eq!(runs.segments(), ["largest", "sum"]);
//! assert_eq!(runs.iter().count(), 4);
//! // runs.append_to_file("sums.csv")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which time
//! [`Timer::new`] measures the time that passes. A thread that waits for a message or for a processor is
//! timed with its wait, so the machine must have a processor for each thread, and nothing else to do.
//! [`Timer::of_processor`] measures the time for which a thread has a processor: what others do on the
//! machine changes it little, but waits are not in it. It times computations on a machine that is shared, and
//! the program is then composed of them, by a [`Graph`](crate::graph::Graph) say.
//!
//! # Cost
//! A pass reads the clock twice. With the time that passes that is the processor's counter, and a pass takes
//! 19 ns; about half of it is in the time that is measured. A reading of the processor time is a call of the
//! system, and a pass takes 1 to 1.6 us. `cargo bench -- timer` measures both.

mod clock;
mod process;
mod times;

use std::sync::{Mutex, PoisonError};

use clock::Clock;
use times::ProcessTimes;

pub use process::ProcessTimer;
pub use times::{SegmentTime, Take, Times};

/// A timer for the segments of one run of a program.
#[derive(Debug)]
pub struct Timer {
    clock: Clock,
    names: Vec<String>,
    /// What the processes took that are done.
    finished: Mutex<Vec<ProcessTimes>>,
}

/// A segment of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment(usize);

impl Timer {
    /// A timer of the time that passes, and its segments in the order of their names. The first one in a
    /// process measures how fast the processor's counter runs, which takes up to 200 ms.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::timer::Timer;
    /// let (timer, [work]) = Timer::new(["work"]);
    /// timer.process(0, "bio").time(work, || std::thread::sleep(std::time::Duration::from_millis(2)));
    /// assert!(timer.times().of(work)[0].seconds >= 0.002);
    /// ```
    #[must_use]
    pub fn new<const SEGMENTS: usize>(names: [&str; SEGMENTS]) -> (Self, [Segment; SEGMENTS]) {
        Timer::of(Clock::wall(), names)
    }

    /// A timer of the time for which each thread has a processor. It needs a system of the Unix family.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::timer::Timer;
    /// let (timer, [wait]) = Timer::of_processor(["wait"]);
    /// timer.process(0, "bio").time(wait, || std::thread::sleep(std::time::Duration::from_millis(20)));
    /// assert!(timer.times().of(wait)[0].seconds < 0.02);
    /// ```
    #[cfg(unix)]
    #[must_use]
    pub fn of_processor<const SEGMENTS: usize>(names: [&str; SEGMENTS]) -> (Self, [Segment; SEGMENTS]) {
        Timer::of(Clock::Processor, names)
    }

    fn of<const SEGMENTS: usize>(clock: Clock, names: [&str; SEGMENTS]) -> (Self, [Segment; SEGMENTS]) {
        let timer =
            Timer { clock, names: names.map(str::to_owned).to_vec(), finished: Mutex::new(Vec::new()) };
        (timer, std::array::from_fn(Segment))
    }

    /// What times the segments of a process of this number, on a machine of this type, in the thread that
    /// calls this. A process may have several timers, one after the other or at once: their times add up.
    #[must_use]
    pub fn process(&self, number: usize, machine: &str) -> ProcessTimer<'_> {
        ProcessTimer::new(self, number, machine)
    }

    /// What was measured by the timers of processes that were dropped.
    #[must_use]
    pub fn times(&self) -> Times {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        Times::new(&self.clock, &self.names, &finished)
    }

    fn add(&self, times: ProcessTimes) {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).push(times);
    }
}
