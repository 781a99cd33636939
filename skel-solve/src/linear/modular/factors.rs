//! Sparse factors of the equations modulo a prime, `M = L U`.
//!
//! One unknown, at the last place, is set to 1 and its equation is left out: with the others solved it
//! follows, since all equations add up to nothing. The chain is irreducible, so what is left has one
//! solution. Which unknown it is makes no difference to exact arithmetic; the last place keeps the factors as
//! sparse as the order makes them.
//!
//! Rows are made one after the other on the pattern that the ordering foretells, as in `gth`. There is no
//! pivoting: where a pivot is zero modulo the prime, the prime is unlucky, and another one is taken. Both
//! substitutions then gather, row by row, so that sums are reduced once for each row. Cost: the price of the
//! ordering, some 1.5 ns a multiplication, and 24 bytes an entry of the pattern; a pair of substitutions two
//! multiplications an entry.

use std::ops::Range;

use crate::limits::{Limit, Progress, Watch};
use crate::linear::elimination::fronts::Pattern;
use crate::linear::modular::equations::Equations;
use crate::linear::modular::prime::{MOST_PRODUCTS, Prime};

/// The bytes of an entry of the pattern: its two places and its two numbers.
pub(super) const ENTRY: u64 = 24;

/// Why there are no factors.
pub(super) enum Unfactored {
    /// A pivot is zero modulo the prime.
    Unlucky,
    Limit(Limit),
}

/// One of the two triangles: per row and place before, or behind, a number.
struct Triangle<'o> {
    offsets: &'o [usize],
    places: &'o [u32],
    values: Vec<u64>,
    /// Per row, from which entry on its places have no gaps.
    gapless_from: Vec<usize>,
}

impl<'o> Triangle<'o> {
    #[inline]
    fn new(offsets: &'o [usize], places: &'o [u32]) -> Triangle<'o> {
        let rows = offsets.windows(2);
        let gapless_from = rows.map(|row| gapless_from(&places[..row[1]], row[0])).collect();
        Triangle { offsets, places, values: vec![0; places.len()], gapless_from }
    }

    #[inline]
    fn row(&self, place: usize) -> Range<usize> {
        self.offsets[place]..self.offsets[place + 1]
    }

    /// The row in two parts: the entries with their places, and those without gaps, from a place on.
    #[inline]
    fn parts(&self, place: usize) -> (Range<usize>, Range<usize>, usize) {
        let Range { start, end } = self.row(place);
        let gapless = self.gapless_from[place];
        let first = if gapless == end { 0 } else { self.places[gapless] as usize };
        (start..gapless, gapless..end, first)
    }

    /// The row times a vector.
    #[inline]
    fn product(&self, place: usize, vector: &[u64], prime: Prime) -> u64 {
        let (scattered, gapless, first) = self.parts(place);
        let mut sum = 0;
        let places = self.places[scattered.clone()].chunks(MOST_PRODUCTS);
        for (places, values) in places.zip(self.values[scattered].chunks(MOST_PRODUCTS)) {
            let products = places.iter().zip(values).map(|(&at, &value)| wide(vector[at as usize], value));
            sum = u128::from(prime.reduce(sum + products.sum::<u128>()));
        }
        let vector = vector[first..].chunks(MOST_PRODUCTS);
        for (numbers, values) in vector.zip(self.values[gapless].chunks(MOST_PRODUCTS)) {
            let products = numbers.iter().zip(values).map(|(&number, &value)| wide(number, value));
            sum = u128::from(prime.reduce(sum + products.sum::<u128>()));
        }
        sum as u64
    }

    /// Adds a multiple of the row to sums.
    #[inline]
    fn add_to(&self, place: usize, factor: u64, sums: &mut [u128]) {
        let (scattered, gapless, first) = self.parts(place);
        for (&at, &value) in self.places[scattered.clone()].iter().zip(&self.values[scattered]) {
            sums[at as usize] += wide(factor, value);
        }
        for (sum, &value) in sums[first..].iter_mut().zip(&self.values[gapless]) {
            *sum += wide(factor, value);
        }
    }
}

/// From which entry on the places up to the last one have no gaps.
#[inline]
fn gapless_from(places: &[u32], start: usize) -> usize {
    let mut from = places.len();
    while from > start && (from == places.len() || places[from - 1] + 1 == places[from]) {
        from -= 1;
    }
    from
}

#[inline]
fn wide(left: u64, right: u64) -> u128 {
    u128::from(left) * u128::from(right)
}

/// The factors.
pub(super) struct Factors<'o> {
    prime: Prime,
    lower: Triangle<'o>,
    upper: Triangle<'o>,
    /// Per place the inverse of the pivot.
    inverses: Vec<u64>,
}

/// Per place the earlier places that it is joined with.
pub(super) struct Earlier {
    offsets: Vec<usize>,
    places: Vec<u32>,
}

impl Earlier {
    #[inline]
    pub(super) fn new(pattern: &Pattern) -> Earlier {
        let (offsets, places) = pattern.earlier();
        Earlier { offsets, places }
    }
}

impl<'o> Factors<'o> {
    #[inline]
    pub(super) fn new(
        equations: &Equations,
        pattern: &'o Pattern,
        earlier: &'o Earlier,
        prime: Prime,
        watch: &mut Watch<'_>,
    ) -> Result<Factors<'o>, Unfactored> {
        let count = pattern.offsets.len() - 1;
        let mut factors = Factors {
            prime,
            lower: Triangle::new(&earlier.offsets, &earlier.places),
            upper: Triangle::new(&pattern.offsets, &pattern.later),
            inverses: Vec::with_capacity(count),
        };
        let mut sums = vec![0; count];
        for place in 0..count - 1 {
            // What the last unknown contributes is on the right-hand side.
            for (column, value) in equations.matrix.row(place).filter(|&(column, _)| column + 1 < count) {
                sums[column] = u128::from(prime.residue(value));
            }
            factors.make_row(place, &mut sums, watch)?;
        }
        Ok(factors)
    }

    /// Makes a row of both triangles from an equation. `sums` is zero afterwards.
    #[inline]
    fn make_row(&mut self, place: usize, sums: &mut [u128], watch: &mut Watch<'_>) -> Result<(), Unfactored> {
        let prime = self.prime;
        let mut products = 0;
        for at in self.lower.row(place) {
            let through = self.lower.places[at] as usize;
            let value = prime.reduce(std::mem::take(&mut sums[through]));
            if value == 0 {
                continue;
            }
            let multiple = prime.product(value, self.inverses[through]);
            self.lower.values[at] = multiple;
            self.upper.add_to(through, prime.difference(0, multiple), sums);
            products += 1;
            if products == MOST_PRODUCTS {
                products = 0;
                sums[through..].iter_mut().for_each(|sum| *sum = u128::from(prime.reduce(*sum)));
            }
        }
        let (done, of) = (place as u64, sums.len() as u64);
        watch.check(|| Progress::Eliminating { done, of }).map_err(Unfactored::Limit)?;
        let pivot = prime.reduce(std::mem::take(&mut sums[place]));
        if pivot == 0 {
            return Err(Unfactored::Unlucky);
        }
        self.inverses.push(prime.inverse(pivot));
        for at in self.upper.row(place) {
            let sum = std::mem::take(&mut sums[self.upper.places[at] as usize]);
            self.upper.values[at] = prime.reduce(sum);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn prime(&self) -> Prime {
        self.prime
    }

    /// Turns the right-hand sides of the equations into the unknowns. That of the last place must be zero.
    #[inline]
    pub(super) fn solve(&self, vector: &mut [u64]) {
        let prime = self.prime;
        for place in 0..self.inverses.len() {
            vector[place] = prime.difference(vector[place], self.lower.product(place, vector, prime));
        }
        for place in (0..self.inverses.len()).rev() {
            let rest = prime.difference(vector[place], self.upper.product(place, vector, prime));
            vector[place] = prime.product(rest, self.inverses[place]);
        }
    }
}
