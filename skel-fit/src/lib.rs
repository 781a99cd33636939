//! Performance models of programs, fitted to timed runs, and what follows from them.
//!
//! ```text
//! timed runs -> least squares -> Function of the size -> predictions, crossovers
//!                                         |
//!                                         +-> MetaModel of the types of machines -> seconds, relative performance, shares
//! ```
//!
//! ```
//! use skel_fit::{Function, crossovers};
//!
//! // Two structures of one program: seconds as functions of the size n.
//! let one_by_one: Function = "2.42258 - 6.5303e-3 x + 4.5e-6 x^2 + 2.29e-9 x^3".parse()?;
//! let in_shares: Function = "-4.48182 + 1.64541e-2 x - 1.61e-5 x^2 + 7.38e-9 x^3".parse()?;
//! let crossings = crossovers(&one_by_one, &in_shares, 250.0..=20_000.0)?;
//! let sizes: Vec<f64> = crossings.iter().map(|crossing| crossing.at.round()).collect();
//! assert_eq!(sizes, [488.0, 1156.0, 2403.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reference: J. M. Laine and E. T. Midorikawa, *Uso de modelos analíticos na modelagem de aplicações
//! paralelas distribuídas* (PEMPIs-Het).

mod crossover;
mod function;
pub mod graph;
pub mod least_squares;
mod linear;
pub mod machines;
pub mod normal_form;
mod power;
mod quality;
mod ranges;
pub mod runs;
mod student;
#[cfg(feature = "timer")]
pub mod timer;

pub use crossover::{Cheapest, Crossing, CrossingKind, RangeError, cheapest, crossovers};
pub use function::{Function, FunctionError};
pub use linear::{
    CoefficientStep, FitError, LinearModel, Prediction, ProcessesStep, TwoSteps, Warning, Weighting,
};
pub use machines::{Environment, MachineModel, MetaModel};
pub use normal_form::{Fitted, NormalForm, NormalFormError};
pub use power::Power;
pub use quality::Quality;
