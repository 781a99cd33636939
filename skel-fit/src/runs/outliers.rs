//! Runs that do not belong to the others: the rule of Iglewicz and Hoaglin.

/// How the distance of a run from the others is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// In units of the median absolute deviation (MAD): `0.6745 (x - median) / MAD`.
    MedianDeviation,
    /// In units of the mean absolute deviation, where more than half of the runs are equal, as a coarse clock
    /// makes them, so that the MAD is 0: `(x - median) / (1.253314 mean |x - median|)`.
    MeanDeviation,
    /// Not at all, since all runs are equal, or since fewer than four say too little.
    None,
}

/// How far each run of a point is from the others.
///
/// Source: B. Iglewicz and D. Hoaglin, *How to detect and handle outliers*, ASQC 1993.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// How the distances were measured.
    pub rule: Rule,
    /// The distance of each run. It is 0 for all where nothing is measured.
    pub scores: Vec<f64>,
}

/// Beyond this score, a run is rejected.
const FAR: f64 = 3.5;

/// Fewer runs than this say nothing about outliers.
const LEAST: usize = 4;

impl Scores {
    /// Of the times of some runs.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::runs::{Rule, Scores};
    /// let scores = Scores::of(&[0.5, 0.5, 0.5, 0.5, 0.5, 0.6, 4.0]);
    /// assert_eq!(scores.rule, Rule::MeanDeviation);
    /// assert_eq!(scores.rejected().collect::<Vec<_>>(), [6]);
    /// ```
    #[must_use]
    pub fn of(times: &[f64]) -> Self {
        let none = || Scores { rule: Rule::None, scores: vec![0.0; times.len()] };
        if times.len() < LEAST {
            return none();
        }
        let Some(middle) = median(times) else { return none() };
        let deviations: Vec<f64> = times.iter().map(|time| (time - middle).abs()).collect();
        let Some(mad) = median(&deviations) else { return none() };
        let mean = deviations.iter().sum::<f64>() / times.len() as f64;
        let (rule, factor) = match (mad > 0.0, mean > 0.0) {
            (true, _) => (Rule::MedianDeviation, 0.6745 / mad),
            (_, true) => (Rule::MeanDeviation, 1.0 / (1.253_314 * mean)),
            _ => return none(),
        };
        Scores { rule, scores: times.iter().map(|time| (time - middle) * factor).collect() }
    }

    /// The places of the runs that are too far away. They are found once: what is left is not looked at
    /// again.
    pub fn rejected(&self) -> impl Iterator<Item = usize> {
        self.scores.iter().enumerate().filter(|(_, score)| score.abs() > FAR).map(|(index, _)| index)
    }
}

/// The median of some values, if there are any.
///
/// # Examples
/// ```
/// use skel_fit::runs::median;
/// assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
/// assert_eq!(median(&[4.0, 1.0]), Some(2.5));
/// assert_eq!(median(&[]), None);
/// ```
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(f64::midpoint(sorted[(sorted.len() - 1) / 2], upper))
}
