//! Loads: how many times as long a task takes, over time.

use std::time::Duration;

/// How many times as long a task takes as it was said to, over time: steps and ramps, one after the other.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use skel_manage::simulate::Load;
///
/// let seconds = Duration::from_secs;
/// let load = Load::none().step(seconds(60), 2.0).ramp(seconds(120), seconds(140), 1.0);
/// let factors = [0, 60, 130, 150].map(|at| load.factor(seconds(at)));
/// assert_eq!(factors, [1.0, 2.0, 1.5, 1.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Load {
    /// In the order of time: from when to when it changes, and to what.
    changes: Vec<(Duration, Duration, f64)>,
}

impl Load {
    /// Always as long as was said.
    #[must_use]
    pub fn none() -> Self {
        Load::default()
    }

    /// From this moment on, so many times as long as was said. Moments come in the order of time; one that is
    /// before the last change takes place at the end of that.
    #[must_use]
    pub fn step(self, at: Duration, factor: f64) -> Self {
        self.ramp(at, at, factor)
    }

    /// Evenly from what it is to this factor, between two moments.
    #[must_use]
    pub fn ramp(mut self, from: Duration, to: Duration, factor: f64) -> Self {
        let earliest = self.changes.last().map_or(Duration::ZERO, |&(_, to, _)| to);
        let from = from.max(earliest);
        self.changes.push((from, to.max(from), factor));
        self
    }

    /// How many times as long the task takes at this moment.
    #[must_use]
    pub fn factor(&self, at: Duration) -> f64 {
        let mut factor = 1.0;
        for &(from, to, then) in &self.changes {
            if at >= to {
                factor = then;
            } else if at > from {
                let part = (at - from).as_secs_f64() / (to - from).as_secs_f64();
                return factor + (then - factor) * part;
            } else {
                break;
            }
        }
        factor
    }

    /// When it begins or ends to change.
    pub fn moments(&self) -> impl Iterator<Item = Duration> + '_ {
        self.changes.iter().flat_map(|&(from, to, _)| [from, to])
    }
}
