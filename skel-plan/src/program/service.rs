//! The service time of a task: its work, which is the mean on a processor of power 1, and its shape, which no
//! processor changes.
//!
//! A processor that is twice as fast takes half of the time for every item. So a mapping scales a service
//! time, and the mean is all that depends on it. The *shape* is the distribution of the time in units of its
//! mean. It is made of phases, since a chain has no other times.

use skel_core::diagnostic::{Diagnostic, TextSpan};
use skel_core::model::BuildError;
use skel_core::number::Ratio;
use skel_core::time::{NoPhaseType, PhaseType, ServiceTime};

/// How long a task takes for an item on a processor of power 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Service {
    time: ServiceTime,
    /// The phases of the time, as if its mean were 1.
    shape: PhaseType,
}

impl Service {
    /// The service of a time on a processor of power 1.
    ///
    /// # Errors
    /// The time is not made of phases.
    pub(crate) fn new(time: ServiceTime) -> Result<Service, NoPhaseType> {
        let shape = time.phase_type()?.times_as_fast(time.mean());
        Ok(Service { time, shape })
    }

    /// The time as it was said.
    pub(crate) fn time(&self) -> &ServiceTime {
        &self.time
    }

    /// The work of an item: the mean.
    pub(crate) fn work(&self) -> &Ratio {
        self.time.mean()
    }

    /// The distribution of the time, as if its mean were 1.
    pub(crate) fn shape(&self) -> &PhaseType {
        &self.shape
    }

    /// Whether the time has one phase, so that it is exponential.
    pub(crate) fn is_exponential(&self) -> bool {
        self.shape.phases() == 1
    }
}

/// The error for a time that is not made of phases. `path` leads to its task, and `subject` names the task.
pub(super) fn no_phases(general: &NoPhaseType, path: &str, subject: &str) -> BuildError {
    let finding: Diagnostic<TextSpan> = general.finding_of_one(TextSpan::NOWHERE, subject);
    let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
    BuildError {
        code: finding.code,
        message: format!("{place}{}", finding.message),
        help: finding.help.unwrap_or_default(),
    }
}
