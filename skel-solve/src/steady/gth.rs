//! Grassmann, Taksar and Heyman's elimination, sparse: a direct method without subtraction.
//!
//! Eliminating a state replaces the ways through it by direct rates: with `P(k, j)` the probability to go from `k` on
//! to `j` among the states that are left, `q(i, j) += q(i, k) P(k, j)`. Only sums, products and quotients of positive
//! numbers occur, so no digits cancel: in `f64` every probability is right but for the last few digits, however
//! stiff the chain (C. A. O'Cinneide, Numer. Math. 65 (1993)). In rationals it is exact: for the [bias](super::bias) of rewards, and the
//! reference for tests of [`exact`](super::exact), which is faster. Going back, `pi(k) = sum of pi(i) q(i, k) / exit(k)` over the states that
//! were left.
//!
//! The order is one of minimum [degree](super::ordering). Rows are made one after the other, each from those that are
//! eliminated before it, on the pattern that the ordering foretells: the cost is known in advance, `n` times a constant for
//! a chain in one dimension, and `n^3 / 3` multiplications for a full matrix. In rationals the digits grow too. Memory: an
//! entry of the pattern takes two places and two numbers. W. K. Grassmann, M. I. Taksar, D. P. Heyman, Operations
//! Research 33 (1985).

use std::ops::{Add, Div, Mul, Range};

use num_traits::Zero;
use skel_core::number::{Number, Ratio};

use super::ordering::{Ordering, Price, Refusal};
use super::wide::Wide;
use crate::chain::Generator;
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Progress, Watch};

/// A row of at least so many entries is worth a look at the clock.
const WORTH_A_LOOK: usize = 64;

/// A number type in which unknowns are found.
pub(crate) trait Unknown: Number {
    /// The type of an unknown before all are scaled to sum one.
    type Unscaled: Clone
        + Zero
        + Add<Output = Self::Unscaled>
        + Mul<Output = Self::Unscaled>
        + Div<Output = Self::Unscaled>;

    fn unscaled(&self) -> Self::Unscaled;

    fn scaled(value: Self::Unscaled) -> Self;

    /// `sum += left * right`
    fn add_product(sum: &mut Self, left: &Self, right: &Self);
}

/// The ratio of two probabilities may be outside the range of `f64`, though the probabilities are inside.
impl Unknown for f64 {
    type Unscaled = Wide;

    fn unscaled(&self) -> Wide {
        Wide::of(*self)
    }

    fn scaled(value: Wide) -> f64 {
        value.to_float()
    }

    fn add_product(sum: &mut f64, left: &f64, right: &f64) {
        *sum += left * right;
    }
}

impl Unknown for Ratio {
    type Unscaled = Ratio;

    fn unscaled(&self) -> Ratio {
        self.clone()
    }

    fn scaled(value: Ratio) -> Ratio {
        value
    }

    fn add_product(sum: &mut Ratio, left: &Ratio, right: &Ratio) {
        // The pattern has places for what is zero, and digits are dear.
        if !right.is_zero() {
            *sum += left * right;
        }
    }
}

/// Why there is no solution.
pub(super) enum Unsolved {
    Stopped(Error),
    /// It would cost more than it may.
    Price,
}

/// The steady state of an irreducible chain, within a price.
pub(super) fn solve<N: Unknown>(
    generator: &Generator<N>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<Vec<N>, Unsolved> {
    let ordering = ordering(generator, most, watch)?;
    Ok(Factors::of(generator, &ordering, watch)?.substitute())
}

/// The mean of rewards in the steady state of an irreducible chain, and their [bias](super::bias), zero in some state; within
/// a price.
pub(super) fn bias<N: Unknown>(
    generator: &Generator<N>,
    rewards: &[N],
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<(N, Vec<N>), Unsolved> {
    let ordering = ordering(generator, most, watch)?;
    Ok(Factors::of(generator, &ordering, watch)?.bias(rewards))
}

fn ordering<N: Unknown>(
    generator: &Generator<N>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<Ordering, Unsolved> {
    let of = generator.states() as u64;
    Ordering::of(generator.matrix(), most, watch).map_err(|refusal| match refusal {
        Refusal::Limit(limit) => Unsolved::Stopped(stopped(limit, 0, of)),
        Refusal::Price => Unsolved::Price,
    })
}

/// The most entries of a pattern for which an elimination stays within so many bytes.
pub(super) fn affordable<N>(bytes: u64) -> u64 {
    bytes / (2 * (size_of::<u32>() + size_of::<N>()) + size_of::<u32>()) as u64
}

/// The bytes that an elimination takes beside its pattern: the graph and the lists of the ordering.
pub(super) fn memory<N>(states: usize, entries: usize) -> u64 {
    const PER_STATE: usize = 160;
    (states * (PER_STATE + 2 * size_of::<N>()) + entries * 16) as u64
}

/// The reduced rates, row by row in the order of elimination.
struct Factors<'o, N> {
    ordering: &'o Ordering,
    /// Per entry of the ordering's pattern the probability to go there next, among the states that are left.
    onward: Vec<N>,
    /// Row `i` has the rates to the places `earlier[offsets[i]..offsets[i + 1]]`, when these are eliminated.
    offsets: Vec<usize>,
    earlier: Vec<u32>,
    back: Vec<N>,
    exits: Vec<N>,
    /// From which entry on a row of the pattern has no gaps up to the last place.
    gapless_from: Vec<usize>,
}

impl<'o, N: Unknown> Factors<'o, N> {
    fn of(generator: &Generator<N>, ordering: &'o Ordering, watch: &mut Watch<'_>) -> Result<Self, Unsolved> {
        let count = ordering.states.len();
        let mut factors = Factors::new(ordering);
        let mut work = vec![N::zero(); count];
        for place in 0..count {
            look(watch, place as u64, count as u64)?;
            factors.eliminate(place, generator, &mut work, watch)?;
        }
        Ok(factors)
    }

    fn new(ordering: &'o Ordering) -> Self {
        let count = ordering.states.len();
        let (offsets, earlier) = ordering.earlier();
        let gapless_from = (0..count).map(|place| gapless_from(ordering, place)).collect();
        Factors {
            ordering,
            onward: vec![N::zero(); ordering.later.len()],
            offsets,
            earlier,
            back: vec![N::zero(); ordering.later.len()],
            exits: vec![N::zero(); count],
            gapless_from,
        }
    }

    fn later(&self, place: usize) -> Range<usize> {
        self.ordering.offsets[place]..self.ordering.offsets[place + 1]
    }

    /// Makes the row of a place from those of the places before it. `work` is zero before and after.
    fn eliminate(
        &mut self,
        place: usize,
        generator: &Generator<N>,
        work: &mut [N],
        watch: &mut Watch<'_>,
    ) -> Result<(), Unsolved> {
        for (target, rate) in generator.rates_from(self.ordering.states[place] as usize) {
            work[self.ordering.places[target] as usize] = rate.clone();
        }
        for at in self.offsets[place]..self.offsets[place + 1] {
            let through = self.earlier[at] as usize;
            let rate = std::mem::replace(&mut work[through], N::zero());
            if !rate.is_zero() {
                if self.later(through).len() >= WORTH_A_LOOK {
                    look(watch, place as u64, self.exits.len() as u64)?;
                }
                self.pass_on(through, &rate, work);
            }
            self.back[at] = rate;
        }
        // What came back to the state itself is no way out.
        work[place] = N::zero();
        let row = self.later(place);
        let targets = &self.ordering.later[row.clone()];
        let exit = targets.iter().fold(N::zero(), |sum, &target| sum + work[target as usize].clone());
        for (value, &target) in self.onward[row].iter_mut().zip(targets) {
            *value = std::mem::replace(&mut work[target as usize], N::zero()) / exit.clone();
        }
        self.exits[place] = exit;
        Ok(())
    }

    /// Spreads a rate into an eliminated place over where one goes from there.
    fn pass_on(&self, through: usize, rate: &N, work: &mut [N]) {
        let Range { start, end } = self.later(through);
        let gapless = self.gapless_from[through];
        for (&target, probability) in
            self.ordering.later[start..gapless].iter().zip(&self.onward[start..gapless])
        {
            N::add_product(&mut work[target as usize], rate, probability);
        }
        let from = work.len() - (end - gapless);
        for (sum, probability) in work[from..].iter_mut().zip(&self.onward[gapless..end]) {
            N::add_product(sum, rate, probability);
        }
    }

    /// The probabilities, in the order of the states.
    fn substitute(&self) -> Vec<N> {
        let count = self.exits.len();
        let mut pi = vec![N::Unscaled::zero(); count];
        pi[count - 1] = N::one().unscaled();
        for place in (0..count).rev() {
            if place + 1 < count {
                pi[place] = pi[place].clone() / self.exits[place].unscaled();
            }
            let (earlier, rest) = pi.split_at_mut(place);
            for at in self.offsets[place]..self.offsets[place + 1] {
                if !self.back[at].is_zero() {
                    let sum = &mut earlier[self.earlier[at] as usize];
                    *sum = sum.clone() + rest[0].clone() * self.back[at].unscaled();
                }
            }
        }
        let sum = pi.iter().fold(N::Unscaled::zero(), |sum, value| sum + value.clone());
        let mut probabilities = vec![N::zero(); count];
        for (value, &state) in pi.into_iter().zip(&self.ordering.states) {
            probabilities[state as usize] = N::scaled(value / sum.clone());
        }
        probabilities
    }
}

impl<N: Unknown> Factors<'_, N> {
    /// The mean of rewards, and their bias.
    ///
    /// Eliminating a state hands on what a visit to it brings, its reward and the time it takes, to the states from which it
    /// is visited: sums of products again. The last state then has those of a whole round, and their ratio is the mean.
    fn bias(&self, rewards: &[N]) -> (N, Vec<N>) {
        let count = self.exits.len();
        let of_place = |&state: &u32| rewards[state as usize].clone();
        let mut gains: Vec<N> = self.ordering.states.iter().map(of_place).collect();
        let mut times = vec![N::one(); count];
        for place in 0..count {
            for at in self.offsets[place]..self.offsets[place + 1] {
                let through = self.earlier[at] as usize;
                let visits = self.back[at].clone() / self.exits[through].clone();
                for sums in [&mut gains, &mut times] {
                    let more = visits.clone() * sums[through].clone();
                    sums[place] = sums[place].clone() + more;
                }
            }
        }
        let mean = gains[count - 1].clone() / times[count - 1].clone();
        let mut bias = vec![N::zero(); count];
        for place in (0..count - 1).rev() {
            let excess = gains[place].clone() - mean.clone() * times[place].clone();
            let mut sum = excess / self.exits[place].clone();
            for at in self.later(place) {
                let onward = bias[self.ordering.later[at] as usize].clone();
                sum = sum + self.onward[at].clone() * onward;
            }
            bias[place] = sum;
        }
        (mean, self.ordering.places.iter().map(|&place| bias[place as usize].clone()).collect())
    }
}

fn gapless_from(ordering: &Ordering, place: usize) -> usize {
    let (start, end) = (ordering.offsets[place], ordering.offsets[place + 1]);
    let count = ordering.states.len();
    let row = &ordering.later[start..end];
    let gapless =
        row.iter().rev().zip((0..count).rev()).take_while(|&(&at, last)| at as usize == last).count();
    end - gapless
}

fn look(watch: &mut Watch<'_>, done: u64, of: u64) -> Result<(), Unsolved> {
    watch
        .check(|| Progress::Eliminating { done, of })
        .map_err(|limit| Unsolved::Stopped(stopped(limit, done, of)))
}

fn stopped(limit: Limit, done: u64, of: u64) -> Error {
    Error::Stopped(Stopped { limit, reached: Reached::Eliminating { done, of } })
}
