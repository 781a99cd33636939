//! Derivatives of a measure with respect to every named rate, exact, from one more solution.
//!
//! A measure is `m = sum of pi(i) r(i)`, with the reward `r(i)` of a state: the rates of an action for its throughput, a count
//! for a population. With the *bias* `x` of the rewards, `Q x = m 1 - r`, its derivative by any rate is
//!
//! ```text
//! dm = sum over the activities from i to j, of the rate q and worth w, of  pi(i) dq (x(j) - x(i) + w)
//! ```
//!
//! where an activity that the measure counts is worth 1 each time, others nothing: what more of an activity brings is what it is
//! worth and what follows from being elsewhere. For `m' = pi' r + pi r'`, and `pi' Q = -pi Q'`. Finite differences would take two
//! solutions for each rate and lose half of the digits. X.-R. Cao, H.-F. Chen, IEEE Trans. Automatic Control 42 (1997).
//!
//! How the rate of an activity depends on a named one, through expressions, shares and apparent rates, is found by running the
//! compiled model on dual numbers.
//!
//! **Kinks.** Where two partners share an action with equal apparent rates, the slower one sets the pace whichever way a rate
//! moves: the derivative as the rate rises differs from that as it falls. Both are exact, [`Derivatives::one_sided`], and
//! [`Derivatives::by`] says where there is no one derivative. In `f64`, apparent rates are equal that differ by rounding.
//!
//! Cost: one bias, about as long as the steady state takes, and for each rate that anything depends on a pass over the
//! transitions: for 6,561 states with 17 rates 18 milliseconds in all. Memory: the generator matrix, and its transposed while iterating.

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
use crate::linear::elimination::number::Scalar;
use crate::quotient::Measure;
use crate::space::{NamedRate, StateSpace};
use crate::steady::bias;
use crate::steady::bias::{Bias, Rewarded};
use crate::steady::{Options, SteadyState};
use class::Class;
use dual::Differentiable;
use slopes::Slopes;

/// The derivatives of a measure of the model `M` with respect to its named rates, in `f64` or in exact fractions.
pub struct Derivatives<M: ?Sized, N> {
    space: StateSpace,
    name: String,
    value: N,
    /// Per named rate, as it rises and as it falls.
    slopes: Vec<(N, N)>,
    method: &'static str,
    iterations: u64,
    residual: f64,
    model: PhantomData<fn() -> Box<M>>,
}

impl<M: ?Sized> SteadyState<M, f64> {
    /// The derivatives of a measure with respect to all named rates.
    ///
    /// By a rate that others are defined by, these follow it, as in [`StateSpace::with_rates`]; by one that is itself defined by
    /// others, those stay. The rate's unit is in the derivative's: of items per second by items per second it has none.
    ///
    /// # Errors
    /// Several recurrent classes; a measure that the model does not have; in a lumped space, a rate that belongs to one of several
    /// parts that were lumped; or no method found the bias for certain.
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

    /// The derivatives of a measure, within limits and with options; of these [`Options::direct_up_to`] says up to how many states
    /// the bias is found by elimination, and it has to solve its equations to a tenth of the tolerance.
    ///
    /// # Errors
    /// As [`Self::derivatives`], or a limit was reached.
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
    /// The derivatives of a measure with respect to all named rates, as exact fractions. By elimination in them, and so for small
    /// models: with all rates different, 4 milliseconds for a pipeline of 27 states, 50 for one of 81, two seconds for 243.
    ///
    /// # Errors
    /// As [`SteadyState::derivatives`] in `f64`, or a default limit was reached.
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
    /// As [`Self::derivatives`], or a limit was reached.
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

    /// The derivative with respect to a named rate: by handle, id or name.
    ///
    /// # Errors
    /// If the model has no such rate, or there is a kink: then [`Self::one_sided`] has the derivatives as the rate rises and as it
    /// falls.
    pub fn by<R: NamedRate<M>>(&self, rate: R) -> Result<N, Error> {
        let rate = self.rate(rate)?;
        let (rising, falling) = &self.slopes[rate.index()];
        match rising == falling {
            true => Ok(rising.clone()),
            false => Err(Error::Unknown(self.kink(rate))),
        }
    }

    /// The derivatives with respect to a named rate as it rises, and as it falls. They differ where partners share an
    /// action with equal apparent rates, of which the smaller one counts.
    ///
    /// # Errors
    /// If the model has no such rate.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// // Together they go at the smaller of the two rates.
    /// let space = Model::from_text("r = 2; s = 2; P = (go, r).P; Q = (go, s).Q; P <go> Q")?.explore()?;
    /// let gain = space.steady_state_exact()?.derivatives(&Measure::throughput_named("go"))?;
    /// assert_eq!(gain.one_sided("r")?, (ratio(0, 1), ratio(1, 1)));
    /// assert!(gain.by("r").is_err());
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn one_sided<R: NamedRate<M>>(&self, rate: R) -> Result<(N, N), Error> {
        Ok(self.slopes[self.rate(rate)?.index()].clone())
    }

    /// A named rate, if there is a derivative by it.
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

    /// All named rates but sizes, in the order of the model, each with the derivatives as it rises and as it falls: the same, where there is
    /// no kink.
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

    /// How the bias was found.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The iterations that it took; 0 for a direct method.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// What is left of the equations of the bias, relative to its largest value; exactly 0 for exact answers. The relative
    /// error of a derivative is about as many times larger as the chain takes steps to forget where it was.
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

/// Generic, and so compiled where it is asked for: who asks for no derivative doesn't pay for it.
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
    let class = Class::new(&space, class, solution.probabilities());
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
