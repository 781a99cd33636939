//! A model of any kind from timed runs.

use super::error::FitError;
use super::fitted::Fit;
use super::least_squares::Weights;
use crate::measurement::Measurement;
use crate::model::{Hockney, Kind, LogGp, LogP, Model, PLogP};

impl Model {
    /// The kinds of models that follow from the runs of one link alone, in the order of what they cost to
    /// measure.
    pub const FITTED: [Kind; 4] = [Kind::Hockney, Kind::LogP, Kind::LogGp, Kind::PLogP];

    /// Every model of [`FITTED`](Model::FITTED) from the runs of one link, with relative weights, or why
    /// there is none.
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, Kind, Measured, Measurement, Model, Time};
    /// let run = |size, time| Measurement {
    ///     from: "a".into(),
    ///     to: "b".into(),
    ///     measured: Measured::HalfRoundTrip,
    ///     size: Bytes::new(size),
    ///     time: Time::microseconds(time),
    /// };
    /// let fits = Model::fit_all(&[run(1, 50.0), run(1000, 58.0)]);
    /// let fitted: Vec<Kind> = fits.iter().filter(|(_, fit)| fit.is_ok()).map(|(kind, _)| *kind).collect();
    /// assert_eq!(fitted, [Kind::Hockney]);
    /// ```
    #[must_use]
    pub fn fit_all(measurements: &[Measurement]) -> Vec<(Kind, Result<Fit<Model>, FitError>)> {
        let weights = Weights::default();
        vec![
            (Kind::Hockney, Hockney::fit_with(measurements, weights).map(|fit| fit.map(Model::from))),
            (Kind::LogP, LogP::fit_with(measurements, weights).map(|fit| fit.map(Model::from))),
            (Kind::LogGp, LogGp::fit_with(measurements, weights).map(|fit| fit.map(Model::from))),
            (Kind::PLogP, PLogP::fit_with(measurements, weights).map(|fit| fit.map(Model::from))),
        ]
    }
}
