//! Which part of an item each worker gets.

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

    /// The weight of each worker, in their order.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.0
    }

    /// The same with several workers in the place of one, which get together what that one got, in equal
    /// parts.
    ///
    /// All weights are multiplied by that number and reduced to the smallest whole numbers of the same
    /// ratios. Ratios of which the numbers would be too large for 32 bits are rounded.
    ///
    /// # Panics
    /// If there is no such worker, or none in its place.
    ///
    /// # Examples
    /// ```
    /// use skel_run::functions::Shares;
    /// let shares = Shares::weighted(vec![4, 1, 4]).split(1, 2);
    /// assert_eq!(shares.weights(), [8, 1, 1, 8]);
    /// ```
    #[must_use]
    pub fn split(&self, worker: usize, into: usize) -> Self {
        assert!(into > 0, "another worker takes the place of one that is split");
        let times = |&weight: &u32| u128::from(weight) * into as u128;
        let mut weights: Vec<u128> = self.0.iter().map(times).collect();
        let each = std::iter::repeat_n(u128::from(self.0[worker]), into);
        weights.splice(worker..=worker, each);
        Shares(reduced(&weights))
    }

    /// How many of so many elements each gets.
    ///
    /// Each gets its exact share, rounded down. What remains goes one by one to those whose shares were
    /// rounded down most, and among equal ones to the first (the method of largest remainders). So where
    /// there are fewer elements than workers, some get none.
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

/// The smallest whole numbers of these ratios, rounded where they would not fit. A weight of a worker that
/// gets something stays above 0.
fn reduced(weights: &[u128]) -> Vec<u32> {
    let divisor = weights.iter().copied().fold(0, greatest_common_divisor).max(1);
    let largest = weights.iter().max().map_or(0, |largest| largest / divisor);
    let shift = (u128::BITS - largest.leading_zeros()).saturating_sub(u32::BITS);
    let fitting = |&weight: &u128| {
        let fitting = (weight / divisor) >> shift;
        if weight > 0 { fitting.max(1) as u32 } else { 0 }
    };
    weights.iter().map(fitting).collect()
}

/// By Euclid's algorithm.
fn greatest_common_divisor(one: u128, other: u128) -> u128 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Shares;

    proptest! {
        /// All other workers, and those in the place of one together, get what they got before.
        #[test]
        fn a_split_worker_keeps_its_part(weights in prop::collection::vec(0..1000u32, 1..6), worker in 0..6usize, into in 1..6usize) {
            prop_assume!(worker < weights.len() && weights.iter().any(|&weight| weight > 0));
            let split = Shares::weighted(weights.clone()).split(worker, into);
            prop_assert_eq!(split.workers(), weights.len() + into - 1);
            let sum = |weights: &[u32]| weights.iter().map(|&weight| u64::from(weight)).sum::<u64>();
            let mut together = split.weights().to_vec();
            let of_worker: Vec<u32> = together.splice(worker..worker + into, []).collect();
            prop_assert!(of_worker.iter().all(|weight| *weight == of_worker[0]));
            together.insert(worker, of_worker.iter().sum());
            for (now, before) in together.iter().zip(&weights) {
                prop_assert_eq!(u64::from(*now) * sum(&weights), u64::from(*before) * sum(split.weights()));
            }
        }
    }

    #[test]
    fn weights_that_are_too_large_are_rounded() {
        let mut shares = Shares::weighted(vec![u32::MAX, 1, u32::MAX - 2]);
        for _ in 0..100 {
            shares = shares.split(0, 2);
        }
        let weights = shares.weights();
        assert_eq!((weights.len(), weights[0], weights[101]), (103, 1, 1), "{weights:?}");
        // 2^99 of the largest part is left out of account, and the smallest parts stay above 0.
        assert!(weights[102] > u32::MAX / 2 && weights[1] <= 2);
    }

    #[test]
    #[should_panic(expected = "another worker takes the place")]
    fn a_worker_is_not_split_into_none() {
        let _ = Shares::equal(2).split(0, 0);
    }
}
