//! A task of a program, and the moves on its two sides.

use skel_core::skeleton::Pattern;

use super::service::Service;

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) name: Option<String>,
    /// The time that an item takes on a processor of power 1.
    pub(crate) service: Service,
    /// The moves by which it receives.
    pub(crate) receives: Partners,
    /// The moves by which it sends.
    pub(crate) sends: Partners,
}

/// The moves on one side of a task, in the order in which the task goes through them unless they are a
/// choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Partners {
    pub(crate) moves: Vec<usize>,
    pub(crate) is_choice: bool,
}

impl Partners {
    /// No move yet.
    pub(super) fn new(pattern: Pattern) -> Partners {
        Partners { moves: Vec::new(), is_choice: pattern == Pattern::Farm }
    }
}
