//! The probabilities of all states, and sums of them.
//!
//! In `f64` each is a number of its own. Exact ones share a denominator of up to tens of thousands of digits, and to bring
//! one fraction to lowest terms takes longer than to add up thousands of numerators. So they are kept as whole numbers, the
//! *parts* of a sum; a measure adds parts, and is reduced once, at its end. The fractions themselves are made when somebody
//! asks for them.

use std::sync::OnceLock;

use num_bigint::BigUint;
use num_traits::{One, Zero};
use skel_core::number::{Number, Ratio, ratio};

use crate::chain::Classification;
use crate::error::Error;
use crate::fraction::{least_common_multiple, reduced};
use crate::space::StateSpace;
use crate::vector::sums::BlockSum;

const OF_ONE_KIND: &str = "a sum is of the kind of its distribution";

/// The probabilities of all states.
pub(crate) enum Distribution<N> {
    Numbers(Vec<N>),
    Parts(Parts<N>),
}

/// Probabilities as whole numbers over their sum.
pub(crate) struct Parts<N> {
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
    pub(crate) fn of(count: usize) -> Times<N> {
        Times { count, number: N::from_ratio(&ratio(count as i64, 1)) }
    }
}

impl<N: Number> Distribution<N> {
    /// The probability of each state.
    pub(crate) fn numbers(&self) -> &[N] {
        match self {
            Distribution::Numbers(numbers) => numbers,
            Distribution::Parts(parts) => parts.numbers(),
        }
    }

    /// The states that have a probability above zero.
    pub(crate) fn visited(&self) -> impl Iterator<Item = usize> {
        let states = match self {
            Distribution::Numbers(numbers) => numbers.len(),
            Distribution::Parts(parts) => parts.parts.len(),
        };
        (0..states).filter(|&state| match self {
            Distribution::Numbers(numbers) => !numbers[state].is_zero(),
            Distribution::Parts(parts) => !parts.parts[state].is_zero(),
        })
    }

    /// The sum of nothing.
    pub(crate) fn nothing(&self) -> Sum<N> {
        match self {
            Distribution::Numbers(_) => Sum::Number(BlockSum::new()),
            Distribution::Parts(_) => Sum::Part(BigUint::zero()),
        }
    }

    /// Adds the probability of a state so many times. States that come in order lose the fewest digits.
    pub(crate) fn add(&self, sum: &mut Sum<N>, state: usize, times: &Times<N>) {
        match (self, sum) {
            (Distribution::Numbers(numbers), Sum::Number(sum)) => {
                sum.add(state, numbers[state].clone() * times.number.clone());
            }
            (Distribution::Parts(parts), Sum::Part(sum)) => match times.count {
                1 => *sum += &parts.parts[state],
                count => *sum += &parts.parts[state] * count,
            },
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }

    /// A sum, divided by a count.
    pub(crate) fn over(&self, sum: Sum<N>, count: usize) -> N {
        match (self, sum) {
            (Distribution::Numbers(_), Sum::Number(sum)) if count == 1 => sum.value(),
            (Distribution::Numbers(_), Sum::Number(sum)) => sum.value() / Times::of(count).number,
            (Distribution::Parts(parts), Sum::Part(sum)) => parts.number(&sum, count),
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

impl<N: Number> Parts<N> {
    /// From parts for each class, in proportion to how it is shared among the states, and for the classes, how often
    /// runs end there.
    pub(crate) fn of(classes: &[Vec<u32>], ends: &[BigUint], mut parts: Vec<BigUint>) -> Parts<N> {
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
        Parts { parts, sum, numbers: OnceLock::new() }
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
        pause: impl FnMut() -> Result<(), Error>,
    ) -> Result<Vec<N>, Error> {
        // The sums are of whole numbers, over a denominator that all rates so far have in common.
        let mut sums = vec![(BigUint::zero(), BigUint::one()); space.model().actions().len()];
        let visited = classes.recurrent.iter().flatten().map(|&state| state as usize);
        space.for_each_activity::<Ratio, _>(visited, pause, |state, action, rate| {
            let (sum, common) = &mut sums[action.index()];
            let (numerator, denominator) = (rate.numer().magnitude(), rate.denom().magnitude());
            let multiple = least_common_multiple(common, denominator);
            if multiple != *common {
                *sum *= &multiple / &*common;
                *common = multiple;
            }
            *sum += &self.parts[state] * (numerator * (&*common / denominator));
        })?;
        let reduced = |(sum, common): (BigUint, BigUint)| reduced(&sum, &(&self.sum * common));
        Ok(sums.into_iter().map(|sum| N::from_ratio(&reduced(sum))).collect())
    }
}
