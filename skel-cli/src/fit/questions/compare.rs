//! Estimated beside measured seconds, as the paper's tables have them.

use skel::fit::runs::{Interval, Point};

use super::place::Place;
use super::predict::{distinct, of_lines};
use super::subject::Subject;
use crate::errors::Problem;
use crate::fit::model::Estimate;

/// A measured point beside its estimate.
pub(in crate::fit) struct Compared {
    /// The place of the subject among all.
    pub(in crate::fit) subject: usize,
    pub(in crate::fit) n: f64,
    pub(in crate::fit) p: u32,
    pub(in crate::fit) runs: usize,
    pub(in crate::fit) measured: f64,
    /// Of the mean of the runs.
    pub(in crate::fit) interval: Option<Interval>,
    pub(in crate::fit) estimate: Estimate,
}

impl Compared {
    /// `(estimated - measured) / measured` in percent: negative where the estimate is too low.
    pub(in crate::fit) fn error_percent(&self) -> f64 {
        (self.estimate.seconds - self.measured) / self.measured * 100.0
    }
}

/// Each measured point beside what each subject of its segment and machine type estimates, and the points
/// that none has.
pub(in crate::fit) fn comparisons(
    subjects: &[Subject<'_>],
    points: &[Point],
    others: &[(String, f64)],
    probability: f64,
) -> (Vec<Compared>, Vec<Problem>) {
    let (mut compared, mut problems) = (Vec::new(), Vec::new());
    for (number, subject) in subjects.iter().enumerate() {
        for point in points.iter().filter(|point| subject.is_of(&point.segment, &point.machine)) {
            match subject.estimate(&Place::of_point(point.n, point.p, others), probability) {
                Ok(estimate) => compared.push(Compared {
                    subject: number,
                    n: point.n,
                    p: point.p,
                    runs: point.kept.len(),
                    measured: point.mean,
                    interval: point.interval_of(probability),
                    estimate,
                }),
                Err(why) => problems.extend(of_lines(&why)),
            }
        }
    }
    problems.extend(without_model(subjects, points));
    (compared, distinct(problems))
}

/// Measured segments that nothing estimates.
fn without_model(subjects: &[Subject<'_>], points: &[Point]) -> Vec<Problem> {
    let left = points
        .iter()
        .filter(|point| !subjects.iter().any(|subject| subject.is_of(&point.segment, &point.machine)));
    let mut names: Vec<(&str, &str)> =
        left.map(|point| (point.segment.as_str(), point.machine.as_str())).collect();
    names.dedup();
    let problem = |(segment, machine): (&str, &str)| {
        let on = if machine.is_empty() { String::new() } else { format!(" on `{machine}`") };
        let message = format!("`--measured`: no model is one of `{segment}`{on}");
        let help = "a measured segment and machine type is one of the fitted runs, or its segment is the name of a formula or of the graph";
        Problem::error("unknown_name", message).help(help)
    };
    names.into_iter().map(problem).collect()
}
