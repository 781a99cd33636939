//! Hockney's model from the times of single messages.

use super::equations::{Equations, check, two_sizes};
use super::error::FitError;
use super::fitted::Fit;
use super::least_squares::Weights;
use crate::measurement::{Measured, Measurement};
use crate::model::{Hockney, Kind};
use crate::quantity::Time;

impl Hockney {
    /// The model of the link of these runs, with relative weights.
    ///
    /// Half round trips and round trips with empty replies count. The others say nothing of this model.
    ///
    /// # Errors
    /// See [`fit`](crate::fit#what-is-refused).
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, Hockney, Measured, Measurement, Time};
    /// let run = |size, time| Measurement {
    ///     from: "a".into(),
    ///     to: "b".into(),
    ///     measured: Measured::HalfRoundTrip,
    ///     size: Bytes::new(size),
    ///     time: Time::microseconds(time),
    /// };
    /// let fit = Hockney::fit(&[run(0, 50.0), run(1000, 58.0)])?;
    /// assert!((fit.model.beta() - 125.0).abs() < 1e-9);
    ///
    /// let error = Hockney::fit(&[run(1000, 58.0)]).unwrap_err().to_string();
    /// assert!(error.contains("missing: a half round trip of another size"), "{error}");
    /// # Ok::<(), skel_network::FitError>(())
    /// ```
    pub fn fit(measurements: &[Measurement]) -> Result<Fit<Hockney>, FitError> {
        Hockney::fit_with(measurements, Weights::default())
    }

    /// [`fit`](Hockney::fit) with other weights.
    ///
    /// # Errors
    /// As [`fit`](Hockney::fit).
    pub fn fit_with(measurements: &[Measurement], weights: Weights) -> Result<Fit<Hockney>, FitError> {
        check(measurements)?;
        let equations = Equations {
            model: Kind::Hockney,
            parameters: vec![("alpha".into(), " us"), ("1/beta".into(), " us/byte")],
            row: &|measured, size| match measured {
                Measured::HalfRoundTrip => Some((vec![1.0, size.as_f64()], 0.0)),
                Measured::EmptyReply => Some((vec![2.0, size.as_f64()], 0.0)),
                _ => None,
            },
            proposals: two_sizes(measurements).into(),
            needed: Kind::Hockney.measurements_needed(2),
        };
        let solved = equations.solve(measurements, weights)?;
        equations.fit(solved, weights, |found| Hockney::new(Time::microseconds(found[0]), 1.0 / found[1]))
    }
}
