//! A switch that stops work from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that stops work on another thread, or from a signal handler.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::limits::{Cancellation, Limit};
/// let cancellation = Cancellation::default();
/// let limits = Limits { cancellation: cancellation.clone(), ..Limits::default() };
/// std::thread::spawn(move || cancellation.cancel()).join().unwrap();
/// let model = Model::from_text("P = (a, 1).Q; Q = (b, 1).P; P[20]")?;
/// let Err(skel::Error::Stopped(stopped)) = model.explorer().limits(&limits).explore() else { panic!("it was cancelled") };
/// assert_eq!(stopped.limit, Limit::Cancelled);
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks the work to stop. For chains of up to a few million states it does so within a tenth of a second.
    /// An iterative method finishes the passes over its vectors that belong to the present iteration, and the
    /// search for exact fractions the operation on long numbers that it is in.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
