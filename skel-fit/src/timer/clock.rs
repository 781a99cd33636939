//! What a timer reads: ticks of the processor's counter, or nanoseconds that a thread has computed.

/// A clock with ticks, which have a length.
#[derive(Clone, Debug)]
pub(super) enum Clock {
    /// Time as it passes, by the processor's counter.
    Wall(quanta::Clock),
    /// The time that the thread which reads it has had a processor.
    #[cfg(unix)]
    Processor,
}

impl Clock {
    /// The first clock of a process measures how fast the counter runs, which takes up to 200 ms.
    pub(super) fn wall() -> Self {
        Clock::Wall(quanta::Clock::new())
    }

    #[inline]
    pub(super) fn ticks(&self) -> u64 {
        match self {
            Clock::Wall(counter) => counter.raw(),
            #[cfg(unix)]
            Clock::Processor => processor_nanoseconds(),
        }
    }

    /// How long so many ticks are.
    pub(super) fn seconds(&self, ticks: u64) -> f64 {
        let nanoseconds = match self {
            Clock::Wall(counter) => counter.delta_as_nanos(0, ticks),
            #[cfg(unix)]
            Clock::Processor => ticks,
        };
        nanoseconds as f64 * 1e-9
    }
}

#[cfg(unix)]
fn processor_nanoseconds() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
