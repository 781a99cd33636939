//! A passage time: its distribution, quantiles and moments.

use std::fmt;
use std::marker::PhantomData;

use skel_core::number::Ratio;

use super::begin::Asked;
use super::checks::{check_wanted, rounded, within};
use super::found::{Found, Settings, time};
use super::time_to_end::{TimeToEnd, Wanted};
use super::way::Way;
use super::{Figure, Moments, Point, Quantile};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::space::StateSpace;

/// The time of a passage in the model `M`: a random time. Ask it for moments, for its distribution function
/// at some times, and for quantiles. Every figure comes with a bound on its error.
pub struct Passage<M: ?Sized> {
    inner: Inner,
    model: PhantomData<fn() -> Box<M>>,
}

pub(super) struct Inner {
    pub(super) space: StateSpace,
    pub(super) asked: Asked,
    /// Where it begins and where it ends, as texts.
    pub(super) texts: [String; 2],
    pub(super) settings: Settings,
    pub(super) time: TimeToEnd<f64>,
    pub(super) frequency: Option<(f64, f64)>,
    /// Whether moments are found in fractions and rounded.
    pub(super) in_fractions: bool,
}

impl<M: ?Sized> fmt::Debug for Passage<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = &self.inner.texts;
        write!(f, "Passage({from} -> {to}, {}, {} states)", self.way().word(), self.states())
    }
}

impl<M: ?Sized> Passage<M> {
    pub(super) fn new(inner: Inner, _: &StateSpace<M>) -> Self {
        Passage { inner, model: PhantomData }
    }

    /// In which way passages are counted.
    #[must_use]
    pub fn way(&self) -> Way {
        self.inner.asked.way
    }

    /// Where a passage begins, as a text.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.inner.texts[0]
    }

    /// Where a passage ends, as a text.
    #[must_use]
    pub fn to(&self) -> &str {
        &self.inner.texts[1]
    }

    /// The number of states that passages visit before they end.
    #[must_use]
    pub fn states(&self) -> usize {
        self.inner.time.states()
    }

    /// Whether every passage comes to its end, with probability one.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.inner.time.is_sure()
    }

    /// Whether every passage begins at its end, so that it takes no time.
    #[must_use]
    pub fn is_over_at_once(&self) -> bool {
        self.inner.time.states() == 0
    }

    /// How many passages begin per unit of time, in the steady state; none for a passage from the initial
    /// state.
    #[must_use]
    pub fn throughput(&self) -> Option<Figure> {
        self.inner.frequency.map(|(value, error)| Figure { value, error })
    }

    /// The mean time, given that the passage ends; see [`Self::moments`].
    ///
    /// # Errors
    /// The tolerance cannot be kept, or a limit was reached.
    pub fn mean(&self) -> Result<Figure, Error> {
        Ok(self.moments(1)?.raw[0])
    }

    /// The variance, given that the passage ends; see [`Self::moments`].
    ///
    /// # Errors
    /// As [`Self::mean`].
    pub fn variance(&self) -> Result<Figure, Error> {
        let moments = self.moments(2)?;
        Ok(moments.variance.expect("there are two moments"))
    }

    /// The moments `E[T]`, `E[T^2]` up to a number, given that the passage ends, with the probability that it
    /// does. Where it may not end, its mean time is infinite without that condition.
    ///
    /// Where few states are visited, they are found in fractions and rounded, else by one system of equations
    /// each with a bound that is proved.
    ///
    /// # Errors
    /// A bound is above the tolerance, in proportion to a figure above one; or a limit was reached.
    ///
    /// # Examples
    /// ```
    /// use skel::passage::{From, To};
    /// use skel::prelude::*;
    /// let text = "P = (try, 1).Q + (fail, 1).R; Q = (done, 2).S; R = (stay, 1).R; S = (stay, 1).S; P";
    /// let space = Model::from_text(text)?.explore()?;
    /// let moments = space.passage(From::initial(), To::pattern("S"))?.moments(2)?;
    /// assert_eq!(moments.ends.value, 0.5);
    /// assert!((moments.raw[0].value - 1.0).abs() <= moments.raw[0].error);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn moments(&self, count: usize) -> Result<Moments<Figure>, Error> {
        let moments = match self.inner.in_fractions {
            true => rounded(&self.moments_exact(count)?),
            false => self.moments_in_floats(count)?,
        };
        within(self.inner.settings.tolerance, moments)
    }

    fn moments_in_floats(&self, count: usize) -> Result<Moments<Figure>, Error> {
        let limits = &self.inner.settings.limits;
        let mut watch = Watch::start(limits);
        self.inner.time.moments(count, limits, self.budget(), &mut watch)
    }

    /// The moments in exact fractions, verified; see [`Self::moments`].
    ///
    /// # Errors
    /// A limit was reached.
    ///
    /// # Examples
    /// ```
    /// use skel::passage::{From, To};
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[3]")?.explorer().lumped().explore()?;
    /// let full = space.passage(From::initial(), To::pattern("E = 0"))?.moments_exact(2)?;
    /// assert_eq!((full.ends, full.raw[0].clone()), (ratio(1, 1), ratio(25, 3)));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn moments_exact(&self, count: usize) -> Result<Moments<Ratio>, Error> {
        let Found { time, .. } = self.in_fractions()?;
        let mut watch = Watch::start(&self.inner.settings.limits);
        time.moments(count, self.budget(), &mut watch)
    }

    /// How many passages begin per unit of time, as an exact fraction.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn throughput_exact(&self) -> Result<Option<Ratio>, Error> {
        Ok(self.in_fractions()?.frequency.map(|(frequency, _)| frequency))
    }

    /// The distribution function and the density at some times, from one pass to the largest of them.
    ///
    /// Where a passage may not end, these are the probabilities that it has ended by then, which stay below
    /// one.
    ///
    /// # Errors
    /// A time is negative or no number, the tolerance cannot be kept, it takes too many steps, or a limit was
    /// reached.
    pub fn at(&self, times: &[f64]) -> Result<Vec<Point>, Error> {
        Ok(self.curve(times, &[])?.0)
    }

    /// The times by which a passage has ended with some probabilities.
    ///
    /// # Errors
    /// A probability is not between zero and one; else as [`Self::at`].
    ///
    /// # Examples
    /// ```
    /// use skel::passage::{From, To};
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E")?.explore()?;
    /// let served = space.passage(From::action("arrive"), To::action("serve"))?;
    /// let median = served.quantiles(&[0.5])?[0].time.unwrap();
    /// assert!((median.value - 2.0_f64.ln() / 3.0).abs() <= median.error);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn quantiles(&self, probabilities: &[f64]) -> Result<Vec<Quantile>, Error> {
        Ok(self.curve(&[], probabilities)?.1)
    }

    /// Points and quantiles together, from one pass.
    ///
    /// # Errors
    /// As [`Self::at`] and [`Self::quantiles`].
    pub fn curve(&self, times: &[f64], probabilities: &[f64]) -> Result<(Vec<Point>, Vec<Quantile>), Error> {
        check_wanted(times, probabilities)?;
        let ends = match probabilities.is_empty() || self.is_sure() {
            true => Figure { value: 1.0, error: 0.0 },
            false => self.moments(0)?.ends,
        };
        let settings = &self.inner.settings;
        let wanted = Wanted {
            times,
            quantiles: probabilities,
            tolerance: settings.tolerance,
            most_steps: settings.most_steps,
        };
        let mut watch = Watch::start(&settings.limits);
        let curve = self.inner.time.curve(&wanted, ends, self.budget(), &mut watch)?;
        Ok((curve.points, curve.quantiles))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn in_fractions(&self) -> Result<Found<Ratio>, Error> {
        time::<Ratio>(&self.inner.space, &self.inner.asked, &self.inner.settings.limits)
    }

    fn budget(&self) -> MemoryBudget {
        MemoryBudget::new(&self.inner.settings.limits).beside(self.inner.space.memory())
    }
}
