//! From the command line to the options of a solution.

use skel::diagnostic::Code;
use skel::steady::Options;

use crate::arguments::SolveArguments;

/// The options of `--method`, `--tolerance` and `--allow deadlock`.
pub(super) fn chosen(arguments: &SolveArguments) -> Options {
    Options {
        method: arguments.method.into(),
        allow_deadlock: arguments.file.allow.contains(&Code::Deadlock),
        ..options(arguments.tolerance)
    }
}

/// The options of `--tolerance`.
pub(crate) fn options(tolerance: Option<f64>) -> Options {
    let defaults = Options::default();
    Options { tolerance: tolerance.unwrap_or(defaults.tolerance), ..defaults }
}
