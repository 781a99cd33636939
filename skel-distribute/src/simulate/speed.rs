//! How fast a machine is over time, and when it has finished some items.

use skel_core::number::Ratio;

use crate::arithmetic::Arithmetic;

/// The times that a machine takes for an item, each from a moment on.
#[derive(Clone, Debug)]
pub(super) struct Speed<N> {
    /// By time; the first is at 0.
    steps: Vec<(N, N)>,
    /// The step that the machine is in. Chunks come one after the other, so it only goes forward.
    now: usize,
}

impl<N: Arithmetic> Speed<N> {
    pub(super) fn new(steps: &[(Ratio, Ratio)]) -> Speed<N> {
        let steps = steps.iter().map(|(at, seconds)| (N::from_ratio(at), N::from_ratio(seconds)));
        Speed { steps: steps.collect(), now: 0 }
    }

    /// When so many items are finished that the machine begins at a time, which is not before the last chunk
    /// ended.
    pub(super) fn finish(&mut self, start: &N, items: u64) -> N {
        let mut left = N::from_items(items);
        let mut time = start.clone();
        loop {
            while self.steps.get(self.now + 1).is_some_and(|(at, _)| *at <= time) {
                self.now += 1;
            }
            let seconds = self.steps[self.now].1.clone();
            let end = time.clone() + left.clone() * seconds.clone();
            match self.steps.get(self.now + 1) {
                Some((at, _)) if *at < end => {
                    left = left - (at.clone() - time) / seconds;
                    time = at.clone();
                }
                _ => return end,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use skel_core::number::ratio;

    use super::*;

    #[test]
    fn changes_inside_a_chunk_count_from_their_moment_on() {
        let steps = [(0, 1), (10, 4), (18, 1)].map(|(at, seconds)| (ratio(at, 1), ratio(seconds, 1)));
        let mut speed = Speed::<Ratio>::new(&steps);
        assert_eq!(speed.finish(&ratio(0, 1), 4), ratio(4, 1));
        // 4 items until 10, 2 until 18, and 3 more.
        assert_eq!(speed.finish(&ratio(6, 1), 9), ratio(21, 1));
        assert_eq!(speed.finish(&ratio(30, 1), 1), ratio(31, 1));
        let mut speed = Speed::<f64>::new(&steps);
        assert_eq!(speed.finish(&10.0, 2), 18.0);
        assert_eq!(speed.finish(&18.0, 2), 20.0);
    }
}
