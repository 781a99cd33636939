//! Arithmetic on the parameters of a graph.

use std::fmt;

/// An expression, in the order in which it is computed: operands come before their operator. So none is too
/// deep to be walked.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) steps: Vec<Step>,
    pub(super) place: Place,
    /// As it is written.
    pub(super) text: String,
}

/// A place in a text, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A step of a computation on a stack of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Number(f64),
    /// The parameter at a place of the list of parameters.
    Parameter(usize),
    /// The bytes of the communication.
    Bytes,
    Negative,
    Logarithm,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Expression {
    /// The value for values of the parameters. It may be infinite or no number.
    pub(super) fn value(&self, parameters: &[f64], bytes: f64) -> f64 {
        let mut stack: Vec<f64> = Vec::new();
        for step in &self.steps {
            let value = match *step {
                Step::Number(value) => value,
                Step::Parameter(at) => parameters[at],
                Step::Bytes => bytes,
                Step::Negative => -top(&mut stack),
                Step::Logarithm => top(&mut stack).log2(),
                operator => {
                    let (right, left) = (top(&mut stack), top(&mut stack));
                    operator.of(left, right)
                }
            };
            stack.push(value);
        }
        top(&mut stack)
    }
}

/// Every operator has its operands before it.
fn top(stack: &mut Vec<f64>) -> f64 {
    stack.pop().unwrap_or(f64::NAN)
}

impl Step {
    fn of(self, left: f64, right: f64) -> f64 {
        match self {
            Step::Add => left + right,
            Step::Subtract => left - right,
            Step::Multiply => left * right,
            Step::Divide => left / right,
            _ if right.fract() == 0.0 && right.abs() <= 64.0 => left.powi(right as i32),
            _ => left.powf(right),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
