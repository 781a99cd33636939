//! The probabilities of numbers of steps until a time.

/// The weights from the first to the last that matter.
pub(crate) struct Weights {
    /// The number of steps of the first weight.
    first: u64,
    weights: Vec<f64>,
    /// For each weight the sum of all after it.
    after: Vec<f64>,
    exactness: Exactness,
}

/// What is known of all weights together.
pub(crate) struct Exactness {
    /// The expected number of steps.
    pub(crate) mean: f64,
    /// A bound on the sum of the errors of all weights.
    pub(crate) error: f64,
    /// A bound on the sum of the errors of [`Weights::after`] over all numbers of steps, each divided by the
    /// rate of the step.
    pub(crate) error_of_time: f64,
}

impl Weights {
    /// The weights of some numbers of steps in a row.
    pub(super) fn new(first: u64, weights: Vec<f64>, exactness: Exactness) -> Weights {
        let mut after = vec![0.0; weights.len()];
        for place in (1..weights.len()).rev() {
            after[place - 1] = after[place] + weights[place];
        }
        Weights { first, weights, after, exactness }
    }

    /// The expected number of steps.
    pub(crate) fn mean(&self) -> f64 {
        self.exactness.mean
    }

    /// The first number of steps with a weight.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The last number of steps with a weight.
    pub(crate) fn last(&self) -> u64 {
        self.first + self.weights.len() as u64 - 1
    }

    /// The weight of a number of steps.
    pub(crate) fn weight(&self, steps: u64) -> f64 {
        let place = steps.checked_sub(self.first).map(|place| place as usize);
        place.and_then(|place| self.weights.get(place)).copied().unwrap_or(0.0)
    }

    /// The weight of all larger numbers of steps: the share of a step in the integral over time.
    pub(crate) fn after(&self, steps: u64) -> f64 {
        match steps.checked_sub(self.first) {
            None => 1.0,
            Some(place) => self.after.get(place as usize).copied().unwrap_or(0.0),
        }
    }

    /// A bound on the sum of the errors of all weights.
    pub(crate) fn error(&self) -> f64 {
        self.exactness.error
    }

    /// A bound on the error of the integral over time of a vector of norm one, as far as the weights cause
    /// it.
    pub(crate) fn error_of_time(&self) -> f64 {
        self.exactness.error_of_time
    }
}
