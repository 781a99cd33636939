//! Models from timed runs, by least squares.
//!
//! ```text
//! Measurement -> equations (a row for each run that says something of the parameters) -> least squares -> Fit
//! ```
//!
//! The equations are linear in the parameters, and each run is one row. A train of `k` messages takes
//! `T(m) + (k-1) g(m)`, as in [`CommunicationModel`](crate::CommunicationModel).
//!
//! | run | Hockney `alpha, 1/beta` | LogGP `L, o, g, G` | pLogP `L, g(m), ..` |
//! |---|---|---|---|
//! | [`HalfRoundTrip`] | `1, m` | `1, 2, 0, m-1` | `L + g(m)` |
//! | [`EmptyReply`] | `2, m` | `2, 4, 0, m-1` | `2L + g(m) + g(0)` |
//! | [`SendOverhead`], [`ReceiveOverhead`] | not used | `0, 1, 0, 0` | `o_s(m)`, `o_r(m)` |
//! | [`Burst`] of `k` | not used | `1, 2, k-1, k(m-1)` | `L + k g(m)` |
//! | [`Gap`] | not used | `0, 0, 1, m-1` | `g(m)` |
//!
//! LogP is LogGP with packets in the place of bytes. For pLogP, these are the equations of Kielmann and
//! others if runs are what they propose: `g(m) = RTT(m) - RTT(0) + g(0)` and `L = (RTT(0) - 2 g(0)) / 2` from
//! [`EmptyReply`]s and the [`Gap`] of an empty message.
//!
//! Least squares are those of [`skel_fit::least_squares`]: a QR decomposition of the weighted rows, in
//! `O(rows x parameters^2)` time.
//!
//! # What is refused
//! Fewer runs than parameters, and runs that leave a parameter open: the error names which further runs would
//! settle it. Runs with a time that is not above zero. More than [`MOST_PARAMETERS`]. A fit with a parameter
//! that is below zero: the error has its value and its standard error.
//!
//! [`HalfRoundTrip`]: crate::Measured::HalfRoundTrip
//! [`EmptyReply`]: crate::Measured::EmptyReply
//! [`SendOverhead`]: crate::Measured::SendOverhead
//! [`ReceiveOverhead`]: crate::Measured::ReceiveOverhead
//! [`Burst`]: crate::Measured::Burst
//! [`Gap`]: crate::Measured::Gap

mod any;
mod equations;
mod error;
mod fitted;
mod hockney;
mod least_squares;
mod logarithmic;
mod logpc;
mod needed;
mod plogp;

pub use equations::MOST_PARAMETERS;
pub use error::{FitError, Missing, Negative};
pub use fitted::{Fit, Parameter, Residual};
pub use least_squares::Weights;
pub use needed::Needed;
