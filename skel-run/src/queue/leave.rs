//! The request to a receiver of a shared queue to leave before it takes another value.

use crossbeam_channel::{Receiver, Sender, bounded};

/// The request to leave. It is asked by one side and seen by the other, also while that one waits.
#[derive(Clone, Debug)]
pub(crate) struct Leave {
    ask: Sender<()>,
    asked: Receiver<()>,
}

impl Leave {
    /// A request that is not asked yet.
    pub(crate) fn new() -> Self {
        let (ask, asked) = bounded(1);
        Leave { ask, asked }
    }

    /// Asks for it.
    pub(crate) fn ask(&self) {
        // A second request changes nothing.
        let _ = self.ask.try_send(());
    }

    /// Whether it was asked for.
    pub(crate) fn is_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// What becomes ready when it is asked for.
    pub(super) fn asked(&self) -> &Receiver<()> {
        &self.asked
    }
}
