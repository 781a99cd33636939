//! Functions of given terms, fitted to points, and what they predict.

mod model;
mod prediction;
mod two_steps;

pub use model::{FitError, LinearModel, Weighting};
pub use prediction::{Prediction, Warning};
pub use two_steps::{CoefficientStep, ProcessesStep, TwoSteps};
