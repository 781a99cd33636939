//! Repeated times of one kind and size: their median and their spread.

use crate::measurement::{Measured, Measurement};
use crate::quantity::{Bytes, Time, median};

/// Repeated times of one kind and size.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Series {
    /// What was timed.
    pub measured: Measured,
    /// The size of each message.
    pub size: Bytes,
    /// The median of the times.
    pub median: Time,
    /// The median of the distances of the times from their median.
    pub deviation: Time,
    /// How many times there are.
    pub repetitions: u32,
}

impl Series {
    /// The series of some times, unless there is none, or their median is not above zero.
    ///
    /// # Examples
    /// ```
    /// use skel_network::measure::Series;
    /// use skel_network::{Bytes, Measured, Time};
    /// let times = [3.0, 1.0, 2.0, 100.0, 2.5].map(Time::microseconds);
    /// let series = Series::of(Measured::Gap, Bytes::new(8), times).unwrap();
    /// assert_eq!((series.median, series.deviation), (Time::microseconds(2.5), Time::microseconds(0.5)));
    /// ```
    pub fn of(measured: Measured, size: Bytes, times: impl IntoIterator<Item = Time>) -> Option<Series> {
        let times: Vec<Time> = times.into_iter().collect();
        let repetitions = u32::try_from(times.len()).unwrap_or(u32::MAX);
        let middle = median(times.clone())?;
        let distance = |time: Time| (time - middle).max(middle - time);
        let deviation = median(times.into_iter().map(distance).collect())?;
        let series = Series { measured, size, median: middle, deviation, repetitions };
        (middle > Time::ZERO).then_some(series)
    }

    /// The median as a measurement between two machines.
    #[must_use]
    pub fn between(&self, from: &str, to: &str) -> Measurement {
        Measurement {
            from: from.to_owned(),
            to: to.to_owned(),
            measured: self.measured,
            size: self.size,
            time: self.median,
        }
    }
}
