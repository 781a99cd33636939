//! The derivatives of a model's rates by one named rate, computed exactly from the expressions that define
//! them.

use num_traits::{One, Zero};
use skel_core::model::{Model, ParameterDefinition, ParameterId};
use skel_core::number::Ratio;
use skel_core::rate::{ProductOperator, RateExpression, SumOperator};

/// The derivatives of all named rates by one of them. Rates that it defines change with it; rates that define
/// it do not.
pub(super) struct Slopes<'m> {
    model: &'m Model,
    of_parameters: Vec<Ratio>,
}

impl<'m> Slopes<'m> {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn by(rate: ParameterId, model: &'m Model) -> Self {
        let mut slopes = Slopes { model, of_parameters: vec![Ratio::zero(); model.parameters().len()] };
        slopes.of_parameters[rate.index()] = Ratio::one();
        let order = model.evaluation_order();
        let own = order.iter().position(|&id| id == rate).map_or(order.len(), |at| at + 1);
        for id in &order[own..] {
            if let ParameterDefinition::Expression(expression) = &model.parameters()[id.index()].definition {
                slopes.of_parameters[id.index()] = slopes.of(expression);
            }
        }
        slopes
    }

    /// The derivative of an expression.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of(&self, expression: &RateExpression) -> Ratio {
        let mut is_constant = true;
        expression.for_each_parameter(&mut |id| is_constant &= self.of_parameters[id.index()].is_zero());
        if is_constant { Ratio::zero() } else { self.value_and_slope(expression).1 }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn value_and_slope(&self, expression: &RateExpression) -> (Ratio, Ratio) {
        match expression {
            RateExpression::Number(value) => (value.clone(), Ratio::zero()),
            RateExpression::Parameter(id) => {
                (self.model.parameters()[id.index()].value.clone(), self.of_parameters[id.index()].clone())
            }
            RateExpression::Negative(inner) => {
                let (value, slope) = self.value_and_slope(inner);
                (-value, -slope)
            }
            RateExpression::Sum(first, rest) => {
                let add = |(sum, slope), (operator, term): &(SumOperator, _)| {
                    let (value, more) = self.value_and_slope(term);
                    match operator {
                        SumOperator::Plus => (sum + value, slope + more),
                        SumOperator::Minus => (sum - value, slope - more),
                    }
                };
                rest.iter().fold(self.value_and_slope(first), add)
            }
            RateExpression::Product(first, rest) => {
                let multiply = |(product, slope): (Ratio, Ratio),
                                (operator, factor): &(ProductOperator, _)| {
                    let (value, more) = self.value_and_slope(factor);
                    match operator {
                        ProductOperator::Times => (&product * &value, slope * value + product * more),
                        ProductOperator::Over => {
                            let quotient = product / &value;
                            (quotient.clone(), (slope - quotient * more) / value)
                        }
                    }
                };
                rest.iter().fold(self.value_and_slope(first), multiply)
            }
        }
    }
}
