//! Student's distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// How many standard errors an interval of a probability reaches to both sides. Without degrees of freedom
/// there is none.
pub(crate) fn quantile(probability: f64, degrees_of_freedom: usize) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).ok()?;
    let quantile = distribution.inverse_cdf(f64::midpoint(1.0, probability));
    quantile.is_finite().then_some(quantile)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_of_tables() {
        for (probability, degrees_of_freedom, expected) in [
            (0.95, 15, 2.131_449_545_559_78),
            (0.99, 4, 4.604_094_871_349_99),
            (0.95, 2, 4.302_652_729_749_46),
            (0.99, 19, 2.860_934_606_464_98),
        ] {
            let found = quantile(probability, degrees_of_freedom).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} for {expected}");
        }
        assert_eq!(quantile(0.95, 0), None);
    }
}
