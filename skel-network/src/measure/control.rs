//! What a caller has in hand while messages are timed: a way to stop, and to hear how far it is.

use std::fmt;
use std::sync::Arc;

/// How far the timing of a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many batches of messages were timed.
    pub done: u32,
    /// How many there are.
    pub total: u32,
}

type Question = Arc<dyn Fn() -> bool + Send + Sync>;
type Report = Arc<dyn Fn(Progress) + Send + Sync>;

/// A way to stop, and to hear how far it is. By default nobody stops and nobody listens.
///
/// # Examples
/// ```
/// use skel_network::measure::Control;
/// let stopped = Control::default().stopping_when(|| true);
/// assert!(stopped.is_stopped());
/// ```
#[derive(Clone, Default)]
pub struct Control {
    stop: Option<Question>,
    report: Option<Report>,
}

impl Control {
    /// The same, which ends as soon as this is so. It is asked at least ten times a second.
    #[must_use]
    pub fn stopping_when(self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Control { stop: Some(Arc::new(stop)), ..self }
    }

    /// The same, which calls `report` after each batch of messages.
    #[must_use]
    pub fn reporting(self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Control { report: Some(Arc::new(report)), ..self }
    }

    /// Whether it is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }

    pub(super) fn report(&self, progress: Progress) {
        if let Some(report) = &self.report {
            report(progress);
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("is_stopped", &self.is_stopped()).finish_non_exhaustive()
    }
}
