//! By how much the latencies inside of a cluster may differ.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

/// By how much the latency of a link may be above the least one that it is compared with, for its ends to be
/// in one cluster: 0.2 is 20 %, which is the default of the literature.
///
/// # Examples
/// ```
/// use skel_network::partition::Rho;
/// assert_eq!(Rho::default().get(), 0.2);
/// assert_eq!(Rho::new(0.05)?.get(), 0.05);
/// assert!(Rho::new(-0.1).is_err());
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rho(f64);

impl Rho {
    /// A bound, as a part of the least latency.
    ///
    /// # Errors
    /// It is negative, infinite or not a number.
    pub fn new(rho: f64) -> Result<Rho, BuildErrors> {
        if rho.is_finite() && rho >= 0.0 {
            return Ok(Rho(rho));
        }
        Err(BuildErrors(vec![BuildError {
            code: Code::QuantityNotPositive,
            message: format!("the bound rho of the latencies in a cluster is {rho}"),
            help: "it is a number of 0 or more, as `0.2` for latencies that differ by 20 % at most".into(),
        }]))
    }

    /// Its value.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Default for Rho {
    fn default() -> Rho {
        Rho(0.2)
    }
}
