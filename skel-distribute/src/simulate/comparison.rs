//! Several schedules of one scenario, in the order in which they end.

use skel_core::number::Ratio;

use super::outcome::{Outcome, Unfinished};
use super::scenario::Scenario;
use crate::arithmetic::Arithmetic;
use crate::schedule::Schedule;

/// A schedule and what it ends with.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared<N = f64> {
    /// The schedule.
    pub schedule: Schedule,
    /// Its outcome.
    pub outcome: Outcome<N>,
}

/// Schedules by their makespans. Of those that end at one time, the one with fewer chunks is first.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<N = f64> {
    ranked: Vec<Compared<N>>,
    unfinished: Vec<(Schedule, Unfinished)>,
}

impl Scenario {
    /// Simulates schedules and puts them in order.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{Scenario, Schedule};
    /// let scenario = Scenario::new(1000, [0.01, 0.02, 0.04])?.with_overhead(0.001)?;
    /// let comparison = scenario.compare(&Schedule::PLAIN);
    /// assert_eq!(comparison.ranked()[0].schedule, Schedule::Vrp);
    /// assert!(comparison.unfinished().is_empty());
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn compare(&self, schedules: &[Schedule]) -> Comparison {
        self.ranked(schedules)
    }

    /// The same in exact rationals.
    ///
    /// # Examples
    /// ```
    /// use skel_core::number::ratio;
    /// use skel_distribute::{Scenario, Schedule};
    /// let comparison = Scenario::new(10, [1, 3])?.compare_exact(&[Schedule::Vrp, Schedule::Factoring]);
    /// let best = &comparison.ranked()[0];
    /// assert_eq!((best.schedule, best.outcome.makespan()), (Schedule::Vrp, &ratio(8, 1)));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn compare_exact(&self, schedules: &[Schedule]) -> Comparison<Ratio> {
        self.ranked(schedules)
    }

    fn ranked<N: Arithmetic>(&self, schedules: &[Schedule]) -> Comparison<N> {
        let mut comparison = Comparison { ranked: Vec::new(), unfinished: Vec::new() };
        for &schedule in schedules {
            match self.observe(&schedule, |_| ()) {
                Ok(outcome) => comparison.ranked.push(Compared { schedule, outcome }),
                Err(why) => comparison.unfinished.push((schedule, why)),
            }
        }
        let key = |one: &Compared<N>| (self.moment(&one.outcome.makespan), one.outcome.chunks);
        comparison.ranked.sort_by_cached_key(key);
        comparison
    }

    /// The schedules that are compared unless others are asked for: all without a parameter, `CSS(k)` for
    /// powers of two up to the size at which each machine would get one chunk, and `VRP-SS(K)` for K = 2..40.
    /// Those that would give out over a million chunks are left out where others of their kind give out
    /// fewer.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{Scenario, Schedule};
    /// let schedules = Scenario::new(100, [1.0, 2.0])?.usual_schedules();
    /// assert!(schedules.contains(&Schedule::Chunked { items: 32 }));
    /// assert!(!schedules.contains(&Schedule::Chunked { items: 64 }));
    /// assert!(schedules.contains(&Schedule::VrpSelfScheduling { phases: 40 }));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn usual_schedules(&self) -> Vec<Schedule> {
        const MOST_CHUNKS: u64 = 1_000_000;
        let even = self.items() / self.machines() as u64;
        let sizes = (1..63).map(|power| 1_u64 << power).take_while(|&size| size <= even);
        let sizes = sizes.filter(|size| self.items() / size <= MOST_CHUNKS);
        let chunked = sizes.map(|items| Schedule::Chunked { items });
        let phases = (2..=40).map(|phases| Schedule::VrpSelfScheduling { phases });
        let mut schedules = Schedule::PLAIN.to_vec();
        schedules.splice(2..2, chunked);
        schedules.extend(phases);
        schedules
    }
}

impl<N> Comparison<N> {
    /// Those that end, the first to end first.
    #[must_use]
    pub fn ranked(&self) -> &[Compared<N>] {
        &self.ranked
    }

    /// Those that do not end, and why.
    #[must_use]
    pub fn unfinished(&self) -> &[(Schedule, Unfinished)] {
        &self.unfinished
    }
}
