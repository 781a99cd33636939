//! Whether several threads are faster than one of them alone.
//!
//! Where other programs keep the processors busy, a thread is put aside now and then, for milliseconds, and
//! the others wait for it. Each time they go to sleep and have to be woken, often on the processor of the one
//! that wakes them. Then a team takes two to four times as long as one thread.

use std::time::{Duration, Instant};

use super::Member;

/// How long a team is looked at. A thread may be put aside for some milliseconds where there is hardly
/// anything else to do.
const WINDOW: Duration = Duration::from_millis(20);

/// What a thread of a team has done in a window.
pub(crate) struct Pace {
    threads: u32,
    began: Instant,
    /// How long it had waited before.
    waited: Duration,
}

impl Pace {
    /// Of a team of so many threads, before anybody waits.
    pub(crate) fn new(threads: usize) -> Pace {
        Pace { threads: threads as u32, began: Instant::now(), waited: Duration::ZERO }
    }

    /// Whether the thread is seen to have worked so little that it would have done the work of all by itself
    /// in the meantime.
    pub(crate) fn is_worse_than_alone(&mut self, member: Member<'_>) -> bool {
        let elapsed = self.began.elapsed();
        if elapsed < WINDOW {
            return false;
        }
        let waited = member.waited();
        let worked = elapsed.saturating_sub(waited - self.waited);
        (self.began, self.waited) = (Instant::now(), waited);
        self.threads * worked < elapsed
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, WINDOW};
    use crate::team::{Member, led};
    use std::thread::sleep;

    #[test]
    fn who_mostly_waits_would_be_faster_alone() {
        // The thread that leads may be put aside itself, though hardly each time.
        let is_worse = led(
            |member| {
                let mut pace = Pace::new(2);
                let mut verdicts = [false; 5];
                for verdict in &mut verdicts {
                    member.meet();
                    *verdict = pace.is_worse_than_alone(member);
                }
                verdicts.contains(&true)
            },
            vec![()],
            |(), member| {
                for _ in 0..5 {
                    sleep(2 * WINDOW);
                    member.meet();
                }
            },
        );
        assert!(is_worse);
    }

    #[test]
    fn who_does_not_wait_would_not() {
        let mut pace = Pace::new(2);
        for _ in 0..2 {
            assert!(!pace.is_worse_than_alone(Member::alone()));
            sleep(2 * WINDOW);
        }
    }
}
