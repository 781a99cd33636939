//! A managed run on a thread of its own.

use skel_core::skeleton::{Program, Tree};
use skel_run::{Control, Running};

use super::error::Error;
use super::keeper::Keeper;
use super::report::ManagedReport;
use crate::contract::Contract;

/// A managed run that goes on while its owner does something else. It is an iterator of the results. When it
/// is dropped, the run is cancelled.
pub struct ManagedRunning<S, T> {
    // It is dropped first, which ends the run, so that the manager has nothing more to do.
    running: Running<S, T>,
    keeper: Keeper,
    contract: Contract,
    program: Program<Tree>,
}

impl<S, T> ManagedRunning<S, T> {
    pub(super) fn new(
        running: Running<S, T>,
        keeper: Keeper,
        contract: Contract,
        program: Program<Tree>,
    ) -> Self {
        ManagedRunning { running, keeper, contract, program }
    }

    /// The handle of the run.
    #[must_use]
    pub fn control(&self) -> &Control {
        self.running.control()
    }

    /// Waits for the end of the run. Results that nobody took are dropped.
    ///
    /// # Errors
    /// What ended the run before its end.
    ///
    /// # Panics
    /// If a function panics that the run itself calls, such as the destructor of a result.
    pub fn finish(self) -> Result<ManagedReport<S>, Error> {
        let answer = self.running.finish();
        let kept = self.keeper.stop();
        match answer {
            Ok(report) => Ok(ManagedReport::new(self.contract, self.program, report, kept)),
            Err(error) => Err(Error::Ended { error, log: kept.log }),
        }
    }
}

impl<S, T> Iterator for ManagedRunning<S, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.running.next()
    }
}
