//! The error of a run: an item that could not be served.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use skel_core::skeleton::{StageId, Tree};

use super::Report;
use crate::functions::Cause;

/// An item that ended a run: a stage could not serve it, and was not told to leave it out.
///
/// Every item before this one in the source was served and delivered, and none behind it: as if the program
/// had been executed one item after the other. A `main` that returns it prints what is wrong in words: its
/// `Debug` form is its message.
#[derive(Clone)]
pub struct Failure(Arc<Inner>);

struct Inner {
    stage: StageId,
    name: String,
    path: String,
    place: u64,
    cause: Cause,
    report: Report,
}

impl Failure {
    /// The failure of a stage at the item of this place in the source.
    pub(crate) fn new(stage: StageId, place: u64, cause: Cause, report: Report) -> Self {
        let tree = report.program_as_written().skeleton();
        let (name, path) = (tree.name(stage), tree.path_to(stage));
        Failure(Arc::new(Inner { stage, name, path, place, cause, report }))
    }

    /// The node of the stage in the tree.
    #[must_use]
    pub fn stage(&self) -> StageId {
        self.0.stage
    }

    /// The name of the stage.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The way to the stage in words, such as `stage 2, worker`; empty where the skeleton is one task.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The place of the item in the source, from 0.
    #[must_use]
    pub fn place(&self) -> u64 {
        self.0.place
    }

    /// Why it could not be served.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// What was done until then.
    #[must_use]
    pub fn report(&self) -> &Report<Tree> {
        &self.0.report
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { name, path, place, cause, report, .. } = &*self.0;
        write!(f, "the stage `{name}`")?;
        if !path.is_empty() {
            write!(f, " ({path})")?;
        }
        write!(f, " could not serve item {place}, counted from 0: {cause}")?;
        match report.delivered() {
            0 => f.write_str("; no item was delivered before"),
            1 => f.write_str("; 1 item was delivered before"),
            items => write!(f, "; {items} items were delivered before"),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Failure {
    /// What is behind the cause. The cause itself is in the message.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.cause.source().and_then(Error::source)
    }
}
