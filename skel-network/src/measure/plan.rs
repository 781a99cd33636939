//! What is to be timed on a link.

use std::time::Duration;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use crate::quantity::Bytes;

/// The largest message that can be timed.
pub const LARGEST: Bytes = Bytes::new(1 << 30);

/// The most repetitions of each time, and the most rounds.
const MOST_REPETITIONS: u32 = 100_000;

/// What is to be timed on a link, and how often.
///
/// # Examples
/// ```
/// use skel_network::Bytes;
/// use skel_network::measure::Plan;
/// let plan = Plan::default().up_to(Bytes::new(1000))?;
/// let sizes: Vec<u64> = plan.sizes().map(Bytes::get).collect();
/// assert_eq!(sizes, [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(super) largest: Bytes,
    pub(super) is_between: bool,
    pub(super) rounds: u32,
    pub(super) repetitions: u32,
    pub(super) warm_up: u32,
    pub(super) timeout: Duration,
}

impl Default for Plan {
    /// Messages of up to 1 MiB, 100 repetitions in 10 rounds, 5 messages in each batch before times count,
    /// and ten seconds for an answer.
    fn default() -> Self {
        Plan {
            largest: Bytes::new(1 << 20),
            is_between: false,
            rounds: 10,
            repetitions: 100,
            warm_up: 5,
            timeout: Duration::from_secs(10),
        }
    }
}

impl Plan {
    /// The same with messages of up to this size.
    ///
    /// # Errors
    /// No bytes, or more than [`LARGEST`].
    pub fn up_to(self, largest: Bytes) -> Result<Self, BuildErrors> {
        let most = LARGEST.get();
        in_range("the largest message", largest.get(), 1, most, "bytes")?;
        Ok(Plan { largest, ..self })
    }

    /// The size of the largest message.
    #[must_use]
    pub fn largest(&self) -> Bytes {
        self.largest
    }

    /// The same with so many repetitions of each time, spread over so many rounds through all sizes. Of
    /// messages that take long there are fewer, down to three in a round.
    ///
    /// # Errors
    /// No repetition or no round, or more than 100,000.
    pub fn repeated(self, repetitions: u32, rounds: u32) -> Result<Self, BuildErrors> {
        in_range("the number of repetitions", repetitions.into(), 1, MOST_REPETITIONS.into(), "")?;
        in_range("the number of rounds", rounds.into(), 1, MOST_REPETITIONS.into(), "")?;
        Ok(Plan { repetitions, rounds: rounds.min(repetitions), ..self })
    }

    /// The same with so many messages in each batch before times count.
    ///
    /// # Errors
    /// More than 1,000.
    pub fn warmed_up_by(self, messages: u32) -> Result<Self, BuildErrors> {
        in_range("the number of messages before times count", messages.into(), 0, 1000, "")?;
        Ok(Plan { warm_up: messages, ..self })
    }

    /// The same with so much time for each answer of the other side.
    ///
    /// # Errors
    /// Less than a millisecond or more than an hour.
    pub fn waiting_for(self, timeout: Duration) -> Result<Self, BuildErrors> {
        let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        in_range("the time for an answer", milliseconds, 1, 3_600_000, "ms")?;
        Ok(Plan { timeout, ..self })
    }

    /// The same with sizes half-way between these in their place. Models that were fitted to the others have
    /// not seen them, so they show how good predictions are.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Bytes;
    /// use skel_network::measure::Plan;
    /// let plan = Plan::default().up_to(Bytes::new(100))?.between_sizes();
    /// let sizes: Vec<u64> = plan.sizes().map(Bytes::get).collect();
    /// assert_eq!(sizes, [3, 6, 12, 24, 48, 82]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn between_sizes(self) -> Self {
        Plan { is_between: true, ..self }
    }

    /// The sizes: 0, the powers of two below the largest, and the largest; or those half-way between
    /// neighbours.
    pub fn sizes(&self) -> impl Iterator<Item = Bytes> + use<> {
        let Plan { largest, is_between, .. } = *self;
        let largest = largest.get();
        let powers = (0..u64::BITS).map(|power| 1_u64 << power).take_while(move |size| *size < largest);
        let doubled: Vec<u64> = std::iter::once(0).chain(powers).chain([largest]).collect();
        let middle = |pair: &[u64]| (pair[1] - pair[0] >= 2).then(|| u64::midpoint(pair[0], pair[1]));
        let between: Vec<u64> = doubled.windows(2).filter_map(middle).collect();
        let sizes = if is_between && !between.is_empty() { between } else { doubled };
        sizes.into_iter().map(Bytes::new)
    }

    /// How many repetitions there are in a round.
    pub(super) fn each_round(&self) -> u32 {
        self.repetitions.div_ceil(self.rounds)
    }
}

fn in_range(what: &str, value: u64, least: u64, most: u64, unit: &str) -> Result<(), BuildErrors> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    Err(BuildErrors(vec![BuildError {
        code: Code::OutOfRange,
        message: format!("{what} is {value}{unit}"),
        help: format!("it may be from {least} to {most}{unit}"),
    }]))
}
