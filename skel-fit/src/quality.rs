//! How well a function fits what was measured.

/// How well a function fits the points that it was fitted to.
///
/// # Examples
/// ```
/// use skel_fit::Quality;
/// let quality = Quality::of(&[10.0, 20.0, 40.0], &[10.0, 22.0, 40.0], 2);
/// assert_eq!(quality.residuals, [0.0, -2.0, 0.0]);
/// assert_eq!((quality.r_squared * 1e4).round(), 9914.0);
/// assert_eq!((quality.smape * 1e3).round(), 3175.0);
/// assert_eq!(quality.degrees_of_freedom, 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// 1 less the sum of squares of the residuals over that of the differences from the mean: 1 is a perfect
    /// fit, and 0 is no better than the mean. It is 1 for equal values that are met exactly.
    pub r_squared: f64,
    /// The symmetric mean absolute percentage error, from 0 to 200: the mean of `2 |m - f| / (|m| + |f|)` in
    /// percent, for measured values `m` and fitted values `f`.
    pub smape: f64,
    /// Measured less fitted, for each point.
    pub residuals: Vec<f64>,
    /// Points less coefficients. With 0, the function goes through all points, and nothing says how good it
    /// is.
    pub degrees_of_freedom: usize,
}

impl Quality {
    /// Of measured and fitted values, where so many coefficients were fitted.
    ///
    /// # Panics
    /// If there are not as many measured values as fitted ones.
    #[must_use]
    pub fn of(measured: &[f64], fitted: &[f64], coefficients: usize) -> Self {
        assert_eq!(measured.len(), fitted.len(), "each measured value has a fitted one");
        let residuals: Vec<f64> =
            measured.iter().zip(fitted).map(|(measured, fitted)| measured - fitted).collect();
        let mean = measured.iter().sum::<f64>() / measured.len() as f64;
        let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
        let around_mean: f64 = measured.iter().map(|value| (value - mean) * (value - mean)).sum();
        Quality {
            r_squared: if squares == 0.0 { 1.0 } else { 1.0 - squares / around_mean },
            smape: smape(measured, fitted),
            degrees_of_freedom: measured.len().saturating_sub(coefficients),
            residuals,
        }
    }
}

fn smape(measured: &[f64], fitted: &[f64]) -> f64 {
    let errors =
        measured.iter().zip(fitted).map(|(&measured, &fitted)| match measured.abs() + fitted.abs() {
            0.0 => 0.0,
            both => 2.0 * (measured - fitted).abs() / both,
        });
    100.0 * errors.sum::<f64>() / measured.len() as f64
}
