//! What goes wrong: from diagnostics, from errors of the library, from the command line.
//!
//! A [`Problem`] is one error or warning, a [`Failure`] all of them with the exit code. `reasons` turns
//! errors of the library into failures, `render` shows a problem with an excerpt of the text.

mod failure;
mod problem;
mod reasons;
mod render;

pub(crate) use failure::{Exit, Failure};
pub(crate) use problem::Problem;
pub(crate) use reasons::{not_converged_help, option_of};
pub(crate) use render::render;
