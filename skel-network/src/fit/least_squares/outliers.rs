//! Runs that do not belong to the others.

use skel_fit::runs::median;

/// How many standard deviations a residual of an outlier is away, at least.
const FAR: f64 = 5.0;

/// The median of absolute deviations, times this, estimates the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// Relative residuals below this are rounding.
const ROUNDING: f64 = 1e-12;

/// The places of the relative residuals that are more than 5 x 1.4826 times the median absolute deviation
/// (MAD) from zero.
///
/// If most residuals are zero but for rounding, there is no measure of how far others may be, and none is
/// named.
pub(in crate::fit) fn outliers(residuals: &[f64]) -> Vec<usize> {
    let Some(centre) = median(residuals) else { return Vec::new() };
    let distances: Vec<f64> = residuals.iter().map(|residual| (residual - centre).abs()).collect();
    let Some(deviation) = median(&distances) else { return Vec::new() };
    if deviation < ROUNDING {
        return Vec::new();
    }
    let bound = FAR * NORMAL * deviation;
    residuals.iter().enumerate().filter(|(_, residual)| residual.abs() > bound).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_far_residual_is_named() {
        let mut residuals: Vec<f64> = (0..20).map(|at| f64::from(at % 5 - 2) / 100.0).collect();
        assert_eq!(outliers(&residuals), [0; 0]);
        residuals[7] = -0.3;
        assert_eq!(outliers(&residuals), [7]);
    }

    #[test]
    fn exact_fits_have_none() {
        assert_eq!(outliers(&[]), [0; 0]);
        assert_eq!(outliers(&[0.0, 0.0, 1e-17, 0.0]), [0; 0]);
    }
}
