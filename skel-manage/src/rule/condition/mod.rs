//! Conditions: from their text to a test of facts.
//!
//! ```text
//! text -> lex -> tokens -> parse -> expression -> check (units) -> Test -> holds
//! ```

mod check;
mod expression;
mod lex;
mod parse;
mod test;
mod words;

use std::fmt;
use std::str::FromStr;

pub(super) use expression::Comparison;
pub(super) use test::{Quantity, Test};

use skel_core::diagnostic::{Diagnostic, TextSpan};

use super::errors::RuleErrors;
use super::measure::Facts;

/// The longest text of a condition, in bytes.
const LONGEST: usize = 1 << 14;

/// When a rule fires: comparisons of measures, numbers and times, joined by `and`, `or` and `not`.
///
/// Numbers may have a unit: `h`, `min`, `s`, `ms`, `us`, `ns`, or `%`. They and the measures are joined by
/// `+`, `-`, `*`, `/`, `max(..)` and `min(..)`, and are compared by `<`, `<=`, `>`, `>=`, `==` and `!=`. A
/// measure that is yes or no, such as `can_grow`, is a condition of its own. Units are checked: a time is not
/// compared with a number.
///
/// Two conditions are equal if they test the same quantities in the same order, whatever the space between
/// their words.
///
/// # Examples
/// ```
/// use skel_manage::rule::{Condition, Facts, Measure};
///
/// /// Service time 13 ms, limit 12.6 ms, all else unknown.
/// struct Known;
/// impl Facts for Known {
///     fn value(&self, measure: Measure) -> f64 {
///         match measure {
///             Measure::ServiceTime => 0.013,
///             Measure::Limit => 0.0126,
///             _ => f64::NAN,
///         }
///     }
/// }
///
/// assert!(Condition::parse("service_time > limit and service_time < 1.2 * 12 ms")?.holds(&Known));
/// assert!(Condition::parse("queue > 10 or service_time > limit")?.holds(&Known));
/// assert!(!Condition::parse("queue > 10")?.holds(&Known), "the queue is not known");
/// assert!(!Condition::parse("not queue > 10")?.holds(&Known), "so nothing that depends on it holds");
///
/// let errors = Condition::parse("service_time > 12 and worker > 3").unwrap_err();
/// assert_eq!(errors.to_string(), "\
/// 1:16: `service_time` is a time and `12` is a number, so they cannot be compared; help: write the number with its unit: `12 ms` or `12 s`
/// 1:23: `worker` is no measure; help: did you mean `workers`?");
/// # Ok::<(), skel_manage::rule::RuleErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    test: Test,
}

impl Condition {
    /// Reads a condition, such as `service_time > limit and stage_time >= slowest_time`. Takes time linear in
    /// its text.
    ///
    /// # Errors
    /// What is wrong with it, and where: the grammar (the first fault of it), unknown measures, units that do
    /// not fit. A text of more than 16 KiB.
    pub fn parse(text: &str) -> Result<Self, RuleErrors> {
        read(text).map_err(|found| RuleErrors::new(found, text))
    }

    /// Whether it holds.
    ///
    /// A comparison with a value that is not known (NaN) is neither true nor false, and neither is its
    /// negation, so a condition holds only where what is known makes it true.
    #[must_use]
    pub fn holds(&self, facts: &dyn Facts) -> bool {
        self.test.holds(facts) == Some(true)
    }

    pub(super) fn test(&self) -> &Test {
        &self.test
    }
}

/// The condition of a text, or everything that is wrong with it.
pub(super) fn read(text: &str) -> Result<Condition, Vec<Diagnostic<TextSpan>>> {
    if text.len() > LONGEST {
        return Err(vec![too_long(text)]);
    }
    let (tokens, found) = lex::lex(text);
    if !found.is_empty() {
        return Err(found);
    }
    let (expression, mut found) = parse::parse(&tokens, text);
    let test = expression.and_then(|expression| check::check(&expression, text, &mut found));
    found.sort_by_key(|finding| (finding.span.start, finding.span.end));
    let words: Vec<&str> = text.split_whitespace().collect();
    match test {
        Some(test) if found.is_empty() => Ok(Condition { text: words.join(" "), test }),
        _ => Err(found),
    }
}

fn too_long(text: &str) -> Diagnostic<TextSpan> {
    let message = format!("a condition of {} bytes; the most is {LONGEST}", text.len());
    Diagnostic::new(skel_core::diagnostic::Code::BadRule, TextSpan { start: 0, end: text.len() }, message)
        .help("say it in several rules")
}

/// As it was written, with one space where there was more.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Condition {
    type Err = RuleErrors;

    fn from_str(text: &str) -> Result<Self, RuleErrors> {
        Condition::parse(text)
    }
}

/// Whether they test the same, part by part.
impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.test == other.test
    }
}
