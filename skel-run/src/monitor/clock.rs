//! The clock of a run: nanoseconds since its start, read from the processor's counter.

use quanta::Clock as Counter;

/// Nanoseconds since the start of a run.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    counter: Counter,
    start: u64,
}

impl Clock {
    /// A clock that starts now. The first one of a process measures how fast the counter runs, which takes up to 200 ms.
    pub(super) fn start() -> Self {
        Clock::of(Counter::new())
    }

    /// A clock that stands until it is moved.
    #[cfg(test)]
    pub(super) fn manual() -> (Self, std::sync::Arc<quanta::Mock>) {
        let (counter, hand) = Counter::mock();
        (Clock::of(counter), hand)
    }

    fn of(counter: Counter) -> Self {
        let start = counter.raw();
        Clock { counter, start }
    }

    /// Each reading is converted from the start on, so that rounding errors of intervals do not add up.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.counter.delta_as_nanos(self.start, self.counter.raw())
    }
}
