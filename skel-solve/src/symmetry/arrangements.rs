//! In how many ways parts that are alike can be arranged: how many states a lumped one stands for.

use std::sync::LazyLock;

/// The largest number of items whose binomial coefficients are kept. Of 131 items all fit into 128 bits, of
/// more only the outer ones.
const MOST: u32 = 160;

/// The binomial coefficients of up to [`MOST`] items, those of `n` items from `n (n + 1) / 2` on; zero if one
/// exceeds 128 bits.
static BINOMIALS: LazyLock<Vec<u128>> = LazyLock::new(|| {
    let mut binomials = vec![1_u128];
    for items in 1..=MOST as usize {
        let before = items * (items - 1) / 2;
        binomials.push(1);
        for chosen in 1..items {
            let (one, other) = (binomials[before + chosen - 1], binomials[before + chosen]);
            let fits = one > 0 && other > 0;
            binomials.push(if fits { one.checked_add(other).unwrap_or(0) } else { 0 });
        }
        binomials.push(1);
    }
    binomials
});

/// Counts the arrangements of items of several kinds, a multinomial coefficient; `None` if it exceeds 128
/// bits.
pub(super) struct Arrangements {
    items: u32,
    pub(super) ways: Option<u128>,
}

impl Default for Arrangements {
    fn default() -> Self {
        Arrangements { items: 0, ways: Some(1) }
    }
}

impl Arrangements {
    /// Adds `count` items of a new kind, and multiplies by the number of ways to choose their places among
    /// all items.
    pub(super) fn add(&mut self, count: u32) {
        self.items += count;
        // Choosing their places amounts to choosing the places of the others, which may be fewer.
        let chosen = count.min(self.items - count);
        self.ways = match (self.ways, chosen) {
            (ways, 0) | (ways @ None, _) => ways,
            (Some(ways), _) => choose(self.items, chosen).and_then(|choices| ways.checked_mul(choices)),
        };
    }
}

/// In how many ways so many of all items can be chosen, at most half of them.
fn choose(items: u32, chosen: u32) -> Option<u128> {
    if items <= MOST {
        let (items, chosen) = (items as usize, chosen as usize);
        return Some(BINOMIALS[items * (items + 1) / 2 + chosen]).filter(|&choices| choices > 0);
    }
    // One factor at a time; every intermediate value is an integer, and too large soon if the result is.
    (1..=chosen).try_fold(1, |choices, number| of_factor(choices, items - chosen + number, number))
}

/// Returns `choices * factor / divisor`. It divides in 64 bits where that suffices, which is several times as
/// fast.
fn of_factor(choices: u128, factor: u32, divisor: u32) -> Option<u128> {
    let product = choices.checked_mul(u128::from(factor))?;
    Some(match u64::try_from(product) {
        Ok(product) => u128::from(product / u64::from(divisor)),
        Err(_) => product / u128::from(divisor),
    })
}

#[cfg(test)]
mod tests {
    use super::{Arrangements, MOST, choose, of_factor};

    fn ways(counts: &[u32]) -> Option<u128> {
        let mut arrangements = Arrangements::default();
        counts.iter().for_each(|&count| arrangements.add(count));
        arrangements.ways
    }

    #[test]
    fn arrangements_are_counted_in_any_order_and_refused_beyond_128_bits() {
        assert_eq!(ways(&[]), Some(1));
        assert_eq!(ways(&[1000]), Some(1));
        assert_eq!(ways(&[2, 0, 3, 1]), Some(60));
        for counts in [[3, 2, 1], [1, 3, 2], [2, 1, 3]] {
            assert_eq!(ways(&counts), Some(60));
        }
        // 70! / (35! 35!)
        assert_eq!(ways(&[35, 35]), Some(112_186_277_816_662_845_432));
        assert_eq!(ways(&[1, 1000]), ways(&[1000, 1]));
        assert_eq!(ways(&[500, 500]), None);
        assert_eq!(ways(&[60, 60, 60, 1]), None);
        assert_eq!(ways(&[1, 0, 1_000_000]), Some(1_000_001));
    }

    #[test]
    fn kept_coefficients_are_those_made_of_factors() {
        let mut beyond = 0;
        for items in 1..=MOST {
            for chosen in 1..=items / 2 {
                let factors = (1..=chosen)
                    .try_fold(1, |choices, number| of_factor(choices, items - chosen + number, number));
                match (choose(items, chosen), factors) {
                    (None, None) => beyond += 1,
                    // A product with a factor may exceed 128 bits where the coefficient does not.
                    (Some(kept), None) => assert!(kept > u128::MAX / u128::from(items)),
                    (kept, factors) => assert_eq!(kept, factors, "{chosen} of {items}"),
                }
            }
        }
        assert!(beyond > 100, "{beyond}");
    }
}
