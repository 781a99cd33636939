//! What a managed run ends with.

use std::fmt;

use skel_core::skeleton::{Program, Tree};
use skel_run::Report;

use super::keeper::Kept;
use crate::contract::Contract;
use crate::decision::Log;
use crate::recording::Recording;

/// What a managed run ends with: the report of the run, and what its manager decided. It prints as the
/// contract, the log and the report.
pub struct ManagedReport<S = Tree> {
    report: Report<S>,
    contract: Contract,
    log: Log,
    recording: Recording,
}

impl<S> ManagedReport<S> {
    pub(super) fn new(contract: Contract, program: Program<Tree>, report: Report<S>, mut kept: Kept) -> Self {
        let series = kept.series(Some(report.snapshot()));
        let recording = Recording { program: Some(program), series };
        ManagedReport { report, contract, log: kept.log, recording }
    }

    /// The report of the run, as it would be without a manager.
    #[must_use]
    pub fn report(&self) -> &Report<S> {
        &self.report
    }

    /// Every decision, with what was measured, what was predicted, and why.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The contract.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The program as it began, and what was measured over time: what a [replay](crate::Replay) needs. At
    /// most 1000 snapshots are kept, or as many as [`Managed::recorded`](crate::Managed::recorded) says.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The run over time as a figure: see [`Chart`](crate::Chart).
    ///
    /// # Errors
    /// If the run was so short that there is nothing to draw.
    #[cfg(feature = "chart")]
    pub fn to_svg(&self) -> Result<String, crate::NothingToDraw> {
        crate::Chart::of(&self.contract, &self.recording.series, &self.log).to_svg()
    }
}

impl<S> fmt::Display for ManagedReport<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "contract: {}\n{}{}", self.contract, self.log, self.report)
    }
}

impl<S> Clone for ManagedReport<S> {
    fn clone(&self) -> Self {
        ManagedReport {
            report: self.report.clone(),
            contract: self.contract,
            log: self.log.clone(),
            recording: self.recording.clone(),
        }
    }
}

impl<S> fmt::Debug for ManagedReport<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedReport")
            .field("report", &self.report)
            .field("contract", &self.contract)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}
