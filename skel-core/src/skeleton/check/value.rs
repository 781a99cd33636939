//! The check of one number of a distribution: a rate, a time, a probability, a count of phases.

use num_traits::{Signed, ToPrimitive, Zero};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{Ratio, display_ratio, ratio};
use crate::rate::{OUT_OF_RANGE, Rate, RateProblem};
use crate::skeleton::bounds::{MOST_ERLANG_PHASES, WEIBULL_SHAPES};
use crate::skeleton::written::TimeArgument;
use crate::time::LEAST_VARIATION;

/// What checks a time, and what it finds.
pub(super) struct TimeCheck<'f, S> {
    pub(super) findings: &'f mut Vec<Diagnostic<S>>,
    /// `` of the task `read` ``
    pub(super) subject: &'f str,
    /// Whether every value is known.
    pub(super) is_complete: bool,
}

/// What a number is, and what it may be at the least.
#[derive(Clone, Copy)]
pub(super) struct Quantity {
    noun: &'static str,
    is_zero_allowed: bool,
}

impl Quantity {
    const fn positive(noun: &'static str) -> Self {
        Quantity { noun, is_zero_allowed: false }
    }
}

pub(super) const MEAN: Quantity = Quantity::positive("mean time");
pub(super) const LEAST: Quantity = Quantity { noun: "least time", is_zero_allowed: true };
pub(super) const LONGEST: Quantity = Quantity::positive("longest time");
pub(super) const PROBABILITY: Quantity = Quantity::positive("probability");
pub(super) const SCV: Quantity = Quantity::positive("squared coefficient of variation");
const SHAPE: Quantity = Quantity::positive("shape");

impl<S: Span> TimeCheck<'_, S> {
    pub(super) fn wrong<T>(
        &mut self,
        span: S,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.findings.push(Diagnostic::new(Code::BadTime, span, message).help(help));
        None
    }

    /// Something that is known when the program runs.
    pub(super) fn unknown<T>(&mut self) -> Option<T> {
        self.is_complete = false;
        None
    }

    /// A rate, or a mean time in its place.
    pub(super) fn rate(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        match argument {
            TimeArgument::Number(rate, span) => self.plain_rate(rate, *span),
            TimeArgument::Time(..) => self.time_of(argument, MEAN).map(|mean| mean.recip()),
            _ => self.other(argument, "rate", "a rate is a number, such as `2.5`"),
        }
    }

    /// The rate of an exponential time.
    pub(super) fn plain_rate(&mut self, rate: &Rate, span: S) -> Option<Ratio> {
        let problem = match rate.to_positive() {
            Ok(rate) => return Some(rate),
            Err(problem) => problem,
        };
        if let Some((code, message, help)) = problem.explain(self.subject, false) {
            self.findings.push(Diagnostic::new(code, span, message).help(help));
        }
        None
    }

    /// A time: a number in the unit of the rates, or one with a unit of its own.
    pub(super) fn time_of(&mut self, argument: &TimeArgument<S>, quantity: Quantity) -> Option<Ratio> {
        match argument {
            TimeArgument::Number(value, span) | TimeArgument::Time(value, span) => {
                self.value(value, *span, quantity)
            }
            _ => {
                self.other(argument, quantity.noun, "a time is a number, or one with a unit, such as `12ms`")
            }
        }
    }

    /// A number that has no unit.
    pub(super) fn number(&mut self, argument: &TimeArgument<S>, quantity: Quantity) -> Option<Ratio> {
        match argument {
            TimeArgument::Number(value, span) => self.value(value, *span, quantity),
            TimeArgument::Time(_, span) => {
                let message = format!("the {} {} is written as a time", quantity.noun, self.subject);
                self.wrong(*span, message, format!("a {} is a number without a unit", quantity.noun))
            }
            _ => self.other(argument, quantity.noun, "write a number, such as `0.5`"),
        }
    }

    fn value(&mut self, value: &Rate, span: S, quantity: Quantity) -> Option<Ratio> {
        let Quantity { noun, is_zero_allowed } = quantity;
        if is_zero_allowed && value.exact().is_some_and(Zero::is_zero) {
            return Some(Ratio::zero());
        }
        let problem = match value.to_positive() {
            Ok(value) => return Some(value),
            Err(problem) => problem,
        };
        let help = match &problem {
            RateProblem::OutOfRange | RateProblem::TooManyDigits => OUT_OF_RANGE.to_owned(),
            _ if is_zero_allowed => format!("a {noun} is a number of at least 0"),
            _ => format!("a {noun} is a number above 0"),
        };
        self.wrong(span, format!("the {noun} {} {problem}", self.subject), help)
    }

    /// A number of any sign.
    pub(super) fn entry(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        let TimeArgument::Number(value, span) = argument else {
            return self.other(argument, "number", "the entries are numbers without a unit");
        };
        let magnitude = value.exact().map_or_else(|| value.clone(), |value| Rate::from(value.abs()));
        match magnitude.to_positive() {
            Ok(_) | Err(RateProblem::NotPositive(_)) => value.exact().cloned(),
            Err(problem) => {
                let help = match problem {
                    RateProblem::NotANumber(_) => "the entries are finite",
                    _ => OUT_OF_RANGE,
                };
                self.wrong(*span, format!("an entry {} {problem}", self.subject), help)
            }
        }
    }

    pub(super) fn phase_count(&mut self, argument: &TimeArgument<S>) -> Option<u32> {
        let TimeArgument::Number(value, span) = argument else {
            return self.other(
                argument,
                "number of phases",
                "it comes first, then the mean: `erlang(4, 12ms)`",
            );
        };
        let whole = value.exact().filter(|value| value.is_integer()).and_then(ToPrimitive::to_u32);
        let count = whole.filter(|count| (1..=MOST_ERLANG_PHASES).contains(count));
        count.or_else(|| {
            let message = format!("the Erlang time {} has {value} phases", self.subject);
            self.wrong(
                *span,
                message,
                format!("the number of phases is whole, from 1 to {MOST_ERLANG_PHASES}"),
            )
        })
    }

    /// A variation that can be fitted.
    pub(super) fn fitted_scv(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        let scv = self.number(argument, Quantity { is_zero_allowed: true, ..SCV })?;
        if scv >= ratio(1, LEAST_VARIATION) {
            return Some(scv);
        }
        let (subject, shown) = (self.subject, display_ratio(&scv));
        let message =
            format!("the squared coefficient of variation {subject} is {shown}, below 1/{LEAST_VARIATION}");
        let help = format!(
            "a time that varies so little would take too many phases: write `erlang({LEAST_VARIATION}, ...)` with the \
             same mean, which is near"
        );
        self.wrong(argument.span(), message, help)
    }

    /// The shape of a Weibull time.
    pub(super) fn shape(&mut self, argument: &TimeArgument<S>) -> Option<Ratio> {
        let shape = self.number(argument, SHAPE)?;
        if ratio(1, WEIBULL_SHAPES) <= shape && shape <= ratio(WEIBULL_SHAPES, 1) {
            return Some(shape);
        }
        let message = format!("the shape {} is {}", self.subject, display_ratio(&shape));
        let help =
            format!("a shape is from 1/{WEIBULL_SHAPES} to {WEIBULL_SHAPES}: at 1 the time is exponential");
        self.wrong(argument.span(), message, help)
    }

    pub(super) fn list<'a>(
        &mut self,
        argument: &'a TimeArgument<S>,
        of: &str,
    ) -> Option<&'a [TimeArgument<S>]> {
        match argument {
            TimeArgument::List(list, _) => Some(list),
            _ => self.other(argument, of, "a list stands between square brackets, such as `[0.9, 0.1]`"),
        }
    }

    /// What does not fit its place, unless it is unknown.
    fn other<T>(&mut self, argument: &TimeArgument<S>, needed: &str, help: &str) -> Option<T> {
        let found = match argument {
            TimeArgument::FromRust(_) => return self.unknown(),
            TimeArgument::Number(..) => "a number",
            TimeArgument::Time(..) => "a time",
            TimeArgument::List(..) => "a list",
            TimeArgument::Measured(..) => "a file",
        };
        self.wrong(argument.span(), format!("{found} stands where a {needed} is needed"), help)
    }
}
