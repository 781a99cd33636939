//! For how long a worker may work on a chunk until another one takes it.

/// For how long a worker may work on a chunk until it counts as lost; for ever unless one of the two is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Patience {
    /// In seconds.
    pub(in super::super) after: Option<f64>,
    /// In multiples of the time that is expected.
    pub(in super::super) beyond: Option<f64>,
}

impl Patience {
    pub(super) fn is_endless(self) -> bool {
        self.after.is_none() && self.beyond.is_none()
    }

    /// For how many seconds, where so many are expected. None if it is not known.
    pub(super) fn limit(self, expected: Option<f64>) -> Option<f64> {
        let beyond = self.beyond.zip(expected).map(|(factor, expected)| factor * expected);
        match (self.after, beyond) {
            (Some(after), Some(beyond)) => Some(after.min(beyond)),
            (after, beyond) => after.or(beyond),
        }
    }
}

/// How many items workers have finished, and how long that took, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    items: u64,
    seconds: f64,
}

impl Pace {
    pub(super) fn add(&mut self, items: u64, seconds: f64) {
        self.items = self.items.saturating_add(items);
        self.seconds += seconds;
    }

    /// How long so many items take. None if nothing has been finished.
    pub(super) fn expected(self, items: u64) -> Option<f64> {
        (self.items > 0).then(|| self.seconds / self.items as f64 * items as f64)
    }
}
