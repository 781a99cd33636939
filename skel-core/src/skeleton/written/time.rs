//! Times as they are written: a rate alone, or a distribution by its word with arguments.
//!
//! Whatever the door, a distribution is one word and a list of arguments, so that one check knows how many
//! belong to each word and what each may be.

use crate::rate::Rate;
use crate::skeleton::written::Value;
use crate::time::{MeasuredError, Measurement};

/// The time of a task as written.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenTime<S> {
    /// A rate: the time is exponential.
    Rate(Value<Rate, S>),
    /// `erlang(4, 0.5)`
    Distribution {
        /// The word.
        word: DistributionWord,
        /// What stands in its brackets.
        arguments: Vec<TimeArgument<S>>,
        /// The place of the whole.
        span: S,
    },
    /// A Rust expression in a macro call whose value is a rate or a time.
    FromRust(S),
}

/// An argument of a distribution.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeArgument<S> {
    /// A number without a unit.
    Number(Rate, S),
    /// What is said to be a time: in a text a number with a unit, in seconds.
    Time(Rate, S),
    /// Arguments between square brackets.
    List(Vec<TimeArgument<S>>, S),
    /// What was read from a file.
    Measured(Result<Measurement, Vec<MeasuredError>>, S),
    /// A Rust expression in a macro call.
    FromRust(S),
}

macro_rules! words {
    ($($word:ident $text:literal $takes:literal $example:literal;)*) => {
        /// The word of a distribution.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum DistributionWord { $(#[doc = concat!("`", $example, "`")] $word,)* }

        impl DistributionWord {
            /// Every word.
            pub const ALL: &'static [DistributionWord] = &[$(DistributionWord::$word,)*];

            /// The word itself.
            #[must_use]
            pub fn text(self) -> &'static str { match self { $(DistributionWord::$word => $text,)* } }

            /// What stands in its brackets, in words.
            pub(crate) fn takes(self) -> &'static str { match self { $(DistributionWord::$word => $takes,)* } }

            /// How it is written in a text.
            pub(crate) fn example(self) -> &'static str { match self { $(DistributionWord::$word => $example,)* } }
        }
    };
}

words! {
    Exponential "exponential" "a rate" "exponential(2.0)";
    Erlang "erlang" "a number of phases and a mean" "erlang(4, 12ms)";
    Hyperexponential "hyperexponential" "a list of probabilities and a list of rates" "hyperexponential([0.9, 0.1], [5.0, 0.5])";
    Phases "phases" "a list of initial probabilities and a matrix" "phases([1, 0], [[-2, 2], [0, -3]])";
    Fitted "fitted" "a mean and a squared coefficient of variation" "fitted(12ms, 0.3)";
    Measured "measured" "the name of a file, and a column where it has several" "measured(\"times.csv\")";
    Deterministic "deterministic" "a time" "deterministic(12ms)";
    Uniform "uniform" "the least and the longest time" "uniform(8ms, 16ms)";
    Lognormal "lognormal" "a mean and a squared coefficient of variation" "lognormal(12ms, 1.5)";
    Weibull "weibull" "a mean and a shape" "weibull(12ms, 0.7)";
}

impl DistributionWord {
    /// The distribution of a word, if it is one.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        DistributionWord::ALL.iter().copied().find(|word| word.text() == text)
    }
}

impl<S: Copy> WrittenTime<S> {
    /// The place.
    pub fn span(&self) -> S {
        match self {
            WrittenTime::Rate(rate) => rate.span(),
            WrittenTime::Distribution { span, .. } | WrittenTime::FromRust(span) => *span,
        }
    }

    /// The same at one place.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn at<T: Copy>(&self, place: T) -> WrittenTime<T> {
        match self {
            WrittenTime::Rate(rate) => WrittenTime::Rate(rate.at(place)),
            WrittenTime::Distribution { word, arguments, .. } => {
                let arguments = arguments.iter().map(|argument| argument.at(place)).collect();
                WrittenTime::Distribution { word: *word, arguments, span: place }
            }
            WrittenTime::FromRust(_) => WrittenTime::FromRust(place),
        }
    }
}

impl<S: Copy> TimeArgument<S> {
    /// The place.
    pub fn span(&self) -> S {
        match self {
            TimeArgument::Number(_, span)
            | TimeArgument::Time(_, span)
            | TimeArgument::List(_, span)
            | TimeArgument::Measured(_, span)
            | TimeArgument::FromRust(span) => *span,
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn at<T: Copy>(&self, place: T) -> TimeArgument<T> {
        match self {
            TimeArgument::Number(value, _) => TimeArgument::Number(value.clone(), place),
            TimeArgument::Time(value, _) => TimeArgument::Time(value.clone(), place),
            TimeArgument::List(list, _) => {
                TimeArgument::List(list.iter().map(|argument| argument.at(place)).collect(), place)
            }
            TimeArgument::Measured(found, _) => TimeArgument::Measured(found.clone(), place),
            TimeArgument::FromRust(_) => TimeArgument::FromRust(place),
        }
    }
}
