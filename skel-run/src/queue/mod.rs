//! Bounded queues between threads: from one thread to one other ([`ring`]), and shared by several threads on
//! both sides ([`shared`]).
//!
//! Values come out in the order in which they went in. A queue holds no more values than its capacity; a
//! sender that finds it full waits. A capacity of 0 is a rendezvous: a sender waits until a receiver takes
//! its value. A queue is closed by dropping all its senders or all its receivers. After that a receiver still
//! takes the values that are there, and a sender gets its value back. Values that are in the queue when its
//! last end goes are dropped.
//!
//! Under `--cfg shuttle` both are queues of a lock and a condition variable (`explorable`), with the same
//! promises.

#[cfg(not(shuttle))]
mod channel;
#[cfg(shuttle)]
#[path = "explorable.rs"]
mod channel;
#[cfg(not(shuttle))]
mod leave;
#[cfg(all(test, loom))]
mod model;
#[cfg(not(shuttle))]
mod ring;
#[cfg(not(shuttle))]
mod sleep;

#[cfg(all(test, loom))]
mod schedules;
#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(shuttle)]
pub(crate) use channel::Leave;
#[cfg(not(shuttle))]
pub(crate) use leave::Leave;

/// Every receiver is gone. What could not be sent comes back.
#[derive(Debug, PartialEq, Eq)]
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
pub(crate) struct Sender<T>(Sends<T>);

/// The receiving end.
#[derive(Debug)]
pub(crate) struct Receiver<T>(Receives<T>);

#[derive(Debug)]
enum Sends<T> {
    #[cfg(not(shuttle))]
    Ring(ring::Sender<T>),
    /// A rendezvous of two threads.
    Alone(channel::Sender<T>),
    Shared(channel::Sender<T>),
}

#[derive(Debug)]
enum Receives<T> {
    #[cfg(not(shuttle))]
    Ring(ring::Receiver<T>),
    /// A rendezvous of two threads.
    Alone(channel::Receiver<T>),
    Shared(channel::Receiver<T>),
}

/// A queue from one thread to one other.
pub(crate) fn ring<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    #[cfg(not(shuttle))]
    if capacity > 0 {
        let (sender, receiver) = ring::ring(capacity);
        return (Sender(Sends::Ring(sender)), Receiver(Receives::Ring(receiver)));
    }
    let (sender, receiver) = channel::channel(capacity);
    (Sender(Sends::Alone(sender)), Receiver(Receives::Alone(receiver)))
}

/// A queue whose ends can be cloned.
pub(crate) fn shared<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = channel::channel(capacity);
    (Sender(Sends::Shared(sender)), Receiver(Receives::Shared(receiver)))
}

impl<T: Send> Sender<T> {
    /// Waits until there is room, and sends.
    #[inline]
    pub(crate) fn send(&mut self, value: T) -> Result<Waited, Closed<T>> {
        match &mut self.0 {
            #[cfg(not(shuttle))]
            Sends::Ring(sender) => sender.send(value),
            Sends::Alone(sender) | Sends::Shared(sender) => sender.send(value),
        }
    }

    /// The ring, if it is one.
    #[cfg(not(shuttle))]
    #[inline]
    pub(crate) fn as_ring(&mut self) -> Option<&mut ring::Sender<T>> {
        match &mut self.0 {
            Sends::Ring(sender) => Some(sender),
            _ => None,
        }
    }

    /// Another end of a shared queue; none of a ring.
    pub(crate) fn another(&self) -> Option<Self> {
        match &self.0 {
            Sends::Shared(sender) => Some(Sender(Sends::Shared(sender.clone()))),
            _ => None,
        }
    }
}

impl<T: Send> Receiver<T> {
    /// Waits for a value. None once the queue is empty and every sender is gone.
    #[inline]
    pub(crate) fn recv(&mut self) -> Option<(T, Waited)> {
        match &mut self.0 {
            #[cfg(not(shuttle))]
            Receives::Ring(receiver) => receiver.recv(),
            Receives::Alone(receiver) | Receives::Shared(receiver) => receiver.recv(),
        }
    }

    /// As [`Self::recv`]. None also as soon as this receiver is asked to leave, before it takes another
    /// value.
    ///
    /// A thread that waits learns of it at once if the queue is shared. In a ring it learns of it with the
    /// next value or the end.
    pub(crate) fn recv_unless(&mut self, leave: &Leave) -> Option<(T, Waited)> {
        match &mut self.0 {
            Receives::Shared(receiver) => receiver.recv_unless(leave),
            _ if leave.is_asked() => None,
            _ => self.recv(),
        }
    }

    /// A value that is there already, of a shared queue.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        match &mut self.0 {
            Receives::Shared(receiver) => receiver.try_recv(),
            _ => None,
        }
    }

    /// The ring, if it is one.
    #[cfg(not(shuttle))]
    #[inline]
    pub(crate) fn as_ring(&mut self) -> Option<&mut ring::Receiver<T>> {
        match &mut self.0 {
            Receives::Ring(receiver) => Some(receiver),
            _ => None,
        }
    }

    /// Another end of a shared queue; none of a ring.
    pub(crate) fn another(&self) -> Option<Self> {
        match &self.0 {
            Receives::Shared(receiver) => Some(Receiver(Receives::Shared(receiver.clone()))),
            _ => None,
        }
    }
}
