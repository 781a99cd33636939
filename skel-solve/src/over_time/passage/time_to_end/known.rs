//! What the steps of uniformisation so far tell: the probability to have ended, and the density, at any time
//! that they reach.

use crate::error::Error;
use crate::limits::Watch;
use crate::over_time::passage::{Figure, Point};
use crate::over_time::uniformisation::sequence::{Bounded, Sequence};
use crate::refused::Refused;

/// The products that are stored for each step.
const ENDED: usize = 0;
const ENDING: usize = 1;

/// So many steps are taken without a look at what is left.
const FEW_STEPS: f64 = 1000.0;

/// What the steps so far tell.
pub(super) struct Known<'c> {
    pub(super) sequence: Sequence<'c, 'c>,
    /// Steps per unit of time.
    pub(super) rate: f64,
    /// The largest rate into the end.
    pub(super) largest: f64,
    pub(super) start_error: f64,
    pub(super) tolerance: f64,
}

impl Known<'_> {
    /// Takes the steps that a time needs, or those after which hardly any run is left: some at first, and
    /// then twice as many each time, since a time may be far behind the end of all runs.
    pub(super) fn reach(&mut self, time: f64, watch: &mut Watch<'_>) -> Result<(), Error> {
        let mut soon = FEW_STEPS / self.rate;
        while self.rate > 0.0 && self.sequence.settled_at().is_none() {
            self.sequence.reach(time.min(soon), watch)?;
            if time <= soon {
                break;
            }
            soon *= 2.0;
        }
        Ok(())
    }

    /// A time at which nothing has changed since: by then there were twice as many steps as were needed, and
    /// some more, but for a probability below `exp(-150)`.
    fn no_later(&self, time: f64) -> f64 {
        let settled = self.sequence.settled_at();
        settled.map_or(time, |at| time.min((2.0 * at as f64 + FEW_STEPS) / self.rate))
    }

    /// The probability to have ended by a time that was reached, and the density there.
    pub(super) fn at(&self, time: f64) -> [Figure; 2] {
        [(ENDED, 1.0), (ENDING, self.largest)].map(|(product, norm)| {
            let Bounded { value, error } = self.sequence.at(product, self.no_later(time));
            Figure {
                value: if product == ENDED { value.min(1.0) } else { value },
                error: error + self.start_error * norm,
            }
        })
    }

    /// The error that was asked for.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Both at a time that was reached, if their bounds are within what was asked for.
    pub(super) fn point(&self, time: f64) -> Result<Point, Error> {
        let [probability, density] = self.at(time);
        let most = self.tolerance * self.largest.max(1.0);
        if probability.error > self.tolerance {
            return Err(Refused::unattainable(self.tolerance, probability.error).into());
        }
        if density.error > most {
            return Err(Refused::unattainable(self.tolerance, density.error / self.largest.max(1.0)).into());
        }
        Ok(Point { time, probability, density })
    }
}
