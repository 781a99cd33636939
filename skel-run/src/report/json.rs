//! A report as JSON.

use std::fmt::Write;

use super::{Prediction, Report, TaskReport};

/// An object that is being written: its members, one behind the other.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Object(String::new())
    }

    fn name(&mut self, name: &str) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&text(name));
        self.0.push(':');
    }

    pub(crate) fn raw(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        self.0.push_str(value);
        self
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        let value = text(value);
        self.raw(name, &value)
    }

    pub(crate) fn count(self, name: &str, value: u64) -> Self {
        self.raw(name, &value.to_string())
    }

    /// A number, or `null` where there is none.
    pub(crate) fn number(self, name: &str, value: impl Into<Option<f64>>) -> Self {
        let value = value.into().filter(|value| value.is_finite());
        self.raw(name, &value.map_or_else(|| "null".to_owned(), |value| format!("{value:?}")))
    }

    pub(crate) fn list(self, name: &str, values: impl Iterator<Item = String>) -> Self {
        let values: Vec<String> = values.collect();
        self.raw(name, &format!("[{}]", values.join(",")))
    }

    pub(crate) fn end(self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// A text between quotation marks, as RFC 8259 has it.
fn text(value: &str) -> String {
    let mut quoted = String::from("\"");
    for character in value.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl<S> Report<S> {
    /// The report as a JSON object. Times are in seconds, rates in items per second, and `busy`, `starved`
    /// and `blocked` are parts of one. What is not known is `null`.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.object().end()
    }

    fn object(&self) -> Object {
        let throughput = self.throughput();
        Object::new()
            .text("ending", &self.ran.ending.to_string())
            .text("execution", &self.ran.execution.to_string())
            .text("reason", &self.ran.reason)
            .count("batch", self.ran.batch as u64)
            .number("elapsed", self.ran.elapsed.as_secs_f64())
            .count("delivered", self.delivered())
            .count("skipped", self.ran.skipped)
            .count("states", self.ran.states)
            .count("failed", self.ran.failed)
            .count("cores", self.ran.cores as u64)
            .number("throughput", throughput.rate)
            .number("throughput_half_width", throughput.half_width)
            .list("tasks", self.tasks.iter().map(|figures| task(figures).end()))
    }
}

fn task(task: &TaskReport) -> Object {
    Object::new()
        .text("name", &task.name)
        .count("node", u64::from(task.id.0))
        .count("replicas", task.replicas as u64)
        .count("items", task.items)
        .count("parcels", task.parcels)
        .count("timed", task.timed)
        .number("mean", task.mean)
        .number("scv", task.scv)
        .number("busy", task.busy)
        .number("starved", task.starved)
        .number("blocked", task.blocked)
        .number("waiting", task.waiting)
        .number("overhead", task.overhead)
        .number("processors", task.processors)
        .count("states", task.states)
        .number("state_mean", task.state_mean)
        .count("skipped", task.skipped)
        .count("retried", task.retried)
        .count("replaced", task.replaced)
}

/// The report with its prediction as a JSON object: as that of the report, with a member `prediction`.
pub(super) fn with_prediction<S>(report: &Report<S>, prediction: &Prediction) -> String {
    let shares = prediction.tasks.iter().map(|shares| {
        Object::new()
            .count("node", u64::from(shares.id.0))
            .number("busy", shares.busy)
            .number("starved", shares.starved)
            .number("blocked", shares.blocked)
            .number("waiting", shares.waiting)
            .end()
    });
    let predicted = Object::new()
        .number("throughput", prediction.throughput)
        .number("formula", prediction.formula)
        .number("difference", prediction.throughput / report.throughput().rate - 1.0)
        .list("tasks", shares)
        .list("assumptions", prediction.assumptions.iter().map(|sentence| text(sentence)))
        .list("warnings", prediction.warnings.iter().map(|sentence| text(sentence)))
        .end();
    report.object().raw("prediction", &predicted).end()
}
