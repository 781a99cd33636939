//! Mean times: what a distribution takes where it needs one. A number is no mean time, since it may have been
//! meant as a rate.

use std::time::Duration;

use num_bigint::BigInt;

use crate::number::Ratio;
use crate::rate::Rate;

/// A mean time: from a `Duration`, in seconds, or from a number by [`mean`].
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, time::{MeanTime, TimeUnits, mean}};
/// assert_eq!(MeanTime::from(12.ms()).exact(), Some(&ratio(12, 1000)));
/// assert_eq!(mean(0.5).exact(), Some(&ratio(1, 2)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeanTime(Rate);

impl MeanTime {
    /// The exact value, unless it came from a float that is infinite or not a number.
    #[must_use]
    pub fn exact(&self) -> Option<&Ratio> {
        self.0.exact()
    }

    /// The number, as it was given.
    pub(crate) fn into_number(self) -> Rate {
        self.0
    }
}

/// A number that is meant as a mean time, in the unit of the program's rates: where rates are per minute,
/// `mean(0.5)` is half a minute.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// // Both take 1/2 on average; the second varies less.
/// let program = pipe!(task("parse", 2.0), task("store", erlang(4, mean(0.5)))).communicating(10.0);
/// assert_eq!(program.skeleton().tree()?.to_string(), "pipe(2);\ntask(\"parse\", 2.0);\ntask(\"store\", erlang(4, 0.5));\n");
/// # Ok::<(), skel::Error>(())
/// ```
///
/// Without it a number is no mean time, as it may be a rate:
/// ```compile_fail
/// # use skel::prelude::*;
/// task!("store", erlang(4, 0.5));
/// ```
#[must_use]
pub fn mean(time: impl IntoTime) -> MeanTime {
    time.into_time()
}

/// What can be said to be a time: a number, in the unit of the program's rates, or a `Duration`, in seconds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a time",
    note = "a time is a number, or a `Duration` such as `12.ms()`"
)]
pub trait IntoTime {
    /// The time.
    fn into_time(self) -> MeanTime;
}

impl IntoTime for Duration {
    #[cfg_attr(debug_assertions, inline)]
    fn into_time(self) -> MeanTime {
        MeanTime(Rate::from(Ratio::new(BigInt::from(self.as_nanos()), BigInt::from(1_000_000_000))))
    }
}

impl From<Duration> for MeanTime {
    #[cfg_attr(debug_assertions, inline)]
    fn from(time: Duration) -> Self {
        time.into_time()
    }
}

impl IntoTime for MeanTime {
    fn into_time(self) -> MeanTime {
        self
    }
}

/// What is a mean time: a `Duration`, or a number that [`mean`] says to be one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mean time",
    label = "a mean time is needed, and this may be a rate",
    note = "write `mean(0.5)` for a mean of 0.5 in the unit of the program's rates, or a time with a unit: `500.ms()`"
)]
pub trait IntoMean {
    /// The mean time.
    fn into_mean(self) -> MeanTime;
}

impl IntoMean for MeanTime {
    fn into_mean(self) -> MeanTime {
        self
    }
}

impl IntoMean for Duration {
    #[cfg_attr(debug_assertions, inline)]
    fn into_mean(self) -> MeanTime {
        self.into_time()
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl IntoTime for $number {
            #[cfg_attr(debug_assertions, inline)]
            fn into_time(self) -> MeanTime {
                MeanTime(Rate::from(self))
            }
        }
    )*};
}
numbers! { f64 i8 i16 i32 i64 u8 u16 u32 u64 usize Ratio }
