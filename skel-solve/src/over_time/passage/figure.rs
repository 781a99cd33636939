//! Numbers with bounds on their errors, and what is known of a time at some points.

/// A number with a bound on its absolute error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number.
    pub value: f64,
    /// How far from the truth it may be at most.
    pub error: f64,
}

impl Figure {
    /// A number that is right but for its last digit.
    pub(crate) fn rounded(value: f64) -> Figure {
        Figure { value, error: value.abs() * f64::EPSILON }
    }
}

/// What is known of a random time at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The time.
    pub time: f64,
    /// The probability that the random time is no longer: the distribution function.
    pub probability: Figure,
    /// The density, per unit of time. At time zero it is that of the times above zero.
    pub density: Figure,
}

/// The time within which a run has ended with a given probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// The probability that was asked for.
    pub probability: f64,
    /// The time; none where the end is less likely than that, however long one waits.
    pub time: Option<Figure>,
}

/// Mean, variance and moments of a random time, given that it is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments<N> {
    /// The probability that it is finite: that the end is ever reached.
    pub ends: N,
    /// The moments `E[T]`, `E[T^2]` and so on.
    pub raw: Vec<N>,
    /// The variance, where there are two moments at least.
    pub variance: Option<N>,
}
