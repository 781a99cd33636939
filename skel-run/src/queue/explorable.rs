//! A queue of a lock and a condition variable, with all that the other queues promise. It stands in for them when shuttle
//! explores the schedules of a whole network, since shuttle sees no threads that wait inside of other crates.

use std::collections::VecDeque;

use super::{Closed, Waited};
use crate::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The sending end.
#[derive(Debug)]
pub(super) struct Sender<T>(Arc<Shared<T>>);

/// The receiving end.
#[derive(Debug)]
pub(super) struct Receiver<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct State<T> {
    values: VecDeque<T>,
    /// How many values were taken since the beginning.
    taken: usize,
    senders: usize,
    receivers: usize,
}

/// Both ends of a queue.
pub(super) fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let state = State { values: VecDeque::new(), taken: 0, senders: 1, receivers: 1 };
    let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), capacity });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("no thread panics while it holds this lock")
    }

    /// Waits while a condition holds, and says whether it had to.
    fn wait_while<'s>(
        &self,
        mut state: MutexGuard<'s, State<T>>,
        condition: impl Fn(&State<T>) -> bool,
    ) -> (MutexGuard<'s, State<T>>, Waited) {
        let mut waited = Waited::No;
        while condition(&state) {
            waited = Waited::Yes;
            state = self.changed.wait(state).expect("no thread panics while it holds this lock");
        }
        (state, waited)
    }
}

impl<T> State<T> {
    fn pop(&mut self) -> Option<T> {
        let value = self.values.pop_front()?;
        self.taken += 1;
        Some(value)
    }
}

impl<T> Sender<T> {
    pub(super) fn send(&self, value: T) -> Result<Waited, Closed<T>> {
        let Shared { capacity, changed, .. } = &*self.0;
        // At a rendezvous the value lies where one other thread can take it, while its sender waits.
        let places = (*capacity).max(1);
        let (mut state, waited) =
            self.0.wait_while(self.0.state(), |state| state.receivers > 0 && state.values.len() >= places);
        if state.receivers == 0 {
            return Err(Closed(value));
        }
        state.values.push_back(value);
        changed.notify_all();
        if *capacity > 0 {
            return Ok(waited);
        }
        let number = state.taken;
        let (mut state, waited) =
            self.0.wait_while(state, |state| state.receivers > 0 && state.taken == number);
        if state.taken > number {
            return Ok(waited);
        }
        Err(Closed(state.values.pop_front().expect("nobody took the value")))
    }
}

impl<T> Receiver<T> {
    pub(super) fn recv(&self) -> Option<(T, Waited)> {
        let (mut state, waited) =
            self.0.wait_while(self.0.state(), |state| state.senders > 0 && state.values.is_empty());
        let value = state.pop()?;
        self.0.changed.notify_all();
        Some((value, waited))
    }

    pub(super) fn try_recv(&self) -> Option<T> {
        let value = self.0.state().pop()?;
        self.0.changed.notify_all();
        Some(value)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.state().senders += 1;
        Sender(Arc::clone(&self.0))
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.0.state().receivers += 1;
        Receiver(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.state().senders -= 1;
        self.0.changed.notify_all();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.state().receivers -= 1;
        self.0.changed.notify_all();
    }
}
