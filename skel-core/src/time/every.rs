//! Mean times in the place of rates: what takes 12 ms on average is done 250/3 times a second.
//!
//! A time is never taken for a rate: [`every`] makes it one, and a `Duration` in the place of a rate does not
//! compile. Rates made from times are per second, so the other rates of such a program are, too.

use std::marker::PhantomData;
use std::time::Duration;

use num_bigint::BigInt;
use num_traits::Zero;

use crate::number::Ratio;
use crate::rate::Rate;

/// The rate of what is done every so often, on average: per second, and exactly.
///
/// The time from one event to the next is exponential, as for any rate; this is its mean.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// let program = pipe!(task("parse", every(12.ms())), task("store", every(800.us()))).communicating(every(50.us()));
/// assert!(*program.performance()?.throughput() < 1e3 / 12.0); // items per second
/// assert_eq!(every(12.ms()).exact(), Some(&ratio(250, 3)));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// A time of 0 has no rate, which is reported where the rate is used:
/// ```
/// # use skel::prelude::*;
/// let error = task!("parse", every(0.ms())).tree().unwrap_err();
/// assert_eq!(error.0[0].message, "the rate of the task `parse` is infinite, as the mean time is 0");
/// ```
///
/// A time is no rate:
/// ```compile_fail
/// # use skel::prelude::*;
/// task!("parse", 12.ms());
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn every(mean: Duration) -> Rate {
    let nanoseconds = BigInt::from(mean.as_nanos());
    if nanoseconds.is_zero() {
        return Rate::without_value("infinite, as the mean time is 0");
    }
    Rate::from(Ratio::new(BigInt::from(1_000_000_000), nanoseconds))
}

/// Times written as numbers with a unit: `2.s()`, `12.ms()`, `800.us()`.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use skel_core::time::TimeUnits;
/// assert_eq!(12.ms() + 500.us(), Duration::from_micros(12_500));
/// assert_eq!(2.s(), Duration::from_secs(2));
/// ```
pub trait TimeUnits {
    /// So many seconds.
    fn s(self) -> Duration;
    /// So many milliseconds.
    fn ms(self) -> Duration;
    /// So many microseconds.
    fn us(self) -> Duration;
}

impl TimeUnits for u64 {
    #[cfg_attr(debug_assertions, inline)]
    fn s(self) -> Duration {
        Duration::from_secs(self)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn ms(self) -> Duration {
        Duration::from_millis(self)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn us(self) -> Duration {
        Duration::from_micros(self)
    }
}

/// A time that stands where a rate is needed. The lifetime keeps the compiler from looking at the bounds that
/// name it before somebody writes such a thing.
#[doc(hidden)]
#[derive(Debug)]
pub struct Misplaced<'never>(PhantomData<&'never ()>);

/// What nothing implements. It is there for its message, since a conversion that does not exist cannot have
/// one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a time is not a rate",
    label = "this is a time, and a rate is needed",
    note = "the rate of what takes a time `t` on average is `every(t)`: for 12 milliseconds write `every(12.ms())`"
)]
pub trait IsRate {}

impl<'never> From<Duration> for Rate
where
    Misplaced<'never>: IsRate,
{
    fn from(time: Duration) -> Rate {
        every(time)
    }
}
