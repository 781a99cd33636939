//! What a timer measured, and timed runs from it.

use std::collections::BTreeMap;

use super::Segment;
use super::clock::Clock;
use crate::runs::{Runs, RunsError, Trial};

/// Ticks, ticks in nested segments and passes of each segment, by one timer of a process.
#[derive(Clone, Debug)]
pub(super) struct ProcessTimes {
    pub(super) process: usize,
    pub(super) machine: String,
    pub(super) segments: Vec<[u64; 3]>,
}

/// What the passes of a segment took in one process, together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SegmentTime {
    /// The number of the process.
    pub process: usize,
    /// The type of its machine.
    pub machine: String,
    /// How often the segment was passed.
    pub passes: u64,
    /// The seconds of all passes, with those of the segments inside of them.
    pub seconds: f64,
    /// The seconds of all passes without those of the segments inside of them.
    pub own: f64,
}

/// How a timed run gets its seconds from the processes that passed a segment on one type of machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Take {
    /// All passes of the process that took longest: the processes run at the same time, and the last one
    /// decides.
    #[default]
    Slowest,
    /// All passes of all processes: they run one after the other, or it is asked how much work there is.
    Sum,
    /// One pass, on average over all passes of all processes: for a segment in a loop, whose body is
    /// modelled.
    Pass,
}

/// The times of all segments in all processes of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    names: Vec<String>,
    /// For each segment the processes that passed it, in order.
    segments: Vec<Vec<SegmentTime>>,
}

impl Times {
    pub(super) fn new(clock: &Clock, names: &[String], finished: &[ProcessTimes]) -> Self {
        let of_segment = |index: usize| {
            let mut sums: BTreeMap<(usize, &str), [u64; 3]> = BTreeMap::new();
            for times in finished {
                let sum = sums.entry((times.process, &times.machine)).or_default();
                sum.iter_mut().zip(times.segments[index]).for_each(|(sum, more)| *sum += more);
            }
            let passed = sums.into_iter().filter(|(_, [_, _, passes])| *passes > 0);
            passed.map(|((process, machine), [ticks, nested, passes])| SegmentTime {
                process,
                machine: machine.to_owned(),
                passes,
                seconds: clock.seconds(ticks),
                own: clock.seconds(ticks.saturating_sub(nested)),
            })
        };
        let segments = (0..names.len()).map(|index| of_segment(index).collect()).collect();
        Times { names: names.to_vec(), segments }
    }

    /// The processes that passed a segment, by number. A process that moved to a machine of another type is
    /// there for each type.
    ///
    /// # Panics
    /// If the segment is of a timer with more segments.
    #[must_use]
    pub fn of(&self, segment: Segment) -> &[SegmentTime] {
        &self.segments[segment.0]
    }

    /// The same where the seconds of each segment are its own: without those of the segments inside of it.
    #[must_use]
    pub fn without_nested(mut self) -> Self {
        for time in self.segments.iter_mut().flatten() {
            time.seconds = time.own;
        }
        self
    }

    /// A timed run of each segment and type of machine. A segment that was not passed has none.
    ///
    /// # Errors
    /// If the size is not above 0 and finite, or a segment took less time than the clock can tell.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::runs::Trial;
    /// use skel_fit::timer::{Take, Timer};
    /// let (timer, [rows]) = Timer::new(["rows"]);
    /// for (number, machine) in ["intel", "intel", "bio"].into_iter().enumerate() {
    ///     timer.process(number, machine).time(rows, || std::hint::black_box((0..1000).sum::<u64>()));
    /// }
    /// let runs = timer.times().runs(Trial::new(1000.0).processes(3).number(7), Take::Slowest)?;
    /// let machines: Vec<(&str, u32, u32)> = runs.iter().map(|run| (run.machine.as_str(), run.p, run.run)).collect();
    /// assert_eq!(machines, [("bio", 3, 7), ("intel", 3, 7)]);
    /// # Ok::<(), skel_fit::runs::RunsError>(())
    /// ```
    pub fn runs(&self, trial: Trial, take: Take) -> Result<Runs, RunsError> {
        let by_machine = |times: &[SegmentTime]| {
            let mut machines: BTreeMap<String, Vec<(f64, u64)>> = BTreeMap::new();
            for time in times {
                machines.entry(time.machine.clone()).or_default().push((time.seconds, time.passes));
            }
            machines
        };
        Runs::new(self.names.iter().zip(&self.segments).flat_map(|(name, times)| {
            by_machine(times)
                .into_iter()
                .map(move |(machine, times)| trial.timed(name, &machine, take.seconds(&times)))
        }))
    }
}

impl Take {
    /// Of the seconds and passes of each process.
    fn seconds(self, times: &[(f64, u64)]) -> f64 {
        let sum = || times.iter().map(|(seconds, _)| seconds).sum::<f64>();
        match self {
            Take::Slowest => times.iter().map(|(seconds, _)| *seconds).fold(0.0, f64::max),
            Take::Sum => sum(),
            Take::Pass => sum() / times.iter().map(|(_, passes)| passes).sum::<u64>() as f64,
        }
    }
}
