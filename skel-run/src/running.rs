//! A run on a thread of its own.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use skel_core::skeleton::Skeleton;

use crate::control::Control;
use crate::error::Error;
use crate::report::Report;

/// How many results can wait for whoever takes them.
const RESULTS: usize = 64;

/// A run that goes on while its owner does something else. It is an iterator of the results. When it is
/// dropped, the run is cancelled.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{Skeleton, task};
/// use skel_run::functions::{Alone, Plain, Start};
/// use skel_run::Run;
///
/// let double = Start.then(Alone::<u32, Plain<u32>, _>::new(|number| 2 * number));
/// let mut running = Run::from_generated_code(task(1.0).communicating(1e6), double).start(0..100);
/// assert_eq!(running.next(), Some(0));
/// assert_eq!(running.by_ref().count(), 99);
/// assert_eq!(running.finish()?.delivered(), 100);
/// # Ok::<(), skel_run::Error>(())
/// ```
pub struct Running<S, T> {
    control: Control,
    results: Option<Receiver<T>>,
    thread: Option<JoinHandle<Result<Report<S>, Error>>>,
}

impl<S: Skeleton + Send + 'static, T: Send + 'static> Running<S, T> {
    /// A run that this function goes through with, on a thread of its own. It sends the results through a
    /// channel.
    pub(crate) fn start(
        control: Control,
        run: impl FnOnce(SyncSender<T>) -> Result<Report<S>, Error> + Send + 'static,
    ) -> Self {
        let (sender, results) = sync_channel(RESULTS);
        let thread = std::thread::spawn(move || run(sender));
        Running { control, results: Some(results), thread: Some(thread) }
    }
}

impl<S, T> Running<S, T> {
    /// The handle of the run.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Waits for the end of the run. Results that nobody took are dropped.
    ///
    /// # Errors
    /// What ended the run before its end.
    ///
    /// # Panics
    /// If a function panics that the run itself calls, such as the destructor of a result.
    pub fn finish(mut self) -> Result<Report<S>, Error> {
        self.results.take().into_iter().flatten().for_each(drop);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(answer)) => answer,
            Some(Err(thrown)) => std::panic::resume_unwind(thrown),
            None => unreachable!("the thread is there until the run is finished or dropped"),
        }
    }
}

impl<S, T> Iterator for Running<S, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.results.as_ref()?.recv().ok()
    }
}

impl<S, T> Drop for Running<S, T> {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.control.cancel();
            self.results = None;
            // The thread's own panic was printed by its hook; a destructor must not panic again.
            let _ = thread.join();
        }
    }
}
