//! What is said of a property: a verdict, a number, or one for each state.

use std::fmt;

use skel_core::number::{Number, Ratio};

/// Whether something holds.
///
/// A bound within the error of the value is not decided: it is never rounded to yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It holds for certain.
    True,
    /// It does not hold, for certain.
    False,
    /// The value is too near the bound, or it cannot be computed well enough.
    Undecided,
}

impl Verdict {
    pub(super) fn of(known: Option<bool>) -> Verdict {
        match known {
            Some(true) => Verdict::True,
            Some(false) => Verdict::False,
            None => Verdict::Undecided,
        }
    }

    /// `true`, `false` or `undecided`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::True => "true",
            Verdict::False => "false",
            Verdict::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A number that is known up to an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) exact: Option<Ratio>,
}

impl Figure {
    pub(super) fn of_exact(value: Ratio) -> Figure {
        let float = value.to_float();
        Figure { low: float.next_down(), high: float.next_up(), exact: Some(value) }
    }

    /// The number; infinite for a reward until something that may not happen.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P")?.explore()?;
    /// let found = space.check("P=? [ F<=1 Q = 1 ]")?;
    /// let figure = found.figure().expect("it is a number");
    /// assert!((figure.value() - (1.0 - f64::exp(-1.0))).abs() <= figure.error());
    /// assert!(figure.error() < 1e-9);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn value(&self) -> f64 {
        match &self.exact {
            Some(exact) => exact.to_float(),
            None if self.low == self.high => self.low,
            None => self.low / 2.0 + self.high / 2.0,
        }
    }

    /// A bound on the absolute error of the value; 0 for an exact one.
    #[must_use]
    pub fn error(&self) -> f64 {
        match &self.exact {
            Some(_) => 0.0,
            None if self.low == self.high => 0.0,
            None => ((self.high - self.low) / 2.0).next_up(),
        }
    }

    /// The value in fractions, if it was computed in them.
    #[must_use]
    pub fn exact(&self) -> Option<&Ratio> {
        self.exact.as_ref()
    }

    /// The number is not below this.
    #[must_use]
    pub fn at_least(&self) -> f64 {
        self.low
    }

    /// The number is not above this.
    #[must_use]
    pub fn at_most(&self) -> f64 {
        self.high
    }
}

/// What there is to say of one state.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a condition.
    Verdict(Verdict),
    /// Of a number.
    Figure(Figure),
}

/// A state with its value, of a filter that prints.
#[derive(Clone, Debug, PartialEq)]
pub struct OfState {
    /// The number of the state in its space.
    pub state: usize,
    /// Its value.
    pub value: Value,
    /// Whether the filter has it for certain.
    pub is_certain: bool,
}

/// What is said of a property.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// A verdict or a number.
    One(Value),
    /// How many states there are at least and at most, without lumping.
    Count(u128, u128),
    /// The smallest and the largest value.
    Range(Figure, Figure),
    /// A value for each state.
    States(Vec<OfState>),
}

/// A run that shows why a verdict is what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The actions from the initial state, by name.
    pub path: Vec<String>,
    /// The state that they lead to.
    pub state: String,
}

/// A property, and what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The name of the property, if it has one.
    pub name: Option<String>,
    /// The property as a text.
    pub property: String,
    /// What is said of it.
    pub answer: Answer,
    /// A run that shows why, where one can.
    pub witness: Option<Witness>,
    /// Whether a comparison that floats do not decide was decided in fractions.
    pub decided_in_fractions: bool,
}

impl Checked {
    /// The verdict, if the property is one.
    ///
    /// # Examples
    /// ```
    /// use skel::csl::Verdict;
    /// use skel::prelude::*;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P")?.explore()?;
    /// // The value is 1/3: floats alone would not decide it.
    /// assert_eq!(space.check("S>=1/3 [ Q = 1 ]")?.verdict(), Some(Verdict::True));
    /// // It is exactly 2, but no fractions come up with a bound on time.
    /// assert_eq!(space.check("R{\"time\"}>=2 [ C<=2 ]")?.verdict(), Some(Verdict::Undecided));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        match &self.answer {
            Answer::One(Value::Verdict(verdict)) => Some(*verdict),
            _ => None,
        }
    }

    /// The number, if the property asks for one.
    #[must_use]
    pub fn figure(&self) -> Option<&Figure> {
        match &self.answer {
            Answer::One(Value::Figure(figure)) => Some(figure),
            _ => None,
        }
    }
}
