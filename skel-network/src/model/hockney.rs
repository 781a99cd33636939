//! Hockney's model: a start-up time and a bandwidth.

use std::fmt;

use skel_core::model::BuildErrors;

use super::check::Faults;
use super::display::write_model;
use super::{CommunicationModel, Kind, OutsideTable};
use crate::quantity::{Bytes, Time};

/// A message of `m` bytes takes `alpha + m / beta`.
///
/// | | |
/// |---|---|
/// | time `T(m)` | `alpha + m / beta` |
/// | gap `g(m)` | `m / beta` |
/// | sender and receiver busy | `T(m)`: nothing else is known of them |
///
/// So a train of `k` messages takes `alpha + k m / beta`, if the port does not wait for each message to
/// arrive; a sender that does takes `k T(m)`.
///
/// Reference: R. Hockney, *The communication challenge for MPP: Intel Paragon and Meiko CS-2*, Parallel
/// Computing 20, 1994.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, CommunicationModel, Hockney, Time};
/// let gigabit = Hockney::new(Time::microseconds(48.0), 125.0)?;
/// assert_eq!(gigabit.time(Bytes::new(1000))?, Time::microseconds(56.0));
/// assert_eq!(gigabit.train(Bytes::new(1000), 10)?, Time::microseconds(128.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hockney {
    alpha: Time,
    beta: f64,
}

impl Hockney {
    /// A start-up time `alpha`, and a bandwidth `beta` in bytes per microsecond (which is MB per second).
    ///
    /// # Errors
    /// A start-up time that is negative or not a number; a bandwidth that is not above zero.
    pub fn new(alpha: Time, beta: f64) -> Result<Hockney, BuildErrors> {
        let mut faults = Faults::default();
        faults.time("the start-up time alpha", alpha);
        faults.positive("the bandwidth beta", beta, " bytes per microsecond");
        faults.none_or(Hockney { alpha, beta })
    }

    /// The start-up time `alpha`.
    #[must_use]
    pub fn alpha(&self) -> Time {
        self.alpha
    }

    /// The bandwidth `beta`, in bytes per microsecond.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.beta
    }
}

impl CommunicationModel for Hockney {
    fn name(&self) -> &'static str {
        Kind::Hockney.name()
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.alpha + Time::microseconds(size.as_f64() / self.beta))
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(size.as_f64() / self.beta))
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.time(size)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.time(size)
    }

    fn latency(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.alpha)
    }
}

impl fmt::Display for Hockney {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_model(f, self.name(), &[("alpha", &self.alpha, ""), ("beta", &self.beta, " bytes/us")])
    }
}
