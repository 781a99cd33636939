//! Bounded queues between threads: one-to-one (`ring`) and shared by several threads on both sides (`shared`).
//!
//! A capacity of 0 is a rendezvous: a sender waits until a receiver takes its value.

mod leave;

pub(crate) use leave::Leave;

/// The sending end is of no use any more: every receiver is gone. It gives the value back.
#[derive(Debug)]
pub(crate) struct Closed<T>(pub(crate) T);

/// Whether a thread had to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// It did not.
    No,
    /// It did, or may have.
    Yes,
}

impl Waited {
    /// Whether either had to.
    pub(crate) fn or(self, other: Waited) -> Waited {
        if self == Waited::Yes { self } else { other }
    }
}

/// The sending end.
#[derive(Debug)]
pub(crate) struct Sender<T>(crossbeam_channel::Sender<T>);

/// The receiving end.
#[derive(Debug)]
pub(crate) struct Receiver<T>(crossbeam_channel::Receiver<T>);

/// A queue from one thread to one other.
pub(crate) fn ring<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    shared(capacity)
}

/// A queue whose ends can be cloned.
pub(crate) fn shared<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = crossbeam_channel::bounded(capacity);
    (Sender(sender), Receiver(receiver))
}

impl<T: Send> Sender<T> {
    /// Waits until there is room, and sends.
    pub(crate) fn send(&mut self, value: T) -> Result<Waited, Closed<T>> {
        use crossbeam_channel::TrySendError;
        match self.0.try_send(value) {
            Ok(()) => Ok(Waited::No),
            Err(TrySendError::Full(value)) => {
                self.0.send(value).map(|()| Waited::Yes).map_err(|error| Closed(error.0))
            }
            Err(TrySendError::Disconnected(value)) => Err(Closed(value)),
        }
    }

    /// Another end of a shared queue; none of a ring.
    pub(crate) fn another(&self) -> Option<Self> {
        Some(Sender(self.0.clone()))
    }
}

impl<T: Send> Receiver<T> {
    /// Waits for a value. None once the queue is empty and every sender is gone.
    pub(crate) fn recv(&mut self) -> Option<(T, Waited)> {
        use crossbeam_channel::TryRecvError;
        match self.0.try_recv() {
            Ok(value) => Some((value, Waited::No)),
            Err(TryRecvError::Empty) => self.0.recv().ok().map(|value| (value, Waited::Yes)),
            Err(TryRecvError::Disconnected) => None,
        }
    }

    /// As [`Self::recv`], for a shared queue. None also as soon as this receiver is asked to leave, before it takes another value.
    pub(crate) fn recv_unless(&mut self, leave: &Leave) -> Option<(T, Waited)> {
        use crossbeam_channel::TryRecvError;
        if leave.is_asked() {
            return None;
        }
        match self.0.try_recv() {
            Ok(value) => Some((value, Waited::No)),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => crossbeam_channel::select_biased! {
                recv(leave.asked()) -> _ => None,
                recv(self.0) -> value => value.ok().map(|value| (value, Waited::Yes)),
            },
        }
    }

    /// A value that is there already.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }

    /// Another end of a shared queue; none of a ring.
    pub(crate) fn another(&self) -> Option<Self> {
        Some(Receiver(self.0.clone()))
    }
}
