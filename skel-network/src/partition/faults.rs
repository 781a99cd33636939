//! What can be wrong with latencies: each pair is named, and after the first few the others are counted.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use crate::quantity::Time;

/// This many faults of pairs are named.
const NAMED: usize = 20;

/// The longest latency in microseconds, about 30,000 years. Sums of latencies stay within the range of a
/// float.
const LONGEST: f64 = 1e18;

/// What is wrong with a latency.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    Missing,
    Impossible(Time),
    /// The latencies there and back.
    Asymmetric(Time, Time),
}

/// All that is wrong with a matrix.
#[derive(Default)]
pub(super) struct Faults {
    errors: Vec<BuildError>,
    pairs: usize,
}

impl Faults {
    /// Something that is wrong with the shape of the matrix or its names.
    pub(super) fn shape(&mut self, code: Code, message: String, help: String) {
        self.errors.push(BuildError { code, message, help });
    }

    /// Something that is wrong with the latency from one machine to another.
    pub(super) fn pair(&mut self, from: &str, to: &str, fault: Fault) {
        self.pairs += 1;
        if self.pairs <= NAMED {
            let (message, help) = explain(from, to, fault);
            self.errors.push(BuildError { code: Code::BadLatency, message, help });
        }
    }

    /// Whether a latency is one that can be.
    pub(super) fn is_possible(latency: Time) -> bool {
        (0.0..=LONGEST).contains(&latency.as_microseconds())
    }

    /// The value, if nothing is wrong.
    pub(super) fn none_or<T>(mut self, value: impl FnOnce() -> T) -> Result<T, BuildErrors> {
        if self.errors.is_empty() {
            return Ok(value());
        }
        if let Some(others @ 1..) = self.pairs.checked_sub(NAMED) {
            let latencies =
                if others == 1 { "1 more latency is".into() } else { format!("{others} more latencies are") };
            self.errors.push(BuildError {
                code: Code::BadLatency,
                message: format!("{latencies} missing, impossible or different in the two directions"),
                help: format!("the first {NAMED} are named above"),
            });
        }
        Err(BuildErrors(self.errors))
    }
}

fn explain(from: &str, to: &str, fault: Fault) -> (String, String) {
    match fault {
        Fault::Missing => (
            format!("the latency from `{from}` to `{to}` is missing"),
            "each machine needs a latency to every other machine, in both directions".into(),
        ),
        Fault::Impossible(latency) => (
            format!("the latency from `{from}` to `{to}` is {} us", latency.as_microseconds()),
            "a latency is a number of 0 or more, and at most 1e18 microseconds".into(),
        ),
        Fault::Asymmetric(there, back) => (
            format!(
                "the latency from `{from}` to `{to}` is {} us, but {} us from `{to}` to `{from}`",
                there.as_microseconds(),
                back.as_microseconds()
            ),
            "give both directions the same latency, or ask for the mean of two that differ by a few percent"
                .into(),
        ),
    }
}
