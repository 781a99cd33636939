//! Times: how long a task takes for an item, by its distribution.
//!
//! ```text
//! mean times -> every: a rate
//!            -> a distribution as it was said -> ServiceTime -> PhaseType: phases with exponential times
//!                                                           -> Fit, by two moments, where it is not of phases itself
//! ```
//!
//! A number in the place of a time means a rate, as in the paper that skeletons are from: the time is
//! exponential. Any other distribution says its mean, and a mean is never taken for a rate: see
//! [`every`](every()).
//!
//! Chains know times of phases alone. Source: M. F. Neuts, *Matrix-Geometric Solutions in Stochastic Models*,
//! 1981, chapter 2; H. C. Tijms, *A First Course in Stochastic Models*, 2003, appendix B, for the fits by two
//! moments.

mod every;
mod fit;
mod gamma;
mod linear;
mod mean;
mod measured;
mod phase_type;
mod service;
mod unit;
mod variants;

pub use every::{IsRate, Misplaced, TimeUnits, every};
pub use fit::{Fit, LEAST_VARIATION};
pub use mean::{IntoMean, IntoTime, MeanTime, mean};
pub use measured::{Column, Measured, MeasuredError, Measurement};
pub use phase_type::{PhaseType, PhaseTypeError, PhaseTypePlace};
pub use service::{Distribution, FITTED, NoPhaseType, ServiceTime};
pub use unit::TimeUnit;
