//! The contention factor of LoGPC, from runs while others use the network.

use super::equations::{Equations, check};
use super::error::{FitError, Missing};
use super::fitted::Fit;
use super::least_squares::Weights;
use crate::measurement::{Measured, Measurement};
use crate::model::{CommunicationModel, Kind, LoGpc, LogGp};
use crate::quantity::{Bytes, Time};

impl LoGpc {
    /// The contention factor `gamma`, from runs that were timed while as many transfers as in use shared the
    /// network: the slope of `T - L - 2o` on `(m-1) G`, with relative weights.
    ///
    /// Half round trips and round trips with empty replies count. A factor below 1 is possible by noise; a
    /// remark says so.
    ///
    /// # Errors
    /// See [`fit`](crate::fit#what-is-refused). A base whose `G` is zero leaves the factor open.
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, LoGpc, LogGp, Measured, Measurement, Time};
    /// let us = Time::microseconds;
    /// let alone = LogGp::new(us(41.0), us(4.5), us(7.25), us(0.01))?;
    /// let run = |size, time| Measurement {
    ///     from: "a".into(),
    ///     to: "b".into(),
    ///     measured: Measured::HalfRoundTrip,
    ///     size: Bytes::new(size),
    ///     time: us(time),
    /// };
    /// let fit = LoGpc::fit(&alone, &[run(1001, 65.0), run(10_001, 200.0)])?;
    /// assert!((fit.model.gamma() - 1.5).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(base: &LogGp, measurements: &[Measurement]) -> Result<Fit<LoGpc>, FitError> {
        LoGpc::fit_with(base, measurements, Weights::default())
    }

    /// [`fit`](LoGpc::fit) with other weights.
    ///
    /// # Errors
    /// As [`fit`](LoGpc::fit).
    pub fn fit_with(
        base: &LogGp,
        measurements: &[Measurement],
        weights: Weights,
    ) -> Result<Fit<LoGpc>, FitError> {
        check(measurements)?;
        let alone = (base.l() + base.o() * 2.0).as_microseconds();
        let proposed =
            (Measured::HalfRoundTrip, Bytes::new(65_536), "a half round trip of a long message".into());
        let equations = Equations {
            model: Kind::LoGpc,
            parameters: vec![("gamma".into(), "")],
            row: &|measured, size| {
                let transfer = vec![base.transfer(size).as_microseconds()];
                match measured {
                    Measured::HalfRoundTrip => Some((transfer, alone)),
                    Measured::EmptyReply => Some((transfer, 2.0 * alone)),
                    _ => None,
                }
            },
            proposals: vec![proposed],
            needed: Kind::LoGpc.measurements_needed(2),
        };
        let solved = equations.solve(measurements, weights).map_err(|error| explained(base, error))?;
        let mut fit = equations.fit(solved, weights, |found| LoGpc::new(*base, found[0]))?;
        if fit.model.gamma() < 1.0 {
            fit.remarks.push("the factor is below 1: the runs were faster than without contention".into());
        }
        Ok(fit)
    }
}

/// Names the base if no run could settle the factor.
fn explained(base: &LogGp, mut error: FitError) -> FitError {
    if let FitError::TooFew { missing, .. } = &mut error
        && base.gap_per_byte() == Time::ZERO
    {
        let what = format!("a base of {} whose gap G for each byte is above 0", base.name());
        missing.push(Missing { what });
    }
    error
}
