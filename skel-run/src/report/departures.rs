//! When items left a run: enough to say how certain its throughput is.
//!
//! The throughput of a run is an estimate, since service times vary. Its confidence interval is found by the
//! method of batch means: the departures are parted into batches of equally many items, and the times that
//! the batches took are nearly independent of each other, while those of single items are not. With the mean
//! `m` and the standard deviation `s` of `k` such times, the mean time lies within `m ± t s / sqrt(k)` with a
//! probability of 95 %, where `t` is the quantile of Student's distribution with `k - 1` degrees of freedom.
//!
//! Source: A. M. Law, *Simulation Modeling and Analysis*, 2015, section 9.5.3. The interval is too short
//! where the batches are so small that a slow stage or a full buffer lasts longer than one of them; so there
//! are at most 64 batches, and fewer where there are few items.

use std::time::Duration;

/// The most marks that are kept. When there are so many, every second one is dropped, and the distance
/// doubles.
const MOST_MARKS: usize = 128;

/// The fewest batches that say something of a variation.
const FEWEST_BATCHES: usize = 8;

/// When items left: the moment of every so many items, for any number of items in bounded memory.
///
/// It costs a comparison for each parcel. The clock is read at marks alone: at most 64 times for each
/// doubling of the number of items.
#[derive(Clone, Debug)]
pub(crate) struct Departures {
    items: u64,
    /// How many items lie between two marks.
    stride: u64,
    /// How many items had left, and when.
    marks: Vec<(u64, Duration)>,
    /// How many items have left when the next mark is due.
    due: u64,
}

/// How much leaves per second, and how certain that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Items per second.
    pub rate: f64,
    /// Half of the width of the interval in which it lies with a probability of 95 %, in items per second;
    /// none of too few items.
    pub half_width: Option<f64>,
}

impl Departures {
    /// Nothing has left yet.
    pub(crate) fn none() -> Self {
        Departures { items: 0, stride: 1, marks: Vec::new(), due: 1 }
    }

    /// So many items left. `now` says when, since the start of the run; it is asked at marks alone.
    #[inline]
    pub(crate) fn left(&mut self, items: u64, now: impl FnOnce() -> Duration) {
        self.items += items;
        if self.items >= self.due {
            self.mark(now());
        }
    }

    #[cold]
    fn mark(&mut self, now: Duration) {
        if self.marks.len() == MOST_MARKS {
            let mut place = 0;
            self.marks.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
        }
        self.marks.push((self.items, now));
        self.due = self.items + self.stride;
    }

    /// How many items left.
    pub(crate) fn items(&self) -> u64 {
        self.items
    }

    /// When the first item left, since the start of the run.
    pub(crate) fn first(&self) -> Option<Duration> {
        self.marks.first().map(|&(_, when)| when)
    }

    /// The throughput from the first departure to the last one that has a mark; none of fewer than two.
    pub(crate) fn throughput(&self) -> Option<Throughput> {
        let (&(first_items, first), &(last_items, last)) = (self.marks.first()?, self.marks.last()?);
        let (items, time) = ((last_items - first_items) as f64, (last.saturating_sub(first)).as_secs_f64());
        let rate = (items > 0.0 && time > 0.0).then(|| items / time)?;
        Some(Throughput { rate, half_width: self.relative_half_width().map(|part| part * rate) })
    }

    /// Half of the width of the confidence interval, as a part of the throughput.
    fn relative_half_width(&self) -> Option<f64> {
        let times = self.batches()?;
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let squares: f64 = times.iter().map(|time| (time - mean) * (time - mean)).sum();
        let deviation = (squares / (count - 1.0) / count).sqrt();
        Some(student(times.len() - 1) * deviation / mean)
    }

    /// The mean time of an item in each batch. Batches begin and end at marks, so that they have nearly
    /// equally many items.
    fn batches(&self) -> Option<Vec<f64>> {
        let gaps = self.marks.len().checked_sub(1)?;
        let count = match gaps {
            0..16 => gaps,
            16..64 => 16,
            _ => 32,
        };
        if count < FEWEST_BATCHES {
            return None;
        }
        let mark = |batch: usize| self.marks[batch * gaps / count];
        let time = |batch: usize| {
            let ((before, from), (after, to)) = (mark(batch), mark(batch + 1));
            to.saturating_sub(from).as_secs_f64() / (after - before) as f64
        };
        Some((0..count).map(time).collect())
    }
}

/// The quantile at 97.5 % of Student's distribution with so many degrees of freedom, at least 4. By the first
/// terms of its expansion in those of the normal distribution (M. Abramowitz and I. Stegun, *Handbook of
/// Mathematical Functions*, 26.7.5), to 0.2 % of itself.
fn student(freedom: usize) -> f64 {
    const NORMAL: f64 = 1.959_963_985;
    let (x, n) = (NORMAL, freedom as f64);
    let first = (x.powi(3) + x) / 4.0;
    let second = (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / 96.0;
    let third = (3.0 * x.powi(7) + 19.0 * x.powi(5) + 17.0 * x.powi(3) - 15.0 * x) / 384.0;
    x + first / n + second / n.powi(2) + third / n.powi(3)
}

#[cfg(test)]
impl Departures {
    /// The same where each departure was one of so many items.
    pub(super) fn times(self, items: u64) -> Self {
        let marks = self.marks.iter().map(|&(count, when)| (count * items, when)).collect();
        Departures { items: self.items * items, marks, ..self }
    }

    /// The same where all took so many times as long.
    pub(super) fn slower(self, times: u32) -> Self {
        Departures { marks: self.marks.iter().map(|&(count, when)| (count, when * times)).collect(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Departures, MOST_MARKS, student};

    /// From a table of the distribution.
    #[test]
    fn quantiles() {
        for (freedom, quantile) in [(7, 2.3646), (15, 2.1314), (31, 2.0395), (120, 1.9799)] {
            let found = student(freedom);
            assert!((found / quantile - 1.0).abs() < 2e-3, "{freedom}: {found}");
        }
    }

    #[test]
    fn marks_are_bounded_and_equally_far_apart() {
        let mut departures = Departures::none();
        for item in 1..=100_000_u64 {
            departures.left(1, || Duration::from_millis(item));
        }
        assert!(departures.marks.len() <= MOST_MARKS);
        assert!(departures.marks.windows(2).all(|pair| pair[1].0 - pair[0].0 == departures.stride));
        let found = departures.throughput().unwrap();
        assert_eq!((departures.items(), found.rate.round()), (100_000, 1_000.0));
        assert!(found.half_width.unwrap() < 1e-6, "departures at equal distances do not vary");
    }

    #[test]
    fn too_little_to_say() {
        let mut departures = Departures::none();
        assert_eq!(departures.throughput(), None);
        departures.left(5, || Duration::from_secs(1));
        assert_eq!(departures.throughput(), None);
        departures.left(5, || Duration::from_secs(2));
        let found = departures.throughput().unwrap();
        assert_eq!((found.rate, found.half_width), (5.0, None));
    }
}
