//! What can be scattered over workers.

use std::ops::Range;

use crate::team::Shares;

/// An item that can be parted among the workers of a map.
///
/// A `Vec` is parted into `Vec`s, a slice into slices, and a range of integers into ranges.
///
/// # Examples
/// ```
/// use skel_run::functions::{Scatter, Shares};
/// assert_eq!((0..10).scatter(&Shares::equal(3)), [0..4, 4..7, 7..10]);
/// // Fewer elements than workers: some of these get none.
/// assert_eq!(vec!['a', 'b'].scatter(&Shares::equal(3)), [vec!['a'], vec!['b'], vec![]]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be scattered over the workers of a map",
    label = "the map takes this",
    note = "a `Vec`, a slice and a range of integers can be; `Scatter` can be implemented for other types"
)]
pub trait Scatter: Sized {
    /// What one worker gets.
    type Part: Send;

    /// A part for each share, in the order of the shares.
    fn scatter(self, shares: &Shares) -> Vec<Self::Part>;
}

impl<T: Send> Scatter for Vec<T> {
    type Part = Vec<T>;

    fn scatter(self, shares: &Shares) -> Vec<Vec<T>> {
        let sizes = shares.of(self.len());
        let mut elements = self.into_iter();
        sizes.into_iter().map(|size| elements.by_ref().take(size).collect()).collect()
    }
}

impl<'s, T: Sync> Scatter for &'s [T] {
    type Part = &'s [T];

    fn scatter(self, shares: &Shares) -> Vec<&'s [T]> {
        let mut rest = self;
        let part = |size| {
            let (part, behind) = rest.split_at(size);
            rest = behind;
            part
        };
        shares.of(self.len()).into_iter().map(part).collect()
    }
}

macro_rules! ranges {
    ($($integer:ty)*) => {$(
        impl Scatter for Range<$integer> {
            type Part = Range<$integer>;

            fn scatter(self, shares: &Shares) -> Vec<Range<$integer>> {
                // An end before the beginning is an empty range.
                let elements = (self.end as i128 - self.start as i128).max(0) as usize;
                let mut from = self.start as i128;
                let part = |size| {
                    let start = from;
                    from += size as i128;
                    start as $integer..from as $integer
                };
                shares.of(elements).into_iter().map(part).collect()
            }
        }
    )*};
}
ranges! { usize u64 u32 u16 u8 isize i64 i32 i16 i8 }
