//! Times as Rust values: what can stand in the place of a task's rate.

use std::path::Path;

use num_bigint::BigInt;

use crate::diagnostic::{Diagnostic, TextSpan};
use crate::model::{BuildError, BuildErrors};
use crate::number::Ratio;
use crate::rate::Rate;
use crate::skeleton::check::check_time;
use crate::skeleton::typed::{Count, IntoSkeleton, Task, task};
use crate::skeleton::written::{DistributionWord, TimeArgument, Value, WrittenTime};
use crate::time::{IntoMean, IntoTime, MeanTime, Measured, ServiceTime};

/// How long a task takes for an item, as it is said in Rust: a rate, or a distribution. What is wrong with it
/// is reported when the skeleton is built.
///
/// # Examples
/// ```
/// use skel_core::{skeleton::{erlang, task, Skeleton}, time::mean};
/// assert_eq!(task(erlang(4, mean(0.5))).tree()?.to_string(), "task(erlang(4, 0.5));\n");
/// let wrong = task(erlang(0, mean(-1))).named("parse").tree().unwrap_err();
/// let messages: Vec<&str> = wrong.0.iter().map(|error| error.message.as_str()).collect();
/// assert_eq!(messages, ["the Erlang time of the task `parse` has 0 phases", "the mean time of the task `parse` is -1, which is negative"]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Timing(WrittenTime<()>);

impl Timing {
    /// What was said.
    pub(super) fn written(&self) -> &WrittenTime<()> {
        &self.0
    }

    /// The time, checked. `subject` names whose time it is in the errors, as in `of stage 1`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{erlang, Timing}, time::mean};
    /// assert_eq!(erlang(4, mean(2)).checked("of stage 1")?.scv(), ratio(1, 4));
    /// let wrong = Timing::from(0).checked("of stage 1").unwrap_err();
    /// assert_eq!(wrong.0[0].message, "the rate of stage 1 is 0");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn checked(&self, subject: &str) -> Result<ServiceTime, BuildErrors> {
        let (time, findings) = check_time(&self.0.at(TextSpan::NOWHERE), subject);
        let error = |finding: Diagnostic<TextSpan>| BuildError {
            code: finding.code,
            message: finding.message,
            help: finding.help.unwrap_or_default(),
        };
        time.ok_or_else(|| BuildErrors(findings.into_iter().map(error).collect()))
    }
}

/// A rate: the time is exponential.
impl<R: Into<Rate>> From<R> for Timing {
    fn from(rate: R) -> Self {
        Timing(WrittenTime::Rate(Value::Known(rate.into(), ())))
    }
}

fn said(word: DistributionWord, arguments: impl Into<Vec<TimeArgument<()>>>) -> Timing {
    Timing(WrittenTime::Distribution { word, arguments: arguments.into(), span: () })
}

fn number(value: impl Into<Rate>) -> TimeArgument<()> {
    TimeArgument::Number(value.into(), ())
}

fn time(value: MeanTime) -> TimeArgument<()> {
    TimeArgument::Time(value.into_number(), ())
}

fn list<R: Into<Rate>>(values: impl IntoIterator<Item = R>) -> TimeArgument<()> {
    TimeArgument::List(values.into_iter().map(number).collect(), ())
}

/// The times of a file are read here: relative to where the program runs.
impl From<Measured> for Timing {
    #[cfg_attr(debug_assertions, inline)]
    fn from(source: Measured) -> Self {
        let found = source.read_in(Path::new(""));
        said(DistributionWord::Measured, [TimeArgument::Measured(found, ())])
    }
}

/// An exponential time of this rate: what a rate alone means, too.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{exponential, task, Skeleton};
/// assert_eq!(task(exponential(2.0)).tree()?, task(2.0).tree()?);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn exponential(rate: impl Into<Rate>) -> Timing {
    said(DistributionWord::Exponential, [number(rate)])
}

/// An Erlang time: so many equal exponential phases, one after the other. Its squared coefficient of
/// variation is `1 / phases`.
///
/// The number of phases is from 1 to 1,000.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, skeleton::{erlang, task, Skeleton}, time::TimeUnits};
/// let tree = task(erlang(4, 12.ms())).tree()?;
/// let time = tree.time(tree.root()).unwrap();
/// assert_eq!((time.mean(), time.scv()), (&ratio(12, 1000), ratio(1, 4)));
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn erlang(phases: impl Into<Count>, mean: impl IntoMean) -> Timing {
    let phases = Ratio::from_integer(BigInt::from(phases.into().0));
    said(DistributionWord::Erlang, [number(phases), time(mean.into_mean())])
}

/// One of several exponential times, each with its probability and its rate. The probabilities sum to 1,
/// exactly.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, skeleton::{hyperexponential, task, Skeleton}};
/// let tree = task(hyperexponential([0.9, 0.1], [10.0, 0.5])).tree()?;
/// assert_eq!(*tree.time(tree.root()).unwrap().mean(), ratio(29, 100));
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn hyperexponential<P: Into<Rate>, R: Into<Rate>>(
    probabilities: impl IntoIterator<Item = P>,
    rates: impl IntoIterator<Item = R>,
) -> Timing {
    said(DistributionWord::Hyperexponential, [list(probabilities), list(rates)])
}

/// A time of phases, by the probability to begin in each and the sub-generator: off its diagonal the rates of
/// moves, on it minus the rate at which a phase is left in all. Minus the sum of a row is the rate of ending.
/// Up to 64 phases.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, skeleton::{phases, task, Skeleton}};
/// // After the first phase, three of ten items need a second.
/// let tree = task(phases([1, 0], [[-10, 3], [0, -5]])).tree()?;
/// assert_eq!(*tree.time(tree.root()).unwrap().mean(), ratio(16, 100));
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn phases<P: Into<Rate>, R: Into<Rate>>(
    initial: impl IntoIterator<Item = P>,
    generator: impl IntoIterator<Item = impl IntoIterator<Item = R>>,
) -> Timing {
    let rows = generator.into_iter().map(list).collect();
    said(DistributionWord::Phases, [list(initial), TimeArgument::List(rows, ())])
}

/// A time by its mean and its squared coefficient of variation, the variance over the square of the mean. In
/// a chain it has the phases of a [`Fit`](crate::time::Fit) by these two moments. Below 1/64 there is none,
/// and it is an error.
///
/// # Examples
/// ```
/// use skel_core::{skeleton::{fitted, task, Skeleton}, time::TimeUnits};
/// let tree = task(fitted(12.ms(), 0.3)).tree()?;
/// let words = tree.time(tree.root()).unwrap().in_words();
/// assert_eq!(words, "of mean 0.012, scv 0.3; fitted by Erlang 3 with probability 0.4366, else 4, at rate 297");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn fitted(mean: impl IntoMean, scv: impl Into<Rate>) -> Timing {
    said(DistributionWord::Fitted, [time(mean.into_mean()), number(scv)])
}

/// A time that was measured. The file has the measured times, and their mean and variation are fitted as by
/// [`fitted`]. It is read when the value is made; what is wrong with it is reported when the skeleton is
/// built.
///
/// It is a table in CSV, with a name above each column or without; see [`Measured`] for the choice of a
/// column, and for units.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{measured, task, Skeleton};
/// let error = task(measured("no_such_file.csv").column("parse")).tree().unwrap_err();
/// assert!(error.0[0].message.starts_with("`no_such_file.csv` cannot be read"));
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn measured(file: impl Into<String>) -> Measured {
    Measured::from_file(file)
}

/// A time that is always the same. A chain cannot have it.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn deterministic(always: impl IntoMean) -> Timing {
    said(DistributionWord::Deterministic, [time(always.into_mean())])
}

/// A time of which each value between two is equally likely. A chain cannot have it, but a [`fitted`] one
/// instead.
///
/// The ends are times as they stand: they are numbers in the unit of the program's rates, or have a unit.
///
/// # Examples
/// ```
/// use skel_core::{skeleton::{task, uniform, Skeleton}, time::TimeUnits};
/// let program = task(uniform(8.ms(), 20.ms())).named("parse").communicating(1e3);
/// let error = program.lower().unwrap_err();
/// assert_eq!(error.0[0].message, "the time of the task `parse` is `uniform(0.008, 0.02)`, which a Markov chain cannot have");
/// assert_eq!(error.0[0].help, "write the nearest fit by two moments, `fitted(0.014, 3 / 49)`: Erlang 16 with probability 0.4257, else 17, at rate 1184; \
///     `.fitted()` on the program does so for all");
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn uniform(from: impl IntoTime, to: impl IntoTime) -> Timing {
    said(DistributionWord::Uniform, [time(from.into_time()), time(to.into_time())])
}

/// A time whose logarithm is normal, by its mean and its squared coefficient of variation. A chain cannot
/// have it, but a [`fitted`] one instead.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn lognormal(mean: impl IntoMean, scv: impl Into<Rate>) -> Timing {
    said(DistributionWord::Lognormal, [time(mean.into_mean()), number(scv)])
}

/// A Weibull time, by its mean and its shape, from 1/100 to 100: it is exponential at 1, varies less above
/// and more below. A chain cannot have it, but a [`fitted`] one instead.
///
/// The mean stands in the place of the scale, which is `mean / G(1 + 1 / shape)` with the gamma function: so
/// the mean is exact.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn weibull(mean: impl IntoMean, shape: impl Into<Rate>) -> Timing {
    said(DistributionWord::Weibull, [time(mean.into_mean()), number(shape)])
}

macro_rules! workers {
    ($($time:ty)*) => {$(
        impl IntoSkeleton for $time {
            type Skeleton = Task;

            fn into_skeleton(self) -> Task {
                task(self)
            }
        }
    )*};
}
workers! { Timing Measured }
