//! A function of the size of a problem: a sum of powers with coefficients.

mod parse;

use std::collections::BTreeMap;
use std::fmt;

use crate::power::Power;

pub use parse::FunctionError;

/// `sum c_k x^i_k log2(x)^j_k`: the seconds that a program takes as a function of the size of its problem.
///
/// It is read from a text and written as one. In a text, the variable has any name, a coefficient stands before its power, with or
/// without `*`, and exponents that are fractions stand in brackets.
///
/// # Examples
/// ```
/// use skel_fit::Function;
/// let seconds: Function = "1.5 + 2e-3 n log2(n) + 4*n^(3/2)".parse()?;
/// assert_eq!(seconds.at(4.0), 1.5 + 2e-3 * 4.0 * 2.0 + 4.0 * 8.0);
/// assert_eq!(seconds.to_string(), "1.5 + 0.002 n log2(n) + 4 n^(3/2)");
/// # Ok::<(), skel_fit::FunctionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    variable: String,
    /// Not empty coefficients, by their powers.
    terms: BTreeMap<Power, f64>,
}

impl Function {
    /// A sum of powers of `x` with their coefficients. Coefficients of equal powers are added, and terms of coefficient 0 are left out.
    #[must_use]
    pub fn new(terms: impl IntoIterator<Item = (Power, f64)>) -> Self {
        let mut function = Function { variable: "x".into(), terms: BTreeMap::new() };
        terms.into_iter().for_each(|(power, coefficient)| function.add(power, coefficient));
        function.terms.retain(|_, coefficient| *coefficient != 0.0);
        function
    }

    /// The same function of a variable that has this name.
    #[must_use]
    pub fn of(self, variable: impl Into<String>) -> Self {
        Function { variable: variable.into(), ..self }
    }

    /// The value for a positive size.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.terms().map(|(power, coefficient)| coefficient * power.at(x)).sum()
    }

    /// The powers with their coefficients, by exponents.
    pub fn terms(&self) -> impl Iterator<Item = (Power, f64)> {
        self.terms.iter().map(|(&power, &coefficient)| (power, coefficient))
    }

    /// The name of the variable.
    #[must_use]
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// How large the terms are for a size, all taken as positive: the scale of rounding errors.
    pub(crate) fn magnitude(&self, x: f64) -> f64 {
        self.terms().map(|(power, coefficient)| (coefficient * power.at(x)).abs()).sum()
    }

    /// This function less another.
    pub(crate) fn minus(&self, other: &Function) -> Function {
        let negative = other.terms().map(|(power, coefficient)| (power, -coefficient));
        Function::new(self.terms().chain(negative)).of(self.variable.clone())
    }

    fn add(&mut self, power: Power, coefficient: f64) {
        *self.terms.entry(power).or_insert(0.0) += coefficient;
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (index, (power, coefficient)) in self.terms().enumerate() {
            let sign = match (index, coefficient < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            write!(f, "{sign}{}", Coefficient(coefficient.abs()))?;
            if power != Power::ONE {
                write!(f, " {}", power.of(&self.variable))?;
            }
        }
        Ok(())
    }
}

/// A coefficient, written with an exponent of ten where it is small or large.
struct Coefficient(f64);

impl fmt::Display for Coefficient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            value if value != 0.0 && !(1e-4..1e9).contains(&value) => write!(f, "{value:e}"),
            value => write!(f, "{value}"),
        }
    }
}
