//! What a condition says, before its units are checked. Each part has its place in the text.

use skel_core::diagnostic::TextSpan;
use skel_core::number::Ratio;

use crate::rule::measure::Measure;

/// A part of a condition.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) what: What,
    pub(super) at: TextSpan,
}

/// What a part of a condition is. Lists stand for chains, such as `a + b + c`, so that a long chain is not a
/// deep tree.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A number, in seconds if it has a unit of time.
    Number {
        value: Ratio,
        is_time: bool,
    },
    Measure(Measure),
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Not(Box<Expression>),
    Compare(Box<Expression>, Comparison, Box<Expression>),
    /// The terms, and whether each is taken away.
    Sum(Vec<(bool, Expression)>),
    /// The factors, and whether each divides.
    Product(Vec<(bool, Expression)>),
    Largest(Vec<Expression>),
    Smallest(Vec<Expression>),
    /// Something that was reported. It fits everywhere, so that nothing more is said of it.
    Reported,
}

/// How two quantities are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rule) enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
}

impl Comparison {
    /// The comparison that a sign stands for.
    pub(super) fn of_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            "==" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            _ => return None,
        })
    }

    /// Whether it holds of two numbers that are known.
    pub(in crate::rule) fn holds<N: PartialOrd>(self, left: &N, right: &N) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
        }
    }

    /// The comparison that holds where this one does not.
    pub(in crate::rule) fn opposite(self) -> Self {
        match self {
            Comparison::Less => Comparison::AtLeast,
            Comparison::AtMost => Comparison::Greater,
            Comparison::Greater => Comparison::AtMost,
            Comparison::AtLeast => Comparison::Less,
            Comparison::Equal => Comparison::Unequal,
            Comparison::Unequal => Comparison::Equal,
        }
    }
}
