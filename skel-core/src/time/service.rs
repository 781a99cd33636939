//! The time that a task takes for an item: what was said of it, and what follows.

use std::fmt;

use num_traits::{Signed, Zero};

use crate::diagnostic::{Code, Diagnostic};
use crate::number::{Number, Ratio, decimal, ratio};
use crate::syntax::literal::{number, rate_text};
use crate::time::fit::{Fit, LEAST_VARIATION, four_digits};
use crate::time::gamma::weibull_scv;
use crate::time::measured::Measurement;
use crate::time::phase_type::PhaseType;

/// A distribution of times as it is said. All values are as the check leaves them: means and rates are
/// positive, and `scv`, the squared coefficient of variation (the variance over the square of the mean), is 0
/// or more.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Distribution {
    /// `exponential(rate)`, or a rate alone.
    Exponential(Ratio),
    /// `erlang(phases, mean)`: so many equal exponential phases, one after the other.
    Erlang {
        /// How many.
        phases: u32,
        /// The mean of their sum.
        mean: Ratio,
    },
    /// `hyperexponential([p, ...], [rate, ...])`: one of several exponential times.
    Hyperexponential {
        /// The probability of each.
        probabilities: Vec<Ratio>,
        /// The rate of each.
        rates: Vec<Ratio>,
    },
    /// `phases([p, ...], [[entry, ...], ...])`: initial probabilities and a sub-generator.
    Phases(PhaseType),
    /// `fitted(mean, scv)`: phases with these two moments, see [`Fit`].
    Fitted {
        /// The mean.
        mean: Ratio,
        /// At least 1/64.
        scv: Ratio,
    },
    /// `measured("times.csv")`: phases with the mean and the variation of measured times.
    Measured(Measurement),
    /// `deterministic(time)`: always the same.
    Deterministic(Ratio),
    /// `uniform(from, to)`: each time between the two is equally likely.
    Uniform {
        /// The least time, 0 or more.
        from: Ratio,
        /// The longest.
        to: Ratio,
    },
    /// `lognormal(mean, scv)`: its logarithm is normal.
    Lognormal {
        /// The mean.
        mean: Ratio,
        /// Above 0.
        scv: Ratio,
    },
    /// `weibull(mean, shape)`: longer than `t` with the probability `exp(-(t / scale)^shape)`.
    Weibull {
        /// The mean. It stands in the place of the scale, which is `mean / G(1 + 1 / shape)` with the gamma
        /// function, so that it is exact.
        mean: Ratio,
        /// Above 0. At 1 the time is exponential; above 1 it varies less, below 1 more.
        shape: Ratio,
    },
}

/// The time that a task takes for an item, checked.
///
/// It prints as it is written in a `.skel` text, and what it prints is read as the same time.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, skeleton::text::parse};
/// let tree = parse("task(\"parse\", erlang(4, 12ms));").into_tree()?;
/// let time = tree.time(tree.root()).unwrap();
/// assert_eq!((time.mean(), time.scv(), time.rate()), (&ratio(12, 1000), ratio(1, 4), ratio(250, 3)));
/// assert_eq!(time.phase_type().unwrap().phases(), 4);
/// assert_eq!(time.to_string(), "erlang(4, 0.012)");
/// # Ok::<(), skel_core::text::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceTime {
    said: Box<Distribution>,
    mean: Ratio,
}

/// What has the nearest fits of all times.
pub const FITTED: &str = "`.fitted()` on the program";

/// Why a time is not made of phases: a chain cannot have it.
#[derive(Clone, Debug, PartialEq)]
pub struct NoPhaseType {
    time: ServiceTime,
}

impl ServiceTime {
    /// A time whose values have been checked.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn from_checked(said: Distribution) -> Self {
        let mean = match &said {
            Distribution::Exponential(rate) => rate.recip(),
            Distribution::Hyperexponential { probabilities, rates } => {
                probabilities.iter().zip(rates).fold(Ratio::zero(), |sum, (p, rate)| sum + p / rate)
            }
            Distribution::Phases(phases) => phases.mean(),
            Distribution::Measured(measurement) => measurement.mean.clone(),
            Distribution::Uniform { from, to } => (from + to) / Ratio::from_integer(2.into()),
            Distribution::Erlang { mean, .. }
            | Distribution::Fitted { mean, .. }
            | Distribution::Lognormal { mean, .. }
            | Distribution::Weibull { mean, .. }
            | Distribution::Deterministic(mean) => mean.clone(),
        };
        ServiceTime { said: Box::new(said), mean }
    }

    /// An exponential time of this rate.
    ///
    /// # Panics
    /// If the rate is not positive.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn exponential(rate: &Ratio) -> Self {
        assert!(rate.is_positive(), "a rate is above 0");
        ServiceTime::from_checked(Distribution::Exponential(rate.clone()))
    }

    /// What was said.
    #[must_use]
    pub fn distribution(&self) -> &Distribution {
        &self.said
    }

    /// The mean, exactly: in the unit of the rates, or in seconds where a unit was said.
    #[must_use]
    pub fn mean(&self) -> &Ratio {
        &self.mean
    }

    /// How many items per unit of time are done, on average, by a task that always has one: 1 over the mean.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn rate(&self) -> Ratio {
        self.mean.recip()
    }

    /// The squared coefficient of variation: the variance over the square of the mean. It is exact but for a
    /// Weibull time, where it is a decimal of 12 digits.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn scv(&self) -> Ratio {
        match &*self.said {
            Distribution::Exponential(_) => ratio(1, 1),
            Distribution::Erlang { phases, .. } => ratio(1, i64::from(*phases)),
            Distribution::Hyperexponential { probabilities, rates } => {
                PhaseType::hyperexponential(probabilities, rates).scv()
            }
            Distribution::Phases(phases) => phases.scv(),
            Distribution::Measured(measurement) => measurement.scv.clone(),
            Distribution::Fitted { scv, .. } | Distribution::Lognormal { scv, .. } => scv.clone(),
            Distribution::Deterministic(_) => Ratio::zero(),
            Distribution::Uniform { from, to } => {
                let (width, sum) = (to - from, to + from);
                &width * &width / (Ratio::from_integer(3.into()) * &sum * &sum)
            }
            Distribution::Weibull { shape, .. } => {
                // The check has bounded the shape, so that this is a number.
                decimal(&format!("{:.11e}", weibull_scv(shape.to_float()))).unwrap_or_else(|_| Ratio::zero())
            }
        }
    }

    /// Whether the time is exponential as it was said.
    #[must_use]
    pub fn is_exponential(&self) -> bool {
        matches!(*self.said, Distribution::Exponential(_))
    }

    /// The time as phases. It is exact for what is made of phases; for `fitted` and `measured` it is that of
    /// [`Self::fit`].
    ///
    /// # Errors
    /// If the time is deterministic, uniform, lognormal or Weibull, or was measured and varies too little for
    /// a fit.
    #[cfg_attr(debug_assertions, inline)]
    pub fn phase_type(&self) -> Result<PhaseType, NoPhaseType> {
        match &*self.said {
            Distribution::Exponential(rate) => Ok(PhaseType::exponential(rate)),
            Distribution::Erlang { phases, mean } => Ok(PhaseType::erlang(*phases, mean)),
            Distribution::Hyperexponential { probabilities, rates } => {
                Ok(PhaseType::hyperexponential(probabilities, rates))
            }
            Distribution::Phases(phases) => Ok(phases.clone()),
            _ => match self.fit() {
                Some(fit) => Ok(fit.phase_type()),
                None => Err(NoPhaseType { time: self.clone() }),
            },
        }
    }

    /// The fit by two moments that stands for a `fitted` or `measured` time, if there is one.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn fit(&self) -> Option<Fit> {
        match &*self.said {
            Distribution::Fitted { mean, scv } => Fit::of(mean, scv),
            Distribution::Measured(Measurement { mean, scv, .. }) => Fit::of(mean, scv),
            _ => None,
        }
    }

    /// The fitted time of the same mean and variation, for a time that is not of phases; none for one that
    /// is, and none where the squared coefficient of variation is below 1/64.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let tree = parse("pipe(task(uniform(1, 5)), task(deterministic(2)), task(2));").into_tree()?;
    /// let nearest = |id: &_| Some(tree.time(*id)?.nearest_fit()?.to_string());
    /// let nearest: Vec<_> = tree.tasks().iter().map(nearest).collect();
    /// assert_eq!(nearest, [Some("fitted(3.0, 4 / 27)".to_owned()), None, None]);
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn nearest_fit(&self) -> Option<ServiceTime> {
        let is_general = matches!(
            *self.said,
            Distribution::Deterministic(_)
                | Distribution::Uniform { .. }
                | Distribution::Lognormal { .. }
                | Distribution::Weibull { .. }
        );
        let scv = self.scv();
        let is_fitted = is_general && scv >= ratio(1, LEAST_VARIATION);
        is_fitted.then(|| ServiceTime::from_checked(Distribution::Fitted { mean: self.mean.clone(), scv }))
    }

    /// The time in words, with the fit that stands for it:
    /// `measured: 1203 times of mean 12.3, scv 0.41; fitted by Erlang 2 with probability 0.3, else 3, at rate 0.21`.
    /// Numbers have four digits.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn in_words(&self) -> String {
        let (mean, scv) = (four_digits(&self.mean), four_digits(&self.scv()));
        let fit = self.fit().map(|fit| format!("; fitted by {fit}")).unwrap_or_default();
        match &*self.said {
            Distribution::Exponential(rate) => format!("exponential at rate {}", four_digits(rate)),
            Distribution::Erlang { phases, .. } => format!("Erlang {phases} of mean {mean}"),
            Distribution::Hyperexponential { .. } => format!("hyperexponential of mean {mean}, scv {scv}"),
            Distribution::Phases(phases) => {
                format!("{} of mean {mean}, scv {scv}", counted(phases.phases() as u64, "phase"))
            }
            Distribution::Fitted { .. } => format!("of mean {mean}, scv {scv}{fit}"),
            Distribution::Measured(Measurement { count, .. }) => {
                format!("measured: {} of mean {mean}, scv {scv}{fit}", counted(*count, "time"))
            }
            Distribution::Deterministic(_) => format!("always {mean}"),
            Distribution::Uniform { from, to } => {
                format!("uniform from {} to {}", four_digits(from), four_digits(to))
            }
            Distribution::Lognormal { .. } => format!("lognormal of mean {mean}, scv {scv}"),
            Distribution::Weibull { shape, .. } => {
                format!("Weibull of mean {mean}, shape {} (scv {scv})", four_digits(shape))
            }
        }
    }
}

impl From<PhaseType> for ServiceTime {
    #[cfg_attr(debug_assertions, inline)]
    fn from(phases: PhaseType) -> Self {
        ServiceTime::from_checked(Distribution::Phases(phases))
    }
}

impl NoPhaseType {
    /// The time itself.
    #[must_use]
    pub fn time(&self) -> &ServiceTime {
        &self.time
    }

    /// The finding for a task, with the nearest fit as help. `subject` names the task, as in `` of the task
    /// `read` ``.
    #[cfg_attr(debug_assertions, inline)]
    pub fn finding<S>(&self, place: S, subject: &str) -> Diagnostic<S> {
        let mut finding = self.finding_of_one(place, subject);
        if let (Some(help), true) = (&mut finding.help, self.time.nearest_fit().is_some()) {
            help.push_str("; ");
            help.push_str(FITTED);
            help.push_str(" does so for all");
        }
        finding
    }

    /// The same where the times of a program cannot be fitted all at once.
    #[cfg_attr(debug_assertions, inline)]
    pub fn finding_of_one<S>(&self, place: S, subject: &str) -> Diagnostic<S> {
        let message = format!("the time {subject} is `{}`, which a Markov chain cannot have", self.time);
        let help = match self.time.nearest_fit() {
            Some(fit) => {
                let words = fit.fit().map(|fit| fit.to_string()).unwrap_or_default();
                format!("write the nearest fit by two moments, `{fit}`: {words}")
            }
            None => format!(
                "its squared coefficient of variation, {}, is below 1/{LEAST_VARIATION}, the least that is fitted; the \
                 nearest of so many phases is `erlang({LEAST_VARIATION}, {})`",
                four_digits(&self.time.scv()),
                number(self.time.mean()),
            ),
        };
        Diagnostic::new(Code::NotPhaseType, place, message).help(help)
    }
}

#[cfg_attr(debug_assertions, inline)]
fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Numbers between brackets and commas.
#[cfg_attr(debug_assertions, inline)]
fn list<'r>(values: impl Iterator<Item = &'r Ratio>) -> String {
    let shown = |value: &Ratio| {
        let sign = if value.is_negative() { "-" } else { "" };
        format!("{sign}{}", number(&value.abs()))
    };
    let shown: Vec<String> = values.map(shown).collect();
    format!("[{}]", shown.join(", "))
}

impl fmt::Display for ServiceTime {
    /// As in a `.skel` text.
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.said {
            Distribution::Exponential(rate) => f.write_str(&rate_text(rate)),
            Distribution::Erlang { phases, mean } => write!(f, "erlang({phases}, {})", rate_text(mean)),
            Distribution::Hyperexponential { probabilities, rates } => {
                write!(f, "hyperexponential({}, {})", list(probabilities.iter()), list(rates.iter()))
            }
            Distribution::Phases(phases) => {
                let row = |from| {
                    let entries: Vec<Ratio> =
                        (0..phases.phases()).map(|to| phases.generator(from, to)).collect();
                    list(entries.iter())
                };
                let rows: Vec<String> = (0..phases.phases()).map(row).collect();
                write!(f, "phases({}, [{}])", list(phases.initial().iter()), rows.join(", "))
            }
            Distribution::Fitted { mean, scv } => write!(f, "fitted({}, {})", rate_text(mean), number(scv)),
            Distribution::Measured(Measurement { source, .. }) => write!(f, "{source}"),
            Distribution::Deterministic(time) => write!(f, "deterministic({})", rate_text(time)),
            Distribution::Uniform { from, to } => {
                write!(f, "uniform({}, {})", rate_text(from), rate_text(to))
            }
            Distribution::Lognormal { mean, scv } => {
                write!(f, "lognormal({}, {})", rate_text(mean), number(scv))
            }
            Distribution::Weibull { mean, shape } => {
                write!(f, "weibull({}, {})", rate_text(mean), number(shape))
            }
        }
    }
}
