//! Functions of sizes: sums of products of powers, with coefficients.

mod parse;

use std::collections::BTreeMap;
use std::fmt;

use crate::power::Power;

pub use parse::FunctionError;

/// `sum c_k x^i_k log2(x)^j_k`, or the same with a power of each of several variables in each term: the
/// seconds that a program takes as a function of the size of its problem, and perhaps of the number of its
/// processes.
///
/// It is read from a text and written as one. In a text, a variable has any name, a coefficient stands before
/// its powers, with or without `*`, and exponents that are fractions stand in brackets. `n^2 / p` is
/// `n^2 p^-1`.
///
/// # Examples
/// ```
/// use skel_fit::Function;
/// let seconds: Function = "1.5 + 2e-3 n log2(n) + 4*n^(3/2)".parse()?;
/// assert_eq!(seconds.at(4.0), 1.5 + 2e-3 * 4.0 * 2.0 + 4.0 * 8.0);
/// assert_eq!(seconds.to_string(), "1.5 + 0.002 n log2(n) + 4 n^(3/2)");
///
/// let of_processes = Function::read("0.5 p + 6e-7 n^2/p", ["n", "p"])?;
/// assert_eq!(of_processes.at_point([1000.0, 4.0]), 2.0 + 0.15);
/// assert_eq!(of_processes.with(1, 4.0).to_string(), "2 + 1.5e-7 n^2");
/// # Ok::<(), skel_fit::FunctionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Function<const VARIABLES: usize = 1> {
    variables: [String; VARIABLES],
    /// Coefficients that are not 0, by the powers of the variables.
    terms: BTreeMap<[Power; VARIABLES], f64>,
}

impl<const VARIABLES: usize> Function<VARIABLES> {
    /// A sum of products of powers with their coefficients. Coefficients of equal products are added, and
    /// terms of coefficient 0 are left out.
    #[must_use]
    pub fn of(
        variables: [&str; VARIABLES],
        terms: impl IntoIterator<Item = ([Power; VARIABLES], f64)>,
    ) -> Self {
        let mut sum = BTreeMap::new();
        for (powers, coefficient) in terms {
            *sum.entry(powers).or_insert(0.0) += coefficient;
        }
        sum.retain(|_, coefficient| *coefficient != 0.0);
        Function { variables: variables.map(str::to_owned), terms: sum }
    }

    /// Reads a sum of terms, in which variables of these names stand.
    ///
    /// # Errors
    /// The first thing that is not understood, with its place and what to write instead.
    pub fn read(text: &str, variables: [&str; VARIABLES]) -> Result<Self, FunctionError> {
        let mut names = variables.map(|name| Some(name.to_owned()));
        parse::finite(Function::of(variables, parse::terms(text, &mut names)?))
    }

    /// The value for positive variables.
    #[must_use]
    pub fn at_point(&self, point: [f64; VARIABLES]) -> f64 {
        self.values_at(point).sum()
    }

    /// The products of powers with their coefficients, by exponents.
    pub fn terms(&self) -> impl Iterator<Item = ([Power; VARIABLES], f64)> {
        self.terms.iter().map(|(&powers, &coefficient)| (powers, coefficient))
    }

    /// The names of the variables.
    #[must_use]
    pub fn variables(&self) -> [&str; VARIABLES] {
        std::array::from_fn(|at| self.variables[at].as_str())
    }

    /// This function less another.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let negative = other.terms().map(|(powers, coefficient)| (powers, -coefficient));
        Function::of(self.variables(), self.terms().chain(negative))
    }

    /// How large the terms are at a point, all taken as positive: the scale of rounding errors.
    pub(crate) fn magnitude(&self, point: [f64; VARIABLES]) -> f64 {
        self.values_at(point).map(f64::abs).sum()
    }

    fn values_at(&self, point: [f64; VARIABLES]) -> impl Iterator<Item = f64> {
        self.terms().map(move |(powers, coefficient)| coefficient * product_at(&powers, point))
    }
}

/// The product of powers of some variables.
pub(crate) fn product_at<const VARIABLES: usize>(
    powers: &[Power; VARIABLES],
    point: [f64; VARIABLES],
) -> f64 {
    powers.iter().zip(point).map(|(power, x)| power.at(x)).product()
}

impl Function {
    /// A function of one variable, `x`.
    #[must_use]
    pub fn new(terms: impl IntoIterator<Item = (Power, f64)>) -> Self {
        Function::of(["x"], terms.into_iter().map(|(power, coefficient)| ([power], coefficient)))
    }

    /// The value for a positive size.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.at_point([x])
    }
}

impl Function<2> {
    /// The function of the other variable that remains when one of the two, 0 or 1, has a value.
    ///
    /// # Panics
    /// If there is no such variable.
    #[must_use]
    pub fn with(&self, variable: usize, value: f64) -> Function {
        let rest = 1 - variable;
        let terms = self
            .terms()
            .map(|(powers, coefficient)| ([powers[rest]], coefficient * powers[variable].at(value)));
        Function::of([self.variables[rest].as_str()], terms)
    }
}

impl<const VARIABLES: usize> fmt::Display for Function<VARIABLES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (index, (powers, coefficient)) in self.terms().enumerate() {
            let sign = match (index, coefficient < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            write!(f, "{sign}{}", Coefficient(coefficient.abs()))?;
            for (power, variable) in powers.iter().zip(&self.variables) {
                if *power != Power::ONE {
                    write!(f, " {}", power.of(variable))?;
                }
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
