//! What is answered of a passage.

use skel::passage::{Figure, Point, Quantile, Way};

use crate::errors::Problem;
use crate::solve::answer::Chain;

/// A figure, with the fraction that it is where that was asked for.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) figure: Figure,
    pub(super) exact: Option<String>,
}

/// Everything that is printed.
pub(super) struct Answer {
    pub(super) chain: Chain,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) way: Way,
    /// The states before the end.
    pub(super) states: usize,
    pub(super) is_over_at_once: bool,
    pub(super) is_sure: bool,
    /// The probability that a passage ends.
    pub(super) ends: Known,
    /// Of the passages that end.
    pub(super) mean: Known,
    pub(super) variance: Known,
    /// The moments that were asked for, from the mean on.
    pub(super) moments: Vec<Known>,
    /// Passages per unit of time, but from the initial state.
    pub(super) throughput: Option<Known>,
    pub(super) points: Vec<Point>,
    /// What is drawn, where no moments were asked for.
    pub(super) drawn: Vec<Point>,
    pub(super) quantiles: Vec<Quantile>,
    pub(super) has_exact: bool,
    /// How long it took, in seconds.
    pub(super) solved_in: f64,
}

impl Answer {
    /// A bound on the errors of all figures.
    pub(super) fn error(&self) -> f64 {
        let known = [&self.ends, &self.mean, &self.variance].into_iter().chain(&self.moments);
        let known = known.chain(&self.throughput).map(|known| known.figure.error);
        let points = self.points.iter().flat_map(|point| [point.probability.error, point.density.error]);
        let quantiles = self.quantiles.iter().filter_map(|quantile| Some(quantile.time?.error));
        known.chain(points).chain(quantiles).fold(0.0, f64::max)
    }

    /// What is worth a look in the question.
    pub(super) fn warning(&self) -> Option<Problem> {
        self.is_over_at_once.then(|| {
            let mut problem = Problem::error(
                "passage_over_at_once",
                format!(
                    "every passage is over when it begins: `{}` is reached with `{}`",
                    self.to, self.from
                ),
            );
            problem.severity = skel::diagnostic::Severity::Warning;
            problem.help("so its time is 0; name another end")
        })
    }
}
