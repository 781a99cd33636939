//! A channel from one thread to one other, whoever made it.

/// What a library offers to send values from one thread to another.
pub(crate) trait Channel {
    /// Both ends: one that sends, waiting for room, and one that receives, until the sender is gone.
    fn ends<T: Send + 'static>(
        capacity: usize,
    ) -> (impl FnMut(T) + Send + 'static, impl FnMut() -> Option<T> + Send + 'static);
}

/// This workspace's ring.
pub(crate) struct Ring;

/// This workspace's shared queue.
pub(crate) struct Shared;

/// A channel of `crossbeam-channel` as it is.
pub(crate) struct Crossbeam;

/// A channel of the standard library.
pub(crate) struct Std;

impl Channel for Ring {
    fn ends<T: Send + 'static>(
        capacity: usize,
    ) -> (impl FnMut(T) + Send + 'static, impl FnMut() -> Option<T> + Send + 'static) {
        let (mut sender, mut receiver) = crate::queue::ring(capacity);
        let send = move |value| assert!(sender.send(value).is_ok(), "the receiver is there");
        (send, move || receiver.recv().map(|(value, _)| value))
    }
}

impl Channel for Shared {
    fn ends<T: Send + 'static>(
        capacity: usize,
    ) -> (impl FnMut(T) + Send + 'static, impl FnMut() -> Option<T> + Send + 'static) {
        let (mut sender, mut receiver) = crate::queue::shared(capacity);
        let send = move |value| assert!(sender.send(value).is_ok(), "the receiver is there");
        (send, move || receiver.recv().map(|(value, _)| value))
    }
}

impl Channel for Crossbeam {
    fn ends<T: Send + 'static>(
        capacity: usize,
    ) -> (impl FnMut(T) + Send + 'static, impl FnMut() -> Option<T> + Send + 'static) {
        let (sender, receiver) = crossbeam_channel::bounded(capacity);
        let send = move |value| assert!(sender.send(value).is_ok(), "the receiver is there");
        (send, move || receiver.recv().ok())
    }
}

impl Channel for Std {
    fn ends<T: Send + 'static>(
        capacity: usize,
    ) -> (impl FnMut(T) + Send + 'static, impl FnMut() -> Option<T> + Send + 'static) {
        let (sender, receiver) = std::sync::mpsc::sync_channel(capacity);
        let send = move |value| assert!(sender.send(value).is_ok(), "the receiver is there");
        (send, move || receiver.recv().ok())
    }
}
