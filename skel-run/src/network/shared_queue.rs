//! A queue that several threads on either side share, and that other threads can join while it is in use.

use crate::parcel::Parcel;
use crate::queue::{Receiver, Sender, shared};
use crate::sync::{Arc, Mutex, lock};

/// The queue, for as long as one of its sides is in use.
#[derive(Debug)]
pub(crate) struct SharedQueue<T> {
    ends: Mutex<Ends<T>>,
}

#[derive(Debug)]
struct Ends<T> {
    sender: Option<Sender<Parcel<T>>>,
    receiver: Option<Receiver<Parcel<T>>>,
    senders: usize,
    receivers: usize,
}

/// One sender of several.
#[derive(Debug)]
pub(crate) struct SharedSender<T> {
    pub(crate) end: Sender<Parcel<T>>,
    queue: Arc<SharedQueue<T>>,
}

/// One receiver of several.
#[derive(Debug)]
pub(crate) struct SharedReceiver<T> {
    pub(crate) end: Receiver<Parcel<T>>,
    queue: Arc<SharedQueue<T>>,
}

impl<T: Send> SharedQueue<T> {
    /// A queue for so many parcels.
    pub(crate) fn new(capacity: usize) -> Arc<Self> {
        let (sender, receiver) = shared(capacity);
        let (sender, receiver) = (Some(sender), Some(receiver));
        Arc::new(SharedQueue { ends: Mutex::new(Ends { sender, receiver, senders: 0, receivers: 0 }) })
    }

    /// One more sender. None once all senders have ended.
    pub(crate) fn sender(self: &Arc<Self>) -> Option<SharedSender<T>> {
        let mut ends = lock(&self.ends);
        let end = ends.sender.as_ref()?.another()?;
        ends.senders += 1;
        Some(SharedSender { end, queue: Arc::clone(self) })
    }

    /// One more receiver. None once all receivers have ended.
    pub(crate) fn receiver(self: &Arc<Self>) -> Option<SharedReceiver<T>> {
        let mut ends = lock(&self.ends);
        let end = ends.receiver.as_ref()?.another()?;
        ends.receivers += 1;
        Some(SharedReceiver { end, queue: Arc::clone(self) })
    }

    /// Whether all senders have ended.
    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.ends).sender.is_none()
    }
}

impl<T> Drop for SharedSender<T> {
    fn drop(&mut self) {
        let mut ends = lock(&self.queue.ends);
        ends.senders -= 1;
        if ends.senders == 0 {
            ends.sender = None;
        }
    }
}

impl<T> Drop for SharedReceiver<T> {
    fn drop(&mut self) {
        let mut ends = lock(&self.queue.ends);
        ends.receivers -= 1;
        if ends.receivers == 0 {
            ends.receiver = None;
        }
    }
}
