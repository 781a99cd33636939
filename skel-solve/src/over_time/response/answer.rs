//! The response time of an item: its distribution, quantiles and moments.

use std::fmt;

use skel_core::number::Ratio;

use super::followed::{Followed, Subject};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::passage::checks::{check_wanted, rounded, within};
use crate::over_time::passage::time_to_end::{TimeToEnd, Wanted};
use crate::over_time::passage::{Figure, Moments, Point, Quantile};

/// Up to this many states with a tag, moments are found in exact fractions and rounded.
const EXACT_UP_TO: usize = 120;

/// The response time of an item: a random time. Ask it for moments, for its distribution function at some
/// times, and for quantiles. Every figure comes with a bound on its error.
pub struct ResponseTime {
    subject: Subject,
    followed: Followed<f64>,
    limits: Limits,
    tolerance: f64,
    most_steps: u64,
}

impl fmt::Debug for ResponseTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResponseTime({} states with the item)", self.states())
    }
}

impl ResponseTime {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of(
        subject: Subject,
        limits: Limits,
        tolerance: f64,
        most_steps: u64,
    ) -> Result<ResponseTime, Error> {
        let followed = subject.follow::<f64>(&limits)?;
        if followed.time.is_impossible() {
            return Err(Error::Unknown(
                "no item ever goes out: no action that lets items out is done while the item is there, so the probability is 0"
                    .to_owned(),
            ));
        }
        Ok(ResponseTime { subject, followed, limits, tolerance, most_steps })
    }

    /// The number of states with the position of the item.
    #[must_use]
    pub fn states(&self) -> usize {
        self.followed.tagged
    }

    /// The number of states without it.
    #[must_use]
    pub fn states_without_item(&self) -> usize {
        self.followed.untagged
    }

    /// Whether every item is done some time, with probability one. In a skeleton it is.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.time().is_sure()
    }

    /// How many items begin per unit of time.
    #[must_use]
    pub fn throughput(&self) -> Figure {
        Figure { value: self.followed.throughput, error: self.followed.throughput_error }
    }

    /// How many items begin per unit of time, as an exact fraction.
    ///
    /// # Errors
    /// A limit was reached.
    #[cfg_attr(debug_assertions, inline)]
    pub fn throughput_exact(&self) -> Result<Ratio, Error> {
        Ok(self.in_fractions()?.throughput)
    }

    /// The mean; see [`Self::moments`].
    ///
    /// # Errors
    /// The tolerance cannot be kept, or a limit was reached.
    #[cfg_attr(debug_assertions, inline)]
    pub fn mean(&self) -> Result<Figure, Error> {
        Ok(self.moments(1)?.raw[0])
    }

    /// The variance; see [`Self::moments`].
    ///
    /// # Errors
    /// As [`Self::mean`].
    #[cfg_attr(debug_assertions, inline)]
    pub fn variance(&self) -> Result<Figure, Error> {
        Ok(self.moments(2)?.variance.expect("there are two moments"))
    }

    /// The moments `E[R]`, `E[R^2]` up to a number. Where items of a model may never go out, they are those
    /// of the items that do.
    ///
    /// Where there are few states, they are found in fractions and rounded, else by one system of equations
    /// each, with a bound that is proved.
    ///
    /// # Errors
    /// A bound is above the tolerance, in proportion to a figure above one; or a limit was reached.
    #[cfg_attr(debug_assertions, inline)]
    pub fn moments(&self, count: usize) -> Result<Moments<Figure>, Error> {
        let is_small = self.states() <= EXACT_UP_TO;
        let moments =
            if is_small { rounded(&self.moments_exact(count)?) } else { self.moments_in_floats(count)? };
        within(self.tolerance, moments)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn moments_in_floats(&self, count: usize) -> Result<Moments<Figure>, Error> {
        let mut watch = Watch::start(&self.limits);
        self.time().moments(count, &self.limits, self.budget(), &mut watch)
    }

    /// The moments in exact fractions, verified; see [`Self::moments`].
    ///
    /// # Errors
    /// A limit was reached.
    ///
    /// # Examples
    /// An item comes into a pipeline of three stages, and goes from stage to stage.
    /// ```
    /// use skel::prelude::*;
    /// use skel::response::{ItemPath, ResponseTimes};
    /// let stage = |n: u32| format!("S{n} = (in{n}, infty).(work{n}, 2).(in{}, infty).S{n};", n + 1);
    /// let text = format!("{}{} Net = (in1, 1).Net + (in2, 3).Net + (in3, 3).Net; Net <in1, in2, in3> (S1 <in2> S2)", stage(1), stage(2));
    /// let model = Model::from_text(&text)?;
    /// let path = ItemPath::new().enters("in1", 1).carried("in2", 1, 2).leaves("in3", 2);
    /// let response = ResponseTimes::of_model(&model, &path).solve()?;
    /// let mean = &response.moments_exact(1)?.raw[0];
    /// // By Little's law: as many items inside on average as come in during the mean response time.
    /// let inside = ratio(2, 1) - &probability_of_empty(&model)?;
    /// # fn probability_of_empty(model: &Model) -> Result<Ratio, skel::Error> {
    /// #     let pi = model.explore()?.steady_state_exact()?;
    /// #     Ok(pi.utilisation_named("S1")? + pi.utilisation_named("S2")?)
    /// # }
    /// assert_eq!(inside, response.throughput_exact()? * mean);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn moments_exact(&self, count: usize) -> Result<Moments<Ratio>, Error> {
        let mut watch = Watch::start(&self.limits);
        self.in_fractions()?.time.moments(count, self.budget(), &mut watch)
    }

    /// The distribution function and the density at some times, from one pass to the largest of them.
    ///
    /// # Errors
    /// A time is negative or no number, the tolerance cannot be kept, it takes too many steps, or a limit was
    /// reached.
    #[cfg_attr(debug_assertions, inline)]
    pub fn at(&self, times: &[f64]) -> Result<Vec<Point>, Error> {
        Ok(self.curve(times, &[])?.0)
    }

    /// The times within which some parts of the items are done.
    ///
    /// # Errors
    /// A probability is not between zero and one; else as [`Self::at`].
    #[cfg_attr(debug_assertions, inline)]
    pub fn quantiles(&self, probabilities: &[f64]) -> Result<Vec<Quantile>, Error> {
        Ok(self.curve(&[], probabilities)?.1)
    }

    /// The time within which a part of the items is done.
    ///
    /// # Errors
    /// As [`Self::quantiles`]; or so many items of a model never go out.
    #[cfg_attr(debug_assertions, inline)]
    pub fn quantile(&self, probability: f64) -> Result<Figure, Error> {
        let time = self.quantiles(&[probability])?[0].time;
        time.ok_or_else(|| Error::Unknown(format!("a part of {probability} of the items never goes out")))
    }

    /// Points and quantiles together, from one pass.
    ///
    /// # Errors
    /// As [`Self::at`] and [`Self::quantiles`].
    #[cfg_attr(debug_assertions, inline)]
    pub fn curve(&self, times: &[f64], probabilities: &[f64]) -> Result<(Vec<Point>, Vec<Quantile>), Error> {
        check_wanted(times, probabilities)?;
        let ends = match probabilities.is_empty() || self.is_sure() {
            true => Figure { value: 1.0, error: 0.0 },
            false => self.moments(0)?.ends,
        };
        let (tolerance, most_steps) = (self.tolerance, self.most_steps);
        let wanted = Wanted { times, quantiles: probabilities, tolerance, most_steps };
        let curve = self.time().curve(&wanted, ends, self.budget(), &mut Watch::start(&self.limits))?;
        Ok((curve.points, curve.quantiles))
    }

    fn time(&self) -> &TimeToEnd<f64> {
        &self.followed.time
    }

    #[cfg_attr(debug_assertions, inline)]
    fn in_fractions(&self) -> Result<Followed<Ratio>, Error> {
        self.subject.follow(&self.limits)
    }

    fn budget(&self) -> MemoryBudget {
        MemoryBudget::new(&self.limits).beside(self.subject.memory())
    }
}
