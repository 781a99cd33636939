//! The terms that are tried.

use crate::power::Power;

/// The exponents of the size that go with each exponent of its logarithm, as numerators and denominators.
const EXPONENTS: [&[(i32, i32)]; 3] = [
    &[
        (1, 4),
        (1, 3),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
        (1, 1),
        (5, 4),
        (4, 3),
        (3, 2),
        (5, 3),
        (7, 4),
        (2, 1),
        (9, 4),
        (7, 3),
        (5, 2),
        (8, 3),
        (11, 4),
        (3, 1),
    ],
    &[(0, 1), (1, 4), (1, 3), (1, 2), (2, 3), (3, 4), (1, 1), (5, 4), (4, 3), (3, 2), (2, 1), (5, 2), (3, 1)],
    &[(0, 1), (1, 4), (1, 3), (1, 2), (2, 3), (3, 4), (1, 1), (3, 2), (2, 1), (5, 2)],
];

/// The 42 terms `x^i log2(x)^j` with `i` from 0 to 3 and `j` from 0 to 2 that Extra-P 4.2.5 tries too, by
/// exponents.
pub(super) fn usual() -> Vec<Power> {
    let of = |logarithms: usize| {
        let exponents = EXPONENTS[logarithms].iter();
        exponents.map(move |&(numerator, denominator)| {
            Power::new(numerator, denominator).times_logarithm(logarithms as u32)
        })
    };
    let mut terms: Vec<Power> = (0..EXPONENTS.len()).flat_map(of).collect();
    terms.sort();
    terms
}
