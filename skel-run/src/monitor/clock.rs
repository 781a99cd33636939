//! The clock of a run: nanoseconds since its start, read from the processor's counter.

use quanta::Clock as Counter;

/// Nanoseconds since the start of a run.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    counter: Counter,
    start: u64,
    tick: Tick,
}

/// How long a tick of the counter is: whole nanoseconds, and a fraction of one in units of 2^-64.
///
/// So a product is shifted by the width of a register, and that takes no instruction. The counter's own
/// conversion shifts by a number of bits that it reads, and took a tenth of the time of an item from thread
/// to thread.
#[derive(Clone, Copy, Debug)]
struct Tick {
    whole: u64,
    fraction: u64,
}

/// So many ticks are converted to learn how long one is, as a power of two. The error is less than a
/// nanosecond in a day.
const TICKS: u32 = 50;

impl Tick {
    fn of(counter: &Counter) -> Self {
        let nanoseconds = counter.delta_as_nanos(0, 1 << TICKS);
        Tick { whole: nanoseconds >> TICKS, fraction: nanoseconds << (64 - TICKS) }
    }

    #[inline(always)]
    fn nanoseconds(self, ticks: u64) -> u64 {
        let fraction = (u128::from(ticks) * u128::from(self.fraction)) >> 64;
        ticks.wrapping_mul(self.whole).wrapping_add(fraction as u64)
    }
}

impl Clock {
    /// A clock that starts now. The first one of a process measures how fast the counter runs, which takes up
    /// to 200 ms.
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
        let (start, tick) = (counter.raw(), Tick::of(&counter));
        Clock { counter, start, tick }
    }

    /// Each reading is converted from the start on, so that rounding errors of intervals do not add up.
    #[inline(always)]
    pub(super) fn now(&self) -> u64 {
        // Counters of two processors may differ a little.
        self.tick.nanoseconds(self.counter.raw().saturating_sub(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_as_long_as_the_counter_says() {
        for counter in [Counter::new(), Counter::mock().0] {
            let tick = Tick::of(&counter);
            let day = 86_400_000_000_000;
            for ticks in (0..62).map(|bits| (1_u64 << bits) + 12_345).take_while(|&ticks| ticks < 10 * day) {
                let said = counter.delta_as_nanos(0, ticks);
                assert!(tick.nanoseconds(ticks).abs_diff(said) <= 1, "{ticks} ticks: {said}");
            }
        }
    }

    #[test]
    fn ticks_may_be_long() {
        // A counter of 24 MHz: 125 nanoseconds are three ticks.
        let third = u64::MAX / 3;
        let tick = Tick { whole: 41, fraction: 2 * third + 1 };
        assert_eq!([1, 2, 3, 24_000_000].map(|ticks| tick.nanoseconds(ticks)), [41, 83, 125, 1_000_000_000]);
    }
}
