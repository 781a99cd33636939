//! Grassmann, Taksar and Heyman's elimination, sparse: a direct method without subtraction.
//!
//! Eliminating a state replaces the ways through it by direct rates: with `P(k, j)` the probability to go
//! from `k` on to `j` among the states that are left, `q(i, j) += q(i, k) P(k, j)`. Only sums, products and
//! quotients of positive numbers occur, so no digits cancel: in `f64` every probability is right but for the
//! last few digits, however stiff the chain (C. A. O'Cinneide, Numer. Math. 65 (1993)). In rationals it is
//! exact: for the [bias](crate::steady::bias) of rewards, and the reference for tests of
//! [`exact`](crate::linear::modular), which is faster. Going back, `pi(k) = sum of pi(i) q(i, k) / exit(k)`
//! over the states that were left.
//!
//! The order is one of minimum [degree](crate::linear::elimination::ordering), and states go in
//! [fronts](crate::linear::elimination::fronts): full matrices, of which blocks of four rows and columns are
//! [worked on](crate::linear::elimination::fronts::panel) at once. A front adds up the rates of the chain
//! that are its own and what the fronts before it left, eliminates its states, and leaves the rates among its
//! border to its parent. [Several threads](crate::linear::elimination::fronts::reduction) have fronts that do
//! not depend on one another. For the way back only the rates into eliminated states are kept; for a bias,
//! and for costs before a run comes to a state, the rates onward too.
//!
//! The cost is known in advance: `n` times a constant for a chain in one dimension, and `n^3 / 3`
//! multiplications for a full matrix, some 0.3 ns each. In rationals the digits grow too. Memory: a number
//! for each entry of the pattern, and the fronts that wait for their parents. W. K. Grassmann, M. I. Taksar,
//! D. P. Heyman, Operations Research 33 (1985).

pub(crate) mod band;
pub(crate) mod extended_float;
pub(crate) mod factors;
pub(crate) mod fronts;
pub(crate) mod number;
pub(crate) mod ordering;
pub(crate) mod profile;
mod wavefront;
pub(crate) mod worth;

use crate::chain::{Generator, Matrix};
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Progress, Watch};
use crate::linear::elimination::fronts::Fronts;
use crate::linear::elimination::fronts::panel::Panel;
use crate::linear::elimination::fronts::reduction::{self, Reduced, Task};
use crate::linear::elimination::number::{Scalar, Unknown};
use crate::linear::elimination::ordering::{Price, Refusal};
use crate::linear::elimination::wavefront::Wave;
use crate::linear::iteration::Halt;

/// A row of at least so many entries is worth a look at the clock; in exact numbers, any is.
const WORTH_A_LOOK: usize = 64;

/// Small fronts between two looks at the clock.
const BETWEEN_FRONTS: usize = 64;

/// Why there is no solution.
pub(crate) enum Unsolved {
    Stopped(Error),
    /// It would cost more than is allowed, or some states are joined to no others, because the flows between
    /// them are too small for floats.
    Refused,
}

impl From<Unsolved> for Halt {
    fn from(unsolved: Unsolved) -> Halt {
        match unsolved {
            Unsolved::Stopped(Error::Stopped(stopped)) => Halt::Limit(stopped.limit),
            Unsolved::Stopped(_) | Unsolved::Refused => Halt::Stagnated,
        }
    }
}

/// What an elimination keeps for the way back.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Keep {
    /// The rates into eliminated places: for the probabilities.
    Back,
    /// The rates onward from them too: for a bias.
    Both,
}

/// The steady state of an irreducible chain, within so many bytes and multiplications.
pub(crate) fn solve<N: Scalar>(
    generator: &Generator<N>,
    bytes: u64,
    work: u64,
    watch: &mut Watch<'_>,
) -> Result<Vec<N>, Unsolved> {
    let fronts = fronts(generator, None, Keep::Back, [bytes, work], watch)?;
    Elimination::of(generator, &fronts, Keep::Back, watch)?.substitute(watch)
}

/// The mean of rewards in the steady state of an irreducible chain, and their [bias](crate::steady::bias),
/// zero in some state; within so many bytes and multiplications.
pub(crate) fn bias<N: Scalar>(
    generator: &Generator<N>,
    rewards: &[N],
    bytes: u64,
    work: u64,
    watch: &mut Watch<'_>,
) -> Result<(N, Vec<N>), Unsolved> {
    let fronts = fronts(generator, None, Keep::Both, [bytes, work], watch)?;
    Elimination::of(generator, &fronts, Keep::Both, watch)?.bias(rewards, watch)
}

/// What a run of an irreducible chain collects from each state on, at so much per unit of time, before it
/// comes to the `origin`; within so many bytes and multiplications. All that is added is positive, so no
/// digits cancel, however seldom the run comes there.
pub(crate) fn costs_before(
    generator: &Generator<f64>,
    (costs, origin): (&[f64], u32),
    bytes: u64,
    work: u64,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, Unsolved> {
    let fronts = fronts(generator, Some(origin), Keep::Both, [bytes, work], watch)?;
    Elimination::of(generator, &fronts, Keep::Both, watch)?.costs_before_last(costs, watch)
}

/// The fronts of an elimination that stays within so many bytes and multiplications, and the rates by their
/// targets. One of the states may have to go last.
fn fronts<N: Scalar>(
    generator: &Generator<N>,
    last: Option<u32>,
    keep: Keep,
    [bytes, work]: [u64; 2],
    watch: &mut Watch<'_>,
) -> Result<Prepared<N>, Unsolved> {
    let most = Price { entries: bytes / size_of::<N>() as u64, work };
    let incoming = generator.matrix().transposed();
    let fronts = match last {
        Some(_) => least_degrees(generator, last, most, watch)?,
        None => along_wave_or_by_degrees(generator, &incoming, most, watch)?,
    };
    let onward = if keep == Keep::Both { fronts.entries() as u64 } else { 0 };
    let taken = fronts.most_numbers(Panel::<N>::BLOCK) + onward;
    let room = most.entries.checked_sub(taken).ok_or(Unsolved::Refused)?;
    Ok(Prepared { fronts, incoming, room })
}

/// What is known before an elimination.
struct Prepared<N> {
    fronts: Fronts,
    /// The rates by their targets.
    incoming: Matrix<N>,
    /// How many numbers there may be beside those of an elimination by one thread.
    room: u64,
}

/// The fronts in the cheaper of two orders: along a wave through the chain, or by least degrees.
fn along_wave_or_by_degrees<N: Scalar>(
    generator: &Generator<N>,
    incoming: &Matrix<N>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<Fronts, Unsolved> {
    let of = generator.states() as u64;
    let wave = Wave::new(generator.matrix(), incoming, watch)
        .map_err(|limit| Unsolved::Stopped(stopped(limit, 0, of)))?;
    if wave.leaves_some_out(generator.states()) {
        return Err(Unsolved::Refused);
    }
    match wave.is_longer_than_wide() && wave.price.is_within(most) {
        true if wave.is_narrow() => Ok(wave.fronts()),
        // What is nearly as wide as long, as a grid of two dimensions, may cost less.
        true => match least_degrees(generator, None, Price { work: wave.price.work, ..most }, watch) {
            Err(Unsolved::Refused) => Ok(wave.fronts()),
            fronts => fronts,
        },
        false => least_degrees(generator, None, most, watch),
    }
}

fn least_degrees<N: Scalar>(
    generator: &Generator<N>,
    last: Option<u32>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<Fronts, Unsolved> {
    match ordering::order_with_last(generator.matrix(), last, most, watch) {
        Ok(fronts) => Ok(fronts.merged()),
        Err(Refusal::Limit(limit)) => Err(Unsolved::Stopped(stopped(limit, 0, generator.states() as u64))),
        Err(Refusal::Price) => Err(Unsolved::Refused),
    }
}

/// The steady state of a small chain.
#[cfg(test)]
pub(crate) fn of_small(generator: &Generator<f64>, watch: &mut Watch<'_>) -> Vec<f64> {
    solve(generator, u64::MAX, u64::MAX, watch).unwrap_or_else(|_| panic!("small chains are eliminated"))
}

/// What an elimination of an irreducible chain costs at most, where that is known without an ordering: unless
/// the chain is far wider than long. Linear in the rates.
pub(crate) fn price(generator: &Generator<f64>, watch: &mut Watch<'_>) -> Result<Option<Price>, Stopped> {
    let wave = Wave::new(generator.matrix(), &generator.matrix().transposed(), watch)
        .map_err(|limit| Stopped { limit, reached: Reached::Preparing })?;
    Ok((!wave.is_given_up).then_some(wave.price))
}

/// The bytes that an elimination takes beside its fronts: the graph and the lists of the ordering, then the
/// rates by targets.
pub(crate) fn memory<N>(states: usize, entries: usize) -> u64 {
    const PER_STATE: usize = 160;
    (states * (PER_STATE + 2 * size_of::<N>()) + entries * 16) as u64
}

/// The reduced rates.
struct Elimination<'f, N> {
    fronts: &'f Fronts,
    /// Front by front and row by row the rates into the places of the front, when these are eliminated.
    back: Vec<N>,
    /// Front by front and row by row the rates from the places of the front onward, when these are
    /// eliminated; where kept.
    onward: Vec<N>,
    exits: Vec<N>,
}

impl<'f, N: Scalar> Elimination<'f, N> {
    fn of(
        generator: &'f Generator<N>,
        Prepared { fronts, incoming, room }: &'f Prepared<N>,
        keep: Keep,
        watch: &mut Watch<'_>,
    ) -> Result<Elimination<'f, N>, Unsolved> {
        let task = Task::new(fronts, (generator, incoming), keep);
        let Reduced { back, onward, exits, .. } = reduction::reduce(&task, *room, watch)?;
        Ok(Elimination { fronts, back, onward, exits })
    }

    /// The probabilities, in the order of the states.
    fn substitute(&self, watch: &mut Watch<'_>) -> Result<Vec<N>, Unsolved> {
        if let Some(pi) = self.visits(N::clone, N::is_in_range, watch)? {
            return Ok(self.by_state(&pi, |share| share));
        }
        let pi = self.visits(N::unscaled, |_| true, watch)?.unwrap_or_default();
        Ok(self.by_state(&pi, N::scaled))
    }

    /// Values in proportion to the probabilities, by places, in a type of numbers; `None` if one is out of
    /// its range.
    fn visits<V: Unknown>(
        &self,
        number: impl Fn(&N) -> V,
        is_in_range: impl Fn(&V) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<V>>, Unsolved> {
        let count = self.exits.len();
        let mut pi = vec![V::zero(); count];
        pi[count - 1] = number(&N::one());
        let mut end = self.back.len();
        for front in (0..self.fronts.count()).rev() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            if front.is_multiple_of(BETWEEN_FRONTS) || border.len() >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, count as u64, count as u64)?;
            }
            let rows = places.clone().chain(border.iter().map(|&place| place as usize));
            for (row, place) in rows.enumerate().collect::<Vec<_>>().into_iter().rev() {
                if row < places.len() && place + 1 < count {
                    let flow = &pi[place];
                    let value = flow.clone() / number(&self.exits[place]);
                    if !is_in_range(flow) || !is_in_range(&value) {
                        return Ok(None);
                    }
                    pi[place] = value;
                }
                let value = pi[place].clone();
                let start = end - row.min(places.len());
                for (sum, rate) in pi[places.start..].iter_mut().zip(&self.back[start..end]) {
                    if !rate.is_zero() {
                        *sum = sum.clone() + value.clone() * number(rate);
                    }
                }
                end = start;
            }
        }
        Ok(Some(pi))
    }

    /// The values of places, scaled to sum one, in the order of the states.
    fn by_state<V: Unknown>(&self, values: &[V], scaled: impl Fn(V) -> N) -> Vec<N> {
        let sum = values.iter().fold(V::zero(), |sum, value| sum + value.clone());
        let probability = |&place: &u32| scaled(values[place as usize].clone() / sum.clone());
        self.fronts.places.iter().map(probability).collect()
    }

    /// The mean of rewards, and their bias, in the order of the states.
    ///
    /// Eliminating a state hands on what a visit to it brings, its reward and the time it takes, to the
    /// states from which it is visited: sums of products again. The last state then has those of a whole
    /// round, and their ratio is the mean.
    fn bias(&self, rewards: &[N], watch: &mut Watch<'_>) -> Result<(N, Vec<N>), Unsolved> {
        let (mut gains, times) = self.rounds(rewards, watch)?;
        let last = gains.len() - 1;
        let mean = gains[last].clone() / times[last].clone();
        for (gain, time) in gains.iter_mut().zip(&times) {
            *gain = gain.clone() - mean.clone() * time.clone();
        }
        Ok((mean, self.collected(&gains, watch)?))
    }

    /// What is collected from each state on before the last one to be eliminated, in the order of the states.
    fn costs_before_last(&self, costs: &[N], watch: &mut Watch<'_>) -> Result<Vec<N>, Unsolved> {
        let (gains, _) = self.rounds(costs, watch)?;
        self.collected(&gains, watch)
    }

    /// The same from the gains of each place, which are what a visit to it and to earlier places brings
    /// before a later one.
    fn collected(&self, gains: &[N], watch: &mut Watch<'_>) -> Result<Vec<N>, Unsolved> {
        let last = gains.len() - 1;
        let mut collected = vec![N::zero(); gains.len()];
        let mut end = self.onward.len();
        for front in (0..self.fronts.count()).rev() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            if front.is_multiple_of(BETWEEN_FRONTS) || border.len() >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, gains.len() as u64, gains.len() as u64)?;
            }
            for place in places.clone().rev() {
                let later = (place + 1..places.end).chain(border.iter().map(|&place| place as usize));
                let start = end - (places.end - place - 1) - border.len();
                if place < last {
                    let mut sum = gains[place].clone();
                    for (rate, to) in
                        self.onward[start..end].iter().zip(later).filter(|(rate, _)| !rate.is_zero())
                    {
                        sum = sum + rate.clone() * collected[to].clone();
                    }
                    collected[place] = sum / self.exits[place].clone();
                }
                end = start;
            }
        }
        Ok(self.fronts.places.iter().map(|&place| collected[place as usize].clone()).collect())
    }

    /// Per place what a visit brings with all that is visited before a later place, and the time it takes.
    fn rounds(&self, rewards: &[N], watch: &mut Watch<'_>) -> Result<(Vec<N>, Vec<N>), Unsolved> {
        let of_place = |&state: &u32| rewards[state as usize].clone();
        let mut gains: Vec<N> = self.fronts.states.iter().map(of_place).collect();
        let mut times = vec![N::one(); gains.len()];
        let mut back = self.back.iter();
        for front in 0..self.fronts.count() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            if front.is_multiple_of(BETWEEN_FRONTS) || border.len() >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, gains.len() as u64, gains.len() as u64)?;
            }
            let rows = places.clone().chain(border.iter().map(|&place| place as usize));
            for (row, place) in rows.enumerate() {
                for (through, rate) in places.clone().take(row).zip(&mut back) {
                    if !rate.is_zero() {
                        let visits = rate.clone() / self.exits[through].clone();
                        gains[place] = gains[place].clone() + visits.clone() * gains[through].clone();
                        times[place] = times[place].clone() + visits * times[through].clone();
                    }
                }
            }
        }
        Ok((gains, times))
    }
}

fn look(watch: &mut Watch<'_>, done: u64, of: u64) -> Result<(), Unsolved> {
    watch
        .check(|| Progress::Eliminating { done, of })
        .map_err(|limit| Unsolved::Stopped(stopped(limit, done, of)))
}

fn stopped(limit: Limit, done: u64, of: u64) -> Error {
    Error::Stopped(Stopped { limit, reached: Reached::Eliminating { done, of } })
}

#[cfg(test)]
mod tests;
