//! A queue that several threads share: a channel of crossbeam, which says whether a thread had to wait.

use crossbeam_channel::{TryRecvError, TrySendError, bounded, select_biased};

use super::{Closed, Leave, Waited};

/// The sending end.
#[derive(Debug)]
pub(super) struct Sender<T>(crossbeam_channel::Sender<T>);

/// The receiving end.
#[derive(Debug)]
pub(super) struct Receiver<T>(crossbeam_channel::Receiver<T>);

// Not derived: `T` need not be `Clone`.
impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender(self.0.clone())
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Receiver(self.0.clone())
    }
}

/// Both ends of a channel.
pub(super) fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = bounded(capacity);
    (Sender(sender), Receiver(receiver))
}

impl<T> Sender<T> {
    #[inline]
    pub(super) fn send(&self, value: T) -> Result<Waited, Closed<T>> {
        match self.0.try_send(value) {
            Ok(()) => Ok(Waited::No),
            Err(TrySendError::Full(value)) => self.wait_and_send(value),
            Err(TrySendError::Disconnected(value)) => Err(Closed(value)),
        }
    }

    #[cold]
    fn wait_and_send(&self, value: T) -> Result<Waited, Closed<T>> {
        self.0.send(value).map(|()| Waited::Yes).map_err(|error| Closed(error.into_inner()))
    }
}

impl<T> Receiver<T> {
    #[inline]
    pub(super) fn recv(&self) -> Option<(T, Waited)> {
        match self.0.try_recv() {
            Ok(value) => Some((value, Waited::No)),
            Err(TryRecvError::Empty) => self.0.recv().ok().map(|value| (value, Waited::Yes)),
            Err(TryRecvError::Disconnected) => None,
        }
    }

    /// A value that is there already.
    pub(super) fn try_recv(&self) -> Option<T> {
        self.0.try_recv().ok()
    }

    /// As [`recv`](Self::recv), and none as soon as the request to leave is there.
    pub(super) fn recv_unless(&self, leave: &Leave) -> Option<(T, Waited)> {
        if leave.is_asked() {
            return None;
        }
        match self.0.try_recv() {
            Ok(value) => Some((value, Waited::No)),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => select_biased! {
                recv(leave.asked()) -> _ => None,
                recv(self.0) -> value => value.ok().map(|value| (value, Waited::Yes)),
            },
        }
    }
}
