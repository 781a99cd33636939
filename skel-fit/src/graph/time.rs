//! How long a graph takes.

use std::fmt;

use super::expression::Expression;
use super::{Block, Graph, Segment, SegmentKind, Statement};

/// How long a program and its segments take.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Times {
    /// The whole program, in seconds.
    pub seconds: f64,
    /// Its segments, in the order of the text.
    pub parts: Vec<PartTime>,
    /// Why the times may be far off: segments whose model gives a negative time.
    pub warnings: Vec<String>,
}

/// How long a segment takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartTime {
    /// What it does.
    pub kind: SegmentKind,
    /// Its name.
    pub name: String,
    /// Seconds of doing it once.
    pub once: f64,
    /// How often it is done on the way of its process, on average.
    pub times: f64,
    /// Whether its process is the slowest wherever it is in parallel with others: then its time is part of
    /// the program's, unless it is hidden behind an overlap.
    pub is_decisive: bool,
}

/// Why a graph has no time for some values of its parameters: everything that is wrong, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphError {
    /// What is wrong, and what to write instead.
    pub problems: Vec<String>,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for GraphError {}

/// Probabilities may differ from 1 in sum by this.
const ROUNDING: f64 = 1e-9;

pub(super) fn times(
    graph: &Graph,
    parameters: &[(&str, f64)],
    model: &dyn Fn(&str) -> Option<f64>,
) -> Result<Times, GraphError> {
    let (values, problems) = bind(graph, parameters);
    if !problems.is_empty() {
        return Err(GraphError { problems });
    }
    let mut clock =
        Clock { values: &values, model, parts: Vec::new(), problems: Vec::new(), warnings: Vec::new() };
    let seconds = clock.block(&graph.body, 1.0);
    let Clock { parts, mut problems, warnings, .. } = clock;
    if problems.is_empty() && !seconds.is_finite() {
        problems.push(format!("the program takes {seconds} seconds; help: take smaller parameters"));
    }
    if problems.is_empty() { Ok(Times { seconds, parts, warnings }) } else { Err(GraphError { problems }) }
}

/// The values of the parameters in their order.
fn bind(graph: &Graph, parameters: &[(&str, f64)]) -> (Vec<f64>, Vec<String>) {
    let mut problems = Vec::new();
    let known = graph.parameters.join(", ");
    for (name, value) in parameters {
        if !graph.parameters.iter().any(|known| known == name) {
            problems.push(format!(
                "`{name}` is no parameter of `{}`; help: its parameters are {known}",
                graph.name
            ));
        } else if !value.is_finite() {
            problems.push(format!("the parameter `{name}` is {value}; help: it must be finite"));
        }
    }
    let mut value_of = |name: &String| {
        let mut given = parameters.iter().filter(|(given, _)| given == name);
        match (given.next(), given.next()) {
            (Some((_, value)), None) => *value,
            (None, _) => {
                problems.push(format!(
                    "the parameter `{name}` has no value; help: give one, such as `{name}=1000`"
                ));
                f64::NAN
            }
            _ => {
                problems.push(format!("the parameter `{name}` has two values; help: leave one out"));
                f64::NAN
            }
        }
    };
    (graph.parameters.iter().map(&mut value_of).collect(), problems)
}

struct Clock<'c> {
    values: &'c [f64],
    model: &'c dyn Fn(&str) -> Option<f64>,
    parts: Vec<PartTime>,
    problems: Vec<String>,
    warnings: Vec<String>,
}

impl Clock<'_> {
    /// The seconds of a block that is done so often.
    fn block(&mut self, block: &Block, often: f64) -> f64 {
        block.iter().map(|statement| self.statement(statement, often)).sum()
    }

    fn statement(&mut self, statement: &Statement, often: f64) -> f64 {
        match statement {
            Statement::Segment(segment) => self.segment(segment, often),
            Statement::Loop { times, body } => {
                let times = self.count(times, "a loop is done");
                times * self.block(body, often * times)
            }
            Statement::Parallel(processes) => {
                let mut all = Vec::new();
                for process in processes {
                    let copies = process.copies.as_ref();
                    let copies = copies.map_or(1.0, |copies| self.count(copies, "a process is there"));
                    let begin = self.parts.len();
                    let seconds = self.block(&process.body, often);
                    all.push((
                        if copies == 0.0 { 0.0 } else { seconds },
                        begin..self.parts.len(),
                        copies > 0.0,
                    ));
                }
                let slowest = all.iter().map(|part| part.0).fold(0.0, f64::max);
                for (_, parts, _) in
                    all.into_iter().filter(|(seconds, _, is_there)| *seconds < slowest || !is_there)
                {
                    self.parts[parts].iter_mut().for_each(|part| part.is_decisive = false);
                }
                slowest
            }
            Statement::Overlap { part, one, other } => {
                let part = part.as_ref().map_or(1.0, |part| self.part(part, "an overlap hides"));
                let (one, other) = (self.block(one, often), self.block(other, often));
                one.max(other) + (1.0 - part) * one.min(other)
            }
            Statement::Choice { branches, place } => {
                let (mut seconds, mut sum) = (0.0, 0.0);
                for (probability, body) in branches {
                    let probability = self.part(probability, "the probability of a branch");
                    sum += probability;
                    seconds += probability * self.block(body, often * probability);
                }
                if (sum - 1.0).abs() > ROUNDING && self.problems.is_empty() {
                    self.problems.push(format!(
                        "the probabilities of the choice at {place} add up to {sum}; help: they must add up to 1"
                    ));
                }
                seconds
            }
        }
    }

    fn segment(&mut self, segment: &Segment, often: f64) -> f64 {
        let (kind, name) = (segment.kind.word(), &segment.name);
        let bytes = segment.bytes.as_ref().map_or(0.0, |bytes| {
            let value = bytes.value(self.values, 0.0);
            if !(value >= 0.0 && value.is_finite()) {
                self.problems.push(format!(
                    "`{kind} {name}` moves {value} bytes, as `{bytes}` says; help: they must be 0 or more"
                ));
            }
            value
        });
        let once = match &segment.seconds {
            Some(seconds) => seconds.value(self.values, bytes),
            None => (self.model)(name).unwrap_or_else(|| {
                self.problems.push(format!(
                    "`{kind} {name}` has no time; help: write `{kind} {name} : seconds;`, or give timed runs of the segment `{name}`"
                ));
                0.0
            }),
        };
        let message =
            || format!("`{kind} {name}` takes {once} seconds: its model does not hold for these parameters");
        if !once.is_finite() {
            self.problems.push(message());
        } else if once < 0.0 {
            self.warnings.push(message());
        }
        self.parts.push(PartTime {
            kind: segment.kind,
            name: name.clone(),
            once,
            times: often,
            is_decisive: true,
        });
        once
    }

    /// A number that must be 0 or more.
    fn count(&mut self, expression: &Expression, what: &str) -> f64 {
        self.checked(expression, what, "times; help: the number must be 0 or more and finite", |value| {
            value >= 0.0 && value.is_finite()
        })
    }

    /// A number that must be from 0 to 1.
    fn part(&mut self, expression: &Expression, what: &str) -> f64 {
        self.checked(expression, what, "; help: it must be from 0 to 1", |value| (0.0..=1.0).contains(&value))
    }

    fn checked(
        &mut self,
        expression: &Expression,
        what: &str,
        rest: &str,
        is_right: impl Fn(f64) -> bool,
    ) -> f64 {
        let value = expression.value(self.values, 0.0);
        if !is_right(value) {
            let rest = if rest.starts_with(';') { rest.to_owned() } else { format!(" {rest}") };
            let verb = if what.starts_with("the") { " is" } else { "" };
            let place = expression.place;
            self.problems.push(format!("{what}{verb} {value} (`{expression}` at {place}){rest}"));
            return 0.0;
        }
        value
    }
}
