//! The probabilities of all states as they are stored, and sums of them.
//!
//! In `f64` each probability is stored as a number. Exact probabilities share a denominator of up to tens of
//! thousands of digits, and reducing one fraction to lowest terms takes longer than adding up thousands of
//! numerators. So exact probabilities are stored as integers that are proportional to them; a measure adds
//! integers and is reduced once, at the end. The fractions of the states are computed only when they are
//! asked for.

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

/// The probabilities of all states, as they are stored.
pub(crate) enum Weights<N> {
    Numbers(Vec<N>),
    Proportions(Proportions<N>),
}

/// Integers proportional to the probabilities, and their sum.
pub(crate) struct Proportions<N> {
    parts: Vec<BigUint>,
    sum: BigUint,
    numbers: OnceLock<Vec<N>>,
}

/// A sum of probabilities, in the form in which they are stored.
#[derive(Clone)]
pub(crate) enum ProbabilitySum<N> {
    Number(BlockSum<N>),
    Part(BigUint),
}

/// A factor as an integer and in the number type.
pub(crate) struct Factor<N> {
    count: usize,
    number: N,
}

impl<N: Number> Factor<N> {
    pub(crate) fn new(count: usize) -> Factor<N> {
        let number = if count == 1 { N::one() } else { N::from_ratio(&ratio(count as i64, 1)) };
        Factor { count, number }
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

    /// The states with a probability above zero.
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

    /// An empty sum.
    pub(crate) fn empty_sum(&self) -> ProbabilitySum<N> {
        match self {
            Weights::Numbers(_) => ProbabilitySum::Number(BlockSum::new()),
            Weights::Proportions(_) => ProbabilitySum::Part(BigUint::zero()),
        }
    }

    /// Adds a multiple of the probability of a state. Rounding errors are smallest if the states ascend.
    pub(crate) fn add(&self, sum: &mut ProbabilitySum<N>, state: usize, factor: &Factor<N>) {
        self.add_numbered(sum, (state, state), factor);
    }

    /// The same for a sum over few of the states, which are numbered among themselves.
    pub(crate) fn add_numbered(
        &self,
        sum: &mut ProbabilitySum<N>,
        (state, number): (usize, usize),
        factor: &Factor<N>,
    ) {
        match (self, sum) {
            (Weights::Numbers(numbers), ProbabilitySum::Number(sum)) => {
                sum.add(number, numbers[state].clone() * factor.number.clone());
            }
            (Weights::Proportions(parts), ProbabilitySum::Part(sum)) => match factor.count {
                1 => *sum += &parts.parts[state],
                count => *sum += &parts.parts[state] * count,
            },
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }

    /// A sum divided by a count.
    pub(crate) fn over(&self, sum: ProbabilitySum<N>, count: usize) -> N {
        match (self, sum) {
            (Weights::Numbers(_), ProbabilitySum::Number(sum)) if count == 1 => sum.value(),
            (Weights::Numbers(_), ProbabilitySum::Number(sum)) => sum.value() / Factor::new(count).number,
            (Weights::Proportions(parts), ProbabilitySum::Part(sum)) => parts.number(&sum, count),
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }
}

impl<N: Number> ProbabilitySum<N> {
    /// Adds a multiple of another sum of the same distribution.
    pub(crate) fn add(&mut self, other: &ProbabilitySum<N>, factor: &Factor<N>) {
        match (self, other) {
            (ProbabilitySum::Number(sum), ProbabilitySum::Number(other)) => {
                sum.add_other(other.value() * factor.number.clone());
            }
            (ProbabilitySum::Part(sum), ProbabilitySum::Part(other)) => *sum += other * factor.count,
            _ => unreachable!("{OF_ONE_KIND}"),
        }
    }
}

impl<N: Number> Proportions<N> {
    /// Combines the classes of a chain. `parts` are integers for the states of each class, proportional to
    /// their probabilities within the class, and `ends` are integers for the classes, proportional to the
    /// probabilities of ending in them.
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

    /// The throughput of each action, as the sum of probabilities times rates. Calls `pause` at intervals,
    /// which may end the work by an error.
    pub(crate) fn throughputs(
        &self,
        space: &StateSpace,
        classes: &Classification,
        mut pause: impl FnMut() -> Result<(), Error>,
    ) -> Result<Vec<N>, Error> {
        // The sums are integers over a denominator that is common to all rates added so far.
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
