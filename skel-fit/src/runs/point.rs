//! Several runs of one point.

use std::collections::BTreeMap;

use super::TimedRun;
use super::outliers::{Rule, Scores};
use crate::student::quantile;

/// The runs of one segment on one type of machine, with one size and one number of processes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Point {
    /// The segment.
    pub segment: String,
    /// The type of machine.
    pub machine: String,
    /// The size of the problem.
    pub n: f64,
    /// The number of processes.
    pub p: u32,
    /// The seconds of the runs that were kept.
    pub kept: Vec<f64>,
    /// The runs that are too far from the others.
    pub rejected: Vec<Rejected>,
    /// How the distance of each run from the others was measured.
    pub rule: Rule,
    /// The mean of the runs that were kept, in seconds.
    pub mean: f64,
    /// The interval in which the mean of infinitely many runs lies with a probability of 95 %, if times are
    /// normally distributed. One run has none.
    pub interval: Option<Interval>,
}

/// A run that is too far from the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rejected {
    /// Which run it was.
    pub run: u32,
    /// How long it took.
    pub seconds: f64,
    /// How far away it is, see [`Scores`].
    pub score: f64,
}

/// An interval of seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// All values that are not further from a value than this.
    #[must_use]
    pub fn around(value: f64, distance: f64) -> Self {
        Interval { low: value - distance, high: value + distance }
    }
}

pub(super) fn points(runs: &[TimedRun]) -> Vec<Point> {
    let mut groups: BTreeMap<(&str, &str, u64, u32), Vec<&TimedRun>> = BTreeMap::new();
    for run in runs {
        // Positive floats have the order of their bits.
        groups.entry((&run.segment, &run.machine, run.n.to_bits(), run.p)).or_default().push(run);
    }
    groups.into_values().map(|runs| Point::of(&runs)).collect()
}

impl Point {
    fn of(runs: &[&TimedRun]) -> Point {
        let times: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
        let scores = Scores::of(&times);
        let far: Vec<usize> = scores.rejected().collect();
        let rejected = |&index: &usize| Rejected {
            run: runs[index].run,
            seconds: times[index],
            score: scores.scores[index],
        };
        let kept: Vec<f64> = times
            .iter()
            .enumerate()
            .filter(|(index, _)| far.binary_search(index).is_err())
            .map(|(_, time)| *time)
            .collect();
        let (mean, interval) = mean(&kept, 0.95);
        let TimedRun { segment, machine, n, p, .. } = runs[0].clone();
        let (rule, rejected) = (scores.rule, far.iter().map(rejected).collect());
        Point { segment, machine, n, p, rejected, rule, kept, mean, interval }
    }

    /// The interval in which the mean of infinitely many runs lies with another probability, if times are
    /// normally distributed. One run has none.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::runs::Runs;
    /// let points = Runs::from_csv("n,seconds\n500,0.8\n500,0.9\n500,1.0\n")?.points();
    /// let [narrow, wide] = [0.9, 0.99].map(|probability| points[0].interval_of(probability).unwrap());
    /// assert!(wide.low < narrow.low && narrow.high < wide.high);
    /// assert_eq!(points[0].interval_of(0.95), points[0].interval);
    /// # Ok::<(), skel_fit::runs::RunsError>(())
    /// ```
    #[must_use]
    pub fn interval_of(&self, probability: f64) -> Option<Interval> {
        mean(&self.kept, probability).1
    }
}

/// The mean of some times, and its confidence interval.
fn mean(times: &[f64], probability: f64) -> (f64, Option<Interval>) {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean) * (time - mean)).sum();
    let interval = quantile(probability, times.len() - 1)
        .map(|t| Interval::around(mean, t * (squares / (count - 1.0) / count).sqrt()));
    (mean, interval)
}
