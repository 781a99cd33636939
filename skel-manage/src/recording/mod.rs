//! A run as it was recorded: its program, and the figures of its monitors over time. A replay and a picture
//! need no more.

#[cfg(feature = "json")]
mod json;

#[cfg(feature = "json")]
pub use json::RecordingErrors;

use std::fmt;

use skel_core::skeleton::{Program, StageId, Tree};
use skel_run::monitor::Series;

/// A run as it was recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The program as it began. None if the lines were written by a series alone.
    pub program: Option<Program<Tree>>,
    /// Snapshots of what was done since the start.
    pub series: Series,
}

/// A recording that is of another program: each task of both, with the number of its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTasks {
    /// Those of the program.
    pub program: Vec<(StageId, String)>,
    /// Those of the recording.
    pub recorded: Vec<(StageId, String)>,
}

impl Recording {
    /// Whether it can be one of this program: the tasks are the same.
    ///
    /// # Errors
    /// The tasks of both, if they differ.
    pub fn fits(&self, program: &Program<Tree>) -> Result<(), OtherTasks> {
        let tree = program.skeleton();
        let program: Vec<_> = tree.leaves().map(|id| (id, tree.name(id))).collect();
        let last = self.series.last();
        let recorded: Vec<_> =
            last.into_iter().flat_map(|last| &last.tasks).map(|task| (task.id, task.name.clone())).collect();
        if program == recorded { Ok(()) } else { Err(OtherTasks { program, recorded }) }
    }
}

impl fmt::Display for OtherTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |tasks: &[(StageId, String)]| tasks.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
        let has_same_names = names(&self.program) == names(&self.recorded);
        let listed = |tasks: &[(StageId, String)]| {
            let task = |(id, name): &(StageId, String)| match has_same_names {
                true => format!("`{name}` (node {})", id.0),
                false => format!("`{name}`"),
            };
            tasks.iter().map(task).collect::<Vec<_>>().join(", ")
        };
        write!(
            f,
            "the recording is of another program: it has the tasks {}, and the program has {}",
            listed(&self.recorded),
            listed(&self.program)
        )
    }
}

impl std::error::Error for OtherTasks {}
