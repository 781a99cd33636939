//! Why a managed run did not begin, or did not come to its end.

use std::fmt;

use crate::decision::Log;

/// Why a managed run did not begin, or did not come to its end. A `main` that returns it prints it in words.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// It did not begin: everything that is wrong with its contract, its rules, its settings and its program.
    NotBegun(Vec<String>),
    /// It began, and ended before its end.
    Ended {
        /// Why.
        error: skel_run::Error,
        /// What the manager had noted until then.
        log: Log,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotBegun(problems) => f.write_str(&problems.join("\n")),
            Error::Ended { error, .. } => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The error is the message, so what is behind it comes next.
            Error::Ended { error, .. } => std::error::Error::source(error),
            Error::NotBegun(_) => None,
        }
    }
}
