//! Units of time, as texts and tables name them.

use crate::number::{Ratio, ratio};

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// `s`
    Seconds,
    /// `ms`
    Milliseconds,
    /// `us`
    Microseconds,
}

impl TimeUnit {
    /// Every unit.
    pub const ALL: [TimeUnit; 3] = [TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Microseconds];

    /// `s`, `ms` or `us`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            TimeUnit::Seconds => "s",
            TimeUnit::Milliseconds => "ms",
            TimeUnit::Microseconds => "us",
        }
    }

    /// The unit of a word.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn from_word(word: &str) -> Option<Self> {
        TimeUnit::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// The unit in seconds.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn in_seconds(self) -> Ratio {
        match self {
            TimeUnit::Seconds => ratio(1, 1),
            TimeUnit::Milliseconds => ratio(1, 1_000),
            TimeUnit::Microseconds => ratio(1, 1_000_000),
        }
    }
}
