//! Rates as they are written in texts and in syntax trees.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::diagnostic::TextSpan;
use crate::number::Ratio;
use crate::rate::ProductOperator;
use crate::syntax::ast::{At, Expression};

/// A rate as the paper prints it, with a decimal point; with an exponent where it is too long for that, and
/// as a fraction where it has no decimal.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn rate_text(rate: &Ratio) -> String {
    let text = number(rate).to_string();
    if text.bytes().all(|byte| byte.is_ascii_digit()) { format!("{text}.0") } else { text }
}

/// A rate as an expression: a decimal where it has one, else a fraction.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn number(value: &Ratio) -> Expression<TextSpan> {
    let whole =
        |digits: &BigInt| Expression::Number(Ratio::from_integer(digits.clone()), At(TextSpan::NOWHERE));
    if has_decimal(value) {
        return Expression::Number(value.clone(), At(TextSpan::NOWHERE));
    }
    Expression::Product(Box::new(whole(value.numer())), vec![(ProductOperator::Over, whole(value.denom()))])
}

/// Whether the value can be written as a decimal: whether its denominator has no prime factors but 2 and 5.
#[cfg_attr(debug_assertions, inline)]
fn has_decimal(value: &Ratio) -> bool {
    let mut denominator = value.denom().clone();
    for prime in [2, 5] {
        let prime = BigInt::from(prime);
        while (&denominator % &prime) == Zero::zero() {
            denominator /= &prime;
        }
    }
    denominator.is_one()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{decimal, ratio};

    #[test]
    fn rates_have_a_point_or_an_exponent_or_are_fractions() {
        let text = |literal: &str| rate_text(&decimal(literal).unwrap());
        assert_eq!(text("3"), "3.0");
        assert_eq!(text("0.25"), "0.25");
        assert_eq!(text("1e3"), "1000.0");
        assert_eq!(text("1.01e308"), "1.01e308");
        assert_eq!(text("2e-30"), "2e-30");
        assert_eq!(rate_text(&ratio(1, 3)), "1 / 3");
    }

    #[test]
    fn rates_are_read_back() {
        for exponent in -400..=400 {
            let rate = decimal(&format!("7e{exponent}")).unwrap();
            assert_eq!(decimal(&rate_text(&rate)).unwrap(), rate);
        }
    }
}
