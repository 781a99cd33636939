//! From runs to the equations of a model, and from their solution to a fit.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use super::error::{FitError, Missing, Negative};
use super::fitted::{Fit, Parameter, Residual};
use super::least_squares::{Row, RowSpace, Solution, Weights, outliers, solve};
use super::needed::Needed;
use crate::measurement::{Measured, Measurement};
use crate::model::Kind;
use crate::quantity::{Bytes, Time};

/// The most parameters of a fit. Its time grows with the square of them.
pub const MOST_PARAMETERS: usize = 256;

/// A run as it could be measured: what, the size of a message, and how to ask for it.
pub(super) type Proposal = (Measured, Bytes, String);

/// What a model makes of runs.
pub(super) struct Equations<'r> {
    pub(super) model: Kind,
    /// The parameters with their units.
    pub(super) parameters: Vec<(String, &'static str)>,
    /// The coefficients of a run and what is known of its time, or nothing if the run says nothing of the
    /// parameters.
    pub(super) row: &'r dyn Fn(Measured, Bytes) -> Option<(Vec<f64>, f64)>,
    /// Runs that together settle every parameter.
    pub(super) proposals: Vec<Proposal>,
    pub(super) needed: Needed,
}

/// A solution, and which runs it is from.
pub(super) struct Solved {
    pub(super) solution: Solution,
    rows: Vec<Row>,
    /// The number of the run of each row.
    runs: Vec<usize>,
}

/// Refuses runs that cannot be.
pub(super) fn check(measurements: &[Measurement]) -> Result<(), FitError> {
    let errors: Vec<BuildError> =
        measurements.iter().enumerate().flat_map(|(at, run)| problems(at + 1, run)).collect();
    if errors.is_empty() { Ok(()) } else { Err(FitError::Measurements(BuildErrors(errors))) }
}

fn problems(number: usize, run: &Measurement) -> Vec<BuildError> {
    let error = |message: String, help: &str| BuildError {
        code: Code::QuantityNotPositive,
        message: format!("run {number}, from {} to {}, {message}", run.from, run.to),
        help: help.into(),
    };
    let time = run.time.as_microseconds();
    let bad_time = !(time > 0.0 && time <= 1e18);
    let bad_burst = run.measured == Measured::Burst { messages: 0 };
    let of_time = bad_time.then(|| {
        error(format!("took {time} us"), "a time is above 0 and finite; leave the run out or repeat it")
    });
    let of_burst = bad_burst.then(|| {
        error("is a burst of 0 messages".into(), "give the number of messages of the burst, at least 1")
    });
    of_time.into_iter().chain(of_burst).collect()
}

/// A single message of a size that was measured, or else of one byte; and one of another size.
pub(super) fn two_sizes(measurements: &[Measurement]) -> [Proposal; 2] {
    let is_single = |run: &&Measurement| run.measured == Measured::HalfRoundTrip;
    let size = measurements.iter().find(is_single).map_or(Bytes::new(1), |run| run.size);
    let other = Bytes::new(if size.get() < 1 << 16 { 1 << 20 } else { 1 });
    [
        (Measured::HalfRoundTrip, size, "a half round trip".into()),
        (Measured::HalfRoundTrip, other, "a half round trip of another size".into()),
    ]
}

impl Equations<'_> {
    /// The parameters with the least sum of squares.
    pub(super) fn solve(&self, measurements: &[Measurement], weights: Weights) -> Result<Solved, FitError> {
        self.check_size()?;
        let (runs, rows): (Vec<usize>, Vec<Row>) = measurements
            .iter()
            .enumerate()
            .filter_map(|(at, run)| Some((at, self.row_of(run.measured, run.size, run.time)?)))
            .unzip();
        match solve(&rows, self.parameters.len(), weights) {
            Some(solution) => Ok(Solved { solution, rows, runs }),
            None => Err(FitError::TooFew {
                model: self.model,
                parameters: self.parameters.len(),
                runs: rows.len(),
                missing: self.missing(&rows),
                needed: self.needed.clone(),
            }),
        }
    }

    fn check_size(&self) -> Result<(), FitError> {
        let count = self.parameters.len();
        if count <= MOST_PARAMETERS {
            return Ok(());
        }
        Err(FitError::Measurements(BuildErrors(vec![BuildError {
            code: Code::OutOfRange,
            message: format!("{} would have {count} parameters, one for each size of its tables", self.model),
            help: format!("fit at most {MOST_PARAMETERS}: leave out some sizes"),
        }])))
    }

    fn row_of(&self, measured: Measured, size: Bytes, time: Time) -> Option<Row> {
        let (coefficients, known) = (self.row)(measured, size)?;
        let says_something = coefficients.iter().any(|&factor| factor != 0.0);
        says_something.then(|| Row { coefficients, known, time: time.as_microseconds() })
    }

    /// Which of the proposed runs would say something new, beside the given ones and the proposed ones before
    /// it.
    fn missing(&self, rows: &[Row]) -> Vec<Missing> {
        let proposed: Vec<(Vec<f64>, &String)> = self
            .proposals
            .iter()
            .filter_map(|(measured, size, what)| Some(((self.row)(*measured, *size)?.0, what)))
            .collect();
        let given = rows.iter().map(|row| row.coefficients.as_slice());
        let all = given.clone().chain(proposed.iter().map(|(row, _)| row.as_slice()));
        let mut space = RowSpace::like(all, self.parameters.len());
        given.for_each(|row| {
            space.add(row);
        });
        let missing = proposed.iter().filter(|(row, _)| space.add(row));
        missing.map(|(_, what)| Missing { what: (*what).clone() }).collect()
    }

    /// The parameters of a solution, unless one of them is below zero.
    pub(super) fn parameters(&self, solution: &Solution) -> Result<Vec<Parameter>, FitError> {
        let parameter = |(at, (name, unit)): (usize, &(String, &'static str))| Parameter {
            name: name.clone(),
            value: solution.parameters[at],
            standard_error: solution.standard_errors.as_ref().map(|errors| errors[at]),
            unit,
        };
        let parameters: Vec<Parameter> = self.parameters.iter().enumerate().map(parameter).collect();
        let negative =
            parameters.iter().filter(|parameter| parameter.value < 0.0).map(|parameter| Negative {
                name: parameter.name.clone(),
                value: parameter.value,
                standard_error: parameter.standard_error,
                unit: parameter.unit,
            });
        let negative: Vec<Negative> = negative.collect();
        if negative.is_empty() {
            Ok(parameters)
        } else {
            Err(FitError::Negative { model: self.model, parameters: negative })
        }
    }

    /// The fit with a model made from the solution.
    pub(super) fn fit<M>(
        &self,
        solved: Solved,
        weights: Weights,
        model: impl FnOnce(&[f64]) -> Result<M, BuildErrors>,
    ) -> Result<Fit<M>, FitError> {
        let Solved { solution, rows, runs } = solved;
        let parameters = self.parameters(&solution)?;
        let relative = rows.iter().map(|row| (row.time - row.predicted(&solution.parameters)) / row.time);
        let relative: Vec<f64> = relative.collect();
        let far = outliers(&relative).into_iter().map(|at| runs[at]).collect();
        let residuals = runs.iter().zip(&relative);
        Ok(Fit {
            model: model(&solution.parameters).map_err(FitError::Measurements)?,
            parameters,
            residuals: residuals
                .map(|(&measurement, &relative)| Residual { measurement, relative })
                .collect(),
            rss: solution.rss,
            dof: solution.dof,
            outliers: far,
            weights,
            needed: self.needed.clone(),
            remarks: Vec::new(),
        })
    }
}
