//! LogP and LogGP from single messages, overheads, bursts and gaps.

use std::collections::BTreeSet;

use skel_core::model::BuildErrors;

use super::equations::{Equations, Proposal, check, two_sizes};
use super::error::FitError;
use super::fitted::Fit;
use super::least_squares::Weights;
use crate::measurement::{Measured, Measurement};
use crate::model::{Kind, LogGp, LogP};
use crate::quantity::{Bytes, Time};

/// Coefficients, and what is known beforehand.
type Row = (Vec<f64>, f64);

impl LogGp {
    /// The model of the link of these runs, with relative weights: all four parameters at once.
    ///
    /// All kinds of runs count. If the gap `g` comes out below the overhead `o`, the processor and not the
    /// network separates messages. Then the runs say nothing of `g`, the fit takes `g = o`, and a remark says
    /// so.
    ///
    /// # Errors
    /// See [`fit`](crate::fit#what-is-refused).
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, LogGp, Measured, Measurement, Time};
    /// let run = |measured, size, time| Measurement {
    ///     from: "a".into(),
    ///     to: "b".into(),
    ///     measured,
    ///     size: Bytes::new(size),
    ///     time: Time::microseconds(time),
    /// };
    /// let runs = [
    ///     run(Measured::HalfRoundTrip, 1, 50.0),
    ///     run(Measured::HalfRoundTrip, 1001, 60.0),
    ///     run(Measured::SendOverhead, 1, 4.5),
    ///     run(Measured::Burst { messages: 11 }, 1, 122.5),
    /// ];
    /// let link = LogGp::fit(&runs)?.model;
    /// assert!((link.l().as_microseconds() - 41.0).abs() < 1e-9);
    /// assert!((link.g().as_microseconds() - 7.25).abs() < 1e-9);
    ///
    /// let error = LogGp::fit(&runs[..2]).unwrap_err().to_string();
    /// assert!(error.contains("missing: a send overhead, a burst of 2 messages or more"), "{error}");
    /// # Ok::<(), skel_network::FitError>(())
    /// ```
    pub fn fit(measurements: &[Measurement]) -> Result<Fit<LogGp>, FitError> {
        LogGp::fit_with(measurements, Weights::default())
    }

    /// [`fit`](LogGp::fit) with other weights.
    ///
    /// # Errors
    /// As [`fit`](LogGp::fit).
    pub fn fit_with(measurements: &[Measurement], weights: Weights) -> Result<Fit<LogGp>, FitError> {
        check(measurements)?;
        let row = |measured, size| Some((byte_row(measured, size), 0.0));
        let model = |found: &[f64]| {
            let [l, o, g, gap_per_byte] = [0, 1, 2, 3].map(|at| Time::microseconds(found[at]));
            LogGp::new(l, o, g, gap_per_byte)
        };
        let names = [("L", " us"), ("o", " us"), ("g", " us"), ("G", " us/byte")];
        let [_, another] = two_sizes(measurements);
        let proposals = proposals(measurements).into_iter().chain([another]).collect();
        fit(Kind::LogGp, &names, &row, proposals, measurements, weights, &model)
    }
}

/// The coefficients of `L, o, g, G`.
fn byte_row(measured: Measured, size: Bytes) -> Vec<f64> {
    let bytes = size.get().saturating_sub(1) as f64;
    match measured {
        Measured::HalfRoundTrip => vec![1.0, 2.0, 0.0, bytes],
        Measured::EmptyReply => vec![2.0, 4.0, 0.0, bytes],
        Measured::SendOverhead | Measured::ReceiveOverhead => vec![0.0, 1.0, 0.0, 0.0],
        Measured::Burst { messages } => {
            let messages = f64::from(messages);
            vec![1.0, 2.0, messages - 1.0, messages * bytes]
        }
        Measured::Gap => vec![0.0, 0.0, 1.0, bytes],
    }
}

impl LogP {
    /// The model of the link of these runs, with relative weights, and with the size of a packet, among the
    /// sizes of these runs, that fits them best.
    ///
    /// All kinds of runs count. As for [`LogGp::fit`], the fit takes `g = o` if the gap would come out below
    /// the overhead. If all runs have one size, a packet has this size.
    ///
    /// # Errors
    /// See [`fit`](crate::fit#what-is-refused).
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, LogP, Measured, Measurement, Time};
    /// let run = |measured, size, time| Measurement {
    ///     from: "a".into(),
    ///     to: "b".into(),
    ///     measured,
    ///     size: Bytes::new(size),
    ///     time: Time::microseconds(time),
    /// };
    /// let runs = [
    ///     run(Measured::HalfRoundTrip, 1, 49.0),
    ///     run(Measured::HalfRoundTrip, 1024, 49.0),
    ///     run(Measured::HalfRoundTrip, 4096, 76.0),
    ///     run(Measured::SendOverhead, 1, 4.5),
    ///     run(Measured::Burst { messages: 10 }, 1, 130.0),
    /// ];
    /// let fit = LogP::fit(&runs)?;
    /// assert_eq!(fit.model.w(), Bytes::new(1024));
    /// assert!((fit.model.l().as_microseconds() - 40.0).abs() < 1e-9);
    /// # Ok::<(), skel_network::FitError>(())
    /// ```
    pub fn fit(measurements: &[Measurement]) -> Result<Fit<LogP>, FitError> {
        LogP::fit_with(measurements, Weights::default())
    }

    /// [`fit`](LogP::fit) with other weights.
    ///
    /// # Errors
    /// As [`fit`](LogP::fit).
    pub fn fit_with(measurements: &[Measurement], weights: Weights) -> Result<Fit<LogP>, FitError> {
        let sizes: BTreeSet<Bytes> = measurements.iter().map(|run| run.size.max(Bytes::new(1))).collect();
        let mut best: Option<Result<Fit<LogP>, FitError>> = None;
        // Largest first, so that the largest of equally good sizes is taken.
        for &size in sizes.iter().rev() {
            let found = LogP::fit_with_packet(measurements, size, weights);
            let is_better = match (&best, &found) {
                (None, _) | (Some(Err(_)), Ok(_)) => true,
                (Some(Ok(best)), Ok(found)) => found.rss < best.rss * (1.0 - 1e-9),
                (Some(_), Err(_)) => false,
            };
            if is_better {
                best = Some(found);
            }
        }
        best.unwrap_or_else(|| LogP::fit_with_packet(measurements, Bytes::new(1), weights))
    }

    /// The model with packets of a given size.
    ///
    /// # Errors
    /// As [`fit`](LogP::fit); or a packet of no bytes.
    pub fn fit_with_packet(
        measurements: &[Measurement],
        packet: Bytes,
        weights: Weights,
    ) -> Result<Fit<LogP>, FitError> {
        check(measurements)?;
        let nothing =
            LogP::new(Time::ZERO, Time::ZERO, Time::ZERO, packet).map_err(FitError::Measurements)?;
        let row = |measured, size| Some((packet_row(measured, nothing.packets(size) as f64), 0.0));
        let model = |found: &[f64]| {
            let [l, o, g] = [0, 1, 2].map(|at| Time::microseconds(found[at]));
            LogP::new(l, o, g, packet)
        };
        let names = [("L", " us"), ("o", " us"), ("g", " us")];
        fit(Kind::LogP, &names, &row, proposals(measurements), measurements, weights, &model)
    }
}

/// The coefficients of `L, o, g` for a message of some packets.
fn packet_row(measured: Measured, packets: f64) -> Vec<f64> {
    match measured {
        Measured::HalfRoundTrip => vec![1.0, 2.0, packets - 1.0],
        Measured::EmptyReply => vec![2.0, 4.0, packets - 1.0],
        Measured::SendOverhead | Measured::ReceiveOverhead => vec![0.0, packets, 0.0],
        Measured::Burst { messages } => vec![1.0, 2.0, f64::from(messages) * packets - 1.0],
        Measured::Gap => vec![0.0, 0.0, packets],
    }
}

fn proposals(measurements: &[Measurement]) -> Vec<Proposal> {
    let [single, _] = two_sizes(measurements);
    vec![
        single,
        (Measured::SendOverhead, Bytes::new(1), "a send overhead".into()),
        (Measured::Burst { messages: 10 }, Bytes::new(1), "a burst of 2 messages or more".into()),
    ]
}

/// Fits `L`, `o`, `g` and what follows them, with `g` at least `o`.
fn fit<M>(
    kind: Kind,
    names: &[(&str, &'static str)],
    row: &dyn Fn(Measured, Bytes) -> Option<Row>,
    proposals: Vec<Proposal>,
    measurements: &[Measurement],
    weights: Weights,
    model: &dyn Fn(&[f64]) -> Result<M, BuildErrors>,
) -> Result<Fit<M>, FitError> {
    let parameters = names.iter().map(|&(name, unit)| (name.to_owned(), unit)).collect();
    let needed = kind.measurements_needed(2);
    let equations = Equations { model: kind, parameters, row, proposals, needed };
    let solved = equations.solve(measurements, weights)?;
    let [o, g] = [1, 2].map(|at| solved.solution.parameters[at]);
    if g >= o {
        return equations.fit(solved, weights, model);
    }
    let tied = |measured, size| row(measured, size).map(|(coefficients, known)| (tie(coefficients), known));
    let mut parameters = equations.parameters;
    parameters.remove(2);
    "o = g".clone_into(&mut parameters[1].0);
    let equations = Equations { parameters, row: &tied, ..equations };
    let solved = equations.solve(measurements, weights)?;
    let mut fit = equations.fit(solved, weights, |found| {
        let values: Vec<f64> = [found[0], found[1]].into_iter().chain(found[1..].iter().copied()).collect();
        model(&values)
    })?;
    fit.remarks
        .push("the gap is not above the overhead: the processor, not the network, separates messages".into());
    Ok(fit)
}

/// The coefficients if the gap is the overhead.
fn tie(mut coefficients: Vec<f64>) -> Vec<f64> {
    let gap = coefficients.remove(2);
    coefficients[1] += gap;
    coefficients
}
