//! A stream as a source: it is polled on the thread that needs the next item.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures_core::Stream;

use super::items::{Items, PATIENCE, Source};

/// The items of a stream. The thread that needs the next one waits for it; what the stream itself needs to go
/// on, such as the runtime of its sockets, has to run elsewhere. A run that is cancelled or drained does not
/// wait for the next item.
pub fn from_stream<T>(stream: T) -> FromStream<T>
where
    T: Stream + Send,
    T::Item: Send,
{
    FromStream(Box::pin(stream))
}

/// See [`from_stream`].
pub struct FromStream<T>(Pin<Box<T>>);

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<T> Items for FromStream<T>
where
    T: Stream + Send,
    T::Item: Send,
{
    type Item = T::Item;
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl<T> Source for FromStream<T>
where
    T: Stream + Send,
    T::Item: Send,
{
    type Item = T::Item;

    fn next(&mut self, is_ending: &dyn Fn() -> bool) -> Option<T::Item> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match self.0.as_mut().poll_next(&mut context) {
                Poll::Ready(item) => return item,
                Poll::Pending if is_ending() => return None,
                Poll::Pending => thread::park_timeout(PATIENCE),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::pin::Pin;
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use futures_core::Stream;

    use super::{Items, Source, from_stream};

    /// What a stream and whoever feeds it share.
    #[derive(Default)]
    struct Shared {
        items: VecDeque<Option<u32>>,
        waker: Option<Waker>,
    }

    struct Fed(Arc<Mutex<Shared>>);

    impl Stream for Fed {
        type Item = u32;

        fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<u32>> {
            let mut shared = self.0.lock().unwrap();
            shared.waker = Some(context.waker().clone());
            shared.items.pop_front().map_or(Poll::Pending, Poll::Ready)
        }
    }

    fn feed(shared: &Mutex<Shared>, item: Option<u32>) {
        let mut shared = shared.lock().unwrap();
        shared.items.push_back(item);
        shared.waker.take().into_iter().for_each(Waker::wake);
    }

    #[test]
    fn items_come_as_the_stream_has_them() {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let mut source = from_stream(Fed(Arc::clone(&shared))).into_source();
        let feeder = std::thread::spawn(move || {
            for item in [Some(1), Some(2), None] {
                std::thread::sleep(Duration::from_millis(1));
                feed(&shared, item);
            }
        });
        let items: Vec<u32> = std::iter::from_fn(|| source.next(&|| false)).collect();
        assert_eq!(items, [1, 2]);
        feeder.join().unwrap();
    }

    #[test]
    fn a_run_that_ends_does_not_wait_for_the_next_item() {
        let mut source = from_stream(Fed(Arc::default())).into_source();
        assert_eq!(source.next(&|| true), None);
    }
}
