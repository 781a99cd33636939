//! Exact derivatives of a measure with respect to every named rate, from one additional solution.
//!
//! A measure is `m = sum of pi(i) r(i)`, where `r(i)` is the reward of a state: the rates of an action for
//! its throughput, a count for a population. The *bias* `x` of the rewards solves `Q x = m 1 - r`. With it
//! the derivative by a rate is
//!
//! ```text
//! dm = sum over the activities from i to j with rate q and impulse reward w, of  pi(i) dq (x(j) - x(i) + w)
//! ```
//!
//! The impulse reward is 1 for an activity that the measure counts, and 0 for others. So a higher rate of an
//! activity has two effects: the reward of the activity itself, and the change of future rewards from being
//! in `j` instead of `i`. The formula follows from `m' = pi' r + pi r'` and `pi' Q = -pi Q'`. Finite
//! differences would take two solutions for each rate and lose half of the digits. X.-R. Cao, H.-F. Chen,
//! IEEE Trans. Automatic Control 42 (1997).
//!
//! The rate of an activity depends on a named rate through expressions, shares of apparent rates, and their
//! minima. Its derivative is computed by running the compiled model on dual numbers.
//!
//! **Kinks.** Where two partners share an action and have equal apparent rates, the minimum of these has no
//! derivative: the derivative for an increase of a rate differs from that for a decrease. Both are exact and
//! are returned by [`Derivatives::one_sided`]; [`Derivatives::by`] returns an error there. In `f64`, apparent
//! rates count as equal if they differ only by rounding.
//!
//! Cost: one bias, which takes about as long as the steady state, and one pass over the transitions for each
//! rate that anything depends on; 18 milliseconds in all for 6,561 states and 17 rates. Memory: the generator
//! matrix, and for iterative methods also its transpose.

mod class;
mod dual;
mod slopes;

use std::marker::PhantomData;

use num_traits::Zero;
use skel_core::model::ParameterId;
use skel_core::number::{Number, Ratio};

use crate::chain::describe_classes;
use crate::error::{Classes, Error};
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::elimination::number::Scalar;
use crate::quotient::Measure;
use crate::space::{NamedRate, StateSpace};
use crate::steady::bias;
use crate::steady::bias::{Bias, Rewarded};
use crate::steady::{Options, SteadyState};
use class::RecurrentClass;
use dual::Differentiable;
use slopes::Slopes;

/// The derivatives of a measure of the model `M` with respect to its named rates, in `f64` or in exact
/// fractions.
pub struct Derivatives<M: ?Sized, N> {
    space: StateSpace,
    name: String,
    value: N,
    /// For each named rate the derivatives for its increase and for its decrease.
    slopes: Vec<(N, N)>,
    method: MethodUsed,
    iterations: u64,
    residual: f64,
    model: PhantomData<fn() -> Box<M>>,
}

impl<M: ?Sized> SteadyState<M, f64> {
    /// The derivatives of a measure with respect to all named rates.
    ///
    /// If a rate defines others, these change with it, as in [`StateSpace::with_rates`]. If a rate is itself
    /// defined by others, those do not change. The unit of a derivative is that of the measure divided by
    /// that of the rate: the derivative of a throughput by a rate has none.
    ///
    /// # Errors
    /// There are several recurrent classes; the model lacks a name in the measure; in a lumped space, a rate
    /// belongs to one of several parts that were lumped; or no method found a bias that is certain to be
    /// accurate enough.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// pepa! { model Queue { lambda = 1; mu = 3; E = (arrive, lambda).F; F = (serve, mu).E; E } }
    /// let pi = Queue::new().explore()?.steady_state()?;
    /// // The throughput is lambda mu / (lambda + mu), and its derivative by mu is (lambda / (lambda + mu))^2.
    /// let gain = pi.derivatives(&Measure::throughput_of(Queue::serve))?;
    /// assert!((gain.by(Queue::mu)? - 1.0 / 16.0).abs() < 1e-14);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn derivatives(&self, measure: &Measure<M>) -> Result<Derivatives<M, f64>, Error> {
        self.derivatives_within(measure, &Limits::default(), &Options::default())
    }

    /// The derivatives of a measure, within limits and with options. [`Options::direct_up_to`] is the largest
    /// number of states for which the bias is found by elimination. Its equations have to be solved to a
    /// tenth of the tolerance.
    ///
    /// # Errors
    /// Those of [`Self::derivatives`], or a limit was reached.
    pub fn derivatives_within(
        &self,
        measure: &Measure<M>,
        limits: &Limits,
        options: &Options,
    ) -> Result<Derivatives<M, f64>, Error> {
        derivatives(self, measure, limits, |chain, watch| bias::in_floats(chain, limits, options, watch))
    }
}

impl<M: ?Sized> SteadyState<M, Ratio> {
    /// The derivatives of a measure with respect to all named rates, as exact fractions. They are computed by
    /// elimination in fractions, which suits small models. With all rates different, a pipeline of 27 states
    /// takes 4 milliseconds, one of 81 takes 50, and one of 243 takes two seconds.
    ///
    /// # Errors
    /// Those of [`SteadyState::derivatives`] in `f64`, or a default limit was reached.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// pepa! { model Queue { lambda = 1; mu = 3; E = (arrive, lambda).F; F = (serve, mu).E; E } }
    /// let pi = Queue::new().explore()?.steady_state_exact()?;
    /// let gain = pi.derivatives(&Measure::throughput_of(Queue::serve))?;
    /// assert_eq!((gain.by(Queue::lambda)?, gain.by(Queue::mu)?), (ratio(9, 16), ratio(1, 16)));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn derivatives(&self, measure: &Measure<M>) -> Result<Derivatives<M, Ratio>, Error> {
        self.derivatives_within(measure, &Limits::default())
    }

    /// The derivatives of a measure as exact fractions, within limits.
    ///
    /// # Errors
    /// Those of [`Self::derivatives`], or a limit was reached.
    pub fn derivatives_within(
        &self,
        measure: &Measure<M>,
        limits: &Limits,
    ) -> Result<Derivatives<M, Ratio>, Error> {
        derivatives(self, measure, limits, bias::exactly)
    }
}

impl<M: ?Sized, N: Number> Derivatives<M, N> {
    /// The value of the measure itself.
    #[must_use]
    pub fn value(&self) -> &N {
        &self.value
    }

    /// The derivative with respect to a named rate, given by handle, id or name.
    ///
    /// # Errors
    /// The model has no such rate, or the measure has a kink at its value. Then [`Self::one_sided`] returns
    /// the derivatives for an increase and for a decrease of the rate.
    pub fn by<R: NamedRate<M>>(&self, rate: R) -> Result<N, Error> {
        let rate = self.rate(rate)?;
        let (rising, falling) = &self.slopes[rate.index()];
        match rising == falling {
            true => Ok(rising.clone()),
            false => Err(Error::Unknown(self.kink(rate))),
        }
    }

    /// The derivatives for an increase and for a decrease of a named rate. They differ where partners share
    /// an action and have equal apparent rates, since the smaller of the two determines the rate of the
    /// action.
    ///
    /// # Errors
    /// The model has no such rate.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// // The shared action has the smaller of the two rates.
    /// let space = Model::from_text("r = 2; s = 2; P = (go, r).P; Q = (go, s).Q; P <go> Q")?.explore()?;
    /// let gain = space.steady_state_exact()?.derivatives(&Measure::throughput_named("go"))?;
    /// assert_eq!(gain.one_sided("r")?, (ratio(0, 1), ratio(1, 1)));
    /// assert!(gain.by("r").is_err());
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn one_sided<R: NamedRate<M>>(&self, rate: R) -> Result<(N, N), Error> {
        Ok(self.slopes[self.rate(rate)?.index()].clone())
    }

    /// The id of a named rate. Sizes have no derivative.
    fn rate<R: NamedRate<M>>(&self, rate: R) -> Result<ParameterId, Error> {
        let model = self.space.model();
        let id = rate.id_in(model)?;
        match model.is_size(id) {
            false => Ok(id),
            true => Err(Error::Unknown(format!(
                "`{}` is a size, and there is no derivative by a whole number; solve the model with the next size",
                model.parameters()[id.index()].name
            ))),
        }
    }

    /// All named rates except sizes, in the order of the model, each with the derivatives for its increase
    /// and its decrease. The two are equal unless there is a kink.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("r = 1; s = 3; P = (go, r).Q; Q = (back, s).P; P")?.explore()?;
    /// let gains = space.steady_state_exact()?.derivatives(&Measure::utilisation_named("Q"))?;
    /// let shown: Vec<String> = gains.all().map(|(name, rising, _)| format!("{name} {rising}")).collect();
    /// assert_eq!(shown, ["r 3/16", "s -1/16"]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn all(&self) -> impl ExactSizeIterator<Item = (&str, &N, &N)> {
        let rates = self.space.model().parameters().iter().zip(&self.slopes);
        let rates: Vec<_> = rates.filter(|(parameter, _)| !parameter.is_size).collect();
        rates.into_iter().map(|(rate, (rising, falling))| (rate.name.as_str(), rising, falling))
    }

    /// The method that computed the bias.
    #[must_use]
    pub fn method(&self) -> MethodUsed {
        self.method
    }

    /// The number of iterations for the bias; 0 for a direct method.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// The residual of the equations of the bias, relative to the largest value of the bias; exactly 0 for
    /// exact answers. The relative error of a derivative exceeds it by a factor of about the number of steps
    /// in which the chain becomes independent of its initial state.
    #[must_use]
    pub fn residual(&self) -> f64 {
        self.residual
    }

    fn kink(&self, rate: ParameterId) -> String {
        let (rising, falling) = &self.slopes[rate.index()];
        format!(
            "{} has a kink at this value of `{}`, where partners have equal apparent rates: its derivative is {} as the rate \
             rises and {} as it falls",
            self.name,
            self.space.model().parameters()[rate.index()].name,
            rising.to_float(),
            falling.to_float()
        )
    }
}

impl<M: ?Sized, N: Number> std::fmt::Debug for Derivatives<M, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Derivatives({} of {:?})", self.name, self.space)
    }
}

/// Computes derivatives. The function is generic, so it is compiled only in programs that ask for
/// derivatives.
fn derivatives<M: ?Sized, N: Differentiable + Scalar>(
    solution: &SteadyState<M, N>,
    measure: &Measure<M>,
    limits: &Limits,
    solve: impl FnOnce(&Rewarded<'_, N>, &mut Watch<'_>) -> Result<Bias<N>, Error>,
) -> Result<Derivatives<M, N>, Error> {
    let space = solution.space().untyped();
    let classes = solution.classification();
    let [class] = &classes.recurrent[..] else {
        let (count, lines) = (classes.recurrent.len(), describe_classes(&space, classes));
        return Err(Error::SeveralRecurrentClasses(Classes { count, lines }));
    };
    let reward = measure.reward(&space)?;
    let mut watch = Watch::start(limits);
    let class = RecurrentClass::new(&space, class, solution.probabilities());
    let Bias { mean, values, method, iterations, residual } =
        class.bias(&reward, limits, &mut watch, solve)?;
    let mut bias = vec![N::zero(); space.states()];
    for (state, value) in class.states().zip(values) {
        bias[state] = value;
    }
    let factor = measure.factor(space.model());
    let by = |rate| {
        let slopes = Slopes::by(rate, space.model());
        let (mut rising, mut falling) = class.slope(&slopes, rate, &reward, &bias, &mut watch)?;
        if let Some(slope) = factor.map(|factor| slopes.of(factor)).filter(|slope| !slope.is_zero()) {
            let more = N::from_ratio(&slope) * class.mean_count(&reward);
            (rising, falling) = (rising + more.clone(), falling + more);
        }
        Ok((rising, falling))
    };
    let rates = (0..space.model().parameters().len()).map(ParameterId::at);
    let slopes = rates.map(by).collect::<Result<_, Error>>()?;
    let name = reward.name.clone();
    Ok(Derivatives { name, value: mean, slopes, method, iterations, residual, model: PhantomData, space })
}
