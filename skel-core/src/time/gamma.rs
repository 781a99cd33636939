//! How much a Weibull time varies, which takes the gamma function.

use std::f64::consts::PI;

/// The squared coefficient of variation of a Weibull time, `G(1 + 2x) / G(1 + x)^2 - 1` with `x = 1 / shape`;
/// it may be infinite.
///
/// To 12 digits or more up to a shape of 100, to 8 beyond.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn weibull_scv(shape: f64) -> f64 {
    let x = shape.recip();
    if x < 1e-4 {
        // The first terms of the series in x; the difference below would lose its digits.
        const ZETA_3: f64 = 1.202_056_903_159_594;
        return x * x * (PI * PI / 6.0 - 2.0 * ZETA_3 * x);
    }
    (log_gamma(1.0 + 2.0 * x) - 2.0 * log_gamma(1.0 + x)).exp_m1()
}

/// The logarithm of the gamma function, for arguments of at least 1. The argument is raised to 20 or more by
/// `G(z + 1) = z G(z)`, from where Stirling's series has all digits.
#[cfg_attr(debug_assertions, inline)]
fn log_gamma(mut z: f64) -> f64 {
    let mut below = 1.0;
    while z < 20.0 {
        below *= z;
        z += 1.0;
    }
    let w = (z * z).recip();
    let series = (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w * (1.0 / 1680.0 - w / 1188.0)))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + series - f64::ln(below)
}

#[cfg(test)]
mod tests {
    use super::{PI, weibull_scv};

    #[test]
    fn closed_forms() {
        for (shape, scv) in [(1.0, 1.0), (2.0, 4.0 / PI - 1.0), (0.5, 5.0), (1.0 / 3.0, 19.0), (0.25, 69.0)] {
            let found = weibull_scv(shape);
            assert!((found / scv - 1.0).abs() < 1e-12, "{shape}: {found}, {scv}");
        }
        // Where one way of computing it takes over from the other.
        let (one, other) = (weibull_scv(9_999.0), weibull_scv(10_001.0));
        assert!((one / other - (10_001.0_f64 / 9_999.0).powi(2)).abs() < 1e-5, "{one}, {other}");
        assert!(weibull_scv(1e-3).is_infinite());
    }
}
