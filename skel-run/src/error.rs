//! Why a run did not deliver all of its items.

use std::fmt;

use skel_core::model::BuildErrors;
use skel_core::skeleton::Tree;

use crate::functions::Cause;
use crate::report::{Failure, Report};

/// Why a run did not begin, or did not come to its end. A `main` that returns it prints it in words.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// The skeleton is not sound.
    Skeleton(BuildErrors),
    /// The settings cannot be met: everything that is wrong with them.
    Settings(Vec<String>),
    /// The system refused to start the threads of the program.
    NoThreads {
        /// Why.
        reason: String,
        /// What was done until then.
        report: Box<Report<Tree>>,
    },
    /// A task could not serve an item.
    Failed(Failure),
    /// The source panicked.
    SourceFailed {
        /// The place of the item that it was asked for, from 0.
        place: u64,
        /// The message of the panic.
        message: String,
        /// What was done until then.
        report: Box<Report<Tree>>,
    },
}

impl Error {
    /// The report of what was done. None if the run did not begin.
    #[must_use]
    pub fn report(&self) -> Option<&Report<Tree>> {
        match self {
            Error::Skeleton(_) | Error::Settings(_) => None,
            Error::Failed(failure) => Some(failure.report()),
            Error::SourceFailed { report, .. } | Error::NoThreads { report, .. } => Some(report),
        }
    }

    /// The source failed.
    pub(crate) fn source(place: u64, cause: &Cause, report: Report<Tree>) -> Self {
        let message = match cause {
            Cause::Panic(message) => message.clone(),
            Cause::Error(_) | Cause::Worker { .. } => cause.to_string(),
        };
        Error::SourceFailed { place, message, report: Box::new(report) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Skeleton(errors) => errors.fmt(f),
            Error::Settings(problems) => f.write_str(&problems.join("\n")),
            Error::NoThreads { reason, .. } => write!(
                f,
                "the system refuses to start the threads of the program ({reason}): give it fewer replicas and workers, allow this process \
                 more threads, or let few threads share the tasks with `Engine::Pull`"
            ),
            Error::Failed(failure) => failure.fmt(f),
            Error::SourceFailed { place, message, report } => write!(
                f,
                "the source panicked when it was asked for item {place}, counted from 0: {message}; {} items were delivered before",
                report.delivered()
            ),
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
            Error::Skeleton(errors) => Some(errors),
            // The failure is the message, so what is behind it comes next.
            Error::Failed(failure) => std::error::Error::source(failure),
            Error::Settings(_) | Error::SourceFailed { .. } | Error::NoThreads { .. } => None,
        }
    }
}

impl From<BuildErrors> for Error {
    fn from(errors: BuildErrors) -> Self {
        Error::Skeleton(errors)
    }
}
