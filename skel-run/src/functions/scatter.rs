//! What can be scattered over workers.

use std::ops::Range;

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

/// Which part of an item each worker gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares(Vec<u32>);

impl Shares {
    /// All get the same.
    #[must_use]
    pub fn equal(workers: usize) -> Self {
        Shares(vec![1; workers])
    }

    /// Each gets in proportion to its weight, such as its speed.
    ///
    /// # Panics
    /// If all weights are 0.
    #[must_use]
    pub fn weighted(weights: Vec<u32>) -> Self {
        assert!(weights.iter().any(|&weight| weight > 0), "some worker gets a part");
        Shares(weights)
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.0.len()
    }

    /// How many of so many elements each gets.
    ///
    /// Each gets its exact share, rounded down. What remains goes one by one to those whose shares were rounded down most, and
    /// among equal ones to the first (the method of largest remainders). So where there are fewer elements than workers, some get none.
    ///
    /// # Examples
    /// ```
    /// use skel_run::functions::Shares;
    /// assert_eq!(Shares::equal(4).of(10), [3, 3, 2, 2]);
    /// assert_eq!(Shares::weighted(vec![2, 1, 1]).of(10), [5, 3, 2]);
    /// assert_eq!(Shares::equal(3).of(1), [1, 0, 0]);
    /// ```
    #[must_use]
    pub fn of(&self, elements: usize) -> Vec<usize> {
        let sum: u128 = self.0.iter().map(|&weight| u128::from(weight)).sum();
        let exact = |&weight: &u32| elements as u128 * u128::from(weight);
        let mut sizes: Vec<usize> = self.0.iter().map(|weight| (exact(weight) / sum) as usize).collect();
        let rest = elements - sizes.iter().sum::<usize>();
        let mut order: Vec<usize> = (0..self.0.len()).collect();
        order.sort_by_key(|&worker| std::cmp::Reverse(exact(&self.0[worker]) % sum));
        order.into_iter().take(rest).for_each(|worker| sizes[worker] += 1);
        sizes
    }
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
