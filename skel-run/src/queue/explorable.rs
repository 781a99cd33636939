//! A queue of locks and a condition variable, with all that the other queues promise. It stands in for them
//! when shuttle explores the schedules of a whole network, since shuttle sees no threads that wait inside of
//! other crates.

use std::collections::VecDeque;

use super::{Closed, Waited};
use crate::sync::{Arc, Condvar, Mutex, lock, wait};

/// The sending end.
#[derive(Debug)]
pub(super) struct Sender<T>(Arc<Shared<T>>);

/// The receiving end.
#[derive(Debug)]
pub(super) struct Receiver<T>(Arc<Shared<T>>);

/// The request to leave. It is asked by one side and seen by the other, also while that one waits.
#[derive(Clone, Debug)]
pub(crate) struct Leave(Arc<Mutex<Request>>);

#[derive(Debug)]
struct Request {
    is_asked: bool,
    /// Those of the queues at which somebody may wait who has to see it.
    bells: Vec<Arc<Bell>>,
}

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    bell: Arc<Bell>,
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

/// Rings whenever something changes for which a thread may wait, and counts how often it rang.
#[derive(Debug)]
struct Bell {
    rings: Mutex<usize>,
    rang: Condvar,
}

/// Both ends of a queue.
pub(super) fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let state = Mutex::new(State { values: VecDeque::new(), taken: 0, senders: 1, receivers: 1 });
    let bell = Arc::new(Bell { rings: Mutex::new(0), rang: Condvar::new() });
    let shared = Arc::new(Shared { state, bell, capacity });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl Bell {
    fn ring(&self) {
        *lock(&self.rings) += 1;
        self.rang.notify_all();
    }

    fn rings(&self) -> usize {
        *lock(&self.rings)
    }

    /// Waits until it has rung more often than that.
    fn wait(&self, seen: usize) {
        let mut rings = lock(&self.rings);
        while *rings == seen {
            rings = wait(&self.rang, rings);
        }
    }
}

impl<T> Shared<T> {
    /// Tries something until it succeeds, again and again when something has changed; whether it had to.
    fn until<R>(&self, mut attempt: impl FnMut(&mut State<T>) -> Option<R>) -> (R, Waited) {
        let mut waited = Waited::No;
        loop {
            let seen = self.bell.rings();
            let result = attempt(&mut lock(&self.state));
            if let Some(result) = result {
                return (result, waited);
            }
            waited = Waited::Yes;
            self.bell.wait(seen);
        }
    }

    fn change(&self, change: impl FnOnce(&mut State<T>)) {
        change(&mut lock(&self.state));
        self.bell.ring();
    }
}

impl<T> State<T> {
    /// A value, or none at the end; nothing as long as neither is there.
    fn pop(&mut self) -> Option<Option<T>> {
        match self.values.pop_front() {
            Some(value) => {
                self.taken += 1;
                Some(Some(value))
            }
            None => (self.senders == 0).then_some(None),
        }
    }
}

impl<T> Sender<T> {
    pub(super) fn send(&self, value: T) -> Result<Waited, Closed<T>> {
        let Shared { capacity, bell, .. } = &*self.0;
        let mut value = Some(value);
        // At a rendezvous the value lies where one other thread can take it, while its sender waits.
        let (number, waited) = self.0.until(|state| {
            if state.receivers == 0 {
                return Some(None);
            }
            (state.values.len() < (*capacity).max(1)).then(|| {
                state.values.extend(value.take());
                Some(state.taken)
            })
        });
        let Some(number) = number else {
            return Err(Closed(value.expect("it was not sent")));
        };
        bell.ring();
        if *capacity > 0 { Ok(waited) } else { self.meet(number) }
    }

    /// Waits until a receiver takes the one value that is there, or all are gone.
    fn meet(&self, number: usize) -> Result<Waited, Closed<T>> {
        let (met, waited) = self.0.until(|state| {
            if state.taken > number {
                return Some(Ok(()));
            }
            (state.receivers == 0).then(|| Err(Closed(state.values.pop_front().expect("nobody took it"))))
        });
        met.map(|()| waited)
    }
}

impl<T> Receiver<T> {
    pub(super) fn recv(&self) -> Option<(T, Waited)> {
        let (value, waited) = self.0.until(State::pop);
        self.0.bell.ring();
        Some((value?, waited))
    }

    /// A value that is there already.
    pub(super) fn try_recv(&self) -> Option<T> {
        let value = lock(&self.0.state).pop().flatten();
        self.0.bell.ring();
        value
    }

    /// As [`recv`](Self::recv), and none as soon as the request to leave is there.
    pub(super) fn recv_unless(&self, leave: &Leave) -> Option<(T, Waited)> {
        leave.notifies(&self.0.bell);
        let (value, waited) = self.0.until(|state| if leave.is_asked() { Some(None) } else { state.pop() });
        self.0.bell.ring();
        Some((value?, waited))
    }
}

impl Leave {
    /// A request that is not asked yet.
    pub(crate) fn new() -> Self {
        Leave(Arc::new(Mutex::new(Request { is_asked: false, bells: Vec::new() })))
    }

    /// Asks for it.
    pub(crate) fn ask(&self) {
        let mut request = lock(&self.0);
        request.is_asked = true;
        request.bells.iter().for_each(|bell| bell.ring());
    }

    /// Whether it was asked for.
    pub(crate) fn is_asked(&self) -> bool {
        lock(&self.0).is_asked
    }

    fn notifies(&self, bell: &Arc<Bell>) {
        let bells = &mut lock(&self.0).bells;
        if !bells.iter().any(|known| Arc::ptr_eq(known, bell)) {
            bells.push(Arc::clone(bell));
        }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        lock(&self.0.state).senders += 1;
        Sender(Arc::clone(&self.0))
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        lock(&self.0.state).receivers += 1;
        Receiver(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.change(|state| state.senders -= 1);
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.change(|state| state.receivers -= 1);
    }
}
