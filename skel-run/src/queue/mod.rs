//! Bounded queues between threads: from one thread to one other ([`ring`]), and shared by several threads on both sides ([`shared`]).
//!
//! Values come out in the order in which they went in. A queue holds no more values than its capacity; a sender that finds it full waits.
//! A capacity of 0 is a rendezvous: a sender waits until a receiver takes its value. A queue is closed by dropping all
//! its senders or all its receivers. After that a receiver still takes the values that are there, and a sender gets its value back.
//! Values that are in the queue when its last end goes are dropped.
//!
//! Under `--cfg shuttle` both are queues of a lock and a condition variable (`explorable`), with the same promises.

#[cfg(not(any(shuttle, all(test, loom))))]
mod buffer;
#[cfg(not(shuttle))]
mod channel;
#[cfg(shuttle)]
#[path = "explorable.rs"]
mod channel;
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

use std::collections::VecDeque;

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

    /// Sends all values in their order, and waits as often as there is no room. Values that no receiver can take any more stay.
    ///
    /// A ring takes as many at once as it has room for, which costs little more than to send one.
    pub(crate) fn send_all(&mut self, values: &mut VecDeque<T>) -> Result<Waited, Closed<()>> {
        #[cfg(not(shuttle))]
        if let Sends::Ring(sender) = &mut self.0 {
            return sender.send_all(values);
        }
        let mut waited = Waited::No;
        while let Some(value) = values.pop_front() {
            match self.send(value) {
                Ok(Waited::No) => {}
                Ok(Waited::Yes) => waited = Waited::Yes,
                Err(Closed(value)) => {
                    values.push_front(value);
                    return Err(Closed(()));
                }
            }
        }
        Ok(waited)
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

    /// Waits for a value, and takes it with those that are there already, at most `most`. None once the queue is empty
    /// and every sender is gone.
    ///
    /// Where other threads take values too, as few as one may come.
    pub(crate) fn recv_many(&mut self, values: &mut impl Extend<T>, most: usize) -> Option<Waited> {
        #[cfg(not(shuttle))]
        if let Receives::Ring(receiver) = &mut self.0 {
            return receiver.recv_many(values, most.max(1));
        }
        let (first, waited) = self.recv()?;
        values.extend(std::iter::once(first));
        values.extend(std::iter::from_fn(|| self.try_recv()).take(most.saturating_sub(1)));
        Some(waited)
    }

    /// A value that is there already.
    #[inline]
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        match &mut self.0 {
            #[cfg(not(shuttle))]
            Receives::Ring(receiver) => receiver.try_recv(),
            Receives::Alone(receiver) | Receives::Shared(receiver) => receiver.try_recv(),
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
