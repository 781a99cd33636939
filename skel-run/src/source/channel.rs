//! A channel as a source.

use std::sync::mpsc::{Receiver, RecvTimeoutError};

use super::items::{Items, PATIENCE, Source};

/// The items that come through a channel, until all its senders are gone. A run that is cancelled or drained
/// does not wait for the next.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{Skeleton, task};
/// use skel_run::functions::{Alone, Plain, Start};
/// use skel_run::{Run, from_channel};
///
/// let (sender, receiver) = std::sync::mpsc::channel();
/// let feeder = std::thread::spawn(move || (0..3).for_each(|number| sender.send(number).unwrap()));
/// let double = Start.then(Alone::<u32, Plain<u32>, _>::new(|number| 2 * number));
/// let run = Run::from_generated_code(task(1.0).communicating(1e6), double);
/// assert_eq!(run.collect(from_channel(receiver))?.0, [0, 2, 4]);
/// # feeder.join().unwrap();
/// # Ok::<(), skel_run::Error>(())
/// ```
pub fn from_channel<T: Send>(receiver: Receiver<T>) -> FromChannel<T> {
    FromChannel(receiver)
}

/// See [`from_channel`].
#[derive(Debug)]
pub struct FromChannel<T>(Receiver<T>);

impl<T: Send> Items for FromChannel<T> {
    type Item = T;
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl<T: Send> Source for FromChannel<T> {
    type Item = T;

    fn next(&mut self, is_ending: &dyn Fn() -> bool) -> Option<T> {
        if let Ok(item) = self.0.try_recv() {
            return Some(item);
        }
        while !is_ending() {
            match self.0.recv_timeout(PATIENCE) {
                Ok(item) => return Some(item),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        None
    }
}
