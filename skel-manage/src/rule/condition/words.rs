//! Quantities and comparisons as a message shows them.

use std::fmt;

use skel_core::number::{Ratio, display_ratio, ratio};

use super::expression::Comparison;
use super::test::Quantity;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
            Comparison::Equal => "==",
            Comparison::Unequal => "!=",
        })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Number { value, is_time: false } => f.write_str(&display_ratio(value)),
            Quantity::Number { value, is_time: true } => f.write_str(&time(value)),
            Quantity::Measure(measure) => f.write_str(measure.word()),
            Quantity::Sum(terms) => chain(terms, ["+", "-"], f),
            Quantity::Product(factors) => chain(factors, ["*", "/"], f),
            Quantity::Largest(parts) => write!(f, "max({})", list(parts)),
            Quantity::Smallest(parts) => write!(f, "min({})", list(parts)),
        }
    }
}

/// A time in milliseconds, if it is less than a second.
pub(in crate::rule) fn time(seconds: &Ratio) -> String {
    let is_short = *seconds < ratio(1, 1) && *seconds > ratio(-1, 1) && *seconds != ratio(0, 1);
    match is_short {
        true => format!("{} ms", display_ratio(&(seconds * ratio(1000, 1)))),
        false => format!("{} s", display_ratio(seconds)),
    }
}

/// Parts with a sign between them, those that have signs of their own in brackets.
fn chain(parts: &[(bool, Quantity)], signs: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, (is_inverse, part)) in parts.iter().enumerate() {
        let sign = signs[usize::from(*is_inverse)];
        match index {
            0 if *is_inverse => f.write_str(sign)?,
            0 => {}
            _ => write!(f, " {sign} ")?,
        }
        match part {
            Quantity::Sum(_) | Quantity::Product(_) => write!(f, "({part})")?,
            _ => write!(f, "{part}")?,
        }
    }
    Ok(())
}

fn list(parts: &[Quantity]) -> String {
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    parts.join(", ")
}
