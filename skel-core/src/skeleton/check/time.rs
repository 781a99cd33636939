//! The check of times: from what was said of a distribution to one that exists.

use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{Ratio, display_ratio, ratio};
use crate::rate::{OUT_OF_RANGE, Rate, RateProblem, positive};
use crate::skeleton::bounds::{MOST_ERLANG_PHASES, MOST_PHASES, WEIBULL_SHAPES};
use crate::skeleton::written::{DistributionWord, TimeArgument, Value, WrittenTime};
use crate::time::{Distribution, LEAST_VARIATION, PhaseType, PhaseTypePlace, ServiceTime};

/// Checks one time.
pub(super) struct TimeCheck<'f, S> {
    pub(super) findings: &'f mut Vec<Diagnostic<S>>,
    /// `` of the task `read` ``
    pub(super) subject: &'f str,
    /// Whether every value is known.
    pub(super) is_complete: bool,
}

/// A value that is positive, or may be 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    Positive,
    Zero,
}

impl<S: Span> TimeCheck<'_, S> {
    /// The time, unless something is wrong or unknown.
    pub(super) fn time(&mut self, written: &WrittenTime<S>) -> Option<ServiceTime> {
        let found = match written {
            WrittenTime::FromRust(_) => {
                self.is_complete = false;
                None
            }
            WrittenTime::Rate(rate) => self.plain_rate(rate).map(Distribution::Exponential),
            WrittenTime::Distribution { word, arguments, span } => self.distribution(*word, arguments, *span),
        };
        let time = ServiceTime::from_checked(found?);
        self.in_range(time, written.span())
    }

    fn distribution(
        &mut self,
        word: DistributionWord,
        arguments: &[TimeArgument<S>],
        span: S,
    ) -> Option<Distribution> {
        match (word, arguments) {
            (DistributionWord::Exponential, [rate]) => self.rate(rate).map(Distribution::Exponential),
            (DistributionWord::Erlang, [phases, mean]) => {
                let (phases, mean) = (self.phase_count(phases), self.mean(mean));
                Some(Distribution::Erlang { phases: phases?, mean: mean? })
            }
            (DistributionWord::Hyperexponential, [probabilities, rates]) => {
                self.hyperexponential(probabilities, rates, span)
            }
            (DistributionWord::Phases, [initial, generator]) => self.phases(initial, generator),
            (DistributionWord::Fitted, [mean, scv]) => {
                let (mean, scv) = (self.mean(mean), self.fitted_scv(scv));
                Some(Distribution::Fitted { mean: mean?, scv: scv? })
            }
            (DistributionWord::Measured, [TimeArgument::Measured(found, span)]) => match found {
                Ok(measurement) => Some(Distribution::Measured(measurement.clone())),
                Err(errors) => {
                    for error in errors {
                        self.wrong::<()>(*span, error.message.clone(), error.help.clone());
                    }
                    None
                }
            },
            (DistributionWord::Deterministic, [time]) => self.mean(time).map(Distribution::Deterministic),
            (DistributionWord::Uniform, [from, to]) => self.uniform(from, to, span),
            (DistributionWord::Lognormal, [mean, scv]) => {
                let (mean, scv) = (self.mean(mean), self.scv(scv, Least::Positive));
                Some(Distribution::Lognormal { mean: mean?, scv: scv? })
            }
            (DistributionWord::Weibull, [mean, shape]) => {
                let (mean, shape) = (self.mean(mean), self.shape(shape));
                Some(Distribution::Weibull { mean: mean?, shape: shape? })
            }
            _ => {
                let message = format!("`{}` takes {}", word.text(), word.takes());
                self.wrong(span, message, format!("write `{}`, say", word.example()))
            }
        }
    }

    fn wrong<T>(&mut self, span: S, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.findings.push(Diagnostic::new(Code::BadTime, span, message).help(help));
        None
    }

    /// The rate that stands for an exponential time.
    fn plain_rate(&mut self, rate: &Value<Rate, S>) -> Option<Ratio> {
        let (rate, span) = self.known(rate)?;
        rate.to_positive().map_err(|problem| self.rate_problem(&problem, span)).ok()
    }

    fn rate_problem(&mut self, problem: &RateProblem, span: S) {
        if let Some((code, message, help)) = problem.explain(self.subject, false) {
            self.findings.push(Diagnostic::new(code, span, message).help(help));
        }
    }

    fn known<'v, T>(&mut self, value: &'v Value<T, S>) -> Option<(&'v T, S)> {
        match value {
            Value::Known(known, span) => Some((known, *span)),
            Value::FromRust(_) => {
                self.is_complete = false;
                None
            }
        }
    }

    /// A rate, or a mean time in its place.
    fn rate(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        match argument {
            TimeArgument::Number(rate) => self.plain_rate(rate),
            TimeArgument::Time(_) => self.mean(argument).map(|mean| mean.recip()),
            _ => self.wrong(
                argument.span(),
                "a list stands where a rate is needed",
                "a rate is a number, such as `2.5`",
            ),
        }
    }

    /// A mean time: a number in the unit of the rates, or a time with a unit.
    fn mean(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        self.a_time(argument, "mean time", Least::Positive)
    }

    fn a_time(&mut self, argument: &TimeArgument<S>, noun: &str, least: Least) -> Option<Ratio> {
        match argument {
            TimeArgument::Number(value) | TimeArgument::Time(value) => {
                let (value, span) = self.known(value)?;
                self.value(value, span, noun, least)
            }
            _ => {
                let message = format!("something else stands where a {noun} is needed");
                self.wrong(argument.span(), message, "a time is a number, or one with a unit, such as `12ms`")
            }
        }
    }

    /// A number that has no unit.
    fn plain(&mut self, argument: &TimeArgument<S>, noun: &str, least: Least) -> Option<Ratio> {
        match argument {
            TimeArgument::Number(value) => {
                let (value, span) = self.known(value)?;
                self.value(value, span, noun, least)
            }
            TimeArgument::Time(_) => {
                let message = format!("the {noun} {} is written as a time", self.subject);
                self.wrong(argument.span(), message, format!("a {noun} is a number without a unit"))
            }
            _ => {
                let message = format!("something else stands where a {noun} is needed");
                self.wrong(argument.span(), message, format!("a {noun} is a number, such as `0.5`"))
            }
        }
    }

    /// A number that is above 0, or may be 0.
    fn value(&mut self, value: &Rate, span: S, noun: &str, least: Least) -> Option<Ratio> {
        if least == Least::Zero && value.exact().is_some_and(Zero::is_zero) {
            return Some(Ratio::zero());
        }
        value
            .to_positive()
            .map_err(|problem| {
                let help = match (&problem, least) {
                    (RateProblem::OutOfRange | RateProblem::TooManyDigits, _) => OUT_OF_RANGE.to_owned(),
                    (_, Least::Positive) => format!("a {noun} is a number above 0"),
                    (_, Least::Zero) => format!("a {noun} is a number of at least 0"),
                };
                let message = format!("the {noun} {} {problem}", self.subject);
                self.wrong::<()>(span, message, help);
            })
            .ok()
    }

    fn phase_count(&mut self, argument: &TimeArgument<S>) -> Option<u32> {
        let TimeArgument::Number(value) = argument else {
            let message = "something else stands where the number of phases is needed";
            return self.wrong(
                argument.span(),
                message,
                "write `erlang(4, 12ms)`: the number of phases, then the mean",
            );
        };
        let (value, span) = self.known(value)?;
        let whole = value.exact().filter(|value| value.is_integer()).map(Ratio::to_integer);
        match whole.as_ref().and_then(ToPrimitive::to_u32) {
            Some(count) if (1..=MOST_ERLANG_PHASES).contains(&count) => Some(count),
            _ => {
                let message = format!("the Erlang time {} has {value} phases", self.subject);
                let help = format!("the number of phases is whole, from 1 to {MOST_ERLANG_PHASES}");
                self.wrong(span, message, help)
            }
        }
    }

    fn scv(&mut self, argument: &TimeArgument<S>, least: Least) -> Option<Ratio> {
        self.plain(argument, "squared coefficient of variation", least)
    }

    fn fitted_scv(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        let scv = self.scv(argument, Least::Zero)?;
        if scv >= ratio(1, LEAST_VARIATION) {
            return Some(scv);
        }
        let message = format!(
            "the squared coefficient of variation {} is {}, below 1/{LEAST_VARIATION}",
            self.subject,
            display_ratio(&scv)
        );
        let help = format!(
            "phases that vary so little are too many for a chain: write `erlang({LEAST_VARIATION}, ...)`, or \
             `deterministic(...)` for a time that is always the same"
        );
        self.wrong(argument.span(), message, help)
    }

    fn shape(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        let shape = self.plain(argument, "shape", Least::Positive)?;
        if ratio(1, WEIBULL_SHAPES) <= shape && shape <= ratio(WEIBULL_SHAPES, 1) {
            return Some(shape);
        }
        let message = format!("the shape {} is {}", self.subject, display_ratio(&shape));
        let help =
            format!("a shape is from 1/{WEIBULL_SHAPES} to {WEIBULL_SHAPES}: at 1 the time is exponential");
        self.wrong(argument.span(), message, help)
    }

    fn list<'a>(&mut self, argument: &'a TimeArgument<S>, of: &str) -> Option<&'a [TimeArgument<S>]> {
        match argument {
            TimeArgument::List(list, _) => Some(list),
            _ => self.wrong(
                argument.span(),
                format!("something else stands where a list of {of} is needed"),
                "a list stands between square brackets, such as `[0.9, 0.1]`",
            ),
        }
    }

    fn hyperexponential(
        &mut self,
        probabilities: &TimeArgument<S>,
        rates: &TimeArgument<S>,
        span: S,
    ) -> Option<Distribution> {
        let (given, rates) = (self.list(probabilities, "probabilities"), self.list(rates, "rates"));
        let (given, rates) = (given?, rates?);
        let found: Vec<_> = given.iter().map(|one| self.plain(one, "probability", Least::Positive)).collect();
        let rates: Vec<_> = rates.iter().map(|rate| self.rate(rate)).collect();
        if found.len() != rates.len() {
            let message = format!("there are {} probabilities, but {} rates", found.len(), rates.len());
            return self.wrong(span, message, "each of the exponential times has a probability and a rate");
        }
        if found.is_empty() || found.len() > MOST_PHASES {
            let message = format!("the hyperexponential time {} has {} phases", self.subject, found.len());
            return self.wrong(span, message, format!("it has from 1 to {MOST_PHASES}"));
        }
        let found: Vec<Ratio> = found.into_iter().collect::<Option<_>>()?;
        let sum = found.iter().fold(Ratio::zero(), |sum, probability| sum + probability);
        if !sum.is_one() {
            let message =
                format!("the probabilities {} sum to {}, not to 1", self.subject, display_ratio(&sum));
            return self.wrong(probabilities.span(), message, "a third is written `1/3`, exactly");
        }
        let rates = rates.into_iter().collect::<Option<_>>()?;
        Some(Distribution::Hyperexponential { probabilities: found, rates })
    }

    /// Numbers of any sign.
    fn signed(&mut self, list: &[TimeArgument<S>]) -> Option<Vec<Ratio>> {
        let one = |argument: &TimeArgument<S>| {
            let TimeArgument::Number(value) = argument else {
                let help = "the entries are numbers without a unit";
                return self.wrong(argument.span(), "something else stands where a number is needed", help);
            };
            let (value, span) = self.known(value)?;
            let magnitude = Rate::from(value.exact().map_or_else(Ratio::one, Signed::abs));
            let problem = if value.exact().is_none() { value.to_positive() } else { magnitude.to_positive() };
            match problem {
                Err(RateProblem::NotPositive(_)) | Ok(_) => value.exact().cloned(),
                Err(problem) => {
                    self.wrong(span, format!("an entry {} {problem}", self.subject), OUT_OF_RANGE)
                }
            }
        };
        let found: Vec<_> = list.iter().map(one).collect();
        found.into_iter().collect()
    }

    fn phases(&mut self, initial: &TimeArgument<S>, generator: &TimeArgument<S>) -> Option<Distribution> {
        let (starts, rows) = (self.list(initial, "probabilities"), self.list(generator, "rows"));
        let (starts, rows) = (starts?, rows?);
        if starts.len() > MOST_PHASES || rows.len() > MOST_PHASES {
            let message = format!("the time {} has {} phases", self.subject, starts.len().max(rows.len()));
            return self.wrong(initial.span(), message, format!("the most is {MOST_PHASES}"));
        }
        let rows: Vec<_> = rows.iter().map(|row| self.list(row, "rates")).collect();
        let rows: Vec<&[TimeArgument<S>]> = rows.into_iter().collect::<Option<_>>()?;
        let probabilities = self.signed(starts);
        let entries: Vec<_> = rows.iter().map(|row| self.signed(row)).collect();
        let entries: Vec<Vec<Ratio>> = entries.into_iter().collect::<Option<_>>()?;
        match PhaseType::general(&probabilities?, &entries) {
            Ok(phases) => Some(Distribution::Phases(phases)),
            Err(errors) => {
                for error in errors {
                    let place = match error.place {
                        PhaseTypePlace::Initial(Some(phase)) => starts[phase].span(),
                        PhaseTypePlace::Initial(None) => initial.span(),
                        PhaseTypePlace::Generator(Some((row, Some(column)))) => rows[row][column].span(),
                        PhaseTypePlace::Generator(Some((row, None))) => row_span(generator, row),
                        PhaseTypePlace::Generator(None) => generator.span(),
                    };
                    self.wrong::<()>(place, error.message, error.help);
                }
                None
            }
        }
    }

    fn uniform(&mut self, from: &TimeArgument<S>, to: &TimeArgument<S>, span: S) -> Option<Distribution> {
        let ends = [(from, "least time", Least::Zero), (to, "longest time", Least::Positive)];
        let [from, to] = ends.map(|(end, noun, least)| self.a_time(end, noun, least));
        let (from, to) = (from?, to?);
        if from > to {
            let message = format!(
                "the least time {} is {}, which is above the longest, {}",
                self.subject,
                display_ratio(&from),
                display_ratio(&to)
            );
            return self.wrong(span, message, "write the least time first");
        }
        Some(Distribution::Uniform { from, to })
    }

    /// The time, unless its mean, its variation or a rate of its phases is none that a float can hold.
    fn in_range(&mut self, time: ServiceTime, span: S) -> Option<ServiceTime> {
        let fits = |value: Ratio| value.is_zero() || positive(value).is_ok();
        let are_rates_in_range = || match time.phase_type() {
            Ok(phases) => {
                (0..phases.phases())
                    .all(|phase| fits(phases.rate_out(phase)) && fits(phases.exit(phase).clone()))
                    && phases.moves().all(|(_, _, rate)| fits(rate.clone()))
            }
            Err(_) => fits(time.scv()),
        };
        if time.is_exponential() || fits(time.rate()) && are_rates_in_range() {
            return Some(time);
        }
        let message =
            format!("the time {} has a rate or a variation beyond the range of a 64-bit float", self.subject);
        self.findings.push(Diagnostic::new(Code::RateOutOfRange, span, message).help(OUT_OF_RANGE));
        None
    }
}

fn row_span<S: Span>(generator: &TimeArgument<S>, row: usize) -> S {
    match generator {
        TimeArgument::List(rows, span) => rows.get(row).map_or(*span, TimeArgument::span),
        _ => generator.span(),
    }
}
