//! The types that indices of a loop may have.

use std::ops::Range;

/// The type of the indices of a loop: `u64`, `usize`, `u32`, `i64` or `i32`. No other type can have it.
///
/// # Examples
/// ```
/// use skel::run::distribute;
///
/// let sums = distribute(-3..4).over(2).run(|range| range.sum::<i32>())?;
/// assert_eq!(sums.pieces().iter().map(|(_, sum)| sum).sum::<i32>(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of indices that a loop can have",
    label = "the indices of this loop are of the type `{Self}`",
    note = "a loop is over a range of `u64`, `usize`, `u32`, `i64` or `i32`; of other data, loop over the places and look the data up"
)]
pub trait Index: Copy + Ord + Send + Sync + std::fmt::Debug + std::fmt::Display + sealed::Sealed {
    /// How many indices are in a range. None in one that ends before it begins.
    #[doc(hidden)]
    fn count(range: &Range<Self>) -> u64;

    /// The index so many places behind this one.
    #[doc(hidden)]
    fn behind(self, places: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! indices {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}

        impl Index for $type {
            fn count(range: &Range<Self>) -> u64 {
                // In two's complement the difference is right, although the indices may be negative.
                if range.is_empty() { 0 } else { (range.end as u64).wrapping_sub(range.start as u64) }
            }

            fn behind(self, places: u64) -> Self {
                (self as u64).wrapping_add(places) as $type
            }
        }
    )*};
}

indices! { u64 usize u32 i64 i32 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_each_type_are_counted() {
        assert_eq!([Index::count(&(3_u64..10)), Index::count(&(0_u64..u64::MAX))], [7, u64::MAX]);
        assert_eq!([Index::count(&(-3..4)), Index::count(&(i64::MIN..i64::MAX))], [7, u64::MAX]);
        assert_eq!(Index::count(&(i32::MIN..i32::MAX)), u64::from(u32::MAX));
        #[expect(clippy::reversed_empty_ranges, reason = "it is what is tested")]
        let backwards = 10..3_usize;
        assert_eq!(Index::count(&backwards), 0);
        assert_eq!(
            (i32::MIN.behind(u64::from(u32::MAX)), (-3_i64).behind(5), 7_u32.behind(2)),
            (i32::MAX, 2, 9)
        );
    }
}
