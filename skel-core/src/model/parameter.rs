//! Named rates and sizes, and expressions over them as text.

use crate::number::{Ratio, display_ratio};
use crate::rate::{ProductOperator, RateExpression, SumOperator};
use crate::syntax::name::quote_name;

/// A named rate, or a size.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; for a rate given from Rust in the middle of an activity, a description of the place.
    pub name: String,
    /// Where its value comes from.
    pub definition: ParameterDefinition,
    /// Its exact value.
    pub value: Ratio,
    /// Whether the number of copies of an array depends on it. It may be a rate as well.
    pub is_size: bool,
}

/// Where the value of a named rate comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterDefinition {
    /// From an expression of the model.
    Expression(RateExpression),
    /// From Rust, as the n-th `{ expression }` of the macro call.
    Supplied(u32),
}

impl ParameterDefinition {
    /// Whether no other name is part of it.
    #[must_use]
    pub fn is_independent(&self) -> bool {
        let mut is_independent = true;
        if let ParameterDefinition::Expression(expression) = self {
            expression.for_each_parameter(&mut |_| is_independent = false);
        }
        is_independent
    }
}

/// Whether a rate is given by Rust in the middle of an activity. It is called by its expression in braces
/// instead of a name.
pub(crate) fn is_nameless(name: &str) -> bool {
    name.starts_with('{')
}

/// What an expression is an operand of.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Within {
    /// Nothing: it needs no brackets.
    Nothing,
    /// A sum.
    Sum,
    /// A product, or a minus sign.
    Product,
}

/// An expression as it is written. A value that Rust gives in the middle of an activity has no name, so its
/// number stands there.
pub(crate) fn expression_text(parameters: &[Parameter], written: &RateExpression, within: Within) -> String {
    let bracketed = |text: String, brackets: bool| if brackets { format!("({text})") } else { text };
    match written {
        RateExpression::Number(value) => number_text(value, within),
        RateExpression::Parameter(id) => match &parameters[id.index()] {
            parameter if is_nameless(&parameter.name) => number_text(&parameter.value, within),
            parameter => quote_name(&parameter.name),
        },
        RateExpression::Negative(inner) => {
            format!("-{}", expression_text(parameters, inner, Within::Product))
        }
        RateExpression::Sum(first, rest) => {
            let mut text = expression_text(parameters, first, Within::Sum);
            for (operator, operand) in rest {
                let sign = if *operator == SumOperator::Plus { "+" } else { "-" };
                text.push_str(&format!(" {sign} {}", expression_text(parameters, operand, Within::Sum)));
            }
            bracketed(text, within != Within::Nothing)
        }
        RateExpression::Product(first, rest) => {
            let mut text = expression_text(parameters, first, Within::Product);
            for (operator, operand) in rest {
                let sign = if *operator == ProductOperator::Times { "*" } else { "/" };
                text.push_str(&format!(" {sign} {}", expression_text(parameters, operand, Within::Product)));
            }
            bracketed(text, within == Within::Product)
        }
    }
}

pub(crate) fn number_text(value: &Ratio, within: Within) -> String {
    let text = display_ratio(value).replace('/', " / ");
    if within == Within::Product && text.contains('/') { format!("({text})") } else { text }
}
