//! The probabilities of all states as they are kept, and sums of them.
//!
//! In `f64` each probability is a number of its own. Exact probabilities share a denominator of up to tens of thousands of digits,
//! and bringing one fraction to lowest terms takes longer than adding up thousands of numerators. So exact probabilities are kept
//! as whole numbers in proportion to them; a measure adds whole numbers and is reduced once, at its end. The fractions themselves
//! are made when somebody asks for them.

use std::sync::OnceLock;

use num_bigint::BigUint;
use num_traits::{One, Zero};
use skel_core::number::{Number, Ratio, ratio};

use crate::chain::Classification;
use crate::error::Error;
use crate::fraction::{least_common_multiple, reduced, reduced_unless};
use crate::space::StateSpace;
use crate::vector::sums::BlockSum;

const OF_ONE_KIND: &str = "a sum is of the kind of its distribution";

/// The probabilities of all states, as they are kept.
pub(crate) enum Weights<N> {
    Numbers(Vec<N>),
    Proportions(Proportions<N>),
}

/// Whole numbers in proportion to the probabilities, and their sum.
pub(crate) struct Proportions<N> {
    parts: Vec<BigUint>,
    sum: BigUint,
    numbers: OnceLock<Vec<N>>,
}

/// A sum of probabilities.
#[derive(Clone)]
pub(crate) enum Sum<N> {
    Number(BlockSum<N>),
    Part(BigUint),
}

/// A count, and the same as a number.
pub(crate) struct Times<N> {
    count: usize,
    number: N,
}

impl<N: Number> Times<N> {
    pub(crate) fn new(count: usize) -> Times<N> {
        Times { count, number: N::from_ratio(&ratio(count as i64, 1)) }
    }
}

impl<N: Number> Weights<N> {
    /// The probability of each state.
    pub(crate) fn numbers(&self) -> &[N] {
        match self {
            Weights::Numbers(numbers) => numbers,
            Weights::Proportions(parts) => parts.numbers(),
        }
    }

    /// The states that have a probability above zero.
    pub(crate) fn visited(&self) -> impl Iterator<Item = usize> {
        let states = match self {
            Weights::Numbers(numbers) => numbers.len(),
            Weights::Proportions(parts) => parts.parts.len(),
        };
        (0..states).filter(|&state| match self {
            Weights::Numbers(numbers) => !numbers[state].is_zero(),
            Weights::Proportions(parts) => !parts.parts[state].is_zero(),
        })
    }

    /// The sum of nothing.
    pub(crate) fn nothing(&self) -> Sum<N> {
        match self {
            Weights::Numbers(_) => Sum::Number(BlockSum::new()),
            Weights::Proportions(_) => Sum::Part(BigUint::zero()),
        }
    }

    /// Adds the probability of a state so many times. States that come in order lose the fewest digits.
    pub(crate) fn add(&self, sum: &mut Sum<N>, state: usize, times: &Times<N>) {
        match (self, sum) {
            (Weights::Numbers(numbers), Sum::Number(sum)) => {
                sum.add(state, numbers[state].clone() * times.number.clone());
            }
            (Weights::Proportions(parts), Sum::Part(sum)) => match times.count {
                1 => *sum += &parts.parts[state],
                count => *sum += &parts.parts[state] * count,
            },
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }

    /// A sum, divided by a count.
    pub(crate) fn over(&self, sum: Sum<N>, count: usize) -> N {
        match (self, sum) {
            (Weights::Numbers(_), Sum::Number(sum)) if count == 1 => sum.value(),
            (Weights::Numbers(_), Sum::Number(sum)) => sum.value() / Times::new(count).number,
            (Weights::Proportions(parts), Sum::Part(sum)) => parts.number(&sum, count),
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }
}

impl<N: Number> Sum<N> {
    /// Adds another sum of the same distribution so many times.
    pub(crate) fn add(&mut self, other: &Sum<N>, times: &Times<N>) {
        match (self, other) {
            (Sum::Number(sum), Sum::Number(other)) => {
                sum.add_other(other.value() * times.number.clone());
            }
            (Sum::Part(sum), Sum::Part(other)) => *sum += other * times.count,
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }
}

impl<N: Number> Proportions<N> {
    /// From whole numbers for the states of each class, in proportion to their shares of it, and for each class one in
    /// proportion to the probability that runs end there.
    pub(crate) fn of_classes(
        classes: &[Vec<u32>],
        ends: &[BigUint],
        mut parts: Vec<BigUint>,
    ) -> Proportions<N> {
        let of_class = |class: &Vec<u32>| class.iter().map(|&state| &parts[state as usize]).sum::<BigUint>();
        let sums: Vec<BigUint> = classes.iter().map(of_class).collect();
        let common = sums.iter().fold(BigUint::one(), |common, sum| least_common_multiple(&common, sum));
        for ((class, end), sum) in classes.iter().zip(ends).zip(&sums) {
            let factor = &common / sum * end;
            if !factor.is_one() {
                class.iter().for_each(|&state| parts[state as usize] *= &factor);
            }
        }
        let sum = common * ends.iter().sum::<BigUint>();
        Proportions { parts, sum, numbers: OnceLock::new() }
    }

    /// A part of the whole, divided by a count, in lowest terms.
    fn number(&self, part: &BigUint, over: usize) -> N {
        N::from_ratio(&reduced(part, &(&self.sum * over)))
    }

    fn numbers(&self) -> &[N] {
        self.numbers.get_or_init(|| self.parts.iter().map(|part| self.number(part, 1)).collect())
    }

    /// Per action the sum of probabilities times rates. Calls `pause` now and then, which may stop it.
    pub(crate) fn throughputs(
        &self,
        space: &StateSpace,
        classes: &Classification,
        mut pause: impl FnMut() -> Result<(), Error>,
    ) -> Result<Vec<N>, Error> {
        // The sums are of whole numbers, over a denominator that all rates so far have in common.
        let mut sums = vec![(BigUint::zero(), BigUint::one()); space.model().actions().len()];
        let visited = classes.recurrent.iter().flatten().map(|&state| state as usize);
        space.for_each_activity::<Ratio, _>(visited, &mut pause, |state, action, rate| {
            let (sum, common) = &mut sums[action.index()];
            let (numerator, denominator) = (rate.numer().magnitude(), rate.denom().magnitude());
            let multiple = least_common_multiple(common, denominator);
            if multiple != *common {
                *sum *= &multiple / &*common;
                *common = multiple;
            }
            *sum += &self.parts[state] * (numerator * (&*common / denominator));
        })?;
        let reduced = |(sum, common): (BigUint, BigUint)| {
            Ok(N::from_ratio(&reduced_unless(&sum, &(&self.sum * common), &mut pause)?))
        };
        sums.into_iter().map(reduced).collect()
    }
}
