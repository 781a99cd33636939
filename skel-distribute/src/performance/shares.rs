//! Whole shares of a number of items by the method of largest remainders.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use skel_core::number::Ratio;

/// Fractional parts that differ by less than one part of this are the same.
const SAME_WITHIN: u64 = 1_000_000_000;

/// Weights in the same proportions that are whole, and their sum.
///
/// All further arithmetic is in whole numbers: sums of fractions with a thousand different denominators would
/// reduce a fraction of many digits after each addition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WholeWeights {
    pub(crate) weights: Vec<BigInt>,
    pub(crate) sum: BigInt,
}

impl WholeWeights {
    pub(crate) fn of(weights: &[Ratio]) -> WholeWeights {
        let common = weights.iter().fold(BigInt::one(), |common, weight| {
            let denominator = weight.denom();
            let shared = (&common % denominator).gcd(denominator);
            common * (denominator / shared)
        });
        let weights: Vec<BigInt> =
            weights.iter().map(|weight| weight.numer() * (&common / weight.denom())).collect();
        let sum = weights.iter().sum();
        WholeWeights { weights, sum }
    }

    /// So many items in shares by these weights: the whole parts, and one more for the largest fractional
    /// parts until all items are given out. The lower index is first among fractional parts within 1e-9 of
    /// each other. At least one weight is not zero.
    pub(crate) fn shares(&self, items: u64) -> Vec<u64> {
        let parts = self.weights.iter().map(|weight| (weight * items).div_rem(&self.sum));
        let (whole, remainders): (Vec<BigInt>, Vec<BigInt>) = parts.unzip();
        let mut shares: Vec<u64> = whole.iter().map(|share| share.to_u64().unwrap_or(u64::MAX)).collect();
        let left = items - shares.iter().sum::<u64>();
        for machine in self.largest_first(&remainders).into_iter().take(left as usize) {
            shares[machine] += 1;
        }
        shares
    }

    /// The machines whose shares are not whole, by their remainders.
    fn largest_first(&self, remainders: &[BigInt]) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..remainders.len()).filter(|&machine| !remainders[machine].is_zero()).collect();
        order.sort_by(|&one, &other| remainders[other].cmp(&remainders[one]));
        let is_same = |&first: &usize, &next: &usize| {
            (&remainders[first] - &remainders[next]) * SAME_WITHIN <= self.sum
        };
        let mut start = 0;
        while start < order.len() {
            let same = order[start..].iter().take_while(|next| is_same(&order[start], next)).count();
            order[start..start + same].sort_unstable();
            start += same;
        }
        order
    }
}
